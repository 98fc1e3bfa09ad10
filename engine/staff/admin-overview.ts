import { dayPeriod } from '../events/fold/periods.ts'
import { sql, type SqlBool } from 'kysely'
import { featureFlags } from '../../domain/stores/store.ts'
import {
  type StaffFound,
  type StaffStorePage,
  type StoreDay,
  trendDays,
  trendHours,
} from '../../domain/staff/staff-overview.ts'
import type { LeadMailing } from '../../domain/staff/staff-leads.ts'
import type { StoreName } from '../../domain/staff/staff-list.ts'
import { maxAttempts } from '../../domain/jobs/job-lane.ts'
import { day } from '../../domain/time-units.ts'
import { adminTestRows } from './admin-tests.ts'
import { appliedTo } from './admin-discounts.ts'
import { leadCounts, leadsOf } from './admin-leads.ts'
import { recountsOf } from './admin-recounts.ts'
import { storeHealth } from './admin-store-health.ts'
import { trialOf } from './admin-trials.ts'
import { storeColumns, storeNameOf } from './admin-stores.ts'
import { notUndoneIn } from './admin-not-undone.ts'
import { lastUninstalls, uninstallsOf } from './admin-uninstalls.ts'
import { apiHours } from '../http/api-hours.ts'
import type { EngineContext } from '../context.ts'
import { rows } from '../db/raw.ts'
import { chooseNetwork, networksOf } from '../events/networks/network-calls.ts'
import { isId, knownId, notFound, type StaffServe } from '../http/routes.ts'
import { audit } from './people/staff-audit.ts'
import { actsAbout } from './people/staff-users.ts'

const most = 10
/** How many leads a store's page shows, newest first. */
const maxLeads = 20
const monthAgo = (now: Date) => new Date(now.getTime() - trendDays * day)

/** Serves the panel's first page, its search, and the page of one store. */
export function adminOverview(
  serve: StaffServe,
  context: EngineContext,
  mailing: LeadMailing,
): void {
  const { db, clock } = context,
    { kysely } = db

  serve('adminTrends', async () => {
    const now = clock()
    const [days, hours, { n }, { open }, uninstalls] = await Promise.all([
      rows<StoreDay>(kysely, daysSql, [now, trendDays]),
      apiHours(db, trendHours),
      kysely
        .selectFrom('leads')
        .select(sql<number>`count(*)::int`.as('n'))
        .where('email', 'is not', null)
        .where('created_at', '>=', monthAgo(now))
        .executeTakeFirstOrThrow(),
      leadCounts(kysely),
      lastUninstalls(kysely, now),
    ])
    return { days, hours, leads: n, openLeads: open, uninstalls }
  })

  serve('adminSearch', async ({ query: { search } }) => {
    const words = search.trim()
    if (words === '') return { stores: [], tests: [], orders: [] }
    return find(words)
  })

  serve('adminStore', async ({ params: { id } }) => {
    const storeId = knownId(id, 'store'),
      own = sql<SqlBool>`s.store_id = ${storeId}`
    const [[health], row] = await Promise.all([
      storeHealth(context, own),
      kysely
        .selectFrom('stores')
        .select(['shop', 'feature_flags'])
        .where('store_id', '=', storeId)
        .executeTakeFirst(),
    ])
    if (!health || !row) throw notFound('store')
    return {
      health,
      trial: await trialOf(context, storeId),
      flags: featureFlags.filter(flag => row.feature_flags.includes(flag)),
      ...(await about(storeId, row.shop)),
    }
  })

  serve('chooseStoreNetwork', async ({ params: { id }, body: { network, isCounted } }, staff) => {
    const storeId = knownId(id, 'store'),
      visitors = await chooseNetwork(context, storeId, network, isCounted, 'staff')
    await audit(kysely, {
      at: clock(),
      by: staff.id,
      act: isCounted ? 'Counted a network again' : 'Set a network aside',
      about: storeId,
      detail: `${network.slice(0, 6)}, ${visitors} visitors`,
    })
    return { ok: true }
  })

  async function find(words: string): Promise<StaffFound> {
    const part = `%${words.replace(/[\\%_]/g, '\\$&')}%`,
      name = words.replace(/^#/, '')
    const [stores, tests, orders] = await Promise.all([
      sql<StoreName>`select ${storeColumns} from stores s where s.name ilike ${part} or s.shop ilike ${part} or s.domain ilike ${part} or s.email ilike ${part} ${isId(words) ? sql`or s.store_id = ${words}` : sql``}
        order by lower(s.name), s.shop limit ${most}`.execute(kysely),
      sql<
        StoreName & { testId: string; title: string }
      >`select t.test_id as "testId", t.title, ${storeColumns} from tests t join stores s on s.store_id = t.store_id
        where t.title ilike ${part} ${isId(words) ? sql`or t.test_id = ${words}` : sql``} order by t.created_at desc limit ${most}`.execute(
        kysely,
      ),
      sql<
        StoreName & { orderId: string; orderName: string; at: Date }
      >`select o.order_id as "orderId", o.name as "orderName", o.created_at as at, s.store_id as id, s.shop, s.name, s.is_demo as "isDemo"
        from orders o join stores s on s.store_id = o.store_id where o.order_id = ${words} or o.name in (${name}, ${`#${name}`}) order by o.created_at desc limit ${most}`.execute(
        kysely,
      ),
    ])
    return {
      stores: stores.rows.map(storeNameOf),
      tests: tests.rows.map(row => ({ id: row.testId, title: row.title, store: storeNameOf(row) })),
      orders: orders.rows.map(row => ({
        id: row.orderId,
        name: row.orderName,
        createdAt: row.at.toISOString(),
        store: storeNameOf(row),
      })),
    }
  }

  async function about(
    storeId: string,
    shop: string,
  ): Promise<Omit<StaffStorePage, 'trial' | 'health' | 'flags'>> {
    const days = Array.from({ length: trendDays }, (_, i) =>
      new Date(clock().getTime() - (trendDays - 1 - i) * day).toISOString().slice(0, 10),
    )
    const [leads, uninstalls, recounts] = await Promise.all([
      leadsOf(kysely, storeId, mailing, maxLeads),
      uninstallsOf(kysely, storeId),
      recountsOf(kysely, storeId),
    ])
    const [tests, discounts, earnings, jobs, notUndone, acts, networks, counted] =
      await Promise.all([
        adminTestRows(kysely, storeId),
        appliedTo(kysely, storeId),
        rows<StaffStorePage['earnings'][number]>(
          kysely,
          `select e.month, e.shop, p.title as plan, e.gross::float8 as gross, e.fee::float8 as fee, e.net::float8 as net
        from earnings e join plans p on p.plan_id = e.plan_id where e.shop = $1 order by e.month desc, e.plan_id limit 24`,
          [shop],
        ),
        kysely
          .selectFrom('jobs')
          .select(['kind', 'status', 'message', 'updated_at', 'attempts'])
          .where('store_id', '=', storeId)
          .where(eb =>
            eb.or([
              eb('status', '=', 'errored'),
              eb.and([eb('status', '=', 'queued'), eb('attempts', '>=', maxAttempts)]),
            ]),
          )
          .orderBy('updated_at', 'desc')
          .limit(5)
          .execute(),
        notUndoneIn(kysely, storeId),
        actsAbout(kysely, storeId),
        networksOf(context, storeId),
        rows<{ period: string; visitors: number }>(
          kysely,
          'select period, visitors::int as visitors from store_periods where store_id = $1 and period = any($2::text[])',
          [storeId, days.map(dayPeriod)],
        ),
      ])
    const visitors = new Map(counted.map(row => [row.period, row.visitors]))
    return {
      tests,
      discounts,
      leads,
      uninstalls,
      recounts,
      earnings,
      notUndone,
      acts,
      networks,
      visitors: days.map(day => ({ day, count: visitors.get(dayPeriod(day)) ?? 0 })),
      failedJobs: jobs.map(row => ({
        kind: row.kind,
        message:
          row.status === 'errored'
            ? (row.message ?? '')
            : `It failed ${row.attempts} times, and is tried again every hour.`,
        at: row.updated_at.toISOString(),
      })),
    }
  }
}

/**
 * A subscription is on trial until the trial's end, and then paid for until it ends. Today is
 * counted as of now.
 */
const daysSql = `
  select to_char(d.start, 'YYYY-MM-DD') as day,
    (select count(*)::int from stores s where s.created_at >= d.start and s.created_at < d.start + interval '1 day') as installs,
    (select count(*)::int from stores s where s.created_at < d.start + interval '1 day'
      and (s.status = 'installed' or exists (select from uninstalls u where u.store_id = s.store_id and u.finished_at >= d.start + interval '1 day'))) as installed,
    (select count(distinct u.store_id)::int from subscriptions u where u.created_at <= e.finish and u.trial_ends_at >= e.finish and u.current_period_ends_at is not null and (u.status = 'Active' or u.current_period_ends_at >= e.finish)) as "onTrial",
    (select count(distinct u.store_id)::int from subscriptions u where u.created_at <= e.finish and (u.trial_ends_at is null or u.trial_ends_at < e.finish)
      and (u.status = 'Active' or (u.status in ('Cancelled', 'Expired') and u.current_period_ends_at >= e.finish))) as paying,
    (select count(*)::int from tests t where t.start_at <= e.finish and (t.ended_at is null or t.ended_at >= e.finish) and t.status in ('Active', 'Ended')) as running
  from generate_series(date_trunc('day', $1::timestamptz at time zone 'UTC') at time zone 'UTC' - make_interval(days => $2::int - 1), $1::timestamptz, interval '1 day') as d (start)
    cross join lateral (select least(d.start + interval '1 day', $1::timestamptz) as finish) as e order by d.start`
