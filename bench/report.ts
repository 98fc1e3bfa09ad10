import { goalNames } from '../domain/reports/goal.ts'
import { startPostgres } from '../scripts/postgres.ts'
import { type BenchEngine, withFilledEngine } from './bench-engine.ts'
import { orderSummingRows } from './order-summing.ts'
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
  'List of tests': ['/api/v0/tests'],
}
type Name = keyof typeof calls
const names = Object.keys(calls) as Name[]

/**
 * Measures the report's calls and the list with few and with many events, alternating, and how
 * long a test takes to be summed up. They read aggregates, so their time must not grow with the
 * events. `BENCH_EVENTS`: the many; filling them takes most of the time.
 */
export async function reportBench(): Promise<BenchRow[]> {
  const postgres = await startPostgres()
  const most = process.env['BENCH_EVENTS']
  try {
    const rows = await rowsOn(null, 'PGlite', Number(most ?? 1_000_000))
    if (postgres) rows.push(...(await rowsOn(postgres.url, 'Postgres', Number(most ?? 10_000_000))))
    return rows
  } finally {
    await postgres?.stop()
  }
}

const few = 100_000

async function rowsOn(server: string | null, database: string, many: number): Promise<BenchRow[]> {
  const of = (events: number) => `${events.toLocaleString('en')} events, ${database}`
  return withFilledEngine(server, filling(few), small =>
    withFilledEngine(server, filling(many), async large => {
      const rows: BenchRow[] = []
      for (const bench of [small, large]) await bench.engine.rollUp()
      for (const name of names) {
        const [little, much] = await middlesOf([small, large], calls[name])
        const against = `${name}, ${of(few)}`
        rows.push(
          { name: against, value: little, unit: 'ms' },
          {
            name: `${name}, ${of(many)}`,
            value: much,
            unit: 'ms',
            ratio: much / little,
            against,
            target: '≤ 1.5',
          },
        )
      }
      rows.push(...(await orderSummingRows(small, of(few))))
      rows.push(...(await orderSummingRows(large, of(many))))
      return rows
    }),
  )
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
