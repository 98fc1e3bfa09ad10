import type { Kysely } from 'kysely'
import type { ArmIndex, PerArm } from '../domain/arm.ts'
import { emptyTotals } from '../domain/goal-result.ts'
import type { SpeedCounts, SpeedMetric } from '../domain/speed.ts'
import type { DayTotals } from '../domain/summary.ts'
import { rows as query } from './db/raw.ts'
import type { Schema } from './db/schema.ts'
import type { OrderDay } from './order-figures.ts'

/** Counted visitors of one day, arm and device. */
export type VisitorDay = { day: string; arm: ArmIndex; dimension: 'all' | 'device'; value: string; visitors: number; clickers: number; adders: number; bounces: number; sessions: number }
export type ArmCounts = {
  assigned: number; applied: number; exposed: number; recorded: number; bots: number; bothArms: number; setAside: number; consented: number
  botVisitors: number; botClickers: number; botAdders: number
}
export type SpeedCell = { arm: ArmIndex; metric: SpeedMetric; place: number; pages: number }
export type VisitorTotals = { days: VisitorDay[]; arms: PerArm<ArmCounts>; speed: SpeedCell[] }

const none: ArmCounts = { assigned: 0, applied: 0, exposed: 0, recorded: 0, bots: 0, bothArms: 0, setAside: 0, consented: 0, botVisitors: 0, botClickers: 0, botAdders: 0 }

/** A test's stored counts of visitors. */
export async function visitorTotals(on: Kysely<Schema>, storeId: string, testId: string): Promise<VisitorTotals> {
  const days = await query<VisitorDay>(on, `
    select day::text as day, arm, dimension, value, visitors, clickers, adders, bounces, sessions from test_days
    where store_id = $1 and test_id = $2 and (visitors <> 0 or sessions <> 0) order by day, arm, dimension, value`, [storeId, testId])
  const counts = await query<ArmCounts & { arm: ArmIndex }>(on, `
    select arm, assigned, applied, exposed, recorded, bots, both_arms as "bothArms", set_aside as "setAside", consented,
      bot_visitors as "botVisitors", bot_clickers as "botClickers", bot_adders as "botAdders" from test_arms where store_id = $1 and test_id = $2`, [storeId, testId])
  const of = (arm: ArmIndex): ArmCounts => counts.find(c => c.arm === arm) ?? none
  const speed = await query<SpeedCell>(on, 'select arm, metric, place, pages from test_speed where store_id = $1 and test_id = $2', [storeId, testId])
  return { days, arms: [of(0), of(1)], speed }
}

/** Visitors and orders of each day and arm side by side, by day and arm; a day may have one without the other. */
export function dayTotals(visitors: VisitorDay[], orders: OrderDay[]): DayTotals[] {
  const days = new Map<string, DayTotals>()
  const at = (day: string, arm: ArmIndex) => {
    const key = `${day} ${arm}`
    let totals = days.get(key)
    if (!totals) {
      days.set(key, totals = { day, arm, ...emptyTotals })
    }
    return totals
  }
  for (const { day, arm, dimension, visitors: count, clickers, adders, bounces, sessions } of visitors)
    if (dimension === 'all') Object.assign(at(day, arm), { visitors: count, clickers, adders, bounces, sessions })
  for (const order of orders) Object.assign(at(order.day, order.arm), order)
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.arm - b.arm))
}

/** Visitors per device, for the split check by device. */
export function visitorsByDevice(days: VisitorDay[]): { device: string; observed: PerArm<number> }[] {
  const devices = new Map<string, PerArm<number>>()
  for (const { dimension, value, arm, visitors } of days) {
    if (dimension !== 'device' || visitors === 0) continue
    const observed = devices.get(value) ?? [0, 0]
    observed[arm] += visitors
    devices.set(value, observed)
  }
  return [...devices].map(([device, observed]) => ({ device, observed })).sort((a, b) => (a.device < b.device ? -1 : 1))
}

/** Tested pages by place of the measure's scale. */
export const speedCounts = (cells: SpeedCell[]) => (metric: SpeedMetric, arm: ArmIndex): SpeedCounts =>
  new Map(cells.filter(cell => cell.metric === metric && cell.arm === arm).map(cell => [cell.place, cell.pages]))
