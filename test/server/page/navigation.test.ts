import t from 'tap'
import type { Updateable } from 'kysely'
import type { StoresTable } from '../../../engine/db/schema.ts'
import { blockedReasons } from '../../../domain/navigation.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant()
const { engine, app } = merchant
t.teardown(merchant.close)
const { id: storeId } = await merchant.call('storeInfo', {})
const origin = 'http://localhost:3000'
let cookie = ''

async function store(state: Updateable<StoresTable>): Promise<void> {
  await engine.db.kysely
    .updateTable('stores')
    .set({
      onboarded: true,
      has_subscribed: true,
      plan_id: 'advanced-100k-monthly',
      subscription_status: 'Active',
      ...state,
    })
    .where('store_id', '=', storeId)
    .execute()
  // Move the clock 11 seconds: the app caches the store for some seconds. The session stays valid.
  engine.now.at = new Date(engine.now.at.getTime() + 11_000)
  const entry = await app.app.inject({ url: `/?id_token=${await engine.shop.idToken()}` })
  cookie = entry.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}
const go = (url: string, from?: string, headers: Record<string, string> = {}) =>
  app.app.inject({
    url,
    headers: { cookie, ...(from !== undefined && { referer: from }), ...headers },
  })
const leadsTo = (location: unknown) => new URL(String(location), origin)

t.test('an onboarded store is sent back from onboarding with the reason', async t => {
  await store({})
  const answer = await go(
    '/welcome/contact?shop=fern-and-kiln.demo-shop.test',
    `${origin}/settings/account`,
  )
  const to = leadsTo(answer.headers.location)
  t.equal(to.pathname, '/')
  t.same(Object.fromEntries(to.searchParams), {
    shop: 'fern-and-kiln.demo-shop.test',
    from: '/welcome/contact?shop=fern-and-kiln.demo-shop.test',
    blocked: 'onboarded',
  })
  const page = await go(to.pathname + to.search, `${origin}/settings/account`)
  t.equal(page.statusCode, 200)
  t.match(textOf(page.body), blockedReasons.onboarded)
  t.notMatch(page.body, /href="[^"]*blocked=/, 'no link on the page keeps the reason')
})

t.test('a store cannot leave the plan chooser without a plan, and can with one', async t => {
  await store({ onboarded: false, has_subscribed: false, plan_id: null, subscription_status: null })
  const from = `${origin}/overlay/selectplan?shop=fern-and-kiln.demo-shop.test`
  for (const path of ['/', '/welcome', '/tests/abc', '/settings/account']) {
    const to = leadsTo((await go(path, from)).headers.location)
    t.equal(to.pathname, '/overlay/selectplan', path)
    t.equal(to.searchParams.get('blocked'), 'selectplan', path)
  }
  t.match(
    textOf((await go('/overlay/selectplan?blocked=selectplan')).body),
    blockedReasons.selectplan,
  )
  const arrival = leadsTo((await go('/')).headers.location)
  t.equal(arrival.searchParams.get('blocked'), null, 'a merchant who just arrives gets no reason')
  const foreign = leadsTo((await go('/', 'https://evil.test/overlay/selectplan')).headers.location)
  t.equal(foreign.searchParams.get('blocked'), null, 'a merchant from another site gets no reason')
  await store({ onboarded: false })
  t.equal(
    leadsTo((await go('/', from)).headers.location).pathname,
    '/welcome',
    'with a plan the next page opens',
  )
})

t.test(
  "every page leads a locked-out store back to the lockout page, and guests' pages stay open",
  async t => {
    await store({ subscription_status: 'Frozen' })
    for (const path of ['/', '/settings/billing', '/overlay/selectplan', '/recommendations']) {
      const to = leadsTo((await go(path, `${origin}/overlay/noplan`)).headers.location)
      t.equal(to.pathname, '/overlay/noplan', path)
      t.equal(to.searchParams.get('blocked'), 'noplan', path)
    }
    t.match(textOf((await go('/overlay/noplan?blocked=noplan')).body), blockedReasons.noplan)
    t.equal((await go('/error', `${origin}/overlay/noplan`)).statusCode, 200)
    const part = await go('/', `${origin}/overlay/noplan`, { 'hx-request': 'true' })
    t.equal(part.statusCode, 204)
    t.match(
      part.headers['hx-redirect'],
      /^\/overlay\/noplan\?.*blocked=noplan/,
      'an htmx request redirects the whole page',
    )
  },
)

t.test(
  'without a session a form leads back, after the sign-in, to its page and keeps shop, host and code',
  async t => {
    await store({})
    const carried = 'shop=fern-and-kiln.demo-shop.test&host=aG9z&code=SAVE20',
      draft = '/tests/draft/edit/00000000-0000-4000-8000-000000000001'
    const sent = async (path: string, referer?: string) =>
      leadsTo(
        (
          await app.app.inject({
            method: 'POST',
            url: `${path}?${carried}`,
            payload: 'title=x',
            headers: {
              origin,
              'content-type': 'application/x-www-form-urlencoded',
              ...(referer !== undefined && { referer }),
            },
          })
        ).headers.location,
      )
    for (const [path, referer, from] of [
      [draft, `${origin}${draft}?step=goal&${carried}`, `${draft}?step=goal&${carried}`],
      ['/tests/abc/pause', `${origin}/tests/abc?ask=pause`, '/tests/abc?ask=pause'],
      [
        '/settings/billing/custom-request/1',
        `${origin}/settings/billing/custom-request/1?billing=annual`,
        '/settings/billing?billing=annual',
      ],
      [draft, undefined, '/'],
      [draft, 'https://evil.test/tests/abc', '/'],
      [draft, `${origin}/nowhere`, '/'],
      [draft, `${origin}//evil.test/`, '/'],
      [draft, `${origin}/admin/users`, '/'],
    ] as const) {
      const to = await sent(path, referer)
      t.same([to.pathname, to.searchParams.get('from')], ['/auth', from], `${referer}`)
      t.same(
        ['shop', 'host', 'code'].map(name => to.searchParams.get(name)),
        ['fern-and-kiln.demo-shop.test', 'aG9z', 'SAVE20'],
      )
    }
    const refused = cookie.replace(/^([^=]+=[^.]+\.[^.]+\.)..../, '$1AAAA')
    t.equal(
      (await go(`/settings/account?${carried}`, undefined, { cookie: refused })).headers.location,
      '/auth-missing?host=aG9z&shop=fern-and-kiln.demo-shop.test&code=SAVE20',
    )
  },
)

t.test('an unknown reason shows no message', async t => {
  await store({})
  for (const blocked of ['nothing', '<b>x</b>', 'constructor', '__proto__'])
    t.notMatch(
      (await go(`/?blocked=${encodeURIComponent(blocked)}`)).body,
      /class="banner" role="status"/,
      blocked,
    )
})

t.test('the first requested page is remembered through all redirects', async t => {
  await store({ onboarded: false, has_subscribed: false, plan_id: null, subscription_status: null })
  const first = leadsTo((await go('/tests/list/ended?search=mug')).headers.location)
  t.equal(first.searchParams.get('from'), '/tests/list/ended?search=mug')
  await store({ onboarded: false })
  const second = leadsTo((await go(first.pathname + first.search)).headers.location)
  t.equal(second.pathname, '/welcome')
  t.equal(second.searchParams.get('from'), '/tests/list/ended?search=mug')
  for (const from of [
    '//evil.test',
    '/\\evil.test',
    'javascript:alert(1)',
    'https://evil.test/',
    '/\t/evil.test',
  ])
    t.match(
      leadsTo((await go(`/?from=${encodeURIComponent(from)}`)).headers.location).searchParams.get(
        'from',
      ),
      /^\/\?from=/,
      `${from} is not remembered`,
    )
})
