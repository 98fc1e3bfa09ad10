import { richest } from '../../../domain/platform/capabilities.ts'
import t from 'tap'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { textOf } from '../support/merchant.ts'

// A small fake upstream that can misbehave on demand, which a real one cannot.
const instant = '2026-11-01T00:00:00.000Z'
const store = {
  id: 's',
  shop: 'fern-and-kiln.demo-shop.test',
  domain: 'x',
  name: 'Fern & Kiln',
  createdAt: instant,
  updatedAt: instant,
  industry: null,
  teamSize: null,
  testingExperience: null,
  source: null,
  onboarded: true,
  reinstall: false,
  hasSubscribed: true,
  status: 'installed',
  planId: 'p',
  trial: false,
  themeId: null,
  segmentStatus: null,
  email: null,
  phone: null,
  currency: 'USD',
  timeZone: 'UTC',
  consentRule: 'unlessRefused',
  features: [],
  storeInitials: 'FK',
  isDemo: false,
}
const status = {
  nextBill: null,
  usageReset: null,
  trialEnd: null,
  sessions: 85,
  sessionLimit: 100,
  pendingPlan: null,
  subscriptionStatus: 'Active',
}
const plans = [
  {
    id: 'p',
    level: 1,
    title: 'Core',
    limit: 100,
    price: 1,
    isAnnual: false,
    requireAppointment: false,
    available: true,
  },
]
const shopOrigin = 'http://localhost:3002'
const addresses = {
  admin: `${shopOrigin}/admin`,
  app: `${shopOrigin}/admin/apps/twinshelf`,
  session: `${shopOrigin}/admin/apps/twinshelf/session`,
  settings: `${shopOrigin}/admin/settings`,
  themes: `${shopOrigin}/admin/themes`,
  addressMessage: null,
  tokenMessage: null,
  adminScript: null,
  frameAncestors: [shopOrigin],
  adminOrigins: [shopOrigin],
  scripts: [],
  images: [shopOrigin],
  frames: [shopOrigin],
}
const list = {
  tests: [],
  drafts: [],
  count: 0,
  counts: { Scheduled: 0, Active: 0, Paused: 0, OnHold: 0, Suspended: 0, Ended: 0, Draft: 0 },
  digest: { winners: [], losers: [], undecided: [], onHold: [], suspended: [], unapplied: [] },
  start: null,
  scriptWinners: [],
  foundIn: null,
  revision: '1',
}
const json = (response: ServerResponse, value: unknown, code = 200) =>
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const good: Record<string, unknown> = {
  '/api/v0/stores/info': store,
  '/api/v0/stores/status': status,
  '/api/v0/stores/addresses': addresses,
  '/api/v0/stores/capabilities': richest,
  '/api/v0/plans': plans,
  '/api/v0/tests': list,
}

let answers: Record<string, RequestListener> = {}
let asked: string[] = []
const server = createServer((request, response) => {
  const path = request.url!.split('?')[0]!
  asked.push(`${request.method} ${path}`)
  const answer = answers[path]
  if (answer) answer(request, response)
  else json(response, good[path])
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const upstreamOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const token = `x.${Buffer.from(JSON.stringify({ exp: 4e9 })).toString('base64url')}.y`
const clock = { at: new Date('2026-11-21T12:00:00Z') }
const timeouts = { firstWait: 5, longestWait: 20 }
const { app, close } = await buildApp({
  config: appConfig({}),
  upstreamOrigin,
  clock: () => clock.at,
  timeouts,
})
// An app for tests with an API that does not answer: each call may time out four times before it
// fails.
const hasty = await buildApp({
  config: appConfig({}),
  upstreamOrigin,
  clock: () => clock.at,
  timeouts: { ...timeouts, timeout: 150, deadline: 60_000 },
})
const hurried = await buildApp({
  config: appConfig({}),
  upstreamOrigin,
  clock: () => clock.at,
  timeouts: { ...timeouts, timeout: 3000, deadline: 3000 },
})
t.teardown(async () => {
  await Promise.all([close(), hasty.close(), hurried.close()])
  server.closeAllConnections()
  server.close()
})
t.beforeEach(() => {
  answers = {}
  asked = []
  clock.at = new Date(clock.at.getTime() + 60_000)
})
const get = (url: string, from = app) =>
  from.inject({ url, headers: { cookie: `ts_fern-and-kiln=${token}` } })
// Warm up: the first answer of each call compiles its validator, which the short timeouts below do
// not allow for.
await get('/')
await get('/')
await get('/', hurried.app)
const countOf = (path: string) => asked.filter(line => line.endsWith(path)).length

const secret = 'select secret from inner_table at /srv/engine/x.ts'
const failures: [
  name: string,
  status: number,
  answer: RequestListener,
  tries: number,
  from?: typeof app,
][] = [
  ['403', 403, (_, r) => json(r, { message: 'Not for this store.' }, 403), 1],
  ['404', 404, (_, r) => json(r, { message: 'There is no such test.' }, 404), 1],
  ['429', 429, (_, r) => json(r, {}, 429), 4],
  ['500', 502, (_, r) => json(r, { message: secret, uuid: 'inner' }, 500), 4],
  [
    '502 in HTML',
    502,
    (_, r) => r.writeHead(502, { 'content-type': 'text/html' }).end(`<h1>${secret}</h1>`),
    4,
  ],
  ['503', 503, (_, r) => json(r, { message: secret }, 503), 4],
  ['hanging', 504, () => {}, 4, hasty.app],
  ['hanging until there is no time to try again', 504, () => {}, 1, hurried.app],
  [
    'cut off mid-body',
    502,
    (_, r) => {
      r.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write(
        '{"tests": [',
      )
      setImmediate(() => r.destroy())
    },
    4,
  ],
  [
    'cut off before an answer',
    502,
    request => {
      request.socket.destroy()
    },
    4,
  ],
  [
    'stopping mid-body',
    504,
    (_, r) => {
      r.writeHead(200, { 'content-type': 'application/json' }).write('{')
    },
    4,
    hasty.app,
  ],
  [
    'HTML',
    502,
    (_, r) => r.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${secret}</h1>`),
    4,
  ],
  [
    'no JSON',
    502,
    (_, r) => r.writeHead(200, { 'content-type': 'application/json' }).end(`{"tests": ${secret}`),
    1,
  ],
  ['JSON of another shape', 502, (_, r) => json(r, { tests: 'none', secret }), 1],
  ['JSON that is nothing', 502, (_, r) => json(r, null), 1],
]
for (const [name, expected, answer, tries, from] of failures) {
  t.test(`the API fails: ${name}`, async t => {
    answers['/api/v0/tests'] = answer
    const page = await get('/', from)
    const text = textOf(page.body)
    t.equal(page.statusCode, expected)
    t.match(page.headers['content-type'], 'text/html')
    t.match(page.headers['content-security-policy'], /frame-ancestors http:\/\/localhost:3002;/)
    t.match(page.body, 'class="shell"', 'the page has the layout, because its data is available')
    t.match(page.body, 'Back to tests')
    t.notMatch(text, /inner|\.ts:|at \w+ \(|undefined|null/, 'nothing leaks')
    t.equal(page.body.includes('Try again'), expected >= 429)
    if (expected >= 500)
      t.match(text, /Request [0-9a-f]{8}-[0-9a-f-]{27}/, 'the page has the request id')
    t.equal(countOf('/tests'), tries, 'the number of tries')
  })
}

t.test('an error that is a plain string is shown as the message', async t => {
  answers['/api/v0/tests'] = (_, r) => json(r, 'Not today.', 403)
  t.match((await get('/')).body, 'Not today.')
})

t.test('a retry succeeds when the API recovers', async t => {
  answers['/api/v0/tests'] = (_, r) => (countOf('/tests') < 3 ? json(r, {}, 503) : json(r, list))
  t.equal((await get('/')).statusCode, 200)
  t.equal(countOf('/tests'), 3)
})

t.test('a change is never sent twice', async t => {
  answers['/api/v0/test-drafts'] = (_, r) => json(r, {}, 503)
  const answer = await app.inject({
    method: 'POST',
    url: '/tests/draft/edit',
    payload: 'kind=PageElement',
    headers: {
      cookie: `ts_fern-and-kiln=${token}`,
      origin: 'http://localhost:3000',
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  t.equal(answer.statusCode, 503)
  t.equal(countOf('/test-drafts'), 1)
  t.notMatch(answer.body, 'Try again', 'a posted page cannot be requested again')
})

t.test('a token that cannot be renewed: signed in again only when that was refused', async t => {
  const auth = '/auth'
  const renew = (from = app) =>
    from.inject({
      url: '/tests/list/ended',
      headers: { cookie: `ts_fern-and-kiln_refresh=r${Math.random()}` },
    })
  for (const status of [401, 403]) {
    answers[auth] = (_, r) => json(r, {}, status)
    const { statusCode, headers } = await renew()
    t.equal(statusCode, 302, String(status))
    t.equal(headers.location, '/auth?from=%2Ftests%2Flist%2Fended', String(status))
  }
  const failing: [name: string, status: number, answer: RequestListener, from?: typeof app][] = [
    ['busy', 429, (_, r) => json(r, {}, 429)],
    ['failing', 502, (_, r) => json(r, { message: secret }, 500)],
    ['not ready', 503, (_, r) => json(r, {}, 503)],
    ['a proxy’s page', 502, (_, r) => r.writeHead(502).end('<h1>Bad gateway</h1>')],
    ['cut off', 502, request => void request.socket.destroy()],
    ['nonsense', 502, (_, r) => json(r, {})],
    ['hanging', 504, () => {}, hasty.app],
  ]
  for (const [name, status, answer, from] of failing) {
    answers[auth] = answer
    const page = await renew(from)
    t.equal(page.statusCode, status, name)
    t.match(page.body, 'Try again', name)
    t.match(page.body, 'href="/tests/list/ended"', `${name}: the same page`)
    t.same(page.cookies, [], `${name}: the session is kept`)
    const figures = await (from ?? app).inject({
      url: '/live/figures',
      headers: { cookie: `ts_fern-and-kiln_refresh=f${Math.random()}` },
    })
    t.same([figures.statusCode, figures.body], [status, ''], `${name}: an open page asks again`)
  }
  answers[auth] = (_, r) =>
    json(r, {
      token,
      expiresAt: instant,
      refreshToken: 'next',
      refreshExpiresAt: instant,
      shop: store.shop,
    })
  t.equal((await renew()).statusCode, 200, 'and continues when it can be renewed')
})

t.test('store info answers 401: not signed in, whatever the rest says', async t => {
  answers['/api/v0/stores/info'] = (_, r) => json(r, {}, 401)
  t.equal((await get('/')).headers.location, '/auth-missing')
})

t.test('signing in while the API fails: the page blames the API, not the sign-in', async t => {
  answers['/auth'] = (_, r) => json(r, {}, 500)
  t.equal((await get('/?id_token=a.b.c')).statusCode, 502)
})

t.test('any other 401: sign in again and return to the page', async t => {
  answers['/api/v0/tests'] = (_, r) => json(r, {}, 401)
  t.equal((await get('/tests/list/ended')).headers.location, '/auth?from=%2Ftests%2Flist%2Fended')
})

t.test('without the layout’s data the page has no layout', async t => {
  answers['/api/v0/stores/status'] = () => {}
  const page = await get('/tests/list/ended?search=x', hasty.app)
  t.equal(page.statusCode, 504)
  t.match(page.body, 'class="fullscreen"')
  t.match(page.body, 'href="/tests/list/ended?search=x"', 'a link to try again')
  answers = {}
  t.equal((await get('/', hasty.app)).statusCode, 200, 'a failure is not cached')
})

t.test('an API that cannot be reached', async t => {
  const lost = await buildApp({
    config: appConfig({}),
    upstreamOrigin: 'http://127.0.0.1:1',
    timeouts,
  })
  t.teardown(lost.close)
  const page = await lost.app.inject({ url: '/', headers: { cookie: `ts_fern-and-kiln=${token}` } })
  t.equal(page.statusCode, 502)
  t.match(page.body, 'We cannot reach your data')
  t.match(await lost.app.inject('/readyz'), { statusCode: 503, body: '{"ok":false}' })
  t.equal((await lost.app.inject('/healthz')).statusCode, 200)
})

t.test(
  'calls are shared: identical GETs at once are one; layout data and plans last a few seconds',
  async t => {
    await Promise.all(Array.from({ length: 10 }, () => get('/')))
    t.same([countOf('/tests'), countOf('/info'), countOf('/plans')], [1, 1, 1])
    await get('/')
    t.same([countOf('/tests'), countOf('/info')], [2, 1], 'the list is requested again')
    clock.at = new Date(clock.at.getTime() + 11_000)
    await get('/')
    t.same([countOf('/tests'), countOf('/info'), countOf('/plans')], [3, 2, 2])
    t.match((await get('/')).body, '85%')
  },
)

t.test("after the merchant's own change no cached data is shown", async t => {
  await get('/')
  answers['/api/v0/test-drafts'] = (_, r) => json(r, { message: 'no' }, 409)
  const before = get('/')
  await app.inject({
    method: 'POST',
    url: '/tests/draft/edit',
    payload: 'kind=PageElement',
    headers: {
      cookie: `ts_fern-and-kiln=${token}`,
      origin: 'http://localhost:3000',
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  await before
  asked = []
  await get('/')
  t.same([countOf('/tests'), countOf('/info'), countOf('/status')], [1, 1, 1])
  t.equal(countOf('/plans'), 1, 'a change of the subscription shows in the plans too')
})

t.test('what one browser has read of the store, all browsers of the store show', async t => {
  const cookieOf = (jti: string) =>
    `ts_fern-and-kiln=x.${Buffer.from(JSON.stringify({ exp: 4e9, sub: 's', jti })).toString('base64url')}.y`
  const own = () => app.inject({ url: '/', headers: { cookie: cookieOf('own') } })
  const other = () =>
    app.inject({ url: '/settings/billing', headers: { cookie: cookieOf('other') } })
  const change = () =>
    app.inject({
      method: 'POST',
      url: '/tests/draft/edit',
      payload: 'kind=PageElement',
      headers: {
        cookie: cookieOf('own'),
        origin: 'http://localhost:3000',
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
  answers['/api/v0/test-drafts'] = (_, r) => json(r, { message: 'no' }, 409)
  await Promise.all([own(), other()])
  asked = []
  await change()
  await Promise.all([own(), other()])
  t.equal(countOf('/plans'), 1, 'after a change they are read once')

  answers['/api/v0/stores/info'] = (_, r) => json(r, { ...store, name: 'Kiln & Fern' })
  answers['/api/v0/stores/status'] = (_, r) => json(r, { ...status, sessions: 42 })
  t.match((await other()).body, 'Fern &amp; Kiln', 'nobody has read the other name yet')
  await change()
  t.match((await own()).body, 'Kiln &amp; Fern')
  asked = []
  const shown = await other()
  t.match(shown.body, 'Kiln &amp; Fern', 'the other name')
  t.match(shown.body, '42%', 'the other status')
  t.same([countOf('/info'), countOf('/status'), countOf('/plans')], [0, 0, 0])

  answers['/api/v0/plans'] = (_, r) => json(r, [{ ...plans[0], title: 'Withdrawn' }])
  await change()
  await own()
  asked = []
  t.match((await other()).body, 'Withdrawn', 'another list of plans')
  await Promise.all([own(), other()])
  t.equal(countOf('/plans'), 0, 'and then they are cached again')
})

t.test(
  'a file of any size is streamed; when it breaks off the response breaks off, and a client that leaves stops it',
  async t => {
    const path = '/api/v0/tests/t/export-orders',
      headers = {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="orders.csv"',
      }
    const piece = 'x'.repeat(1_000_000)
    answers[path] = (_, r) => {
      r.writeHead(200, headers)
      let left = 10
      const more = () => {
        while (left-- > 0)
          if (!r.write(piece)) {
            r.once('drain', more)
            return
          }
        r.end()
      }
      more()
    }
    const whole = await get('/tests/t/export/orders')
    t.equal(whole.statusCode, 200)
    t.equal(whole.rawPayload.length, 10_000_000, 'larger than other answers may be')
    t.equal(whole.headers['content-disposition'], headers['content-disposition'])

    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const asked = (signal?: AbortSignal) =>
      fetch(`${address}/tests/t/export/orders`, {
        headers: { cookie: `ts_fern-and-kiln=${token}`, 'accept-encoding': 'identity' },
        ...(signal && { signal }),
      })
    answers[path] = (_, r) => {
      r.writeHead(200, headers).write(piece)
      setTimeout(() => r.destroy(), 50)
    }
    await t.rejects(
      asked().then(response => response.text()),
      'half a file is an error, not a complete file',
    )

    const stopped = new AbortController()
    const gone = new Promise<void>(resolve => {
      answers[path] = (_, r) => {
        r.once('close', resolve)
        r.writeHead(200, headers)
        const more = () => {
          while (!r.destroyed)
            if (!r.write(piece)) {
              r.once('drain', more)
              return
            }
        }
        more()
      }
    })
    const response = await asked(stopped.signal)
    await response.body!.getReader().read()
    stopped.abort()
    await gone

    answers[path] = (_, r) => json(r, { message: 'no' }, 500)
    const refused = await get('/tests/t/export/orders')
    t.equal(refused.statusCode, 502)
    t.match(refused.headers, { 'content-type': /^text\/html/, 'content-disposition': undefined })
  },
)
