import type { PerArm } from '../../../domain/arm.ts'
import { emptyTotals } from '../../../domain/reports/goal-result.ts'
import type { DayTotals } from '../../../domain/reports/summary.ts'
import { speedRows, type SummaryInput } from '../../../domain/reports/summary-build.ts'

/** An arm's totals of a day. Every order has the same value and every buyer bought once. */
export function dayOf(
  day: string,
  arm: 0 | 1,
  visitors: number,
  buyers: number,
  value = 5000,
): DayTotals {
  return {
    day,
    arm,
    visitors,
    clickers: Math.round(visitors / 2),
    adders: buyers * 2,
    bounces: Math.round(visitors / 4),
    sessions: visitors,
    buyers,
    orders: buyers,
    revenue: buyers * value,
    cappedRevenue: buyers * value,
    cappedRevenueSquares: buyers * value * value,
    orderSquares: buyers,
    cappedRevenueOrders: buyers * value,
  }
}

const line = { orders: 0, amount: 0, refunds: 0 }
const stages = { assigned: 0, applied: 0, exposed: 0, recorded: 0 }
export const startAt = Date.parse('2026-11-02T10:00:00Z')
export const dayLength = 86_400_000

/**
 * The input of a summary `age` days after the start. All visitors and buyers of `perArm` come on
 * the first day.
 */
export function inputAt(
  age: number,
  perArm: PerArm<{ visitors: number; buyers: number }>,
  over: Partial<SummaryInput> = {},
): SummaryInput {
  return {
    goal: 'ConversionRate',
    weights: [0.5, 0.5],
    startAt,
    endsAt: startAt + 14 * dayLength,
    endedAt: null,
    plannedVisitors: 50_000,
    minimumEffect: 0.1,
    storedVerdict: null,
    days: perArm.map((a, i) => dayOf('2026-11-02', i as 0 | 1, a.visitors, a.buyers)),
    recent: { visitors: 7000, days: 7 },
    ranFor: age * dayLength,
    devices: [],
    now: startAt + age * dayLength,
    stages: [stages, stages],
    ledger: { arms: [line, line], excluded: [], total: line },
    bots: [0, 0],
    botTotals: [emptyTotals, emptyTotals],
    bothArms: 0,
    setAside: 0,
    consented: [0, 0],
    speed: speedRows(() => new Map()),
    cappedOrders: 0,
    orderCap: null,
    ...over,
  }
}
