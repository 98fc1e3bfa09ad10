import cookie from '@fastify/cookie'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import t from 'tap'
import { blockedReasons } from '../../../domain/navigation.ts'
import { paths } from '../../../domain/paths.ts'
import type { StoreStatus } from '../../../domain/stores/store.ts'
import { type Toast, toastLength, toastsShown } from '../../../domain/toast.ts'
import { carry } from '../../../server/page/carry.ts'
import { barePage, seeOther } from '../../../server/page/page.ts'
import { requestState } from '../../../server/request-state.ts'
import { toast } from '../../../server/page/toasts.ts'
import { Frame } from '../../../views/shell.tsx'
import { startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant()
t.teardown(merchant.close)
const {
  get,
  post,
  engine,
  app: { app },
} = merchant
const { db, now } = engine
const carried = 'shop=fern-and-kiln.demo-shop.test&host=aG9z&code=SAVE20'
const toastsIn = (html: string) =>
  [...html.matchAll(/<div class="toast" data-tone="(\w+)">.*?<span>(.*?)<\/span>/g)].map(m => [
    m[1],
    m[2],
  ])
const topbarOf = (html: string) => /<header class="topbar"[\s\S]*?<\/header>/.exec(html)![0]
const setStore = async (values: object) => {
  await db.kysely.updateTable('stores').set(values).execute()
  now.at = new Date(now.at.getTime() + 11_000)
}

t.test('the shell has its links, and opens Docs in a new tab only on another site', async t => {
  const { body } = await get('/')
  const topbar = topbarOf(body)
  for (const href of [
    paths.home(),
    paths.settings('support'),
    paths.settings('account'),
    paths.settings('notifications'),
    paths.settings('billing'),
  ])
    t.match(topbar, `href="${href}"`)
  t.match(topbar, `<a class="topbar-link" href="${paths.help()}">Docs</a>`, 'our own guide')
  t.notMatch(topbar, 'opens in a new tab')
  t.match(textOf(topbar), /Docs.*Support.*Fern & Kiln.*My account.*Notifications.*Plan & Billing/)
  t.match(body, `href="${paths.draft()}"`)
  t.match(topbar, `data-live="${paths.live()}"`, 'the page listens for news')
  t.notMatch(body, 'class="toast"')
  const current = async (path: string) =>
    textOf(
      /<ul class="nav-list">[\s\S]*?<\/ul>/
        .exec((await get(path)).body)![0]
        .replace(/<a(?![^>]*aria-current)[\s\S]*?<\/a>/g, ''),
    ).trim()
  t.same(
    [.../<ul class="nav-list">[\s\S]*?<\/ul>/.exec(body)![0].matchAll(/href="([^"]*)"/g)].map(
      ([, href]) => href,
    ),
    ['/', '/recommendations', '/settings/account'],
  )
  t.equal((await get('/settings')).headers.location, '/settings/account')
  t.equal(await current('/'), 'Tests')
  t.equal(await current('/tests/list/ended'), 'Tests')
  t.equal(await current('/recommendations'), 'Lift Assist')
  t.equal(await current('/settings/account'), 'Settings')
  t.match(
    textOf(body),
    'Twinshelf is best viewed on a larger screen. Full responsive support is coming soon.',
  )
  t.match(body, `href="${engine.shop.origin}/admin" target="_top">Return to the platform`)
  const elsewhere = await startMerchant({
    app: { DOCS_URL: 'https://docs.example.test/guide?a=1&b=2' },
  })
  t.teardown(elsewhere.close)
  t.match(
    topbarOf((await elsewhere.get(`/?${carried}`)).body),
    /<a class="topbar-link" href="https:\/\/docs\.example\.test\/guide\?a=1&amp;b=2" target="_blank" rel="noopener">Docs<svg.*?<\/svg><span class="visually-hidden">, opens in a new tab<\/span><\/a>/,
  )
})

t.test('the notice about small screens is dismissed on the page where it is', async t => {
  const dismiss = async (referer: string) => {
    const { headers } = await post(paths.dismissSmallScreen(), {}, { headers: { referer } })
    t.match(headers['set-cookie'], /Max-Age=\d{7,};.*HttpOnly/)
    return headers.location
  }
  t.match((await get('/')).body, 'best viewed on a larger screen')
  t.equal(await dismiss('https://evil.example/tests'), '/')
  t.equal(
    await dismiss('http://localhost:3000/tests/list/ended?page=2'),
    '/tests/list/ended?page=2',
  )
  t.notMatch((await get('/')).body, 'best viewed on a larger screen')
})

t.test('a code of the first address goes along to every page, unless it is no code', async t => {
  t.match((await get('/?code=SAVE20')).body, '?code=SAVE20"')
  for (const code of ['<b>SAVE20', 'SAVE20 ', ''])
    t.notMatch((await get(`/?code=${encodeURIComponent(code)}`)).body, '?code=', code)
})

t.test('a store that may open only one page gets no links to others', async t => {
  const before = await db.kysely
    .selectFrom('stores')
    .select(['onboarded', 'subscription_status', 'has_subscribed', 'plan_id'])
    .executeTakeFirstOrThrow()
  t.teardown(() => setStore({ onboarded: true }))
  await setStore({ onboarded: false })
  const { body } = await get('/welcome')
  const topbar = topbarOf(body)
  for (const words of ['Support', 'My account', '<details', 'Plan &amp; Billing'])
    t.notMatch(topbar, words)
  t.match(textOf(topbar), /Docs.*Fern & Kiln/)
  t.notMatch(body, 'class="sidenav"')
  for (const [state, href, label] of [
    [{ onboarded: false }, paths.welcome(), 'Continue the setup'],
    [
      { subscription_status: 'Cancelled', has_subscribed: true },
      paths.overlay('noplan'),
      'Back to your plan',
    ],
    [
      { subscription_status: null, has_subscribed: false, plan_id: null },
      paths.overlay('selectplan'),
      'Choose your plan',
    ],
  ] as const) {
    t.teardown(() => setStore(before))
    await setStore({ ...before, ...state })
    const gone = await get('/nowhere')
    t.match(gone.body, '<title>Not shown')
    t.equal(gone.statusCode, 404)
    t.notMatch(gone.body, /class="sidenav"|Back to tests|Create a test/)
    t.match(gone.body, `href="${href}">${label}`)
  }
})

t.test('the usage bar warns from 80% and is full at 100%', async t => {
  const { store, status } = {
    store: await engine.call('storeInfo', {}),
    status: await engine.call('storeStatus', {}),
  }
  const usage = (sessions: number, over: Partial<StoreStatus> = {}) => {
    const html = renderToString(
      h(Frame, {
        store,
        status: { ...status, sessions, sessionLimit: 1000, ...over },
        docs: '/help',
        isFree: true,
        section: 'tests',
        rail: false,
      }),
    )
    return /<section class="usage"[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
  }
  for (const [sessions, tone, value, words] of [
    [799, null, '79', '79%'],
    [800, 'warn', '80', '80%'],
    [899, 'warn', '89', '89%'],
    [900, 'bad', '90', '90%'],
    [2500, 'bad', '100', '250%'],
  ] as const) {
    const html = usage(sessions)
    t.match(html, `<progress value="${value}" max="100"`, String(sessions))
    t.match(textOf(html), words)
    t.equal(/<progress[^>]*data-tone="(\w+)"/.exec(html)?.[1] ?? null, tone)
    t.equal(html.includes('<svg'), tone !== null, 'the icon')
  }
  t.match(textOf(usage(10, { sessionLimit: 9_999_999 })), '10 of 1M+')
  t.equal(usage(10, { sessionLimit: 0 }), '')
})

t.test('a blocked navigation has a reason, only in our own words', async t => {
  for (const path of ['/', '/settings/account'])
    t.match(textOf((await get(`${path}?blocked=onboarded`)).body), blockedReasons.onboarded)
  for (const reason of ['nonsense', 'toString', '%3Cscript%3E', ''])
    t.notMatch((await get(`/?blocked=${reason}`)).body, /class="banner"|<script>/)
})

t.test('links within the app keep host, shop and code, links to other sites do not', async t => {
  const values = { host: 'aG9z', shop: 'fern-and-kiln.demo-shop.test', code: 'SAVE20' }
  const query = 'host=aG9z&amp;shop=fern-and-kiln.demo-shop.test&amp;code=SAVE20'
  for (const name of [
    'href',
    'src',
    'action',
    'formaction',
    'hx-get',
    'hx-post',
    'hx-put',
    'hx-patch',
    'hx-delete',
  ]) {
    t.equal(carry(`<a ${name}="/x">`, values), `<a ${name}="/x?${query}">`)
    t.equal(
      carry(`<a ${name}="/x?a=1&amp;code=OWN#y">`, values),
      `<a ${name}="/x?a=1&amp;code=OWN&amp;${query.replace('&amp;code=SAVE20', '')}#y">`,
    )
  }
  for (const url of [
    '//evil.test',
    '/\\evil.test',
    'https://evil.test/',
    'javascript:alert(1)',
    'mailto:a@b.test',
    '#content',
    '/built/app.css',
    'x',
  ])
    t.equal(carry(`<a href="${url}">`, values), `<a href="${url}">`, url)
  t.equal(
    carry(
      '<p>&quot; href=&quot;/x&quot;</p><script type="application/json">{"a":" href=\\"/x\\""}</script>',
      values,
    ),
    '<p>&quot; href=&quot;/x&quot;</p><script type="application/json">{"a":" href=\\"/x\\""}</script>',
  )
})

t.test('a form that is sent by GET takes host, shop and code along as fields', async t => {
  const values = { host: 'aG9z', shop: 'fern-and-kiln.demo-shop.test', code: 'A&"B' }
  const carried = carry(
    '<form class="a" action="/x" hx-boost><input name="code" value=""></form>',
    values,
  )
  t.equal(
    carried.slice(carried.indexOf('>') + 1),
    '<input type="hidden" name="host" value="aG9z"/><input type="hidden" name="shop" value="fern-and-kiln.demo-shop.test"/><input name="code" value=""></form>',
    'what the form asks for itself stays its own',
  )
  t.match(
    carry('<form method="get" action="/x"></form>', values),
    '<input type="hidden" name="code" value="A&amp;&quot;B"/></form>',
  )
  for (const tag of [
    '<form method="post" action="/x">',
    '<form action="https://evil.test/">',
    '<form action="//evil.test/">',
    '<form>',
  ])
    t.notMatch(carry(`${tag}<button>Send</button></form>`, values), '<input', tag)
})

t.test('hostile values are dropped from every source', async t => {
  const hostile = [
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    'javascript:alert(1)',
    'java\tscript:alert(1)',
    '/\t/evil.test',
    '%2f%2fevil.test',
    '/%5cevil.test',
    '/.//evil.test',
    'https://evil.test',
    'https:evil.test',
    '"><script>alert(1)</script>',
    '\u2028',
    'evil.test\r\nset-cookie: a=b',
    '/..//evil.test',
    '/%09/evil.test',
    'evil.test@good.test',
  ]
  for (const value of hostile) {
    for (const name of ['host', 'shop']) {
      const { body, headers, statusCode } = await get(
        `/settings/account?${new URLSearchParams({ [name]: value })}`,
      )
      t.equal(statusCode, 200, value)
      t.notMatch(body, /evil|<script>alert/, `${name}=${value}`)
      const sent = await post(`/tests/draft/edit?${new URLSearchParams({ [name]: value })}`, {
        kind: 'PageElement',
      })
      t.match(sent.headers.location, /^\/tests\/draft\/edit\/[0-9a-f-]{36}$/)
      t.notOk(headers.location)
    }
    // Without a session only return_to remembers the requested page.
    const asked = await app.inject(`/auth?${new URLSearchParams({ from: value })}`)
    const to = new URL(String(asked.headers.location))
    t.equal(to.origin, engine.shop.origin)
    const back = to.searchParams.get('return_to')!
    t.equal(new URL(back, 'http://app.test').origin, 'http://app.test', value)
    t.notMatch(back, /^\/[/\\]|[\t\r\n]/, value)
  }
  for (const url of ['//evil.test/', '//evil.test/%2e%2e', '/%5cevil.test']) {
    const { headers, body, statusCode } = await get(url)
    t.notMatch(String(headers.location ?? ''), /^\/[/\\]|^https?:/, url)
    t.notMatch(body, /(?:href|action)="(?:https?:)?[/\\]{2}evil/, url)
    t.ok([404, 400].includes(statusCode), `${url} ${statusCode}`)
  }
})

t.test('toasts wait for the next page, stack, and are shown once', async t => {
  const { get, jar, close } = await toaster('http://localhost:3000')
  t.teardown(close)
  t.equal((await get('/act?text=Draft%20deleted&text=Test%20paused&tone=bad')).statusCode, 303)
  const again = await get('/act?text=%3Cscript%3Ealert(1)%3C/script%3E%20%26%20%22&tone=plain')
  t.match(
    String(again.headers['set-cookie']),
    /^toasts=[\w-]+; Max-Age=120; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const { body, headers } = await get('/page')
  t.strictSame(toastsIn(body), [
    ['bad', 'Draft deleted'],
    ['bad', 'Test paused'],
    ['plain', '&lt;script>alert(1)&lt;/script> &amp; &quot;'],
  ])
  t.match(String(headers['set-cookie']), /^toasts=; Max-Age=0/)
  t.match(body, /<div class="toasts" id="toasts" role="status">/)
  const next = await get('/page')
  t.strictSame(toastsIn(next.body), [])
  t.notOk(next.headers['set-cookie'])
  t.strictSame(
    toastsIn((await get('/page?text=Now')).body),
    [['good', 'Now']],
    'a page may add its own toast',
  )
  t.strictSame(toastsIn((await get('/page')).body), [])
  await get('/act?text=Saved')
  const part = await get('/page', { 'hx-request': 'true' })
  t.match(
    part.body,
    '<div hx-swap-oob="beforeend:#toasts"><div class="toast" data-tone="good">',
    'the toast is next to the part that htmx swaps',
  )
  await get('/act?text=Kept')
  t.notMatch(
    (await get('/page', { 'hx-request': 'true', 'hx-request-type': 'partial' })).body,
    'Kept',
    'a request for a part of the page leaves the toasts waiting',
  )
  t.strictSame(toastsIn((await get('/page')).body), [['good', 'Kept']])
  for (let i = 0; i < 30; i++) await get(`/act?text=Number%20${i}`)
  const many = toastsIn((await get('/page')).body)
  t.equal(many.length, toastsShown)
  t.equal(many.at(-1)![1], 'Number 29')
  for (let i = 0; i < 30; i++) await get(`/act?text=${'ÿ'.repeat(2 * toastLength)}`)
  t.ok(jar.get('toasts')!.length < 3800, 'the cookie is small enough for browsers')
  const long = toastsIn((await get('/page')).body)
  t.ok(long.length > 1)
  t.equal(long[0]![1]!.length, toastLength)
})

t.test('a forged cookie shows nothing', async t => {
  const { get, jar, close } = await toaster('http://localhost:3000')
  t.teardown(close)
  const packed = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const value of [
    'x',
    '%%%',
    packed(null),
    packed({ length: 3 }),
    // One at a time: with several, an error in one would hide the others.
    ...[1, 'x', null, {}, [], [0], [0, 7], [9, 'x'], ['0', ''], ['__proto__', 'x'], [-1, 'x']].map(
      entry => packed([entry]),
    ),
    'a'.repeat(5000),
  ]) {
    jar.set('toasts', value)
    const { body, statusCode } = await get('/page')
    t.equal(statusCode, 200)
    t.strictSame(toastsIn(body), [], value.slice(0, 30))
  }
  jar.set('toasts', packed(Array.from({ length: 90 }, () => [0, 'x'])))
  t.equal(toastsIn((await get('/page')).body).length, toastsShown)
})

t.test('over https the cookie of toasts is partitioned like the session’s', async t => {
  const { get, close } = await toaster('https://app.twinshelf.example')
  t.teardown(close)
  t.match(
    String((await get('/act?text=Saved')).headers['set-cookie']),
    /^__Host-toasts=[\w-]+; .*HttpOnly; Secure; (Partitioned; SameSite=None|SameSite=None; Partitioned)$/,
  )
})

/** A server with two pages: one acts and redirects, the other is shown. */
async function toaster(origin: string) {
  const server = Fastify()
  await server.register(cookie)
  requestState(server)
  server.decorate('layout', {
    origins: { app: origin },
    asset: name => name,
    scripts: () => [],
    docs: '/help',
    extras: () => ({}),
    scheduler: null,
  })
  const say = (request: FastifyRequest, reply: FastifyReply) => {
    const query = new URLSearchParams(request.url.split('?')[1])
    for (const text of query.getAll('text'))
      toast(
        request,
        reply,
        text,
        ...(query.has('tone') ? [query.get('tone') as Toast['tone']] : []),
      )
  }
  server.get('/act', (request, reply) => {
    say(request, reply)
    return seeOther(request, reply, '/page')
  })
  server.get('/page', (request, reply) => {
    say(request, reply)
    return barePage(request, reply, { title: 'A page' }, h('p', {}, 'Here'))
  })
  const jar = new Map<string, string>()
  return {
    jar,
    close: () => server.close(),
    get: async (url: string, headers: Record<string, string> = {}) => {
      const response = await server.inject({
        url,
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...headers,
        },
      })
      for (const { name, value } of response.cookies) jar.set(name, value)
      return response
    },
  }
}
