import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { postgresDb } from '../../engine/db/connection.ts'
import { migrate } from '../../engine/db/migrate.ts'
import { rebuild } from '../../engine/events/rebuild.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { tokenOf } from '../engine/support/hub-machine.ts'
import { seedScript, seedStore, seedTest } from '../engine/support/seeds.ts'
import { firstShop as shop, sessionSecret } from '../engine/support/small-shop.ts'
import { aggregatesOf, beacon, browser, event, visitorIn } from '../engine/support/traffic.ts'

const restarts = Number(process.env['RESTARTS'] ?? 10)
t.setTimeout(60_000 + restarts * 30_000)
const senders = 12,
  beaconsBetween = 150
/** Maximum time from Postgres accepting connections until everything works again. Milliseconds. */
const recoversWithin = 10_000

t.test(
  `Postgres restarts ${restarts} times under load: the process survives, refuses what it cannot do, and loses nothing`,
  async t => {
    const postgres = await startPostgres()
    if (!postgres) throw new Error('There is no Postgres on this machine.')
    t.teardown(postgres.stop)
    const db = postgresDb(postgres.url)
    await migrate(db)
    const storeId = await seedStore(db),
      testId = await seedTest(db, storeId, { start_at: new Date(Date.now() - 86_400_000) })
    await seedScript(db, storeId, '/* a script */')

    const engine = fork(new URL('../engine/support/processes/engine-process.ts', import.meta.url), {
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        SESSION_SECRET: sessionSecret,
        COLLECT_PER_ADDRESS: '1000000',
        EVENTS_PER_ADDRESS: '100000000',
        EVENTS_PER_SHOP: '100000000',
      },
      execArgv: ['--liftoff-only'],
    })
    t.teardown(() => engine.kill('SIGKILL'))
    const [port] = (await once(engine, 'message')) as [number]
    const origin = `http://127.0.0.1:${port}`
    const isAlive = () => engine.exitCode === null && engine.signalCode === null

    const acknowledged = new Set<string>(),
      statuses = new Map<string, number>()
    /** The status of the response; 0 without a response. */
    const ask = async (path: string, init: RequestInit = {}): Promise<number> => {
      const status = await fetch(`${origin}/${path}`, init).then(
        async answer => {
          await answer.text()
          return answer.status
        },
        () => 0,
      )
      const key = `${path} ${status}`
      statuses.set(key, (statuses.get(key) ?? 0) + 1)
      return status
    }
    let visitor = 0
    const over = new AbortController(),
      { signal } = over
    const work = async (): Promise<void> => {
      while (!signal.aborted && isAlive()) {
        const now = Date.now(),
          arm = (visitor % 2) as 0 | 1,
          id = visitorIn(testId, arm, `restart-${visitor++}`)
        const events = [
          event('exposure', now, [testId]),
          event('view', now),
          event('click', now, [testId]),
        ]
        const body = JSON.stringify(beacon(id, { [testId]: [arm, 7] }, events, { sent: now }))
        // As the script does, send again until acknowledged.
        for (let isTaken = false; !isTaken && isAlive() && !signal.aborted;) {
          const status = await ask('collect', {
            method: 'POST',
            headers: {
              'content-type': 'text/plain',
              'user-agent': browser,
              origin: 'https://fern-and-kiln.demo-shop.test',
            },
            body,
          })
          isTaken = status === 204
          if (!isTaken) await setTimeout(20)
        }
        if (!signal.aborted) for (const { id: eventId } of events) acknowledged.add(eventId)
      }
    }
    const token = await tokenOf(storeId)
    const look = async (): Promise<void> => {
      while (!signal.aborted && isAlive()) {
        await Promise.all([
          ask(`s/${shop}.js`),
          ask('api/v0/stores/info', { headers: { authorization: `Bearer ${token}` } }),
        ])
        await setTimeout(10)
      }
    }
    const enough = async (more: number) => {
      for (const until = acknowledged.size + more * 3; acknowledged.size < until && isAlive();)
        await setTimeout(10)
    }
    // Request the script once, so that it is in memory.
    t.equal(await ask(`s/${shop}.js`), 200)
    const loads = [...Array.from({ length: senders }, work), look()]
    const recoveries: number[] = []
    for (let round = 0; round < restarts && isAlive(); round++) {
      await enough(beaconsBetween)
      await postgres.restart({ crash: round % 2 === 1 })
      const back = performance.now()
      await enough(1)
      while (isAlive() && (await ask('readyz')) !== 200) await setTimeout(20)
      recoveries.push(Math.round(performance.now() - back))
    }
    over.abort()
    await Promise.all(loads)
    t.ok(isAlive(), 'the process survived the restarts')
    t.comment(
      `answers: ${JSON.stringify(Object.fromEntries(statuses))}; ready again after ${recoveries.join(', ')} ms`,
    )
    t.same(
      [...statuses.keys()].filter(
        key => !/^(collect (204|503)|s\/.* 200|.*(info|readyz) (200|503))$/.test(key),
      ),
      [],
      'only accepted beacons, refused beacons and scripts from memory',
    )
    t.ok((statuses.get('collect 503') ?? 0) > 0, 'some beacons were refused')
    t.same(
      recoveries.filter(ms => ms > recoversWithin),
      [],
      `ready again within ${recoversWithin / 1000} s`,
    )
    t.equal(recoveries.length, restarts)
    engine.kill('SIGTERM')

    const { rows } = await sql<{ id: string }>`select id from events`.execute(db.kysely)
    const there = new Set(rows.map(row => row.id))
    t.same(
      [...acknowledged].filter(id => !there.has(id)),
      [],
      `none of ${acknowledged.size} acknowledged events is missing`,
    )
    t.equal(there.size, rows.length, 'no event is stored twice')
    const kept = await aggregatesOf(db)
    await rebuild(db, shop)
    t.same(await aggregatesOf(db), kept, 'the aggregates equal those computed from the events')
    await db.close()
  },
)
