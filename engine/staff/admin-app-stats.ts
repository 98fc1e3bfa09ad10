import { dayPeriod } from '../events/fold/periods.ts'
import { sql, type SqlBool } from 'kysely'
import { planLevelNames, planLevels } from '../../domain/plans/plan-level.ts'
import { type AppStats, statsDays } from '../../domain/staff/staff-app-stats.ts'
import { hasLapsed } from '../../domain/stores/store-subscription.ts'
import { testKindNames } from '../../domain/tests/test-kind.ts'
import { type TestStatus, testStatuses } from '../../domain/tests/test-status.ts'
import { day } from '../../domain/time-units.ts'
import { staffStores } from './admin-stores.ts'
import type { EngineContext } from '../context.ts'
import { rows } from '../db/raw.ts'
import type { StaffServe } from '../http/routes.ts'

/**
 * Late events arrive for two days, and calendars of time zones differ by one day. Days before the
 * last four are final.
 */
const openDays = 4

/** Serves counts of stores and tests, and what shops' scripts reported per day. */
export function adminAppStats(serve: StaffServe, context: EngineContext): void {
  const {
    db: { kysely },
    clock,
  } = context

  serve('adminAppStats', async () => ({
    stores: await storeCounts(),
    tests: await testCounts(),
    days: await dayCounts(),
  }))

  async function storeCounts(): Promise<AppStats['stores']> {
    const all = await staffStores(context, sql<SqlBool>`true`)
    const installed = all.filter(({ status }) => status === 'installed')
    const subscribed = installed.filter(
      store => store.level !== null && store.hasSubscribed && !hasLapsed(store),
    )
    const levels = Object.fromEntries(
      planLevelNames.map(name => [
        name,
        subscribed.filter(({ level }) => level === planLevels[name]).length,
      ]),
    ) as AppStats['stores']['levels']
    return {
      installed: installed.length,
      uninstalled: all.length - installed.length,
      onTrial: installed.filter(store => store.isOnTrial).length,
      levels,
      withoutPlan: installed.length - subscribed.length,
    }
  }

  async function testCounts(): Promise<AppStats['tests']> {
    const counted = await kysely
      .selectFrom('tests')
      .select(['kind', 'status', sql<number>`count(*)::int`.as('n')])
      .groupBy(['kind', 'status'])
      .execute()
    const countOf = (kind: string, status: TestStatus) =>
      counted.find(row => row.kind === kind && row.status === status)?.n ?? 0
    return testKindNames.map(kind => {
      const counts = Object.fromEntries(
        testStatuses.map(status => [status, countOf(kind, status)]),
      ) as Record<TestStatus, number>
      return { kind, counts, all: Object.values(counts).reduce((sum, n) => sum + n, 0) }
    })
  }

  async function dayCounts(): Promise<AppStats['days']> {
    const now = clock().getTime()
    const days = Array.from({ length: statsDays }, (_, i) =>
      new Date(now - i * day).toISOString().slice(0, 10),
    )
    const final = days.slice(openDays),
      open = days.slice(0, openDays)
    // Final days are counted only once, because a day may have very many events. Sample
    // stores are left out here: their past may still be being filled.
    await rows(
      kysely,
      `
      insert into event_days (store_id, day, events)
      select s.store_id, d.day, (select count(*) from events e where e.store_id = s.store_id and e.day = d.day and e.day = any($1::date[])) from stores s cross join unnest($1::date[]) as d (day)
      where not s.is_demo and not exists (select from event_days k where k.store_id = s.store_id and k.day = d.day) on conflict do nothing`,
      [final],
    )
    const events = await rows<{ day: string; n: number }>(
      kysely,
      `
      select day::text as day, sum(n)::bigint as n from (
        select k.day, k.events as n from event_days k join stores s on s.store_id = k.store_id where k.day = any($1::date[]) and not s.is_demo
        union all select d.day, (select count(*) from events e where e.store_id = s.store_id and e.day = d.day and e.day = any($2::date[]))
          from stores s cross join unnest($2::date[]) as d (day) where s.is_demo or not d.day = any($1::date[])) counted group by day`,
      [final, [...open, ...final]],
    )
    const visitors = await rows<{ period: string; n: number }>(
      kysely,
      `
      select p.period, sum(p.visitors)::bigint as n from stores s join store_periods p on p.store_id = s.store_id and p.period = any($1::text[]) group by p.period`,
      [days.map(dayPeriod)],
    )
    const eventsOf = new Map(events.map(row => [row.day, row.n])),
      visitorsOf = new Map(visitors.map(row => [row.period, row.n]))
    return days.map(day => ({
      day,
      visitors: visitorsOf.get(dayPeriod(day)) ?? 0,
      events: eventsOf.get(day) ?? 0,
    }))
  }
}
