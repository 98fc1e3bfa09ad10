import { sql } from 'kysely'
import { planTest, spreadOf, trafficFor } from '../domain/estimate.ts'
import { eventKinds } from '../domain/event.ts'
import type { ArmTotals } from '../domain/goal-result.ts'
import { importedLike } from '../domain/imported.ts'
import { matchesPattern } from '../domain/url-pattern.ts'
import { dayPeriod } from './aggregates-store.ts'
import type { EngineContext } from './context.ts'
import type { DraftRow } from './drafts.ts'
import { dayIn } from './visit-day.ts'

export type TestPlan = {
  neededVisitors: number; plannedVisitors: number; days: number
  /** Visitors a day who would take part, by the last 28 days; 0 when they say too little. */
  dailyVisitors: number
  hasHistory: boolean
  /** Days until enough have come, and where those are too many, the smallest change that can be found; null where unknown. */
  daysNeeded: number | null
  smallestEffect: number | null
}

const historyDays = 28
/** Below this the shop's own figures say less than a middling shop's. */
const enoughVisitors = 100
/** Events looked at to learn which part of the visitors comes to the tested pages: a launch must not wait for millions. */
const sampled = 20_000

/**
 * The plan a test is launched with, by the shop's last 28 full days: visitors needed in all, and days. `sharedBy`: so
 * many tests share these visitors among them, this one included.
 */
export async function planFor({ db, clock }: Pick<EngineContext, 'db' | 'clock'>, draft: Planned, pages: readonly string[], sharedBy = 1): Promise<TestPlan> {
  const { time_zone: zone } = await db.kysely.selectFrom('stores').select('time_zone').where('store_id', '=', draft.store_id).executeTakeFirstOrThrow()
  const dayBefore = (days: number) => dayIn(zone, clock().getTime() - days * 86_400_000)
  const span: Span = { storeId: draft.store_id, from: dayBefore(historyDays), to: dayBefore(0) }
  const plan = { goal: draft.goal, weights: draft.weights, minimumEffect: draft.minimum_effect }
  const { rows: [past] } = await sql<{ visitors: number; days: number }>`
    select count(distinct visitor_id)::int as visitors, count(distinct period)::int as days from store_visitors
    where store_id = ${span.storeId} and period >= ${dayPeriod(span.from)} and period < ${dayPeriod(span.to)}`.execute(db.kysely)
  if (!past || past.visitors < enoughVisitors) return { ...planTest({ ...plan, spread: null, dailyVisitors: 0 }), dailyVisitors: 0, hasHistory: false, daysNeeded: null, smallestEffect: null }
  const sample = await visitorSample(db, span, pages)
  const totals = { ...await orderTotals(db, span), visitors: past.visitors, clickers: 0, adders: Math.round(sample.adding * past.visitors) }
  // Clicks are only counted on the pages of a test, so a shop has no clickthrough of its own to go by.
  const spread = draft.goal === 'ClickThroughRate' ? null : spreadOf(draft.goal, [totals, totals])
  const dailyVisitors = past.visitors * sample.meeting / past.days / sharedBy
  return { ...planTest({ ...plan, spread, dailyVisitors }), dailyVisitors, hasHistory: true, ...trafficFor({ ...plan, spread, dailyVisitors }) }
}

type Planned = Pick<DraftRow, 'store_id' | 'goal' | 'weights' | 'minimum_effect'>
/** Half-open days. */
type Span = { storeId: string; from: string; to: string }
type Database = EngineContext['db']

/**
 * Parts of the shop's visitors that come to one of the pages, and that add to the cart, among the latest events. Day by
 * day, so that without statistics (PGlite gathers none by itself) too no more than a day or two are read and sorted.
 */
async function visitorSample({ kysely }: Database, { storeId, from, to }: Span, pages: readonly string[]): Promise<{ meeting: number; adding: number }> {
  const { rows } = await sql<{ path: string; kind: number; visitors: string[] }>`
    select path, kind, array_agg(distinct visitor_id) as visitors from (
      select latest.* from generate_series(${to}::date - 1, ${from}::date, interval '-1 day') d(day),
        lateral (select path, kind, visitor_id from events where store_id = ${storeId} and day = d.day::date and day >= ${from} and day < ${to} and not is_bot and visitor_id not like ${importedLike} order by id limit ${sampled}) latest
      limit ${sampled}) sample
    group by path, kind`.execute(kysely)
  const all = new Set<string>(), meeting = new Set<string>(), adding = new Set<string>()
  for (const { path, kind, visitors } of rows) {
    const sets = [all]
    if (pages.some(page => matchesPattern(page, path))) sets.push(meeting)
    if (eventKinds[kind] === 'cart') sets.push(adding)
    for (const visitor of visitors) for (const set of sets) set.add(visitor)
  }
  return { meeting: all.size > 0 ? meeting.size / all.size : 1, adding: all.size > 0 ? adding.size / all.size : 0 }
}

/** Orders of known visitors, summed per visitor as an arm's are; capped like an arm's from 100 orders on (statistics.md). */
async function orderTotals({ kysely }: Database, { storeId, from, to }: Span): Promise<Omit<ArmTotals, 'visitors' | 'clickers' | 'adders'>> {
  const { rows: [row] } = await sql<Omit<ArmTotals, 'visitors' | 'clickers' | 'adders'>>`
    with bought as (select visitor_id, amount from orders
        where store_id = ${storeId} and day >= ${from} and day < ${to} and visitor_id is not null and not is_test and type <> 'renewal' and imported_for is null),
      cap as (select case when count(*) >= 100 then percentile_cont(0.99) within group (order by amount) end as most from bought),
      buyers as (select count(*)::float8 as orders, sum(amount)::float8 as revenue, sum(least(amount, most))::float8 as capped from bought, cap group by visitor_id)
    select count(*)::float8 as buyers, coalesce(sum(orders), 0) as orders, coalesce(sum(revenue), 0) as revenue,
      coalesce(sum(capped), 0) as "cappedRevenue", coalesce(sum(capped * capped), 0) as "cappedRevenueSquares",
      coalesce(sum(orders * orders), 0) as "orderSquares", coalesce(sum(capped * orders), 0) as "cappedRevenueOrders" from buyers`.execute(kysely)
  return row!
}
