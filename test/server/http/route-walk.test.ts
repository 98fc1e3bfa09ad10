import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { LightMyRequestResponse } from 'fastify'
import type { Updateable } from 'kysely'
import type { StoresTable } from '../../../engine/db/schema.ts'
import { paths } from '../../../domain/paths.ts'
import { frameOf, partRoutes, routeOf } from '../../../domain/routes.ts'
import { findChromium } from '../../../engine/browser/chromium.ts'
import { carriedAddresses } from '../support/carried-addresses.ts'
import { startMerchant, textOf } from '../support/merchant.ts'
import { launchTest } from '../support/shoppers.ts'
import { signInStaff } from '../support/staff.ts'

/**
 * Requests every page of the product as every kind of user, and compares status, redirect and title
 * with a table.
 */
const visitors = [
  'guest',
  'new',
  'planned',
  'onboarded',
  'lockedOut',
  'uninstalled',
  'staff',
] as const
type Visitor = (typeof visitors)[number]
type Row = { path: string; guard: string; title: string } & Record<Visitor, number | string>
const { pages } = JSON.parse(readFileSync('test/cases/routes.json', 'utf8')) as { pages: Row[] }

// Reading a brand style needs a browser.
const browser = findChromium(process.env['CHROMIUM_PATH'])
const merchant = await startMerchant({ engine: { CHROMIUM_PATH: browser ?? 'off' } })
const { engine, app } = merchant
t.teardown(merchant.close)
const { id: storeId, shop } = await merchant.call('storeInfo', {})
const draft = await merchant.call('createDraft', {
  body: { kind: 'UrlRedirect', title: 'A walked draft' },
})
const testId = await launchTest(merchant, 'A walked test')
const staff = await signInStaff(merchant)
const { leadId } = await merchant.call('requestCustomPlan', {})
await merchant.call('updateCustomPlan', {
  params: { id: leadId },
  query: {},
  body: { firstName: 'Mara', lastName: 'Lindqvist', email: 'mara@shop.example' },
})
const ids: Record<string, string> = {
  draftId: draft.id,
  testId,
  listTab: 'running',
  pattern: 'Product',
  id: staff.userId,
  storeId,
  leadId,
}
/** The paths of a route: with and without its optional part. */
const pathsOf = (path: string): string[] => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    path.startsWith('/admin/stores/') && name === 'id' ? storeId : ids[name]!,
  )
  return filled.endsWith('?') ? [filled.replace(/\/[^/]+\?$/, ''), filled.slice(0, -1)] : [filled]
}
const subscribed = {
  has_subscribed: true,
  plan_id: 'advanced-100k-monthly',
  subscription_status: 'Active',
  status: 'installed',
  reinstall: false,
} as const
const states: Partial<Record<Visitor, Updateable<StoresTable>>> = {
  new: {
    ...subscribed,
    onboarded: false,
    has_subscribed: false,
    plan_id: null,
    subscription_status: null,
  },
  planned: { ...subscribed, onboarded: false },
  onboarded: { ...subscribed, onboarded: true },
  lockedOut: { ...subscribed, onboarded: true, subscription_status: 'Cancelled' },
  uninstalled: {
    ...subscribed,
    onboarded: true,
    subscription_status: 'Cancelled',
    status: 'uninstalled',
  },
}

/** Every configuration key in the README. No page names one, because a merchant cannot set it. */
const keys = [...readFileSync('README.md', 'utf8').matchAll(/^\| `([A-Z]+(?:_[A-Z]+)+)`/gm)].map(
  ([, key]) => key,
)
const configurationKey = new RegExp(`\\b(?:${keys.join('|')})\\b`)
t.ok(keys.includes('SUPPORT_EMAIL') && keys.length > 20, 'the README lists the keys')

for (const visitor of visitors)
  t.test(`every page as ${visitor}`, async t => {
    const state = states[visitor]
    if (state)
      await engine.db.kysely
        .updateTable('stores')
        .set(state)
        .where('store_id', '=', storeId)
        .execute()
    // Move the clock 11 seconds: the app caches the store for some seconds.
    engine.now.at = new Date(engine.now.at.getTime() + 11_000)
    const get =
      visitor === 'guest'
        ? (url: string) => app.app.inject({ url })
        : visitor === 'staff'
          ? staff.get
          : merchant.get
    for (const row of pages)
      for (const path of pathsOf(row.path)) {
        if (!browser && path === '/import-brand-styles/review') continue
        const answer = await get(path)
        expectAnswer(
          t,
          path,
          row[visitor],
          path.includes(draft.id) ? 'A walked draft' : row.title,
          answer,
        )
        expectFrame(t, path, answer)
        if (visitor !== 'staff')
          t.notMatch(answer.body, configurationKey, `${path} names no configuration key`)
      }
  })

t.test('the frame of every part of a page comes from the table too', async t => {
  await engine.db.kysely
    .updateTable('stores')
    .set(states.onboarded!)
    .where('store_id', '=', storeId)
    .execute()
  engine.now.at = new Date(engine.now.at.getTime() + 11_000)
  let shown = 0
  for (const { path } of partRoutes) {
    const filled = path.replace(':draftId', draft.id),
      answer = await merchant.get(filled)
    expectFrame(t, filled, answer)
    if (answer.statusCode === 200) shown++
  }
  t.equal(shown, 5, 'the others redirect: only a script asks for them, or a visitor from Google')
  t.match(
    (await merchant.get(paths.help())).body,
    /<header class="topbar">.*<a class="topbar-link" href="\/">Back to the app<\/a>/s,
    'the guide leads back into the app',
  )
})

/**
 * Compares the drawn frame with the table of routes. A store that may open only one page gets no
 * navigation.
 */
function expectFrame(t: Test, path: string, { statusCode, body }: LightMyRequestResponse): void {
  const route = routeOf(path)
  if (statusCode !== 200 || !route) return
  const wanted = frameOf(route)
  const drawn = /<body class="([^"]*)"/.exec(body)?.[1]
  t.equal(drawn, { shell: 'shell', rail: 'shell shell-rail', bare: 'fullscreen' }[wanted], path)
  t.equal(/class="sidenav/.test(body), wanted !== 'bare', `${path}: navigation`)
  t.equal(
    /class="topbar" data-live/.test(body),
    route.guard === 'store' && !route.isPart,
    `${path}: top bar`,
  )
}

function expectAnswer(
  t: Test,
  path: string,
  expected: number | string,
  title: string,
  response: LightMyRequestResponse,
): void {
  const { statusCode, headers, body } = response
  if (typeof expected === 'number') {
    t.equal(statusCode, expected, path)
    t.equal(
      textOf(/<title>([^<]*)<\/title>/.exec(body)?.[1] ?? ''),
      `${title} | Twinshelf`,
      `${path}: title`,
    )
    return
  }
  t.ok(statusCode === 302 || statusCode === 303, `${path} redirects`)
  const to = new URL(String(headers.location), 'http://own.test')
  t.equal(to.origin, 'http://own.test', `${path} redirects within the app`)
  const wanted = new URL(expected, 'http://own.test')
  t.equal(to.pathname, wanted.pathname, path)
  for (const [name, value] of wanted.searchParams)
    t.equal(to.searchParams.get(name), value, `${path}: ${name}`)
  const isStartup =
    !['/tests', '/settings', '/uninstalling', '/login', '/reset'].includes(path) ||
    to.pathname.startsWith('/overlay') ||
    to.pathname === '/welcome' ||
    to.pathname === '/uninstalled'
  if (isStartup) t.equal(to.searchParams.get('from'), path, `${path} is remembered`)
}

t.test('an unknown address is 404', async t => {
  const store = { ...subscribed, onboarded: true }
  await engine.db.kysely.updateTable('stores').set(store).where('store_id', '=', storeId).execute()
  engine.now.at = new Date(engine.now.at.getTime() + 11_000)
  for (const path of [
    '/nothing',
    '/tests/a/b/c',
    '/settings/nothing',
    '/overlay',
    '/welcome/nothing',
    '/Tests',
    '/tests/',
    '/tests/draft/edit/',
    '/import-brand-styles/nothing',
  ]) {
    const seen = await merchant.get(path),
      unseen = await app.app.inject({ url: path })
    t.equal(seen.statusCode, 404, path)
    t.equal(unseen.statusCode, 404, `${path} as a guest`)
    t.notMatch(unseen.body, 'sidenav', 'without a session there is no shell')
    t.match(seen.body, 'sidenav', `${path}: the shell stays`)
  }
})

t.test('a NUL in any part of any path is 400', async t => {
  const get = {
    merchant: merchant.get,
    staff: staff.get,
    guest: (url: string) => app.app.inject({ url }),
  }
  for (const { path } of pages.filter(row => row.path.includes(':'))) {
    const url = path.replace(/:\w+\??/g, 'a%00b')
    for (const [visitor, ask] of Object.entries(get))
      t.equal((await ask(url)).statusCode, 400, `${url} as ${visitor}`)
  }
  for (const url of ['/nowhere/%00', '/%00', '/built/%00', '/admin/%00', '/ga/%00'])
    t.equal((await merchant.get(url)).statusCode, 400, url)
})

t.test('host, shop and code survive on every link, form and picture of every page', async t => {
  const store = { ...subscribed, onboarded: true }
  await engine.db.kysely.updateTable('stores').set(store).where('store_id', '=', storeId).execute()
  engine.now.at = new Date(engine.now.at.getTime() + 11_000)
  const carried = { host: 'aG9z', shop, code: 'SAVE20' }
  const [kept, lost] = [new Set<string>(), new Set<string>()]
  const merchantPages = pages
    .filter(({ onboarded, path }) => onboarded === 200 && !path.startsWith('/import-brand'))
    .flatMap(({ path }) => pathsOf(path))
  for (const path of [
    ...merchantPages,

    ...['orders&part=control', 'apply', 'rename'].map(ask => `${paths.report(testId)}?ask=${ask}`),
  ]) {
    const url = new URL(path, 'http://app.test')
    for (const [name, value] of Object.entries(carried)) url.searchParams.set(name, value)
    const { body } = await merchant.get(url.pathname + url.search)
    const found = carriedAddresses(body, path, carried)
    for (const each of found.kept) kept.add(each)
    for (const each of found.lost) lost.add(each)
  }
  t.ok(kept.size > 500, `${kept.size} addresses and forms`)
  t.same([...lost], [])
})
