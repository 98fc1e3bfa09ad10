import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assign } from '../domain/assignment.ts'
import type { Beacon } from '../domain/event.ts'
import { goalNames } from '../domain/goal.ts'
import { buildEngine, type Engine } from '../engine/app.ts'
import { authTokens } from '../engine/auth-tokens.ts'
import { engineConfig } from '../engine/config.ts'
import { eventStores, loadStore } from '../engine/event-stores.ts'
import { startIngest } from '../engine/ingest.ts'
import { storeOrder } from '../engine/orders.ts'
import type { BenchRow } from './row.ts'
import { runningTest } from './running-test.ts'

const shop = 'bench.demo-shop.test', days = 28, dayLength = 86_400_000
const eventsPerVisitor = 20, buyers = 0.05, views = 200

/** Time of the report's overview (the test with its summary, and the daily series of its goal) and of its breakdowns with few events and with many. */
export async function reportBench(): Promise<BenchRow[]> {
  const [few, many] = [await measure(10_000), await measure(1_000_000)]
  const against = 'Report overview, 10 thousand events', breakdownAgainst = 'Breakdown by channel and by referrer, 10 thousand events'
  return [
    { name: 'Loading 1 million events through the collector’s writer', value: Math.round(many.eventsPerSecond), unit: 'events/s' },
    { name: against, value: few.milliseconds, unit: 'ms' },
    { name: 'Report overview, 1 million events', value: many.milliseconds, unit: 'ms', ratio: many.milliseconds / few.milliseconds, against, target: '≤ 1.5' },
    { name: breakdownAgainst, value: few.breakdowns, unit: 'ms' },
    { name: 'Breakdown by channel and by referrer, 1 million events', value: many.breakdowns, unit: 'ms', ratio: many.breakdowns / few.breakdowns, against: breakdownAgainst, target: '≤ 1.5' },
    { name: 'Summing that test up again, 1 million events', value: many.rollUp, unit: 'ms' },
  ]
}

type Measured = { milliseconds: number; breakdowns: number; eventsPerSecond: number; rollUp: number }

async function measure(events: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-bench-'))
  const engine = await buildEngine({ config: engineConfig({ DATA_DIR: folder }) })
  try {
    const { storeId, testId } = await runningTest(engine.db, shop, days)
    const began = performance.now()
    await fill(engine, testId, events)
    const eventsPerSecond = (events / (performance.now() - began)) * 1000
    const summing = performance.now()
    await engine.rollUp()
    const rollUp = performance.now() - summing
    const { token } = await authTokens(engineConfig({}).SESSION_SECRET, () => new Date()).access({ storeId, shop }, new Date())
    const timeOf = async (paths: string[]): Promise<number> => {
      const times: number[] = []
      for (let i = 0; i < views; i++) times.push(await view(engine, paths.map(path => `/api/v0/tests/${testId}${path}`), token))
      // The first views still warm the code up.
      const warm = times.slice(views / 4).sort((a, b) => a - b)
      return warm[warm.length >> 1]!
    }
    return { milliseconds: await timeOf(['', `/daily/by-${goalNames[0]}`]), breakdowns: await timeOf(['/visitors/by-channel?device=phone', '/visitors/referrers?sort=chanceToWin']), eventsPerSecond, rollUp }
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Visitors spread over the test's days, each with an exposure, a click, a cart and page views; some of them buy. */
async function fill({ db }: Engine, testId: string, events: number): Promise<void> {
  const ingest = startIngest({ db, stores: eventStores(db, () => new Date()), onError: error => { throw error } })
  const store = (await loadStore(db, shop))!
  const now = Date.now(), visitors = events / eventsPerVisitor
  for (let from = 0; from < visitors; from += 250) {
    const some = Array.from({ length: Math.min(250, visitors - from) }, (_, i) => from + i)
    await Promise.all(some.map(n => {
      const at = now - Math.floor(((n * 7919) % visitors) / visitors * days * dayLength)
      return ingest.submit({ beacon: visit(testId, `visitor-${n}-of-it`, at), arrival: { received: at, device: (n % 3) as 0 | 1 | 2, isBot: false } })
    }))
  }
  await ingest.close()
  for (let n = 0; n < visitors * buyers; n++) {
    const at = new Date(now - Math.floor(Math.random() * dayLength)).toISOString()
    await storeOrder(db, store, { id: `order-${n}`, name: `#${n}`, type: 'oneTime', lines: [], createdAt: at, currency: 'USD', subtotal: 1000 + (n * 37) % 9000, refunded: 0, test: false, attributes: { _ts_visitor: `visitor-${n}-of-it` } },
      { topic: 'orders/create', shop, deliveryId: `delivery-${n}`, triggeredAt: at }, new Date())
  }
}

/** Two dozen sites that link to the shop. */
const sources = ['', 'https://www.google.com/', 'https://www.pinterest.com/', ...Array.from({ length: 21 }, (_, i) => `https://blog-${i}.example/`)]

function visit(testId: string, visitor: string, at: number): Beacon {
  const kinds = { 0: 'exposure', 7: 'click', 12: 'cart' } as const
  return {
    v: 1, shop, visitor, session: `session-${visitor}`, sent: at, isNew: true, landing: '/products/stoneware-mug', referrer: sources[at % sources.length]!, tests: { [testId]: [assign(testId, visitor, [0.5, 0.5]), 7] },
    events: Array.from({ length: eventsPerVisitor }, (_, i) => ({
      id: `${visitor}-${i}`, at: at - 1000 + i, kind: kinds[i as keyof typeof kinds] ?? 'view', path: '/products/stoneware-mug', ...((i === 0 || i === 7) && { tests: [testId] }),
    })),
  }
}

async function view({ app }: Engine, urls: string[], token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const began = performance.now()
  const answers = await Promise.all(urls.map(url => app.inject({ url, headers })))
  const took = performance.now() - began
  for (const { statusCode, body } of answers) if (statusCode !== 200) throw new Error(`The report answered ${statusCode}: ${body}`)
  return took
}
