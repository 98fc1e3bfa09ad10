import { cyclePeriod } from '../events/fold/periods.ts'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { formatLimit, unlimitedVisitors } from '../../domain/plans/plan.ts'
import type { StoreName } from '../../domain/staff/staff-list.ts'
import type { SubscriptionStatus } from '../../domain/stores/store.ts'
import { isOnTrial, trialDaysLeft } from '../../domain/stores/store-status.ts'
import type { EngineContext } from '../context.ts'
import { rows } from '../db/raw.ts'

/** A store as the staff's screens need it, with the visitors of its usage cycle. */
export type StaffStore = {
  id: string
  shop: string
  domain: string
  name: string
  email: string | null
  isDemo: boolean
  status: 'installed' | 'uninstalled'
  subscriptionStatus: SubscriptionStatus | null
  hasSubscribed: boolean
  subscriptionId: string | null
  level: number | null
  plan: string | null
  createdAt: Date
  installedAt: Date | null
  trialEnd: Date | null
  timeZone: string
  isOnTrial: boolean
  daysLeft: number
  visitors: number
  /** Null: no plan, or a plan without a limit. */
  visitorLimit: number | null
  /** All tests that it has launched, and those that run now. */
  tests: number
  runningTests: number
}

type Row = Omit<StaffStore, 'plan' | 'isOnTrial' | 'daysLeft' | 'visitors' | 'visitorLimit'> & {
  usageReset: Date | null
} & PlanColumns
export type PlanColumns = {
  planTitle: string | null
  monthlyVisitors: number | null
  isAnnual: boolean | null
}
export const planColumns = sql`p.title as "planTitle", p.monthly_visitors as "monthlyVisitors", p.is_annual as "isAnnual"`
export const storeColumns = sql`s.store_id as id, s.shop, s.name, s.is_demo as "isDemo"`

/** "Core 50k, annually"; null without a plan. */
export const planNameOf = ({ planTitle, monthlyVisitors, isAnnual }: PlanColumns): string | null =>
  planTitle === null || monthlyVisitors === null
    ? null
    : `${planTitle} ${formatLimit(monthlyVisitors)}${isAnnual ? ', annually' : ''}`

export const storeNameOf = ({ id, shop, name, isDemo }: StoreName): StoreName => ({
  id,
  shop,
  name,
  isDemo,
})

/** All matching stores, ordered by name. */
export async function staffStores(
  { db: { kysely }, clock }: Pick<EngineContext, 'db' | 'clock'>,
  where: RawBuilder<SqlBool>,
): Promise<StaffStore[]> {
  const now = clock()
  const { rows: stores } = await sql<Row>`
    select ${storeColumns}, s.domain, s.email, s.status, s.subscription_status as "subscriptionStatus", s.has_subscribed as "hasSubscribed", s.subscription_id as "subscriptionId",
      s.created_at as "createdAt", s.installed_at as "installedAt", s.trial_end as "trialEnd", s.usage_reset as "usageReset", s.time_zone as "timeZone", p.level, ${planColumns},
      (select count(*)::int from tests t where t.store_id = s.store_id) as tests, (select count(*)::int from tests t where t.store_id = s.store_id and t.status = 'Active') as "runningTests"
    from stores s left join plans p on p.plan_id = s.plan_id where ${where} order by lower(s.name), s.shop`.execute(
    kysely,
  )
  const periods = stores.map(store =>
    cyclePeriod((store.usageReset ?? store.createdAt).getTime(), now.getTime()),
  )
  const counted = await rows<{ store_id: string; visitors: number }>(
    kysely,
    `
    select store_id, visitors from store_periods join unnest($1::uuid[], $2::text[]) as asked (id, name) on store_id = asked.id and period = asked.name`,
    [stores.map(({ id }) => id), periods],
  )
  const visitors = new Map(counted.map(row => [row.store_id, row.visitors]))
  return stores.map(({ usageReset: _, planTitle, monthlyVisitors, isAnnual, ...store }) => ({
    ...store,
    plan: planNameOf({ planTitle, monthlyVisitors, isAnnual }),
    isOnTrial:
      store.status === 'installed' &&
      store.subscriptionStatus === 'Active' &&
      isOnTrial(store.trialEnd, now),
    daysLeft: trialDaysLeft({ trialEnd: store.trialEnd?.toISOString() ?? null }, now),
    visitors: visitors.get(store.id) ?? 0,
    visitorLimit:
      monthlyVisitors === null || monthlyVisitors >= unlimitedVisitors ? null : monthlyVisitors,
  }))
}
