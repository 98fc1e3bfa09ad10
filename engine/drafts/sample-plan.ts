import { dayPeriod } from '../events/fold/periods.ts'
import { sql } from 'kysely'
import {
  samplePlan,
  type Spread,
  spreadOf,
  type SamplePlan,
} from '../../domain/reports/estimate.ts'
import { eventKinds } from '../../domain/events/event.ts'
import { type Goal, goalNames } from '../../domain/reports/goal.ts'
import type { ArmTotals } from '../../domain/reports/goal-result.ts'
import { importedLike } from '../../domain/imports/imported.ts'
import { plannedEnd } from '../../domain/tests/planned-end.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { patternMatcher } from '../../domain/tests/url-patterns.ts'
import { day } from '../../domain/time-units.ts'
import { notAside } from '../events/store/visitors-aside.ts'
import { sampleSeed } from '../session/sample-seed.ts'
import { audiencesById, previewOf } from '../audiences/audience-preview.ts'
import type { EngineContext } from '../context.ts'
import type { DraftRow } from './draft-rows.ts'
import { sharingWith } from '../tests/exclusion.ts'
import { dayIn } from '../events/fold/visit-day.ts'

/** What the length of a test is computed from, in addition to the draft. */
export type SampleBasis = {
  /** Source of `dailyVisitors`: the shop's last 28 days, the merchant's guess, or nothing. */
  source: 'shop' | 'guess' | 'none'
  /** Visitors a day who would take part if no other test shared them; 0 when unknown. */
  dailyVisitors: number
  /** True if the shop's last 28 days have enough visitors to compute from. */
  hasHistory: boolean
  /** The shop's own spread of each goal; null where it has none. */
  spreads: Record<Goal, Spread | null>
}

const historyDays = 28
/** With fewer visitors, the figures of an average shop say more than the shop's own. */
const enoughVisitors = 100
/**
 * How many events we read at most to estimate which share of the visitors comes to the tested
 * pages: a launch must not wait for millions.
 */
const sampled = 20_000

/**
 * Reads from the shop's last 28 full days how many visitors of the pages are in the draft's
 * audience, and how each goal spreads.
 */
async function sampleBasis(
  context: Context,
  draft: DraftRow,
  pages: readonly string[],
): Promise<SampleBasis> {
  const { db, clock } = context
  const { time_zone: zone } = await db.kysely
    .selectFrom('stores')
    .select('time_zone')
    .where('store_id', '=', draft.store_id)
    .executeTakeFirstOrThrow()
  const dayBefore = (days: number) => dayIn(zone, clock().getTime() - days * day)
  const span: Span = { storeId: draft.store_id, from: dayBefore(historyDays), to: dayBefore(0) }
  const {
    rows: [past],
  } = await sql<{ visitors: number; days: number }>`
    select count(distinct visitor_id)::int as visitors, count(distinct period)::int as days from store_visitors
    where store_id = ${span.storeId} and not is_aside and period >= ${dayPeriod(span.from)} and period < ${dayPeriod(span.to)}`.execute(
    db.kysely,
  )
  const isKnown = past !== undefined && past.visitors >= enoughVisitors
  const sample = isKnown
    ? await visitorSample(db, span, pages, sampleSeed(context))
    : { meeting: 0, adding: 0 }
  const seen = isKnown
    ? ((past.visitors * sample.meeting) / past.days) * (await audienceShare(context, draft))
    : 0
  const totals = isKnown && {
    ...(await orderTotals(db, span)),
    visitors: past.visitors,
    clickers: 0,
    adders: Math.round(sample.adding * past.visitors),
  }
  // Clicks are counted only on the pages of a test, so a shop has no clickthrough rate of its own.
  const spread = (goal: Goal) =>
    totals && goal !== 'ClickThroughRate' ? spreadOf(goal, [totals, totals]) : null
  return {
    source: seen > 0 ? 'shop' : draft.expected_visitors ? 'guess' : 'none',
    dailyVisitors: seen || (draft.expected_visitors ?? 0),
    hasHistory: isKnown,
    spreads: Object.fromEntries(goalNames.map(goal => [goal, spread(goal)])) as Record<
      Goal,
      Spread | null
    >,
  }
}

/**
 * The share of the shop's visitors who are in the draft's audience, from 0 to 1. It is 1 when it is
 * unknown.
 */
async function audienceShare(
  context: Context,
  { store_id: storeId, audience_ids: ids }: DraftRow,
): Promise<number> {
  if (ids.length === 0) return 1
  try {
    return (
      (await previewOf(context, storeId, await audiencesById(context, storeId, ids))).share ?? 1
    )
  } catch (error) {
    // Another check reports an audience that no longer exists.
    if (error instanceof HttpProblem && error.status === 400) return 1
    throw error
  }
}

export type DraftSamplePlan = {
  plan: SamplePlan
  basis: SampleBasis
  /**
   * Running tests that would share their visitors with this one. `daysAlone`: its length without
   * them.
   */
  others: { id: string; title: string }[]
  daysAlone: number
  startAt: Date
  endsAt: Date
}

/**
 * Computes how long a draft's test would run. The editor, the launch checks and the launch all use
 * this, so they never disagree. `pages`: paths and patterns whose visitors take part.
 * `redirectUrl`: as the launch stores it.
 */
export async function samplePlanOfDraft(
  context: Context,
  draft: DraftRow,
  { pages, redirectUrl }: { pages: readonly string[]; redirectUrl: string },
): Promise<DraftSamplePlan> {
  const others = await sharingWith(
    context.db.kysely,
    { ...draft, redirect_url: redirectUrl },
    pages,
  )
  const basis = await sampleBasis(context, draft, pages),
    now = context.clock()
  const planAmong = (tests: number) =>
    samplePlan({
      goal: draft.goal,
      weights: draft.weights,
      minimumEffect: draft.minimum_effect,
      spread: basis.spreads[draft.goal],
      dailyVisitors: basis.dailyVisitors / tests,
    })
  const plan = planAmong(1 + others.length)
  // A planned start in the past counts as now.
  const startAt = draft.launch_at && draft.launch_at > now ? draft.launch_at : now
  return {
    plan,
    basis,
    others: others.map(({ id, title }) => ({ id, title })),
    daysAlone: planAmong(1).days,
    startAt,
    endsAt: plannedEnd(startAt, plan.days),
  }
}

type Context = Pick<EngineContext, 'db' | 'clock' | 'config'>
/** `from` is included, `to` is not. */
type Span = { storeId: string; from: string; to: string }
type Database = EngineContext['db']

/**
 * The shares of the shop's visitors, in the latest events, who come to one of the pages (`meeting`)
 * and who add to the cart (`adding`). The query takes one day after the other, so that it reads and
 * sorts only a day or two, even without table statistics (PGlite gathers none on its own).
 */
async function visitorSample(
  { kysely }: Database,
  { storeId, from, to }: Span,
  pages: readonly string[],
  seed: string,
): Promise<{ meeting: number; adding: number }> {
  const { rows } = await sql<{ path: string; kind: number; visitors: string[] }>`
    select path, kind, array_agg(distinct visitor_id) as visitors from (
      select latest.* from generate_series(${to}::date - 1, ${from}::date, interval '-1 day') d(day),
        lateral (select path, kind, visitor_id from events where store_id = ${storeId} and day = d.day::date and day >= ${from} and day < ${to} and not is_bot and visitor_id not like ${importedLike} and ${sql.raw(notAside())} order by hashtextextended(id, ${seed}::int8), id limit ${sampled}) latest
      limit ${sampled}) sample
    group by path, kind`.execute(kysely)
  const all = new Set<string>(),
    meeting = new Set<string>(),
    adding = new Set<string>()
  const isTested = patternMatcher(pages)
  for (const { path, kind, visitors } of rows) {
    const sets = [all]
    if (isTested(path)) sets.push(meeting)
    if (eventKinds[kind] === 'cart') sets.push(adding)
    for (const visitor of visitors) for (const set of sets) set.add(visitor)
  }
  return {
    meeting: all.size > 0 ? meeting.size / all.size : 1,
    adding: all.size > 0 ? adding.size / all.size : 0,
  }
}

/**
 * Totals of the orders of known visitors, summed per visitor as for an arm. Amounts are capped as
 * for an arm, from 100 orders on (docs/statistics.md).
 */
async function orderTotals(
  { kysely }: Database,
  { storeId, from, to }: Span,
): Promise<Omit<ArmTotals, 'visitors' | 'clickers' | 'adders'>> {
  const {
    rows: [row],
  } = await sql<Omit<ArmTotals, 'visitors' | 'clickers' | 'adders'>>`
    with bought as (select visitor_id, amount from orders
        where store_id = ${storeId} and day >= ${from} and day < ${to} and visitor_id is not null and not is_test and type <> 'renewal' and imported_for is null),
      cap as (select case when count(*) >= 100 then percentile_cont(0.99) within group (order by amount) end as most from bought),
      buyers as (select count(*)::float8 as orders, sum(amount)::float8 as revenue, sum(least(amount, most))::float8 as capped from bought, cap group by visitor_id)
    select count(*)::float8 as buyers, coalesce(sum(orders), 0) as orders, coalesce(sum(revenue), 0) as revenue,
      coalesce(sum(capped), 0) as "cappedRevenue", coalesce(sum(capped * capped), 0) as "cappedRevenueSquares",
      coalesce(sum(orders * orders), 0) as "orderSquares", coalesce(sum(capped * orders), 0) as "cappedRevenueOrders" from buyers`.execute(
    kysely,
  )
  return row!
}
