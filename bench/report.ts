import { sql } from 'kysely'
import { goalNames } from '../domain/reports/goal.ts'
import { startPostgres } from '../scripts/postgres.ts'
import { type BenchEngine, withFilledEngine } from './bench-engine.ts'
import type { BenchRow } from './row.ts'

const views = 200,
  eventsPerVisitor = 20,
  days = 28
/**
 * Orders per visitor. Even with few events, every row of a breakdown then passes the data gates:
 * computing a chance to win takes longer than reading, so both sides must do it.
 */
const buyers = 0.06
const calls = {
  'Report overview': ['', `/daily/by-${goalNames[0]}`],
  'Breakdown by channel and by referrer': [
    '/visitors/by-channel',
    '/visitors/referrers?sort=chanceToWin',
  ],
  'Breakdown by country and by product': ['/visitors/by-country', '/visitors/by-product'],
  'Orders behind the ledger': ['/orders?part=control'],
}
type Name = keyof typeof calls
const names = Object.keys(calls) as Name[]

/**
 * Measures the report's calls with few and with many events, alternating. They read aggregates, so
 * their time must not grow with the events.
 */
export async function reportBench(): Promise<BenchRow[]> {
  const postgres = await startPostgres(),
    server = postgres?.url ?? null
  const [few, many] = [100_000, postgres ? 10_000_000 : 1_000_000],
    database = postgres ? 'Postgres' : 'PGlite'
  const named = (name: string, events: number) =>
    `${name}, ${events.toLocaleString('en')} events, ${database}`
  try {
    return await withFilledEngine(server, filling(few), small =>
      withFilledEngine(server, filling(many), async large => {
        const rows: BenchRow[] = []
        for (const bench of [small, large]) await bench.engine.rollUp()
        for (const name of names) {
          const [little, much] = await middlesOf([small, large], calls[name])
          rows.push(
            { name: named(name, few), value: little, unit: 'ms' },
            {
              name: named(name, many),
              value: much,
              unit: 'ms',
              ratio: much / little,
              against: named(name, few),
              target: '≤ 1.5',
            },
          )
        }
        const summed = {
          'after a visitor': 'changed = changed + 1',
          'after an order': 'changed = changed + 1, orders_changed = orders_changed + 1',
        }
        for (const [what, change] of Object.entries(summed))
          rows.push({
            name: named(`Summing the test up again ${what}`, many),
            value: await summing(large, change),
            unit: 'ms',
          })
        return rows
      }),
    )
  } finally {
    await postgres?.stop()
  }
}

const filling = (events: number) => ({
  visitors: events / eventsPerVisitor,
  eventsPerVisitor,
  orders: (events / eventsPerVisitor) * buyers,
  days,
})

async function middlesOf(
  benches: readonly [BenchEngine, BenchEngine],
  paths: readonly string[],
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < views * 2; i++) {
    const side = (i % 2) as 0 | 1,
      began = performance.now()
    await Promise.all(paths.map(benches[side].get))
    times[side].push(performance.now() - began)
  }
  // The first views still warm up the code.
  const middle = (all: number[]) => {
    const warm = all.slice(views / 4).sort((a, b) => a - b)
    return warm[warm.length >> 1]!
  }
  return [middle(times[0]), middle(times[1])]
}

async function summing({ engine }: BenchEngine, change: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    await sql.raw(`update test_changes set ${change}`).execute(engine.db.kysely)
    const began = performance.now()
    await engine.rollUp()
    times.push(performance.now() - began)
  }
  return Math.min(...times)
}
