import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { sql } from 'kysely'
import t from 'tap'
import { postgresDb } from '../../../engine/db/connection.ts'
import { DatabaseLost, whenItAnswers } from '../../../engine/db/lost.ts'
import { publishedScripts } from '../../../engine/script/scripts.ts'
import { linkTo } from '../support/database-link.ts'
import { startEngine } from '../support/engine.ts'
import { freshDb, samePostgres } from '../support/harness.ts'
import { firstShop } from '../support/small-shop.ts'
import { beacon, browser, event } from '../support/traffic.ts'

// PGlite runs inside this process, so it has no connection to lose.
const needsPostgres = { skip: !process.env['TEST_DATABASE_URL'] && 'needs TEST_DATABASE_URL' }

t.test(
  'when the server ends connections in use, their work fails as DatabaseLost and new connections replace them',
  needsPostgres,
  async t => {
    const { engine, db, token, close } = await startEngine()
    const other = samePostgres(db)!
    t.teardown(async () => {
      await other.close()
      await close()
    })
    const endAll = async () =>
      (
        await sql<{ n: number }>`
    select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(
          other.kysely,
        )
      ).rows[0]!.n
    const ask = () =>
      engine.app.inject({
        url: '/api/v0/stores/info',
        headers: { authorization: `Bearer ${token}` },
      })
    const send = (name: string) =>
      engine.app.inject({
        method: 'POST',
        url: '/collect',
        headers: {
          'content-type': 'text/plain',
          'user-agent': browser,
          origin: `https://${firstShop}`,
        },
        payload: JSON.stringify(
          beacon(name, {}, [event('view', Date.now())], { sent: Date.now() }),
        ),
      })
    t.equal((await ask()).statusCode, 200)

    // Three connections in use: between two statements of a transaction, in the middle of a
    // statement, and without a query.
    const begun = Array.from({ length: 3 }, () => Promise.withResolvers<void>()),
      cut = Promise.withResolvers<void>()
    const idle = db.kysely.transaction().execute(async trx => {
      await sql`select 1`.execute(trx)
      begun[0]!.resolve()
      await cut.promise
      await sql`select 2`.execute(trx)
    })
    const asleep = db.kysely.transaction().execute(async trx => {
      await sql`select 1`.execute(trx)
      begun[1]!.resolve()
      await sql`select pg_sleep(600)`.execute(trx)
    })
    const held = db.pool!.connect().then(async client => {
      const gone = new Promise<void>(resolve => client.once('end', resolve))
      begun[2]!.resolve()
      await gone
      client.release()
    })
    const lost = Promise.all(
      [idle, asleep].map(work =>
        work.then(
          () => null,
          (error: unknown) => error,
        ),
      ),
    )
    await Promise.all(begun.map(({ promise }) => promise))
    t.ok((await endAll()) >= 3)
    await held
    cut.resolve()
    for (const error of await lost) t.type(error, DatabaseLost)

    // While connections break, each request is answered or gets a 503, which asks the client to
    // send it again.
    let ending = Promise.resolve(0)
    const storm = Array.from({ length: 60 }, async (_, i) => {
      // One at a time, because two of them would end each other's connections.
      if (i % 20 === 5) await (ending = ending.then(endAll))
      return (i % 2 ? await ask() : await send(`visitor-storm-${i}`)).statusCode
    })
    const statuses = new Set(await Promise.all(storm))
    t.same(
      [...statuses].filter(status => ![200, 204, 503].includes(status)),
      [],
    )
    await settled(
      async () =>
        (await ask()).statusCode === 200 && (await send('visitor-after')).statusCode === 204,
    )
    t.equal(db.pool!.waitingCount, 0)
  },
)

t.test(
  'during an outage a merchant’s request gets a 503 that asks to send it again',
  needsPostgres,
  async t => {
    const far = await freshDb(),
      link = await linkTo(far.pool!.options.connectionString!)
    const db = postgresDb(link.url)
    const { engine, token, close } = await startEngine({ db })
    t.teardown(async () => {
      await close()
      await db.close()
      await link.close()
      await far.close()
    })
    const ask = () =>
      engine.app.inject({
        url: '/api/v0/stores/info',
        headers: { authorization: `Bearer ${token}` },
      })
    const script = () => engine.app.inject({ url: `/s/${firstShop}.js` })
    await settled(async () => (await script()).statusCode === 200)
    const before = await script()
    await link.cut()
    const answer = await ask()
    t.equal(answer.statusCode, 503)
    t.match(answer.json(), { message: /Send this again/, error: 503, uuid: String })
    t.equal(answer.headers['retry-after'], '1')
    t.equal((await engine.app.inject({ url: '/healthz' })).statusCode, 503)
    const during = await script()
    t.same(
      [during.statusCode, during.body, during.headers['etag']],
      [200, before.body, before.headers['etag']],
      'the script is still served',
    )
    t.equal(
      (await engine.app.inject({ url: '/s/nobody.example.js' })).statusCode,
      503,
      'a script that was never read is a 503, not a 404',
    )
    await link.restore()
    await settled(async () => (await ask()).statusCode === 200)
  },
)

t.test('a start waits for a database that does not answer, and logs it', needsPostgres, async t => {
  const far = await freshDb(),
    link = await linkTo(far.pool!.options.connectionString!)
  await link.cut()
  const lines: string[] = []
  const db = postgresDb(link.url)
  const starting = startEngine({
    db,
    log: pino({ level: 'warn' }, { write: line => lines.push(line) }),
  }).catch(error => {
    throw error
  })
  await settled(() =>
    lines.some(line => /The database does not answer. The start waits/.test(line)),
  )
  await link.restore()
  const { call, close } = await starting
  t.teardown(async () => {
    await close()
    await db.close()
    await link.close()
    await far.close()
  })
  t.match(await call('storeInfo', {}), { shop: firstShop })
  t.match(lines.join(''), /The database answers again/)
})

t.test('with a wrong database password the start fails at once', async t => {
  await t.rejects(
    whenItAnswers(
      () => Promise.reject(new Error('password authentication failed')),
      pino({ level: 'silent' }),
    ),
    /password/,
  )
})

t.test(
  'a script is served from memory while the database hangs, and dropped once the shop has none',
  needsPostgres,
  async t => {
    const { db, engine, close } = await startEngine()
    t.teardown(close)
    await settled(
      async () => (await engine.app.inject({ url: `/s/${firstShop}.js` })).statusCode === 200,
    )
    const published = publishedScripts(db)
    const { etag } = (await published(firstShop))!
    const release = Promise.withResolvers<void>(),
      locked = Promise.withResolvers<void>()
    const holding = db.kysely.transaction().execute(async trx => {
      await sql`lock table published_scripts in access exclusive mode`.execute(trx)
      locked.resolve()
      await release.promise
    })
    await locked.promise
    t.equal((await published(firstShop))!.etag, etag)
    release.resolve()
    await holding
    await db.kysely.updateTable('published_scripts').set({ body: null }).execute()
    t.equal(await published(firstShop), null)
  },
)

async function settled(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20)
}
