import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { sql } from 'kysely'
import type { Job } from '../../../domain/jobs/job.ts'
import { announce, hubChannel } from '../../../engine/hub/announce.ts'
import type { JobRun } from '../../../engine/jobs/jobs.ts'
import { add } from '../../../engine/jobs/queue.ts'
import { startEngine } from '../support/engine.ts'
import { freshDb } from '../support/harness.ts'
import { machine, officialClient, pageOrigin, tokenOf } from '../support/hub-machine.ts'
import { seedStore } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'

const db = await freshDb()
const store = await seedStore(db),
  otherStore = await seedStore(db, { shop: secondShop })
const token = await tokenOf(store),
  otherToken = await tokenOf(otherStore)
const steps = {
  rebuild: async (run: JobRun) => {
    for (const done of [0.25, 0.5, 0.75]) await run.progress(done, `${done * 4} of 4`)
  },
}
// Two machines. The second has no handlers, so jobs run on the first.
const first = await machine(db, steps),
  second = await machine(db)
t.teardown(async () => {
  await Promise.all([first.close(), second.close()])
  await db.close()
})
const addJob = (storeId = store) =>
  db.kysely.transaction().execute(trx => first.jobs.add(trx, { storeId, kind: 'rebuild' }))
const told = (heard: { event: string; job: Job | undefined }[], id: string) =>
  heard
    .filter(({ job }) => job?.id === id)
    .map(({ event, job }) => [event, job!.status, job!.progress])
const wholeStory = [
  ['Active', 'active', 0],
  ['Updated', 'updated', 0.25],
  ['Updated', 'updated', 0.5],
  ['Updated', 'updated', 0.75],
  ['Completed', 'completed', 1],
]
const completed = (id: string) => (heard: { event: string; job: Job | undefined }[]) =>
  heard.some(({ event, job }) => event === 'Completed' && job?.id === id)

t.test(
  'a client hears about its store’s jobs, in order and from any machine, and not about jobs of other stores',
  async t => {
    const clients = await Promise.all([
      officialClient(first.port, token),
      officialClient(second.port, token),
      officialClient(second.port, otherToken),
    ])
    t.teardown(() => Promise.all(clients.map(({ connection }) => connection.stop())))
    const ids = await Promise.all(Array.from({ length: 5 }, () => addJob()))
    const other = await addJob(otherStore)
    for (const { heard, until } of clients.slice(0, 2)) {
      for (const id of ids) {
        await until(completed(id))
        t.same(told(heard, id), wholeStory)
      }
      t.same(told(heard, other), [])
    }
    await clients[2]!.until(completed(other))
    t.same(
      clients[2]!.heard.filter(({ job }) => job?.id !== other),
      [],
    )
  },
)

t.test('an announcement is sent only when its transaction commits', async t => {
  const client = await officialClient(second.port, token)
  t.teardown(() => client.connection.stop())
  await t.rejects(
    db.kysely.transaction().execute(async trx => {
      await announce(trx, store, 'Errored')
      throw new Error('changed my mind')
    }),
  )
  await db.kysely.transaction().execute(trx => announce(trx, store, 'ThemesUpdated'))
  await client.until(heard => heard.length > 0)
  t.same(client.heard, [{ event: 'ThemesUpdated', job: undefined }])
})

t.test('a job whose message is too long for an announcement is read from the database', async t => {
  const message = 'ü'.repeat(5_000)
  const failing = await machine(db, { screenshots: async run => run.progress(0.5, message) })
  const client = await officialClient(second.port, token)
  t.teardown(() => Promise.all([client.connection.stop(), failing.close()]))
  const id = await failing.jobs.add(db.kysely, { storeId: store, kind: 'screenshots' })
  await client.until(completed(id))
  t.same(
    told(client.heard, id).map(([event]) => event),
    ['Active', 'Updated', 'Completed'],
  )
  t.equal(client.heard.at(-1)!.job!.message, message)
})

t.test(
  'after a lost connection or a restart of the machine the client reconnects and hears about jobs again',
  async t => {
    let restarting = await machine(db)
    const client = await officialClient(restarting.port, token)
    t.teardown(() => Promise.all([client.connection.stop(), restarting.close()]))
    const reconnected = () =>
      new Promise<void>(resolve => client.connection.onreconnected(() => resolve()))
    const lost: (string | undefined)[] = []
    client.connection.onreconnecting(error => lost.push(error?.message))

    let back = reconnected()
    for (const socket of restarting.clients()) socket.terminate()
    const meanwhile = await addJob()
    await back
    const afterDrop = await addJob()
    await client.until(completed(afterDrop))
    t.same(told(client.heard, afterDrop), wholeStory)

    back = reconnected()
    const { port } = restarting
    await restarting.close()
    restarting = await machine(db, {}, { port })
    await back
    t.match(lost[1], /The server restarts/)
    const afterRestart = await addJob()
    await client.until(completed(afterRestart))
    t.same(told(client.heard, afterRestart), wholeStory)
    // Jobs run in parallel, so this one may not have finished yet.
    await first.jobs.runNow()
    t.ok(
      await db.kysely
        .selectFrom('jobs')
        .where('job_id', '=', meanwhile)
        .where('status', '=', 'completed')
        .selectAll()
        .executeTakeFirst(),
    )
  },
)

t.test('only a token, an allowed origin and a WebSocket can connect', async t => {
  const url = `ws://127.0.0.1:${first.port}/storeJobHub`
  const refused = async (query: string, headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${first.port}/storeJobHub${query}`, { headers })
    await response.arrayBuffer()
    return response.status
  }
  t.equal(await refused('', {}), 401)
  t.equal(await refused('?access_token=nonsense', {}), 401)
  t.equal(await refused('', { authorization: `Basic ${token}` }), 401)
  t.equal(await refused('', { authorization: `Basic Bearer ${token}` }), 401)
  t.equal(
    await refused('', { authorization: `Bearer ${token}`, origin: 'https://elsewhere.example' }),
    403,
  )
  t.equal(
    await refused('?id=1', { authorization: `Bearer ${token}` }),
    404,
    'an id of a connection that was not negotiated',
  )
  t.equal(
    await refused('', { authorization: `Bearer ${token}`, origin: pageOrigin }),
    426,
    'only WebSockets are served',
  )
  // Browsers send the token in the query.
  const opened = new WebSocket(`${url}?access_token=${token}`)
  await once(opened, 'open')
  opened.send('{"protocol":"json","version":1}\x1e')
  const [{ data }] = (await once(opened, 'message')) as [MessageEvent<string>]
  t.equal(data, '{}\x1e')
  opened.close()
  const unknown = new WebSocket(url)
  await once(unknown, 'error')
  t.equal(unknown.readyState, WebSocket.CLOSED)
})

t.test('a store has a hundred sockets at most', async t => {
  const open = await Promise.all(
    Array.from({ length: 101 }, async () => {
      const socket = new WebSocket(
        `ws://127.0.0.1:${second.port}/storeJobHub?access_token=${otherToken}`,
      )
      const closed = new Promise<number>(resolve =>
        socket.addEventListener('close', event => resolve(event.code)),
      )
      await once(socket, 'open')
      return { socket, closed }
    }),
  )
  t.equal(await Promise.race(open.map(({ closed }) => closed)), 1013)
  for (const { socket } of open) socket.close()
  await Promise.all(open.map(({ closed }) => closed))
})

t.test(
  'after the listening connection to the database was cut, clients hear what they missed',
  { skip: !db.pool && 'PGlite has no line' },
  async t => {
    const apart = await machine(db, {}, { probe: { every: 60_000, within: 5_000 } })
    const client = await officialClient(apart.port, token)
    t.teardown(() => Promise.all([client.connection.stop(), apart.close()]))
    // This ends every listening connection. Those of the other machines reconnect too.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like ${`listen ${hubChannel}%`} and pid <> pg_backend_pid()`.execute(
      db.kysely,
    )
    const id = await addJob()
    await first.jobs.runNow()
    await client.until(completed(id))
    await client.until(heard => heard.some(({ event }) => event === 'ThemesUpdated'))
    t.equal(apart.gaps.length, 1)
    t.equal(apart.isHearing(), true)
  },
)

t.test(
  'a listening connection that passes on no notifications is noticed',
  { skip: !db.pool && 'PGlite has no line' },
  async t => {
    const url = new URL(db.pool!.options.connectionString!)
    url.pathname = '/postgres'
    const warnings: string[] = []
    const { quietLog } = await import('../support/quiet-log.ts')
    const log = Object.assign(Object.create(quietLog) as typeof quietLog, {
      warn: (told: { err: Error }) => warnings.push(told.err.message),
    })
    const deaf = await machine(db, {}, { url: url.href, log, probe: { every: 60_000, within: 50 } })
    t.teardown(() => deaf.close())
    t.match(warnings[0], /DATABASE_LISTEN_URL/)
    t.equal(deaf.isHearing(), false, 'the readiness check reports it')
  },
)

t.test(
  'an engine sends news of its jobs on its own port, and when it closes it asks clients to reconnect',
  async t => {
    const engine = await startEngine()
    const { app } = engine.engine
    await app.listen({ port: 0, host: '127.0.0.1' })
    const client = await officialClient(
      (app.server.address() as AddressInfo).port,
      engine.token,
      [60_000],
    )
    t.teardown(() => client.connection.stop())
    const away = new Promise<string | undefined>(resolve =>
      client.connection.onreconnecting(error => resolve(error?.message)),
    )
    const { id: storeId } = await engine.call('storeInfo', {})
    const id = await add(
      engine.db.kysely,
      { storeId, kind: 'rebuild', payload: { testId: storeId } },
      engine.now.at,
    )
    await client.until(heard => heard.some(({ event }) => event === 'Errored'))
    t.same(
      client.heard.map(({ event, job }) => [event, job!.id, job!.message]),
      [
        ['Active', id, null],
        ['Errored', id, 'There is no such test.'],
      ],
    )
    t.match(await engine.call('storeJob', { params: { id } }), client.heard.at(-1)!.job!)
    t.equal(
      (
        await app.inject({
          url: '/storeJobHub',
          headers: { authorization: `Bearer ${engine.token}`, origin: 'https://elsewhere.example' },
        })
      ).statusCode,
      403,
    )
    t.equal(
      (
        await app.inject({
          url: '/storeJobHub',
          headers: { authorization: `Bearer ${engine.token}`, origin: 'https://app.example.test' },
        })
      ).statusCode,
      426,
    )
    await engine.close()
    t.match(await away, /The server restarts/)
  },
)
