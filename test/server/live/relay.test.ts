import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { announce } from '../../../engine/hub/announce.ts'
import { usualBackoff } from '../../../domain/backoff.ts'
import { hubTiming, type LiveMessage } from '../../../domain/jobs/job.ts'
import { waitToStart } from '../../../server/live/relay-hub.ts'
import { storeRelay } from '../../../server/live/relay-store.ts'
import { startEngine } from '../../engine/support/engine.ts'
import { freshDb } from '../../engine/support/harness.ts'
import { quietLog } from '../../engine/support/quiet-log.ts'
import { seedStore } from '../../engine/support/seeds.ts'
import { secondShop } from '../../engine/support/small-shop.ts'
import {
  eventually,
  openPage,
  ownJob,
  pageOrigin,
  signedIn,
  startApp,
  wire,
} from '../support/relay-stage.ts'

const db = await freshDb()
const first = await startEngine({ db })
await first.engine.app.listen({ port: 0, host: '127.0.0.1' })
const portOf = (engine: typeof first) => (engine.engine.app.server.address() as AddressInfo).port
let enginePort = portOf(first)
const { id: store } = await first.call('storeInfo', {})
const other = await seedStore(db, { shop: secondShop })
const idToken = (shop?: string) =>
  first.shop.idToken(shop ? { iss: `https://${shop}`, dest: `https://${shop}` } : {})
t.teardown(async () => {
  await first.close()
  await db.close()
})

/** Starts a new connection to the engine and a new app. `page` opens a page of the store. */
async function stage(t: Test, timing: Parameters<typeof startApp>[2] = {}) {
  const line = await wire(t, () => enginePort)
  const app = await startApp(line.origin, first.shop.origin, timing)
  t.teardown(app.close)
  const cookie = await signedIn(app, await idToken())
  return { line, app, cookie, page: (query = '') => openPage(app.port, cookie, { query }) }
}
const ended = (id: string) => (heard: LiveMessage[]) =>
  heard.some(
    message =>
      message.type === 'job' &&
      message.job.id === id &&
      ['completed', 'errored'].includes(message.job.status),
  )
const at = (id: string, progress: number) => (heard: LiveMessage[]) =>
  heard.some(
    message => message.type === 'job' && message.job.id === id && message.job.progress === progress,
  )

t.test(
  'all pages of a store get its jobs in order, and never the jobs of another store',
  async t => {
    const { app, line, page } = await stage(t)
    const [one, two] = [page(), page()]
    const foreign = openPage(app.port, await signedIn(app, await idToken(secondShop)))
    await Promise.all([one.opened, two.opened, foreign.opened])
    await eventually(() => line.standing() === 2)
    t.equal(line.tried(), 2, 'one connection per store for any number of pages')
    const [job, theirs] = [await ownJob(db, store), await ownJob(db, other)]
    await job.step(0.5, 'Half')
    await theirs.step(0.4, 'Of the other store')
    await db.kysely.transaction().execute(trx => announce(trx, other, 'ThemesUpdated'))
    await job.end()
    await theirs.end('It broke.')
    for (const each of [one, two]) {
      await each.until(ended(job.id))
      t.same(
        each.jobs(job.id).map(({ status, progress }) => [status, progress]),
        [
          ['active', 0],
          ['updated', 0.5],
          ['completed', 1],
        ],
      )
    }
    await foreign.until(ended(theirs.id))
    t.match(foreign.jobs(theirs.id).at(-1), { status: 'errored', message: 'It broke.' })
    t.notMatch(JSON.stringify([one.heard, two.heard]), theirs.id)
    t.same(
      one.heard.filter(({ type }) => type === 'themes'),
      [],
    )
    t.notMatch(JSON.stringify(foreign.heard), job.id)
    t.equal(foreign.heard.filter(({ type }) => type === 'themes').length, 1)
  },
)

t.test('a late page gets the state of running jobs, a finished job only on request', async t => {
  const { line, page } = await stage(t)
  const early = page()
  await eventually(() => line.standing() === 1)
  const job = await ownJob(db, store)
  await job.step(0.25, 'A quarter')
  await early.until(at(job.id, 0.25))
  const late = page()
  await late.until(heard => heard.length === 1)
  t.match(late.heard, [
    { type: 'job', job: { id: job.id, status: 'updated', progress: 0.25, message: 'A quarter' } },
  ])
  await job.end()
  await late.until(ended(job.id))
  const later = page()
  await later.opened
  const asking = page(`?job=${job.id}`)
  await asking.until(ended(job.id))
  const next = await ownJob(db, store)
  await later.until(heard => heard.length > 0)
  t.match(
    later.jobs(job.id),
    [{ status: 'completed' }],
    'it gets the finished job with the response to the page that asked, not when it opens',
  )
  await next.end()
  await later.until(ended(next.id))
  const nothing = page('?job=00000000-0000-4000-8000-000000000000')
  const hostile = page('?job=..%2f..%2fadmin')
  t.same(
    await Promise.all([nothing.opened, hostile.opened]),
    [true, true],
    'nothing is sent about an unknown job',
  )
  t.same([nothing.heard, hostile.heard], [[], []])
})

t.test(
  'when the hub refuses at first, the app polls the job, and gets news when the hub accepts it',
  async t => {
    const { line, page } = await stage(t)
    line.hub('refuse')
    const job = await ownJob(db, store)
    const open = page(`?job=${job.id}`)
    await open.until(at(job.id, 0))
    await job.step(0.5, 'Half')
    await open.until(at(job.id, 0.5))
    await eventually(() => line.tried() > 2)
    line.hub('open')
    await eventually(() => line.standing() === 1)
    const heardOnly = await ownJob(db, store)
    await open.until(at(heardOnly.id, 0))
    await job.end()
    await heardOnly.end()
    await open.until(ended(job.id))
  },
)

t.test(
  'when the hub is lost during a job, the app polls the job, and reads again when the hub is back',
  async t => {
    const { line, page } = await stage(t)
    const open = page()
    await eventually(() => line.standing() === 1)
    const job = await ownJob(db, store)
    await job.step(0.1, 'Begun')
    await open.until(at(job.id, 0.1))
    line.hub('refuse')
    line.drop()
    await job.step(0.6, 'Unheard')
    await open.until(at(job.id, 0.6))
    // Wait for more attempts than the client's own four: the app starts it again.
    const tried = line.tried()
    await eventually(() => line.tried() > tried + 6)
    line.hub('open')
    await eventually(() => line.standing() === 1)
    await open.until(heard => heard.some(({ type }) => type === 'themes'))
    t.pass('the page is told to look again at what may have changed in the shop')
    await job.end()
    await open.until(ended(job.id))
    t.same(
      open.jobs(job.id).map(({ progress }) => progress),
      [0, 0.1, 0.6, 1],
      'the page gets each state once',
    )
  },
)

t.test(
  'a silent hub is disconnected after a timeout, and the page still gets the job’s state',
  async t => {
    const { line, page } = await stage(t, { serverTimeout: 400, keepAlive: 200 })
    const open = page()
    await eventually(() => line.standing() === 1)
    const job = await ownJob(db, store)
    await open.until(at(job.id, 0))
    line.hub('silent')
    await job.step(0.7, 'Unheard')
    await open.until(at(job.id, 0.7))
    const tried = line.tried()
    await eventually(() => line.tried() > tried)
    await job.end('The shop did not answer.')
    await open.until(ended(job.id))
    t.match(open.jobs(job.id).at(-1), { status: 'errored', message: 'The shop did not answer.' })
  },
)

t.test('when the engine restarts during a job, the page still gets its end', async t => {
  const { line, page } = await stage(t)
  const own = await startEngine({ db })
  await own.engine.app.listen({ port: 0, host: '127.0.0.1' })
  enginePort = portOf(own)
  const open = page()
  await eventually(() => line.standing() === 1)
  const job = await ownJob(db, store)
  await open.until(at(job.id, 0))
  await own.close()
  await job.end()
  enginePort = portOf(first)
  await open.until(ended(job.id))
  t.match(open.jobs(job.id).at(-1), { status: 'completed' })
})

t.test(
  'when the app restarts during a job, pages are told to reconnect, and then get the job’s state',
  async t => {
    const { app, line, cookie } = await stage(t)
    const job = await ownJob(db, store)
    const open = openPage(app.port, cookie, { query: `?job=${job.id}` })
    await open.until(at(job.id, 0))
    await Promise.all([
      app.close(),
      open.closed.then(code => t.equal(code, 1012, 'service restart')),
    ])
    await eventually(() => line.standing() === 0)
    await job.end()
    const second = await startApp(line.origin, first.shop.origin)
    t.teardown(second.close)
    const back = openPage(second.port, cookie, { query: `?job=${job.id}` })
    await back.until(ended(job.id))
    t.match(back.jobs(job.id), [{ status: 'completed' }])
  },
)

t.test('without a session or the right origin the connection is closed without news', async t => {
  const { app, cookie, line } = await stage(t)
  const [name] = cookie.split('=', 1)
  const attempts = [
    openPage(app.port, ''),
    openPage(app.port, `${name}=nonsense`),
    openPage(app.port, `${name}_refresh=nonsense`),
    openPage(app.port, cookie, { origin: 'https://evil.example' }),
    openPage(app.port, cookie, { origin: 'null' }),
    openPage(app.port, cookie, { origin: null }),
    openPage(app.port, cookie, { origin: `${pageOrigin}.evil.example` }),
    openPage(app.port, cookie, { query: '?shop=another.demo-shop.test' }),
  ]
  for (const { opened, closed, heard } of attempts) {
    t.equal(await opened, false)
    t.equal(await closed, 1006)
    t.same(heard, [])
  }
  t.equal(line.tried(), 0, 'the hub got no connection')
  const refused = await fetch(`http://127.0.0.1:${app.port}/live`, { headers: { cookie } })
  t.same([refused.status, await refused.text()], [403, ''])
  const plain = await fetch(`http://127.0.0.1:${app.port}/live`, {
    headers: { cookie, origin: pageOrigin },
  })
  t.same([plain.status, await plain.text()], [426, ''])
})

t.test(
  'some time after the last page leaves the app disconnects from the hub; a page before that reuses it',
  async t => {
    const come = async ({ line, page }: Awaited<ReturnType<typeof stage>>) => {
      const open = page()
      await open.opened
      await eventually(() => line.standing() === 1)
      open.close()
      await open.closed
    }
    const patient = await stage(t, { linger: 600_000 })
    await come(patient)
    await come(patient)
    t.equal(patient.line.tried(), 1)
    await patient.app.close()
    await eventually(() => patient.line.standing() === 0)
    const hasty = await stage(t, { linger: 20 })
    await come(hasty)
    await eventually(() => hasty.line.standing() === 0)
    await come(hasty)
    t.equal(hasty.line.tried(), 2)
  },
)

t.test(
  'a page’s connection ends with its session’s token; on reconnecting the session is renewed',
  async t => {
    const now = { at: new Date() }
    const { app, cookie } = await stage(t, { clock: () => now.at })
    now.at = new Date(Date.now() + 9.5 * 60_000 - 1_000)
    const open = openPage(app.port, cookie)
    t.equal(await open.opened, true)
    t.equal(await open.closed, 1012)
    now.at = new Date(Date.now() + 9.75 * 60_000)
    const answer = await handshake(app.port, cookie)
    t.equal(answer.status, 101)
    t.equal(answer.cookies.length, 2)
    t.match(answer.cookies, [
      /^ts_fern-and-kiln=[^;]+; .*HttpOnly; SameSite=Lax$/,
      /^ts_fern-and-kiln_refresh=/,
    ])
    const renewed = answer.cookies.map(line => line.split(';', 1)[0]).join('; ')
    const back = openPage(app.port, renewed)
    t.equal(await back.opened, true)
    back.close()
  },
)

t.test(
  'after the client’s four waits the app starts it again, with the last wait in between',
  async t => {
    const timing = { ...usualBackoff, reconnect: hubTiming.reconnect }
    t.same(
      [1, 2, 3].map(failures => Math.round(waitToStart(failures, 0, timing))),
      [500, 650, 845],
      'a failed first start is soon tried again',
    )
    t.equal(waitToStart(100, 0, timing), 30_000)
    t.equal(
      waitToStart(Infinity, 0, timing),
      30_000,
      'the longest wait when the client had used all its tries',
    )
    t.equal(
      waitToStart(0, 0, timing),
      500,
      'a short wait when the server had closed the connection',
    )
  },
)

t.test(
  'jobs are read with the token that is valid for longest, also after the page with that token has left',
  async t => {
    const asked: string[] = []
    const relay = storeRelay({
      hubUrl: 'http://127.0.0.1:9/storeJobHub',
      timing: {
        reconnect: [0],
        serverTimeout: 100,
        keepAlive: 50,
        firstWait: 5,
        longestWait: 5,
        linger: 60_000,
      },
      log: quietLog,
      readJob: async (id, token) => {
        asked.push(token)
        return {
          id,
          kind: 'rebuild',
          status: 'updated',
          message: null,
          progress: 0.5,
          createdAt: '',
          updatedAt: '',
        }
      },
      onChange: () => {},
      onIdle: () => {},
    })
    t.teardown(relay.close)
    const now = Date.now(),
      page = (token: string, minutes: number, watches: string | null = null) => ({
        token,
        until: now + minutes * 60_000,
        watches,
        tell: () => {},
      })
    const [stays, leaves, later] = [page('stays', 9, 'job'), page('leaves', 0.1), page('later', 10)]
    const next = async () => {
      asked.length = 0
      await eventually(() => asked.length > 1)
      return asked.at(-1)
    }
    relay.join(stays)
    relay.join(leaves)
    t.equal(await next(), 'stays')
    relay.leave(leaves)
    t.equal(await next(), 'stays')
    relay.join(later)
    t.equal(await next(), 'later')
    relay.leave(stays)
    relay.leave(later)
    t.equal(await next(), 'later', 'no page is left, so the last known token is used')
  },
)

t.test('the app’s cache of a store is cleared when its themes change', async t => {
  const { app, cookie, page } = await stage(t)
  const shown = async () =>
    (await app.app.inject({ url: '/settings/account', headers: { cookie } })).body
  t.match(await shown(), 'Fern &amp; Kiln')
  const open = page()
  await open.opened
  await db.kysely
    .updateTable('stores')
    .set({ name: 'Renamed elsewhere' })
    .where('store_id', '=', store)
    .execute()
  await eventually(
    () =>
      open.heard.length > 0 ||
      (void db.kysely.transaction().execute(trx => announce(trx, store, 'ThemesUpdated')), false),
  )
  t.match(await shown(), 'Renamed elsewhere')
})

/**
 * Opens the connection as a browser with cookies does. Returns the response's status and cookies.
 */
async function handshake(
  port: number,
  cookie: string,
): Promise<{ status: number; cookies: string[] }> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const asked = request({
      port,
      host: '127.0.0.1',
      path: '/live',
      headers: {
        cookie,
        origin: pageOrigin,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    })
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode!, cookies: response.headers['set-cookie'] ?? [] })
    })
    asked.on('response', response => reject(new Error(String(response.statusCode))))
    asked.on('error', reject)
    asked.end()
  })
}
