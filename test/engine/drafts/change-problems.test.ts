import t from 'tap'
import type { DomAction } from '../../../domain/drafts/dom-selector.ts'
import { notASelector, slowSelector, wholePage } from '../../../domain/drafts/selector.ts'
import {
  actionProblems,
  changeProblems,
  selectorProblem,
} from '../../../engine/drafts/change-problems.ts'
import { startEngine } from '../support/engine.ts'
import { like } from '../support/like.ts'

const action = (part: Partial<DomAction>): DomAction => ({
  selector: '.a',
  kind: 'html',
  value: '',
  name: '',
  ...part,
})
const refusedAt = (part: Partial<DomAction>) =>
  actionProblems(action(part)).map(({ field }) => field)

t.test('markup that would run code is refused in every disguise', async t => {
  const hostile = [
    '<script>x()</script>',
    '<SCRIPT src=//x>',
    '<p><b><script></b>',
    '<svg><script>x()</script></svg>',
    '<svg:script>x()</svg:script>',
    '<img src=x onerror=x()>',
    '<IMG SRC=x OnErRoR=x()>',
    '<img/src/onerror=x()>',
    '<a href="javascript:x()">a</a>',
    '<a href=" jav&#x09;ascript:x()">a</a>',
    '<a href="&#106;avascript:x()">a</a>',
    '<svg><a xlink:href="javascript:x()">a</a></svg>',
    '<form action=javascript:x()>',
    '<button formaction="JavaScript:x()">',
    '<iframe srcdoc="<p>a">',
    '<iframe src="javascript:x()">',
    '<iframe src="data:text/html,x">',
    '<base href="//x">',
    '<meta http-equiv=refresh content="0;url=//x">',
    '<object data=x.swf>',
    '<embed src=x>',
    '<svg><set attributeName=onclick to=x()></svg>',
    '<svg><animate attributeName=href values="#;javascript:x()"></svg>',
    '<tr onclick=x()><td>a',
    '<option onclick=x()>',
    '<body onload=x()>',
    '<html onclick=x()>',
    '<template><img onerror=x()></template>',
    '<svg><style><img src=x onerror=x()></style></svg>',
    '<style><img src=x onerror=x()></style>',
    '<noscript><img src=x onerror=x()></noscript>',
    '<math><mtext><table><mglyph><style><img src=x onerror=x()>',
    '<textarea></textarea><img onerror=x()>',
    '<style>.a { color: red }</style>',
    '<link rel=stylesheet href=/a.css>',
    '<iframe src="https://video.example/1"></iframe>',
    '<button formaction=/pay>Pay</button>',
    '<audio src=/a.mp3>',
    '<input type=image src=/a.png>',
    '<a type=text/javascript>',
    '<svg><set attributeName="xlink:href" to="/x"></svg>',
    '<p style="background: url(//x.example/a)">',
    '<p style="--a: u\\72l(//x.example/a)">',
    `${'<div>'.repeat(5000)}<img onerror=x()>`,
    // Inside an SVG, the text of these elements is parsed as elements, and <title> contains HTML
    // again.
    ...[1, 3, 4, 6, 9].map(times => `${'<textarea>'.repeat(times)}<title><img src=x onerror=x()>`),
    '<title>&lt;a title="<img src=x onerror=x()>"&gt;</title>',
    '<title>&lt;!--<img src=x onerror=x()>--></title>',
    '<![CDATA[><a title="]]><!-- --!><img src=x onerror=x()>">',
    '</svg></math><title>&lt;a title="<img src=x onerror=x()>"&gt;</title>',
    '<col><![CDATA[><img src=x onerror=x()>',
    '<p title="<img src=x onerror=x()>">',
    '<!-- <img src=x onerror=x()> -->',
    '<p x-init="x()">',
    '<p @click="x()">',
    '<p hx-on:click=x()>',
    `${'<a '.repeat(7000)}>`,
    '<xmp><noembed><iframe><style><plaintext><img src=x onerror=x()>',
  ]
  for (const value of hostile)
    for (const kind of ['html', 'insertBefore', 'insertAfter'] as const)
      t.same(refusedAt({ kind, value }), ['value'], `${kind}: ${value.slice(-60)}`)
})

t.test('markup that shops usually write is accepted', async t => {
  const fine = [
    '',
    'Free returns',
    '<p class="note" style="color: red">Free <b>returns</b> &amp; more</p>',
    '<a href="/pages/returns" data-on="x">Returns</a>',
    '<img src="/a.png" srcset="/a.png 1x, /b.png 2x" alt="on sale">',
    '<picture><source srcset="/a.webp" type="image/webp"><img src="https://cdn.example/a.png" alt=""></picture>',
    '<button type="button">Buy</button>',
    '<input type="email">',
    '<p style="background: url(/a.png)">a</p>',
    '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>',
    '<p>1 < 2, onclick=no</p>',
    '<a href="https://x.example/?u=javascript:1">a</a>',
    '<img src="data:image/png;base64,AAAA" alt="">',
    '<!-- note --><p>a</p>',
  ]
  for (const value of fine) t.same(refusedAt({ value }), [], value)
  t.same(
    refusedAt({ kind: 'text', value: '<script>' }),
    [],
    'the value of a text change is no markup',
  )
  t.same(refusedAt({ kind: 'attribute', name: 'aria-label', value: 'Buy' }), [])
  t.same(refusedAt({ kind: 'attribute', name: '', value: '' }), [], 'an unfinished change')
  t.same(refusedAt({ kind: 'image', value: '/cdn/a.webp' }), [])
  t.same(refusedAt({ kind: 'move', name: 'after', value: '.price' }), [])
})

t.test('the markup of all changes of a draft together is checked up to one limit', async t => {
  const told = (values: string[]) =>
    changeProblems([{ actions: values.map(value => action({ value })) }])
  const within = '<a'.repeat(700)
  t.same(told([within]), [], 'a tag without an end is no element')
  t.match(told(Array.from({ length: 180 }, () => within)).at(-1), {
    field: 'domSelectors.0.actions.179.value',
    message: /cannot be checked/,
  })
  const many = (count: number) =>
    `<p ${Array.from({ length: count }, (_, n) => `data-${n}`).join(' ')}>`
  t.same(told([many(200)]), [])
  t.match(told([many(201)]), [{ message: /too many attributes/ }])
  const honest =
    '<div class="box"><p>Some words of a shop with a <a href="/products/mug">link</a> and <b>more</b>.</p></div>\n'
  t.same(
    told(Array.from({ length: 480 }, () => honest.repeat(10))),
    [],
    'as much normal markup as one form can send',
  )
})

t.test('attributes, pictures and move targets are checked too', async t => {
  t.same(refusedAt({ kind: 'attribute', name: 'onclick', value: 'x()' }), ['name'])
  t.same(refusedAt({ kind: 'attribute', name: ' OnLoad', value: 'x()' }), ['name'])
  t.same(refusedAt({ kind: 'attribute', name: 'srcdoc', value: 'a' }), ['name'])
  t.same(refusedAt({ kind: 'attribute', name: 'http-equiv', value: 'refresh' }), ['name'])
  t.same(refusedAt({ kind: 'attribute', name: 'a b', value: '' }), ['name'])
  t.same(refusedAt({ kind: 'attribute', name: 'href', value: '\u0001java\nscript:x()' }), ['value'])
  for (const name of ['type', 'TYPE', 'formaction', 'attributeName'])
    t.same(refusedAt({ kind: 'attribute', name, value: 'text/javascript' }), ['name'], name)
  t.same(
    refusedAt({ kind: 'attribute', name: 'style', value: 'background: url(https://x.example/)' }),
    ['value'],
  )
  for (const selector of ['audio', '.a > input', 'a.b, img'])
    t.same(refusedAt({ kind: 'attribute', selector, name: 'src', value: '/a' }), ['name'], selector)
  for (const selector of ['img.a', 'picture > source', 'video', '.hero'])
    t.same(refusedAt({ kind: 'attribute', selector, name: 'srcset', value: '/a' }), [], selector)
  for (const value of [
    'url(//x.example/a)',
    'url( "https://x.example/a" )',
    "url('http:x')",
    'url(/\\x.example)',
    'url(/\t/x.example)',
    '\\75rl(//x.example)',
    'image-set("//x.example/a" 1x)',
    'src("//x.example")',
    '@import "//x.example"',
    'red, url(x.png)',
    'url(data:text/html,x)',
  ])
    t.same(refusedAt({ kind: 'style', name: 'background', value }), ['value'], value)
  for (const value of [
    'url(/a.png)',
    'url( "/cdn/a b.png" ) no-repeat',
    'url(#mark)',
    'url(data:image/png;base64,AA//BB)',
    'linear-gradient(red, rgb(0, 0, 0))',
    '"\\2713 a // b: c"',
    'var(--a)',
    'calc(1px * (2 + 3))',
  ])
    t.same(refusedAt({ kind: 'style', name: 'background', value }), [], value)
  t.same(refusedAt({ kind: 'image', value: 'javascript:x()' }), ['value'])
  t.same(refusedAt({ kind: 'move', value: 'body' }), ['value'])
  t.same(refusedAt({ kind: 'move', value: 'a >' }), ['value'])
})

t.test('a selector must be valid, fast, and select elements that may be changed', async t => {
  for (const selector of [
    'h1 >> b',
    '.a,',
    'a >',
    '> a',
    ',a',
    '<b>',
    'a{}',
    '12',
    '[data-x=',
    'a::before',
    'div!',
    'svg|a',
    '@media',
    '"><script>alert(1)</script>',
  ])
    t.equal(selectorProblem(selector), notASelector, selector)
  for (const selector of [
    '*',
    'html',
    'BODY',
    'body.template-product',
    ':root',
    'body *',
    'html > body > *',
    '.a, *',
    '*:not(.x)',
    ':is(body)',
    ':where(*, .a)',
    ':not(.x)',
    'html:has(.x)',
    'body:not(#x)',
    ':hover',
  ])
    t.equal(selectorProblem(selector), wholePage, selector)
  for (const selector of [
    'script',
    '.a script',
    'head',
    'meta[name=x]',
    'base',
    'style',
    'a, iframe.b',
    'object',
    'embed',
    'svg animate',
  ])
    t.match(selectorProblem(selector), /cannot be made/, selector)
  for (const selector of [
    `.a${' .b'.repeat(13)}`,
    '.a ~ .b ~ .c ~ .d',
    '.a:has(.b):has(.c):has(.d)',
    `${'.a .b, '.repeat(13)}.c`,
  ])
    t.equal(selectorProblem(selector), slowSelector, selector)
  for (const selector of [
    '.buy',
    'body .buy',
    `div${' > div:nth-of-type(2)'.repeat(30)}`,
    '#a',
    '[data-buy]',
    'main > :first-child',
    'a:hover',
    '.card > *',
    ':is(.a, .b)',
    'p:nth-of-type(2)',
    'html.no-js .menu',
    '#\\31 23',
    'button:not([disabled])',
    '.a, .b > c + d ~ e',
  ])
    t.equal(selectorProblem(selector), null, selector)
})

t.test('the call refuses invalid changes, names their fields and stores nothing', async t => {
  const { call, close } = await startEngine()
  t.teardown(close)
  const draft = await call('createDraft', { body: { kind: 'PageElement' } })
  const set = (actions: DomAction[]) =>
    call('setDomSelectors', {
      params: { id: draft.hypotheses[1]!.id },
      body: { domSelectors: [{ id: '', urlPatterns: ['/'], actions }] },
    })
  await set([action({ value: '<b>a</b>' })])
  await t.rejects(
    set([
      action({}),
      action({ selector: 'body' }),
      action({ kind: 'insertAfter', value: '<img src=x onerror=x()>' }),
    ]),
    like({
      status: 400,
      problem: {
        fields: [
          { field: 'domSelectors.0.actions.1.selector' },
          { field: 'domSelectors.0.actions.2.value' },
        ],
      },
    }),
  )
  t.match((await call('draft', { params: { id: draft.id } })).domSelectors, [
    { actions: [{ value: '<b>a</b>' }] },
  ])
  t.same(
    changeProblems([{ actions: [action({ selector: '' })] }]),
    [],
    'an unfinished change may be stored',
  )
})
