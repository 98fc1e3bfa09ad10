import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { sql } from 'kysely'
import { type Db, openDb, postgresDb } from '../../../engine/db/connection.ts'
import { migrate } from '../../../engine/db/migrate.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop as shop } from '../support/small-shop.ts'
import { aggregatesOf, beacon, browser, event, visitorIn } from '../support/traffic.ts'

const kills = Number(process.env['KILLS'] ?? 5)
// Each start of PGlite takes a second or two.
t.setTimeout(200_000 + kills * 20_000)
const senders = 16,
  beaconsBeforeKill = 60

t.test(
  `after ${kills} kills (kill −9) while events arrive, each acknowledged event is stored exactly once`,
  async t => {
    const { env, withDb, remove } = await storage()
    t.teardown(remove)
    const testId = await withDb(async db => {
      await migrate(db)
      return seedTest(db, await seedStore(db), { start_at: new Date(Date.now() - 86_400_000) })
    })

    const acknowledged = new Set<string>(),
      sent = new Set<string>()
    let visitor = 0
    for (let round = 0; round < kills; round++) {
      const engine = await start(env)
      let confirmed = 0
      // We kill the engine while beacons are in flight, after a number of beacons that differs in
      // each round.
      const enough = beaconsBeforeKill + ((round * 37) % 50)
      const send = async (): Promise<void> => {
        for (;;) {
          const now = Date.now(),
            id = visitorIn(testId, (visitor % 2) as 0 | 1, `killed-${visitor++}`)
          const events = [
            event('exposure', now, [testId]),
            event('view', now),
            event('cart', now),
            event('click', now, [testId]),
          ]
          const body = beacon(id, { [testId]: [((visitor - 1) % 2) as 0 | 1, 7] }, events, {
            sent: now,
          })
          for (const { id: eventId } of events) sent.add(eventId)
          try {
            const { status } = await fetch(`http://127.0.0.1:${engine.port}/collect`, {
              method: 'POST',
              headers: {
                'content-type': 'text/plain',
                'user-agent': browser,
                origin: `https://${shop}`,
              },
              body: JSON.stringify(body),
            })
            if (status !== 204) throw new Error(String(status))
          } catch {
            if (engine.child.signalCode === null && !engine.child.killed)
              throw new Error('The engine refused a good beacon.')
            return
          }
          for (const { id: eventId } of events) acknowledged.add(eventId)
          if (++confirmed === enough) engine.child.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: senders }, send))
      await engine.exited
    }

    await withDb(async db => {
      await alone(db)
      const { rows } = await sql<{ id: string }>`select id from events`.execute(db.kysely)
      const stored = rows.map(row => row.id),
        there = new Set(stored)
      t.ok(
        acknowledged.size >= kills * beaconsBeforeKill * 4,
        `${acknowledged.size} events were acknowledged`,
      )
      t.same(
        [...acknowledged].filter(id => !there.has(id)),
        [],
        'no acknowledged event is missing',
      )
      t.equal(there.size, stored.length, 'no event is stored twice')
      t.same(
        stored.filter(id => !sent.has(id)),
        [],
        'and no other event is stored',
      )
      const kept = await aggregatesOf(db)
      await rebuild(db, shop)
      t.same(await aggregatesOf(db), kept, 'a rebuild from the events gives the same aggregates')
    })
  },
)

/**
 * Waits until we are the only client of the database: Postgres may still commit what the killed
 * engine sent. PGlite needs no wait.
 */
async function alone(db: Db): Promise<void> {
  const others = async () =>
    (
      await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(
        db.kysely,
      )
    ).rows[0]!.n
  while (db.pool && (await others()) > 0) await setTimeout(5)
}

type Running = { child: ChildProcess; port: number; exited: Promise<unknown> }

async function start(env: Record<string, string>): Promise<Running> {
  const child = fork(new URL('../support/processes/engine-process.ts', import.meta.url), {
    env: { ...process.env, ...env },
    execArgv: ['--liftoff-only'],
  })
  const exited = once(child, 'exit')
  const port = await Promise.race([
    once(child, 'message').then(([message]) => message as number),
    exited.then(() => Promise.reject(new Error('The engine did not start again.'))),
  ])
  return { child, port, exited }
}

/** A data folder, or with TEST_DATABASE_URL a database, that outlives the engines that use it. */
async function storage(): Promise<{
  env: Record<string, string>
  withDb: <T>(use: (db: Db) => Promise<T>) => Promise<T>
  remove: () => Promise<void>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-crash-'))
  const database = process.env['TEST_DATABASE_URL'] ? await freshDb() : null
  const url = database?.pool?.options.connectionString ?? ''
  return {
    env: { DATA_DIR: folder, DATABASE_URL: url },
    withDb: async use => {
      const db = url ? postgresDb(url) : await openDb({ dataDir: folder })
      try {
        return await use(db)
      } finally {
        await db.close()
      }
    },
    remove: async () => {
      await database?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
