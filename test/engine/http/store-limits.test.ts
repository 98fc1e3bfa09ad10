import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import type { Problem } from '../../../domain/problem.ts'
import { quotas } from '../../../domain/quota.ts'
import { previewOf } from '../../../engine/audiences/audience-preview.ts'
import { engineConfig } from '../../../engine/config.ts'
import { run } from '../../../engine/db/raw.ts'
import { statementLimit } from '../../../engine/db/lost.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { samePostgres } from '../support/harness.ts'
import { tokenOf, tokens } from '../support/hub-machine.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'

const needsPostgres = { skip: !process.env['TEST_DATABASE_URL'] && 'needs TEST_DATABASE_URL' }
const own = await startEngine({ quotas: { requests: 10_000_000, concurrent: 5, exports: 1 } })
t.teardown(own.close)
const { engine, db, call, token } = own
const info = (token: string) => ({
  url: '/api/v0/stores/info',
  headers: { authorization: `Bearer ${token}` },
})

t.test('the requests of each store are limited per minute', async t => {
  const { engine, db, token, close } = await startEngine({ quotas: { requests: 3 } })
  t.teardown(close)
  const other = await tokenOf(await seedStore(db, { shop: secondShop }))
  for (const url of ['/api/v0/stores/info', '/api/v0/stores/status', '/api/v0/audiences'])
    t.equal((await engine.app.inject({ ...info(token), url })).statusCode, 200)
  const refused = await engine.app.inject(info(token))
  t.equal(refused.statusCode, 429)
  t.match(refused.json<Problem>(), { message: /too many requests in this minute/, error: 429 })
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal((await engine.app.inject(info(other))).statusCode, 200)
})

t.test('the calls of a store that run at once are limited', async t => {
  const locked = Promise.withResolvers<void>(),
    release = Promise.withResolvers<void>()
  const holding = db.kysely.transaction().execute(async trx => {
    if (db.pool) await sql`lock table stores in access exclusive mode`.execute(trx)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const answers = Array.from({ length: 6 }, () => engine.app.inject(info(token)))
  const first = await Promise.race(answers)
  t.equal(first.statusCode, 429)
  t.match(first.json<Problem>(), { message: /under way at once/ })
  release.resolve()
  await holding
  t.same(
    (await Promise.all(answers)).map(({ statusCode }) => statusCode).toSorted(),
    [200, 200, 200, 200, 200, 429],
  )
  t.equal((await engine.app.inject(info(token))).statusCode, 200, 'a finished call makes room')
})

t.test('running exports of a store are limited, and one that is not read is aborted', async t => {
  const { id: storeId } = await call('storeInfo', {}),
    testId = await seedTest(db, storeId, { start_at: new Date('2026-11-01T00:00:00Z') })
  // More data than the buffers between two sockets can hold.
  await run(
    db.kysely,
    `insert into orders (store_id, order_id, created_at, day, amount, refunded, is_test, triggered_at, name)
    select $1, 'order-' || n, timestamptz '2026-11-02' + n * interval '1 second', '2026-11-02', 10, 0, false, now(), repeat('x', 2000) from generate_series(1, 12000) n`,
    [storeId],
  )
  await engine.app.listen({ port: 0, host: '127.0.0.1' })
  const sockets: Socket[] = []
  engine.app.server.on('connection', (socket: Socket) => sockets.push(socket))
  const { port } = engine.app.server.address() as AddressInfo
  const path = `/api/v0/tests/${testId}/export-orders`,
    ask = () =>
      engine.app.inject({
        url: `/api/v0/tests/${testId}/export`,
        headers: { authorization: `Bearer ${token}` },
      })
  t.equal((await ask()).statusCode, 200)
  const idle = connect(port, '127.0.0.1')
  idle.on('error', () => {})
  t.teardown(() => idle.destroy())
  idle.pause()
  idle.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`)
  let refused = await ask()
  for (let n = 0; refused.statusCode !== 429 && n < 500; n++) refused = await ask()
  t.match(refused.json<Problem>(), { message: /exports running already/ })
  // As after two minutes, the server's usual socket timeout.
  for (const socket of sockets) socket.setTimeout(50)
  let next = await ask()
  for (let n = 0; next.statusCode !== 200 && n < 500; n++) {
    await setTimeout(20)
    next = await ask()
  }
  t.equal(next.statusCode, 200, 'its place is free for the next export')
})

t.test('the number of a store’s drafts is limited', async t => {
  const { id } = await call('createDraft', { body: { kind: 'PageElement', title: 'The first' } })
  await run(
    db.kysely,
    `insert into drafts select (jsonb_populate_record(d, jsonb_build_object('draft_id', gen_random_uuid()))).* from drafts d, generate_series(1, $1) where d.draft_id = $2`,
    [quotas.drafts - 1, id],
  )
  for (const work of [
    () => call('createDraft', { body: { kind: 'PageElement', title: 'One more' } }),
    () => call('duplicateDraft', { params: { id } }),
  ]) {
    const { status, problem } = await refusal(work())
    t.equal(status, 409)
    t.match(problem.message, /at most 500 drafts/)
  }
})

t.test(
  'Postgres stops slow statements of a merchant’s call, inside and outside of transactions, but no other statements',
  needsPostgres,
  async t => {
    const { engine, db, token, close } = await startEngine({ quotas: { statement: 100 } })
    t.teardown(close)
    const sleep = (seconds: number) => sql`select pg_sleep(${seconds})`,
      stopped = { code: '57014' }
    await statementLimit.run(50, async () => {
      await t.rejects(sleep(600).execute(db.kysely), stopped)
      await t.rejects(
        db.kysely.transaction().execute(trx => sleep(600).execute(trx)),
        stopped,
      )
      t.same((await sql`select 1 as one`.execute(db.kysely)).rows, [{ one: 1 }])
    })
    const setting = async () =>
      (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db.kysely)).rows[0]!
        .statement_timeout
    for (let i = 0; i < 12; i++)
      t.equal(await setting(), '0', 'the timeout does not stay with the connection')
    await sleep(0.2).execute(db.kysely)
    const locked = Promise.withResolvers<void>(),
      release = Promise.withResolvers<void>()
    const holding = db.kysely.transaction().execute(async trx => {
      await sql`lock table stores in access exclusive mode`.execute(trx)
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const answer = await engine.app.inject(info(token))
    release.resolve()
    await holding
    t.equal(answer.statusCode, 503)
    t.match(answer.json<Problem>(), { message: /took too long and was stopped/ })
  },
)

t.test(
  'a preview of an audience reads one page at a time, and other statements run in between',
  async t => {
    // The day before yesterday, because yesterday in this time zone may still be today in the
    // shop's.
    const { id: storeId } = await call('storeInfo', {})
    await run(
      db.kysely,
      `insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests, landing, referrer)
    select $1, (current_date - 2), 'event-' || n, now() - interval '2 days', 1, n % 2, 0, n % 3 = 0, true, 'visitor-' || n / 2, 'session-' || n / 2, '/', '{}', null, '/', '' from generate_series(1, 20000) n`,
      [storeId],
    )
    await run(
      db.kysely,
      `insert into store_visitors (store_id, period, visitor_id) select $1, 'day:' || (current_date - 2), 'visitor-' || n from generate_series(0, 10000) n`,
      [storeId],
    )
    let turns = 0
    const over = new AbortController(),
      { signal } = over
    const others = (async () => {
      for (; !signal.aborted; turns++) await sql`select 1`.execute(db.kysely)
    })()
    const config = engineConfig({
      SESSION_SECRET: 'a-secret-of-this-test-alone',
      DEMO_APP_KEY: 'key',
      DEMO_APP_SECRET: 'secret-of-the-demo-app',
    })
    const found = await previewOf({ db, clock: () => new Date(), config }, storeId, [
      { id: '', values: {} },
    ])
    over.abort()
    await others
    t.equal(found.visitors, 10_001)
    t.ok(turns > 8, `${turns} other statements ran in between`)
  },
)

t.test(
  'a shop whose calls and webhooks all wait leaves connections for the other shops',
  needsPostgres,
  async t => {
    const { engine, db, call, token, close } = await startEngine()
    const other = samePostgres(db)!
    t.teardown(async () => {
      await other.close()
      await close()
    })
    const { id: storeId } = await call('storeInfo', {}),
      secondId = await seedStore(db, { shop: secondShop }),
      second = await tokens.access({ storeId: secondId, shop: secondShop }, new Date())
    const locked = Promise.withResolvers<void>(),
      release = Promise.withResolvers<void>()
    const holding = other.kysely.transaction().execute(async trx => {
      await sql`select from stores where store_id = ${storeId} for update`.execute(trx)
      locked.resolve()
      await release.promise
    })
    await locked.promise
    let answered = 0
    const waiting = Array.from({ length: 30 }, () =>
      engine.app
        .inject({
          method: 'POST',
          url: `/api/v0/stores/${storeId}`,
          headers: { authorization: `Bearer ${token}` },
          payload: { name: 'Renamed' },
        })
        .then(({ statusCode }) => {
          answered++
          return statusCode
        }),
    )
    t.equal((await engine.app.inject(info(second.token))).statusCode, 200)
    t.equal(answered, 0, 'the calls of the first shop wait meanwhile')
    release.resolve()
    await holding
    t.same([...new Set(await Promise.all(waiting))], [200], 'and are answered in their turn')
  },
)
