import { emptyTotals } from '../../domain/reports/goal-result.ts'
import { speedRows, summarise } from '../../domain/reports/summary-build.ts'
import type { TestSummary } from '../../domain/reports/summary.ts'
import type { Selectable } from 'kysely'
import type { TestsTable } from '../db/schema.ts'

/**
 * The summary of a test that the rollup has not summed up yet: just launched, or only scheduled.
 */
export function emptySummary(
  test: Pick<
    Selectable<TestsTable>,
    'goal' | 'weights' | 'start_at' | 'ends_at' | 'ended_at' | 'planned_visitors' | 'minimum_effect'
  >,
  now: Date,
): TestSummary {
  const line = { orders: 0, amount: 0, refunds: 0 },
    stages = { assigned: 0, applied: 0, exposed: 0, recorded: 0 }
  return summarise({
    goal: test.goal,
    weights: test.weights,
    minimumEffect: test.minimum_effect,
    plannedVisitors: test.planned_visitors,
    startAt: test.start_at?.getTime() ?? null,
    endsAt: test.ends_at?.getTime() ?? null,
    endedAt: test.ended_at?.getTime() ?? null,
    now: now.getTime(),
    storedVerdict: null,
    days: [],
    recent: { visitors: 0, days: 0 },
    ranFor: 0,
    devices: [],
    stages: [stages, { ...stages }],
    ledger: { arms: [line, { ...line }], excluded: [], total: { ...line } },
    bots: [0, 0],
    botTotals: [emptyTotals, emptyTotals],
    bothArms: 0,
    setAside: 0,
    consented: [0, 0],
    speed: speedRows(() => new Map()),
    cappedOrders: 0,
    orderCap: null,
  })
}
