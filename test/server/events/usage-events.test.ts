import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import type { UsageMessage } from '../../../server/events/usage-sender.ts'
import { seedTest } from '../../engine/support/seeds.ts'
import { seedSummary } from '../../engine/support/summaries.ts'
import { startMerchant } from '../support/merchant.ts'
import { signInStaff } from '../support/staff.ts'
import { standIn, type StandIn } from '../support/stand-in.ts'

const shopQuery = '?shop=fern-and-kiln.demo-shop.test&host=aG9z&code=SAVE20'
const messagesOf = ({ heard }: StandIn) =>
  heard.flatMap(({ body }) => (JSON.parse(body) as { batch: UsageMessage[] }).batch)
const told = (stand: StandIn) =>
  messagesOf(stand).map(({ event, properties }) => [
    event,
    properties['name'] ?? null,
    properties['path'] ?? null,
  ])

/**
 * Starts a product with analytics and a merchant, and waits until the app knows that analytics are
 * configured.
 */
async function configured(
  segment: StandIn,
  engine: Record<string, string> = { SEGMENT_WRITE_KEY: 'writeKey1' },
  timing: { gathering?: number } = {},
) {
  // Long timeouts: everything is sent at the end, even when the pages take long.
  const merchant = await startMerchant({
    app: { SEGMENT_ORIGIN: segment.origin, GTM_ORIGIN: 'https://tags.example.test' },
    engine,
    usageTiming: { gathering: 600_000, atTheEnd: 600_000, ...timing },
  })
  const origin = 'http://localhost:3000'
  const cookies = (
    await merchant.app.app.inject(`/?id_token=${await merchant.engine.shop.idToken()}`)
  ).cookies
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  return {
    ...merchant,
    ask: (url: string, headers: Record<string, string> = {}) =>
      merchant.app.app.inject({
        url,
        headers: { cookie: cookies, host: 'localhost:3000', ...headers },
      }),
    origin,
  }
}

t.test('each navigation is sent once, with its path and name and no personal data', async t => {
  const segment = await standIn()
  const { ask, post, engine, close, origin } = await configured(segment)
  const { store_id } = await engine.db.kysely
    .selectFrom('stores')
    .select('store_id')
    .executeTakeFirstOrThrow()
  const test = await seedTest(engine.db, store_id, { title: 'Secret title' })
  await seedSummary(engine.db, store_id, test, [10, 10])
  await ask(`/${shopQuery}`)
  await ask('/settings/account', { referer: `${origin}/` })
  const list = { 'hx-request': 'true', 'hx-current-url': `${origin}/` }
  await ask('/tests/list/drafts', list)
  await ask('/tests/list/drafts?search=a', {
    ...list,
    'hx-current-url': `${origin}/tests/list/drafts`,
  })
  await ask('/tests/list/drafts?search=ab', {
    ...list,
    'hx-current-url': `${origin}/tests/list/drafts?search=a`,
  })
  await ask('/tests/list/drafts?sort=title', { referer: `${origin}/tests/list/drafts` })
  await ask('/settings/account', { 'sec-purpose': 'prefetch' })
  await ask(`/tests/${test}`, { referer: `${origin}/tests/list/running` })
  await ask(`/tests/${test}/overview`, { referer: `${origin}/tests/${test}` })
  // The back button: htmx requests the page as a browser does, and names the page before.
  await ask('/tests/list/drafts', {
    'hx-history-restore-request': 'true',
    'hx-current-url': `${origin}/tests/list/ended`,
    referer: `${origin}/tests/list/drafts`,
  })
  await ask('/tests/list/drafts', {
    'hx-history-restore-request': 'true',
    'hx-current-url': `${origin}/tests/list/drafts?search=a`,
    referer: `${origin}/tests/list/drafts`,
  })
  await ask('/nowhere?token=secret')
  await ask('/auth-missing')
  await post('/tests/draft/edit', { kind: 'PageElement' })
  t.equal(segment.heard.length, 0, 'nothing was sent while the app answered pages')
  await close()
  t.strictSame(told(segment), [
    ['Page Viewed', 'dashboard', '/'],
    ['Page Viewed', 'settings-account', '/settings/account'],
    ['Page Viewed', 'test-list', '/tests/list/drafts'],
    ['Page Viewed', 'report', `/tests/${test}`],
    ['Test Viewed', null, null],
    ['Page Viewed', 'report-overview', `/tests/${test}/overview`],
    ['Page Viewed', 'test-list', '/tests/list/drafts'],
    ['Page Viewed', 'error', '/nowhere'],
    ['Test Creation Started', null, null],
  ])
  t.match(messagesOf(segment).at(-1)!.properties, {
    kind: 'PageElement',
    draftId: /^[0-9a-f-]{36}$/,
  })
  const [{ path, headers, body }] = segment.heard as [StandIn['heard'][0]]
  t.equal(path, '/v1/batch')
  t.equal(headers['authorization'], `Basic ${Buffer.from('writeKey1:').toString('base64')}`)
  t.notMatch(body, /secret|Secret title|SAVE20|aG9z|fern-and-kiln\.demo|@|Fern/)
  for (const message of messagesOf(segment))
    t.match(message, {
      type: 'track',
      userId: store_id,
      messageId: /^[0-9a-f-]{36}$/,
      timestamp: /^\d{4}-.*Z$/,
    })
  t.equal(new Set(messagesOf(segment).map(({ messageId }) => messageId)).size, 9)
  await segment.close()
})

t.test('staff pages are sent without a person, and pages without a session not at all', async t => {
  const segment = await standIn()
  const merchant = await configured(segment)
  const { ask, close, engine, origin } = merchant
  const staff = await signInStaff(merchant)
  const { store_id } = await engine.db.kysely
    .selectFrom('stores')
    .select('store_id')
    .executeTakeFirstOrThrow()
  for (const path of [
    '/admin',
    `/admin/users/${staff.userId}`,
    `/admin/stores/trials/${store_id}`,
  ]) {
    const { body, headers } = await staff.get(path)
    t.notMatch(body, /gtm\.|dataLayer|data-reload/, `${path} loads no script of a vendor`)
    t.notMatch(String(headers['content-security-policy']), 'tags.example')
  }
  const { id } = await merchant.call('createDraft', { body: { kind: 'PageElement' } })
  await ask(`/tests/draft/edit/${id}/matches?urlPatterns=*`, {
    'hx-request': 'true',
    'hx-current-url': `${origin}/tests/draft/edit/${id}`,
  })
  for (const path of ['/help', '/login', '/auth-missing', '/error', '/uninstalled'])
    await merchant.app.app.inject(path)
  await close()
  t.strictSame(
    told(segment).filter(([, name]) => name !== 'dashboard'),
    [
      ['Page Viewed', 'admin', '/admin'],
      ['Page Viewed', 'admin-user', '/admin/users/:id'],
      ['Page Viewed', 'admin-trial', '/admin/stores/trials/:id'],
    ],
  )
  for (const message of messagesOf(segment).slice(-3)) {
    t.equal(message.anonymousId, 'staff')
    t.notOk('userId' in message)
  }
  await segment.close()
})

t.test('without a write key nothing is sent, and no page loads anything from vendors', async t => {
  const segment = await standIn()
  const { ask, close } = await configured(segment, {})
  for (const path of ['/', '/settings/account', '/recommendations']) {
    const { body, headers } = await ask(path)
    t.notMatch(body, /gtm\.|dataLayer|tags\.example|data-reload/)
    t.notMatch(String(headers['content-security-policy']), 'tags.example')
  }
  await close()
  t.strictSame(segment.heard, [])
  await segment.close()
})

t.test('events that cannot be sent do no harm and are sent with the next batch', async t => {
  const segment = await standIn()
  const down = await configured(segment)
  await down.ask('/')
  segment.status = 500
  t.equal((await down.ask('/settings/account')).statusCode, 200)
  await down.close()
  t.equal(messagesOf(segment).length > 0, true, 'the app tried to send')
  await segment.close()

  const busy = await standIn()
  busy.status = 503
  const retried = await configured(busy, { SEGMENT_WRITE_KEY: 'writeKey1' }, { gathering: 0 })
  await retried.ask('/settings/account')
  while (busy.heard.length === 0) await new Promise(resolve => setImmediate(resolve))
  busy.status = 200
  await retried.close()
  const [refused, ...later] = busy.heard.map(({ body }) => body)
  const idsOf = (body: string) =>
    (JSON.parse(body) as { batch: UsageMessage[] }).batch.map(({ messageId }) => messageId)
  t.ok(later.some(body => idsOf(body).includes(idsOf(refused!)[0]!)))
  await busy.close()

  const { ask, close } = await configured({ ...segment, origin: 'http://127.0.0.1:1' })
  t.equal((await ask('/')).statusCode, 200)
  await close()
})

t.test(
  'the tag manager is loaded with our nonce, and only when its id is configured and valid',
  async t => {
    const merchant = await startMerchant()
    t.teardown(merchant.close)
    const { engine } = merchant
    let gtm: unknown = 'GTM-ABC123',
      isTold = Promise.withResolvers<void>()
    // The engine refuses an invalid id when it starts. An API of another version may still return
    // one.
    const proxy = createServer((request, response) => {
      if (request.url === '/api/v0/about')
        return response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            google: { analytics: { gtm } },
            segment: { writeKey: null },
            version: '1',
          }),
          () => isTold.resolve(),
        )
      let body = ''
      request
        .on('data', (chunk: Buffer) => {
          body += chunk.toString()
        })
        .on(
          'end',
          () =>
            void engine.engine.app
              .inject({
                method: request.method as 'GET',
                url: request.url!,
                headers: request.headers,
                ...(body && { payload: body }),
              })
              .then(answer =>
                response
                  .writeHead(answer.statusCode, {
                    'content-type': String(answer.headers['content-type']),
                  })
                  .end(answer.body),
              ),
        )
      return response
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    t.teardown(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    const upstreamOrigin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const pageWith = async (id: unknown) => {
      gtm = id
      isTold = Promise.withResolvers()
      const app = await buildApp({
        config: appConfig({
          GTM_ORIGIN: 'https://tags.example.test',
        }),
        upstreamOrigin,
      })
      const cookie = (await app.app.inject(`/?id_token=${await engine.shop.idToken()}`)).cookies
        .map(({ name, value }) => `${name}=${value}`)
        .join('; ')
      await app.app.inject({ url: '/', headers: { cookie } })
      await isTold.promise
      const { body, statusCode, headers } = await app.app.inject({ url: '/', headers: { cookie } })
      const guest = await app.app.inject('/auth-missing')
      t.notMatch(guest.body, 'tags.example.test', 'never on a page without a session')
      await app.close()
      t.equal(statusCode, 200)
      return { body, policy: String(headers['content-security-policy']) }
    }
    const { body, policy } = await pageWith('GTM-ABC123')
    const nonce = /'nonce-([^']+)'/.exec(policy)![1]!
    t.match(
      body,
      `<script async src="https://tags.example.test/gtm.js?id=GTM-ABC123" nonce="${nonce}"></script>`,
    )
    t.match(policy, `script-src 'nonce-${nonce}' https://tags.example.test;`)
    t.match(policy, "default-src 'none'")
    for (const id of ['gtm-abc', 'GTM-', 'GTM-"><script>', 'GTM-ABC 123', 7, null]) {
      const { body, policy } = await pageWith(id)
      t.notMatch(body, /gtm\.js|dataLayer/, String(id))
      t.notMatch(policy, 'tags.example.test')
    }
  },
)

t.test('a configured guidance tool is loaded, and the page has only its address', async t => {
  const merchant = await startMerchant({
    app: {
      GUIDANCE_URL: 'https://guide.example.test/loader.js?key=1&v=2',
      GUIDANCE_RELOAD: 'Guide.page',
    },
  })
  t.teardown(merchant.close)
  const { body, headers } = await merchant.get('/')
  t.match(
    body,
    'src="https://guide.example.test/loader.js?key=1&amp;v=2" data-reload="Guide.page" nonce="',
  )
  t.match(
    headers['content-security-policy'],
    /script-src 'nonce-[^']+' https:\/\/guide\.example\.test;/,
  )
  for (const [key, value] of [
    ['GUIDANCE_URL', 'javascript:alert(1)'],
    ['GUIDANCE_URL', 'https://x.test; script-src *'],
    ['GUIDANCE_RELOAD', 'alert(1)'],
    ['GUIDANCE_RELOAD', 'a..b'],
    ['GTM_ORIGIN', 'https://x *'],
    ['SEGMENT_ORIGIN', 'x'],
    ['DOCS_URL', '//evil'],
  ] as const)
    t.throws(() => appConfig({ [key]: value }), new RegExp(key))
})
