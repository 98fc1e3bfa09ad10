import type { Kysely } from 'kysely'
import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import { emptyTotals } from '../../domain/reports/goal-result.ts'
import type { SpeedCounts, SpeedMetric } from '../../domain/reports/speed.ts'
import type { AsideCounts, DayTotals } from '../../domain/reports/summary.ts'
import { rows as query } from '../db/raw.ts'
import type { Schema } from '../db/schema.ts'
import type { OrderDay } from '../db/order-figures.ts'

/** Counted visitors of one day, arm and device. */
export type VisitorDay = {
  day: string
  arm: ArmIndex
  dimension: 'all' | 'device'
  value: string
  visitors: number
  clickers: number
  adders: number
  bounces: number
  sessions: number
}
export type ArmCounts = {
  assigned: number
  applied: number
  exposed: number
  recorded: number
  bots: number
  bothArms: number
  setAside: number
  consented: number
  aside: number
  botVisitors: number
  botClickers: number
  botAdders: number
}
export type SpeedCell = { arm: ArmIndex; metric: SpeedMetric; place: number; pages: number }
export type VisitorTotals = {
  days: VisitorDay[]
  arms: PerArm<ArmCounts>
  speed: SpeedCell[]
  aside: AsideCounts
}

const none: ArmCounts = {
  assigned: 0,
  applied: 0,
  exposed: 0,
  recorded: 0,
  bots: 0,
  bothArms: 0,
  setAside: 0,
  consented: 0,
  aside: 0,
  botVisitors: 0,
  botClickers: 0,
  botAdders: 0,
}

type ArmRow = ArmCounts & { arm: ArmIndex }
type TotalsRow = { days: VisitorDay[]; arms: ArmRow[]; speed: SpeedCell[] }
/** One statement, because a rollup of a few milliseconds feels each round trip. */
const totalsSql = `
  with days as (
    select day::text as day, arm, dimension, value, visitors, clickers, adders, bounces, sessions from test_days
    where store_id = $1 and test_id = $2 and (visitors <> 0 or sessions <> 0)),
  arms as (
    select arm, assigned, applied, exposed, recorded, bots, both_arms as "bothArms", set_aside as "setAside", consented, aside,
      bot_visitors as "botVisitors", bot_clickers as "botClickers", bot_adders as "botAdders" from test_arms where store_id = $1 and test_id = $2),
  speed as (select arm, metric, place, pages from test_speed where store_id = $1 and test_id = $2)
  select (select coalesce(json_agg(d order by day, arm, dimension, value), '[]') from days d) as days, (select coalesce(json_agg(a), '[]') from arms a) as arms, (select coalesce(json_agg(s), '[]') from speed s) as speed`

/** Reads a test's stored counts of visitors. */
export async function visitorTotals(
  on: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<VisitorTotals> {
  const [row] = await query<TotalsRow>(on, totalsSql, [storeId, testId])
  const { days, arms, speed } = row!
  const of = (arm: ArmIndex): ArmCounts => arms.find(counts => counts.arm === arm) ?? none
  return {
    days,
    arms: [of(0), of(1)],
    speed,
    aside: await asideCounts(on, storeId, testId, [of(0).aside, of(1).aside]),
  }
}

/** How many visitors of a decision are looked up at most, to see whether any of them met a test. */
export const lookedUp = 1_000

/**
 * Counts decisions, not networks: a network with two decisions counts twice. While forged visitors
 * come, a test is summed up every minute, so this reads neither all visitors of a decision nor all
 * visitors of the test. It does not count a decision if none of its first `lookedUp` visitors met
 * the test. $1: store, $2: test, $3: whether the test has visitors that are set aside.
 */
export const asideSql = `
    select case when $3 then (select count(*)::int from network_decisions d where d.store_id = $1 and exists (
        select from (select a.visitor_id from visitors_aside a where a.store_id = d.store_id and a.decision_id = d.decision_id limit ${lookedUp}) a,
          lateral (select v.is_aside, v.first_exposed_at from test_visitors v
            where v.store_id = d.store_id and v.test_id = $2 and v.visitor_id = a.visitor_id offset 0) v
        where v.is_aside and v.first_exposed_at is not null)) else 0 end as networks,
      (select count(*)::int from network_decisions d join tests t on t.store_id = d.store_id and t.test_id = $2
        where d.store_id = $1 and d.kind = 'warned' and d.decided_at >= t.start_at and d.decided_at < coalesce(t.ended_at, 'infinity') and d.until > d.decided_at) as warned`

async function asideCounts(
  on: Kysely<Schema>,
  storeId: string,
  testId: string,
  visitors: PerArm<number>,
): Promise<AsideCounts> {
  const [row] = await query<{ networks: number; warned: number }>(on, asideSql, [
    storeId,
    testId,
    visitors[0] + visitors[1] > 0,
  ])
  return { visitors, networks: row?.networks ?? 0, warned: row?.warned ?? 0 }
}

/**
 * Joins the visitors and the orders of each day and arm, in that order. A day may have only one of
 * the two.
 */
export function dayTotals(visitors: VisitorDay[], orders: OrderDay[]): DayTotals[] {
  const days = new Map<string, DayTotals>()
  const at = (day: string, arm: ArmIndex) => {
    const key = `${day} ${arm}`
    let totals = days.get(key)
    if (!totals) {
      days.set(key, (totals = { day, arm, ...emptyTotals }))
    }
    return totals
  }
  for (const {
    day,
    arm,
    dimension,
    visitors: count,
    clickers,
    adders,
    bounces,
    sessions,
  } of visitors)
    if (dimension === 'all')
      Object.assign(at(day, arm), { visitors: count, clickers, adders, bounces, sessions })
  for (const order of orders) Object.assign(at(order.day, order.arm), order)
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.arm - b.arm))
}

/** Visitors per device, for the split check by device. */
export function visitorsByDevice(
  days: VisitorDay[],
): { device: string; observed: PerArm<number> }[] {
  const devices = new Map<string, PerArm<number>>()
  for (const { dimension, value, arm, visitors } of days) {
    if (dimension !== 'device' || visitors === 0) continue
    const observed = devices.get(value) ?? [0, 0]
    observed[arm] += visitors
    devices.set(value, observed)
  }
  return [...devices]
    .map(([device, observed]) => ({ device, observed }))
    .sort((a, b) => (a.device < b.device ? -1 : 1))
}

/** How many measured pages of an arm are in each place of a metric's scale. */
export const speedCounts =
  (cells: SpeedCell[]) =>
  (metric: SpeedMetric, arm: ArmIndex): SpeedCounts =>
    new Map(
      cells
        .filter(cell => cell.metric === metric && cell.arm === arm)
        .map(cell => [cell.place, cell.pages]),
    )
