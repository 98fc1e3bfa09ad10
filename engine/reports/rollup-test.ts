import { sql } from 'kysely'
import type { TestEvent } from '../../domain/tests/ab-test.ts'
import { dailyVisitors } from '../../domain/tests/daily-visitors.ts'
import { planLimits } from '../../domain/reports/estimate.ts'
import { formatChance, formatLift } from '../../domain/figures.ts'
import { emptyTotals } from '../../domain/reports/goal-result.ts'
import { speedRows, summarise } from '../../domain/reports/summary-build.ts'
import type { SummaryInput } from '../../domain/reports/summary-build.ts'
import type { DayTotals, TestSummary, Verdict } from '../../domain/reports/summary.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import { activeSpans, fullDays, timeRun } from '../tests/active-spans.ts'
import type { Db } from '../db/connection.ts'
import { run } from '../db/raw.ts'
import type { OrderSums } from '../db/order-figures.ts'
import { inSnapshot } from '../db/snapshot.ts'
import { plannedEnd, type Read, readTest, type TestRow } from './rollup-read.ts'
import { dayTotals, speedCounts, visitorsByDevice } from './test-totals.ts'
import type { VisitorTotals } from './test-totals.ts'
import type { Trx } from '../db/types.ts'

/**
 * Sums up one test from its visitors and orders. Stores the summary, and a verdict and history
 * lines that are reached for the first time. Does nothing for a test that is deleted or has no
 * start.
 */
export async function rollUpTest(
  db: Db,
  storeId: string,
  testId: string,
  now: Date,
): Promise<void> {
  // Reads one snapshot, so that visitors and orders fit together. A change after the snapshot makes
  // the test due again.
  const read = await inSnapshot(db.kysely, trx => readTest(trx, storeId, testId, now))
  if (!read) return
  const days = dayTotals(read.visitors.days, read.orders.days)
  const summary = summarise(summaryInput(read, days, now))
  await db.kysely.transaction().execute(async trx => {
    if (!(await storeVerdict(trx, read.test, summary))) return
    if (!(await storeSummary(trx, read, days, summary, now))) return
    await storeEvents(trx, read.test, summary, now)
  })
}

function summaryInput(
  { test, charges, visitors, orders }: Read,
  days: DayTotals[],
  now: Date,
): SummaryInput {
  const { arms } = visitors
  return {
    goal: test.goal,
    weights: test.weights,
    minimumEffect: test.minimum_effect,
    plannedVisitors: test.planned_visitors,
    neededVisitors: test.needed_visitors,
    startAt: test.start_at.getTime(),
    endsAt: plannedEnd(test),
    endedAt: test.ended_at?.getTime() ?? null,
    now: now.getTime(),
    storedVerdict: test.verdict_kind && {
      kind: test.verdict_kind,
      reachedAt: test.verdict_at!.toISOString(),
      lift: test.verdict_lift,
      chanceToWin: test.verdict_chance,
    },
    days,
    ...traffic(test, days, now),
    devices: test.not_in_file.includes('device') ? [] : visitorsByDevice(visitors.days),
    stages: [stagesOf(arms[0]), stagesOf(arms[1])],
    bots: [arms[0].bots, arms[1].bots],
    botTotals: [botsOf(arms[0], orders.bots[0]), botsOf(arms[1], orders.bots[1])],
    bothArms: arms[0].bothArms + arms[1].bothArms,
    aside: visitors.aside,
    ...(charges && { charges }),
    setAside: arms[0].setAside + arms[1].setAside,
    consented: [arms[0].consented, arms[1].consented],
    speed: speedRows(speedCounts(visitors.speed)),
    ledger: orders.ledger,
    cappedOrders: orders.cappedOrders,
    orderCap: orders.orderCap,
  }
}

const botsOf = (arm: VisitorTotals['arms'][number], orders: OrderSums) => ({
  ...emptyTotals,
  visitors: arm.botVisitors,
  clickers: arm.botClickers,
  adders: arm.botAdders,
  ...orders,
})
const stagesOf = ({
  assigned,
  applied,
  exposed,
  recorded,
  bothArms,
}: VisitorTotals['arms'][number]) => ({
  assigned,
  applied,
  exposed,
  recorded,
  met: recorded + bothArms,
})

/**
 * The recent traffic of the test and how long it ran. Days of a pause do not count, because no
 * visitor can come then.
 */
function traffic(
  { start_at, ended_at, time_zone, is_imported, history }: TestRow,
  days: DayTotals[],
  now: Date,
): Pick<SummaryInput, 'recent' | 'ranFor'> {
  const spans = activeSpans(history ?? []),
    from = start_at.getTime()
  const full = fullDays(spans, time_zone, from, now.getTime(), planLimits.paceDays),
    recent = new Set(full)
  const ranFor = timeRun(spans, from, (ended_at ?? now).getTime()),
    visited = new Set(days.flatMap(({ day, visitors }) => (visitors > 0 ? [day] : [])))
  return {
    recent: {
      visitors: days.reduce((sum, { day, visitors }) => sum + (recent.has(day) ? visitors : 0), 0),
      days: full.length,
    },
    // An imported file may give days without times; the last day then has no length.
    ranFor: is_imported ? Math.max(dayLength * Math.max(1, visited.size), ranFor) : ranFor,
  }
}

/**
 * Stores a verdict that is reached for the first time. Returns false if another process has just
 * stored one; then the caller must not store this summary.
 */
async function storeVerdict(trx: Trx, test: TestRow, { verdict }: TestSummary): Promise<boolean> {
  if (!verdict.reachedAt || test.verdict_kind) return true
  const { numAffectedRows } = await sql`
    update tests set verdict_kind = ${verdict.kind}, verdict_at = ${verdict.reachedAt}, verdict_lift = ${verdict.lift}, verdict_chance = ${verdict.chanceToWin}
    where store_id = ${test.store_id} and test_id = ${test.test_id} and verdict_kind is null`.execute(
    trx,
  )
  return numAffectedRows === 1n
}

/**
 * Stores the summary. Returns false if a newer one is stored already, or if the test was deleted.
 */
async function storeSummary(
  trx: Trx,
  { test, orders }: Read,
  days: DayTotals[],
  summary: TestSummary,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into test_summaries as s (store_id, test_id, summary, days, daily, order_figures, changed, orders_changed, updated_at)
    select store_id, test_id, ${JSON.stringify(summary)}::jsonb, ${JSON.stringify(days)}::jsonb, ${JSON.stringify(dailyVisitors(days))}::jsonb, ${JSON.stringify(orders)}::jsonb, ${test.changed}::bigint, ${test.orders_changed}::bigint, ${now}::timestamptz
    from tests where store_id = ${test.store_id} and test_id = ${test.test_id}
    on conflict (store_id, test_id) do update set summary = excluded.summary, days = excluded.days, daily = excluded.daily, order_figures = excluded.order_figures,
      changed = excluded.changed, orders_changed = excluded.orders_changed, updated_at = excluded.updated_at
      where s.changed <= excluded.changed and s.orders_changed <= excluded.orders_changed`.execute(
    trx,
  )
  return Boolean(numAffectedRows)
}

const verdictWords: Partial<Record<Verdict['kind'], string>> = {
  winner: 'Winner',
  loser: 'Loser',
  noDifference: 'No clear difference',
}
const progressSteps = [0.25, 0.5, 0.75, 1]
const visitorSteps = [1_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000]

/**
 * Writes lines of the test's history, each only once, however often its cause is seen. An imported
 * test passes all its steps at once, after its end, so only its verdict is written.
 */
async function storeEvents(
  trx: Trx,
  test: TestRow,
  { verdict, visitors: [control, variant] }: TestSummary,
  now: Date,
): Promise<void> {
  const visitors = control + variant
  type Line = [
    kind: TestEvent['kind'],
    mark: string,
    at: Date,
    detail: string | null,
    value: number | null,
  ]
  const lines: Line[] = test.is_imported
    ? []
    : [
        ...progressSteps
          .filter(step => visitors >= step * test.planned_visitors)
          .map((step): Line => ['Progress', `Progress ${step}`, now, null, step]),
        ...visitorSteps
          .filter(step => visitors >= step)
          .map((step): Line => ['Visitors', `Visitors ${step}`, now, null, step]),
      ]
  if (
    !test.is_imported &&
    test.ends_at &&
    plannedEnd(test)! <= Math.min(now.getTime(), test.ended_at?.getTime() ?? Infinity)
  )
    lines.push(['Duration', 'Duration', test.ends_at, null, null])
  const words = verdict.reachedAt && verdictWords[verdict.kind]
  if (words) {
    const figures =
      verdict.lift === null || verdict.chanceToWin === null
        ? ''
        : `: ${formatLift(verdict.lift)}, chance to win ${formatChance(verdict.chanceToWin)}`
    lines.push(['Lift', 'Lift', new Date(verdict.reachedAt!), words + figures, verdict.lift])
  }
  if (lines.length === 0) return
  await run(
    trx,
    `
    insert into test_events (store_id, test_id, kind, mark, at, detail, value)
    select $1, $2, * from unnest($3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::float8[]) on conflict (store_id, test_id, mark) do nothing`,
    [test.store_id, test.test_id, ...[0, 1, 2, 3, 4].map(i => lines.map(line => line[i]))],
  )
}
