import t, { type Test } from 'tap'
import { HttpProblem } from '../../../domain/problem.ts'
import { assignedTypes } from '../../../domain/themes/template.ts'
import { allResources } from '../support/shops/all-resources.ts'
import { shop, stage } from '../support/demo-platform.ts'

const { platform, page, told } = await stage(t)
const [kiln, harbour] = ['160001', '160002']
const everyFolder = ['layout/', 'templates/', 'sections/', 'snippets/', 'config/', 'assets/']
const all = async (theme: string) =>
  new Map(
    (await platform.themeFiles(shop, theme, everyFolder)).map(({ name, body }) => [name, body]),
  )
const before = { [kiln]: await all(kiln), [harbour]: await all(harbour) }
const bodyOf = async (theme: string, name: string) =>
  (await platform.themeFiles(shop, theme, [name]))[0]?.body
const sectionsOn = async (path: string) =>
  [...(await page(path)).matchAll(/id="section-([a-z-]+)"/g)].map(([, name]) => name)
const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof HttpProblem && error.status === status && message.test(error.message)
async function refusedWith(
  t: Test,
  work: Promise<unknown>,
  status: number,
  message: RegExp,
  name: string,
) {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  )
  t.ok(refused(status, message)(error), `${name}: ${String(error)}`)
}

t.test('both themes are listed, and the published one is marked', async t => {
  const themes = await platform.themes(shop)
  t.same(
    themes.map(({ id, name, role }) => [id, name, role]),
    [
      [kiln, 'Kiln', 'live'],
      [harbour, 'Harbour', 'unpublished'],
    ],
  )
  t.ok(themes.every(({ createdAt, updatedAt }) => Date.parse(createdAt) <= Date.parse(updatedAt)))
  t.equal((await platform.shop(shop)).themeId, kiln)
})

t.test(
  'files are read by name and by folder; missing files are left out, and a missing theme is a 404',
  async t => {
    const files = await platform.themeFiles(shop, kiln, [
      'templates/product.json',
      'templates/none.json',
      'snippets/',
    ])
    t.same(
      files.map(({ name }) => name),
      ['snippets/localization.liquid', 'snippets/product-card.liquid', 'templates/product.json'],
    )
    t.match(files[2], { body: /related-products/, updatedAt: /^\d{4}-/ })
    const many = [...before[kiln]!.keys()]
    t.ok(many.length > 30)
    t.equal(
      (
        await platform.themeFiles(shop, kiln, [
          ...many,
          ...Array.from({ length: 60 }, (_, i) => `sections/none-${i}.liquid`),
        ])
      ).length,
      many.length,
      'more names than the shop accepts in one request',
    )
    t.same(await platform.themeFiles(shop, kiln, []), [])
    for (const call of [
      () => platform.themeFiles(shop, '9', ['layout/']),
      () => platform.writeThemeFiles(shop, '9', [{ name: 'sections/a.liquid', body: '' }]),
      () => platform.publishTheme(shop, '9'),
      () => platform.deleteThemeFiles(shop, '../1', ['sections/a.liquid']),
    ])
      await refusedWith(t, call(), 404, /no such theme/, 'a theme that is none')
  },
)

t.test(
  'a new template is used at once, on request with ?view= and where it is assigned',
  async t => {
    await told()
    const body = JSON.stringify({
      sections: { main: { type: 'main-product', settings: { button: 'Take it home' } } },
      order: ['main'],
    })
    await platform.writeThemeFiles(shop, kiln, [{ name: 'templates/product.ts-a1.json', body }])
    t.equal(await bodyOf(kiln, 'templates/product.ts-a1.json'), body)
    t.same(await sectionsOn('/products/oak-spoon?view=ts-a1'), ['header', 'main', 'footer'])
    t.match(await page('/products/oak-spoon?view=ts-a1'), 'Take it home')
    t.same(await sectionsOn('/products/oak-spoon'), ['header', 'main', 'related', 'footer'])
    t.same(
      await sectionsOn(`/products/oak-spoon?view=ts-a1&preview_theme_id=${harbour}`),
      ['header', 'main', 'related', 'footer'],
      'the other theme does not have the template',
    )
    t.match(await told(), [['themes/update', { id: kiln, name: 'Kiln', role: 'live' }]])
    await platform.writeThemeFiles(shop, kiln, [{ name: 'templates/product.ts-a1.json', body }])
    t.same(await told(), [], 'writing the same bytes again is no change')

    await platform.writeThemeFiles(shop, kiln, [
      {
        name: 'templates/index.ts-a1.json',
        body: '{"sections":{"a":{"type":"hero","settings":{"title":"Elsewhere"}},"b":{"type":"story","disabled":true}},"order":["a","b"]}',
      },
    ])
    t.match(await page('/?view=ts-a1'), 'Elsewhere')
    t.same(
      await sectionsOn('/?view=ts-a1'),
      ['header', 'a', 'footer'],
      'a disabled section is not drawn',
    )
    await platform.writeThemeFiles(shop, kiln, [
      { name: 'templates/page.plain.liquid', body: '<h1>{{ page.title | upcase }}</h1>' },
    ])
    t.match(await page('/pages/faq?view=plain'), '<h1>QUESTIONS AND ANSWERS</h1>')

    await platform.deleteThemeFiles(shop, kiln, [
      'templates/product.ts-a1.json',
      'templates/index.ts-a1.json',
      'templates/page.plain.liquid',
      'templates/not.there.json',
    ])
    t.same(
      await sectionsOn('/products/oak-spoon?view=ts-a1'),
      ['header', 'main', 'related', 'footer'],
      'without the template the page uses the default one',
    )
    t.same(await all(kiln), before[kiln])
  },
)

t.test(
  'a file that would break the theme is refused with a reason, and nothing of the request is written',
  async t => {
    const template = (sections: object, order?: string[]) =>
      JSON.stringify({ sections, order: order ?? Object.keys(sections) })
    const many = Object.fromEntries(
      Array.from({ length: 26 }, (_, i) => [`s${i}`, { type: 'story' }]),
    )
    const cases: [string, string, RegExp][] = [
      ['templates/product.x.json', '{', /not JSON/],
      ['templates/product.x.json', '{"sections":{}}', /order/],
      [
        'templates/product.x.json',
        template({ main: { type: 'nothing' } }),
        /“nothing”, which the theme does not have/,
      ],
      [
        'templates/product.x.json',
        template({ main: { type: 'story' } }, ['main', 'other']),
        /“other”/,
      ],
      [
        'templates/product.x.json',
        template({ main: { type: 'story' } }, ['main', 'main']),
        /twice/,
      ],
      [
        'templates/product.x.json',
        template({ '"><script>': { type: 'story' } }),
        /no name for a section/,
      ],
      [
        'templates/product.x.json',
        template({ main: { type: 'story', blocks: {}, block_order: ['a'] } }),
        /block “a”/,
      ],
      [
        'templates/product.x.json',
        template({
          main: { type: 'story', blocks: { a: { type: 'a' } }, block_order: ['a', 'a'] },
        }),
        /a block twice/,
      ],
      [
        'templates/product.x.json',
        template({
          main: {
            type: 'story',
            blocks: Object.fromEntries(
              Array.from({ length: 51 }, (_, i) => [`b${i}`, { type: 'a' }]),
            ),
          },
        }),
        /more than 50 blocks/,
      ],
      ['templates/product.x.json', template(many), /at most 25 sections/],
      [
        'templates/product.x.json',
        template({ main: { type: 'story', settings: { text: 'x'.repeat(600_000) } } }),
        /512 KB/,
      ],
      ['sections/hero.liquid', '{% if %}', /sections\/hero/],
      ['sections/hero.liquid', '{% for a in b %}', /not closed/],
      ['sections/hero.liquid', '{{ title | no_such_filter }}', /no_such_filter/],
      ['sections/hero.liquid', '{% render "no-such-snippet" %}', /no-such-snippet/],
      ['sections/hero.liquid', '{% schema %}{ "a" {% endschema %}', /JSON/],
      ['sections/hero.liquid', 'a\0b', /no text/],
      ['layout/theme.liquid', '<html>{{ content_for_layout }}</html>', /content_for_header/],
      ['config/settings_data.json', '{"current":{"sections":{"header":{"type":"gone"}}}}', /gone/],
      ...[
        '../secrets.json',
        'templates/../x.json',
        'templates/a/b.json',
        'templates/a.sh',
        'sections/x.json',
        'layout/other.liquid',
        'blocks/a.liquid',
        'assets/.x.css',
        '',
        'assets/a.png',
        'constructor/a.liquid',
      ].map((name): [string, string, RegExp] => [name, '{}', /no file of this name/]),
    ]
    for (const [name, body, message] of cases) {
      const files = [
        { name: 'sections/ours.liquid', body: 'good' },
        { name, body },
      ]
      await refusedWith(
        t,
        platform.writeThemeFiles(shop, kiln, files),
        422,
        message,
        JSON.stringify(`${name} ${body.slice(0, 60)}`),
      )
    }
    await refusedWith(
      t,
      platform.writeThemeFiles(
        shop,
        kiln,
        Array.from({ length: 51 }, (_, i) => ({ name: `sections/s${i}.liquid`, body: '' })),
      ),
      422,
      /At most 50/,
      '51 files',
    )
    await refusedWith(
      t,
      platform.writeThemeFiles(shop, kiln, [
        { name: 'sections/a.liquid', body: '1' },
        { name: 'sections/a.liquid', body: '2' },
      ]),
      422,
      /twice/,
      'one twice',
    )
    for (const name of [
      'templates/product.json',
      'layout/theme.liquid',
      'config/settings_data.json',
      'templates/blog.json',
    ])
      await refusedWith(t, platform.deleteThemeFiles(shop, kiln, [name]), 422, /needs this/, name)
    await refusedWith(
      t,
      platform.deleteThemeFiles(shop, kiln, ['sections/hero.liquid']),
      422,
      /templates\/index\.json: .*“hero”/,
      'a section in use',
    )
    await refusedWith(
      t,
      platform.deleteThemeFiles(shop, kiln, ['snippets/product-card.liquid']),
      422,
      /product-card/,
      'a snippet in use',
    )
    t.same(await all(kiln), before[kiln])
  },
)

t.test('an error while drawing a section is shown in its place, and the rest is drawn', async t => {
  await platform.writeThemeFiles(shop, kiln, [
    { name: 'sections/story.liquid', body: '{% for i in (1..100000000) %}{{ i }}{% endfor %}' },
  ])
  const html = await page('/')
  t.match(html, /Liquid error \(sections\/story\.liquid\)/)
  t.match(html, 'footer__small')
  await platform.writeThemeFiles(shop, kiln, [
    { name: 'sections/story.liquid', body: before[kiln]!.get('sections/story.liquid')! },
  ])
})

t.test('a changed asset has a new address and is served there', async t => {
  const address = async () => /\/assets\/160001\/kiln\.css\?v=\w+/.exec(await page('/'))![0]
  const first = await address()
  await platform.writeThemeFiles(shop, kiln, [
    { name: 'assets/kiln.css', body: 'body { color: red }' },
  ])
  t.not(await address(), first)
  t.equal(await page(await address()), 'body { color: red }')
  await platform.writeThemeFiles(shop, kiln, [
    { name: 'assets/kiln.css', body: before[kiln]!.get('assets/kiln.css')! },
  ])
  t.equal(await address(), first)
})

t.test('a published theme is served, and a webhook reports it', async t => {
  await told()
  await platform.publishTheme(shop, harbour)
  t.match(await page('/'), 'For kitchens that are used')
  t.equal((await platform.shop(shop)).themeId, harbour)
  t.same(
    (await platform.themes(shop)).map(({ id, role }) => [id, role]),
    [
      [kiln, 'unpublished'],
      [harbour, 'live'],
    ],
  )
  t.match(await told(), [['themes/publish', { id: harbour, role: 'live' }]])
  await platform.publishTheme(shop, harbour)
  t.same(await told(), [], 'publishing it again is no change')
  await platform.publishTheme(shop, kiln)
  t.match(await page('/'), 'Pots with the weather in them')
})

t.test('each type has its resources, and an assigned template draws them', async t => {
  for (const type of assignedTypes) {
    const resources = await allResources(platform, shop, type)
    t.ok(resources.length > 0, type)
    for (const { path, suffix } of resources) {
      const html = await page(path)
      t.match(html, `template-${type}`, path)
      t.match(
        suffix,
        path === '/products/pour-over-set'
          ? 'story'
          : path === '/pages/gift-guide-2026'
            ? 'guide'
            : /^$/,
        path,
      )
    }
    const [first] = resources
    const original = before[kiln]!.get(`templates/${type}.json`)!
    const { sections, order } = JSON.parse(original) as { sections: object; order: string[] }
    const body = JSON.stringify({
      sections: {
        ...sections,
        extra: { type: 'story', settings: { title: `Assigned to a ${type}` } },
      },
      order: [...order, 'extra'],
    })
    await platform.writeThemeFiles(shop, kiln, [{ name: `templates/${type}.ts-b2.json`, body }])
    await told()
    await platform.assignTemplates(shop, [{ type, id: first!.id, suffix: 'ts-b2' }])
    t.match(await page(first!.path), `Assigned to a ${type}`)
    t.equal((await allResources(platform, shop, type))[0]!.suffix, 'ts-b2')
    t.match(await told(), [['themes/update', { id: kiln }]])
    await platform.assignTemplates(shop, [{ type, id: first!.id, suffix: first!.suffix }])
    t.notMatch(await page(first!.path), `Assigned to a ${type}`)
    t.same(await allResources(platform, shop, type), resources)
    await platform.deleteThemeFiles(shop, kiln, [`templates/${type}.ts-b2.json`])
  }
})

t.test('either all assignments are made or none', async t => {
  const products = await allResources(platform, shop, 'product')
  const good = { type: 'product' as const, id: products[0]!.id, suffix: 'story' }
  await refusedWith(
    t,
    platform.assignTemplates(shop, [good, { type: 'product', id: '999', suffix: 'story' }]),
    404,
    /no product 999/,
    'an unknown product',
  )
  await refusedWith(
    t,
    platform.assignTemplates(shop, [good, { type: 'page', id: products[0]!.id, suffix: 'story' }]),
    404,
    /no page/,
    'an id of another type',
  )
  await refusedWith(
    t,
    platform.assignTemplates(shop, [good, { ...good, suffix: '../x' }]),
    422,
    /no suffix/,
    'no suffix',
  )
  t.same(await allResources(platform, shop, 'product'), products)
})

t.test('everything can be restored to the byte', async t => {
  const changed = [...before[kiln]!]
    .filter(([name]) => name.endsWith('.liquid'))
    .slice(0, 20)
    .map(([name, body]) => ({ name, body: `${body}\r\n<!-- changed: é ✓ 🏺 -->` }))
  await platform.writeThemeFiles(shop, kiln, [
    ...changed,
    { name: 'sections/ours.liquid', body: 'ours' },
  ])
  t.notSame(await all(kiln), before[kiln])
  t.equal(await bodyOf(kiln, changed[0]!.name), changed[0]!.body, 'the file is exactly as written')
  await platform.deleteThemeFiles(shop, kiln, [
    'sections/ours.liquid',
    'templates/product.story.json',
  ])
  await platform.writeThemeFiles(
    shop,
    kiln,
    [...changed.map(({ name }) => name), 'templates/product.story.json'].map(name => ({
      name,
      body: before[kiln]!.get(name)!,
    })),
  )
  t.same(await all(kiln), before[kiln])
  t.same(await all(harbour), before[harbour])
})
