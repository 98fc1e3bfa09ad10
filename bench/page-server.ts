import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import compress from '@fastify/compress'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { paths } from '../domain/paths.ts'
import { day } from '../domain/time-units.ts'
import { buildEngine } from '../engine/app.ts'
import { authTokens } from '../engine/session/auth-tokens.ts'
import { keyRing } from '../engine/session/key-ring.ts'
import { engineConfig } from '../engine/config.ts'
import { apiSessions } from '../server/upstream/api-session.ts'
import { buildApp } from '../server/app.ts'
import { builtAssets } from '../server/page/assets.ts'
import { compression } from '../server/http/compression.ts'
import { appConfig } from '../server/config.ts'
import { createUpstream } from '../server/upstream/upstream.ts'
import { read } from '../server/upstream/upstream-calls.ts'
import { documentHtml } from '../views/document.ts'
import { usualSort, type ListState } from '../views/list-links.tsx'
import { Frame } from '../views/shell.tsx'
import { TestsList, type TestsListProps } from '../views/tests/tests-list.tsx'
import type { ShellData } from '../server/upstream/api-session.ts'
import { filledTest } from './filled-test.ts'
import { listedTests } from './listed-tests.ts'
import { cookiesOf, copiedStores } from './many-sessions.ts'

/**
 * Serves the tests list in several ways from one process, for bench/page.ts to compare. The
 * arguments are the shop, how many tests it has, and how many browsers and stores there are besides
 * the first.
 */
export type Sides = {
  app: number
  calls: number
  unshared: number
  memory: number
  compressed: number
  /** The list's HTML, drawn before and compressed for each request. */
  drawn: number
  /** The app, in whose store a test changes before each request; and the change alone. */
  changing: number
  change: number
  constant: number
  cookie: string
  /** Another store, with one test and a draft: where they are, and a browser's cookie for them. */
  pages: { report: string; editor: string; cookie: string }
  /** Cookies of other browsers of the same store, and of many stores with as many tests each. */
  others: { sameStore: string[]; manyStores: string[] }
}
/** What the process has used so far: bytes of memory, and milliseconds of processor time. */
export type Used = { bytes: number; cpu: number }

const shop = process.argv[2]!,
  [count, browsers, stores] = process.argv.slice(3).map(Number) as [number, number, number]
const config = engineConfig(process.env)
// No background work: summing up unchanged tests must not affect the measurement.
const engine = await buildEngine({
  config,
  byItself: false,
  quotas: { requests: 10_000_000, concurrent: 10_000 },
})
const upstreamOrigin = `http://127.0.0.1:${await listen(engine.app)}`
const tokens = authTokens(
  keyRing(config),
  () => new Date(),
  () => 'demo',
)
const { storeId, token } = await seeded()
const input = {
  query: {
    status: 'Active' as const,
    page: 0,
    perPage: 50,
    sort: usualSort('Active'),
    descending: true,
  },
}
const state: ListState = {
  tab: 'Active',
  search: '',
  kind: null,
  goal: null,
  sort: input.query.sort,
  descending: true,
  page: 0,
  perPage: 50,
}
const asset = builtAssets()

const options = { config: appConfig({}), upstreamOrigin },
  { app } = await buildApp(options)
const upstream = createUpstream(upstreamOrigin)
const session = apiSessions(upstream, () => new Date())(token)
const known = { shell: await session.shell(), list: await session.api.tests(input) },
  html = draw(known.shell, known.list)

const sides: Sides = {
  app: await listen(app),
  calls: await listen(
    bare(async () => draw(await session.shell(), await session.api.tests(input))),
  ),
  unshared: await listen(
    bare(async () => {
      const [store, status, plans, addresses, list] = await Promise.all([
        ask('storeInfo'),
        ask('storeStatus'),
        ask('plans'),
        ask('storeAddresses'),
        upstream.send('tests', input, token),
      ])
      return draw(
        {
          store: read('storeInfo', store!),
          status: read('storeStatus', status!),
          plans: read('plans', plans!),
          addresses: read('storeAddresses', addresses!),
        },
        read('tests', list!),
      )
    }),
  ),
  memory: await listen(bare(async () => draw(known.shell, known.list))),
  compressed: await listen(bare(async () => draw(known.shell, known.list), true)),
  drawn: await listen(bare(async () => html, true)),
  changing: await listen(await changingApp()),
  change: await listen(
    bare(async () => {
      await change()
      return 'A test has changed.'
    }),
  ),
  constant: await listen(bare(async () => 'The tests list.')),
  cookie: `ts_${shop.split('.')[0]}=${token}`,
  pages: await filledPages(),
  others: {
    sameStore: await cookiesOf(tokens, [{ storeId, shop }], browsers, new Date()),
    manyStores: await cookiesOf(
      tokens,
      await copiedStores(engine.db, { storeId, shop }, stores),
      browsers,
      new Date(),
    ),
  },
}
// The statistics are from when there was one store. PGlite does not renew them by itself.
await sql`analyze`.execute(engine.db.kysely)
process.send!(sides)
process.on('message', (asked: 'used' | 'collected') => {
  // Collect twice: objects that the first run finalises are freed by the second.
  if (asked === 'collected') for (let i = 0; i < 2; i++) globalThis.gc!()
  const { heapUsed, external } = process.memoryUsage(),
    { user, system } = process.cpuUsage()
  process.send!({ bytes: heapUsed + external, cpu: (user + system) / 1000 } satisfies Used)
})

const ask = (name: 'storeInfo' | 'storeStatus' | 'plans' | 'storeAddresses') =>
  upstream.send(name, {}, token)

/** The app's page, rendered completely every time. */
function draw(shell: ShellData, list: TestsListProps['list']): string {
  const content = renderToString(
    h(TestsList, { state, list, store: shell.store, now: new Date(), carried: {} }),
  )
  const body = `${renderToString(h(Frame, { ...shell, docs: '/help', isFree: true, section: 'tests', rail: false }))}<main class="content" id="content">${content}</main>`
  return documentHtml({
    title: 'Tests',
    frame: 'shell',
    body,
    nonce: 'none',
    asset,
    scripts: () => [],
    sheets: [],
  })
}

/** Changes a test of the list, so that the list must be read and drawn again. */
async function change(): Promise<void> {
  await engine.db.kysely
    .updateTable('tests')
    .set({ updated_at: new Date() })
    .where('store_id', '=', storeId)
    .where('test_id', '=', known.list.tests[0]!.id)
    .execute()
}

async function changingApp(): Promise<FastifyInstance> {
  const { app } = await buildApp(options)
  const [answer] = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    void change().then(() => answer!(request, response))
  })
  return app
}

/** `isCompressed`: as the app's pages are. */
function bare(answer: () => Promise<string>, isCompressed = false): FastifyInstance {
  const server = Fastify()
  server.register(async pages => {
    if (isCompressed) await pages.register(compress, compression)
    pages.get('/', async (_, reply) => reply.type('text/html; charset=utf-8').send(await answer()))
  })
  return server
}

/** A store with a test of three weeks, its figures summed up, and a draft. */
async function filledPages(): Promise<Sides['pages']> {
  const other = `report-${shop}`
  const ids = await filledTest(engine.db, other, {
    visitors: 20_000,
    eventsPerVisitor: 0,
    orders: 800,
    days: 21,
  })
  await engine.db.kysely
    .updateTable('stores')
    .set({ feature_flags: JSON.stringify(['DomTesting']) })
    .where('store_id', '=', ids.storeId)
    .execute()
  await engine.rollUp()
  const { token } = await tokens.access({ storeId: ids.storeId, shop: other }, new Date())
  const { api } = apiSessions(upstream, () => new Date())(token)
  const draft = await api.createDraft({ body: { kind: 'PageElement', title: 'A draft' } })
  return {
    report: paths.report(ids.testId),
    editor: `${paths.draft(draft.id)}?step=split`,
    cookie: `ts_${other.split('.')[0]}=${token}`,
  }
}

async function listen(server: FastifyInstance): Promise<number> {
  await server.listen({ port: 0, host: '127.0.0.1' })
  return (server.server.address() as AddressInfo).port
}

/** Creates a ready store with its tests, and a merchant's token for it. */
async function seeded(): Promise<{ storeId: string; token: string }> {
  const now = new Date(),
    storeId = randomUUID(),
    nextMonth = new Date(now.getTime() + 30 * day)
  await engine.db.kysely
    .insertInto('stores')
    .values({
      store_id: storeId,
      platform: 'demo',
      shop,
      domain: shop,
      origin: 'http://localhost:3002',
      name: 'Fern & Kiln',
      currency: 'USD',
      time_zone: 'America/New_York',
      email: null,
      phone: null,
      theme_id: null,
      industry: null,
      team_size: null,
      testing_experience: null,
      source: null,
      onboarded: true,
      has_subscribed: true,
      status: 'installed',
      plan_id: 'advanced-100k-monthly',
      pending_plan: null,
      trial: false,
      segment_status: null,
      subscription_status: 'Active',
      current_subscription_end: null,
      next_bill: nextMonth,
      usage_reset: nextMonth,
      trial_end: null,
      feature_flags: '[]',
      created_at: now,
      updated_at: now,
    })
    .execute()
  await listedTests(engine.db, storeId, count, now)
  return { storeId, token: (await tokens.access({ storeId, shop }, now)).token }
}
