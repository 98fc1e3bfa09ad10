import type { Capability } from '../domain/access.ts'
import type { ArmIndex, PerArm } from '../domain/arm.ts'
import { breakdownPage, directReferrer, otherReferrers, referrerLimit, visitorKinds, type Breakdown, type BreakdownSort } from '../domain/breakdown.ts'
import { channels, type Channel } from '../domain/channel.ts'
import { devices, type Device } from '../domain/device.ts'
import { emptyTotals, type ArmTotals } from '../domain/goal-result.ts'
import type { Goal } from '../domain/goal.ts'
import { access } from './access.ts'
import { allReferrers } from './aggregates-deltas.ts'
import type { EngineContext } from './context.ts'
import type { Db } from './db/connection.ts'
import { rows as query } from './db/raw.ts'
import { knownId, notFound, type Serve } from './routes.ts'

type Filters = {
  device?: 'all' | Device; visitors?: 'all' | 'new' | 'returning'; channels?: string
  page?: number; pageSize?: number; sort?: BreakdownSort; descending?: boolean; search?: string
}
type Asked = { storeId: string; testId: string; breakdown: Breakdown; filters: Filters }

/** Breakdowns read the cube alone (migration 0006): their cost grows with kinds of visitors, and of referrers with hosts, never with events. */
export function breakdowns(serve: Serve, { db }: EngineContext): void {
  const answer = async (breakdown: Breakdown, id: string, storeId: string, filters: Filters) => {
    const testId = knownId(id, 'test')
    const test = await db.kysely.selectFrom('tests').select('goal').where('store_id', '=', storeId).where('test_id', '=', testId).executeTakeFirst()
    if (!test) throw notFound('test')
    const { require } = await access({ db }, storeId)
    for (const capability of neededFor(breakdown, filters)) require(capability)
    const goal: Goal = test.goal
    const found = await totalsBy(db, { storeId, testId, breakdown, filters })
    const { page = 0, pageSize = 10, sort = 'visitors', descending = sort !== 'value' } = filters
    return { goal, ...breakdownPage(found, { breakdown, goal, sort, descending, page, pageSize }) }
  }
  serve('byChannel', ({ params, query: filters }, { storeId }) => answer('channel', params.id, storeId, filters))
  serve('byOrderType', ({ params, query: filters }, { storeId }) => answer('orderType', params.id, storeId, filters))
  serve('byDevice', ({ params, query: filters }, { storeId }) => answer('device', params.id, storeId, filters))
  serve('byVisitors', ({ params, query: filters }, { storeId }) => answer('visitors', params.id, storeId, filters))
  serve('referrers', ({ params, query: filters }, { storeId }) => answer('referrer', params.id, storeId, filters))
}

const reporting: Record<Breakdown, Capability | null> = {
  channel: 'ChannelsReporting', referrer: 'ChannelsReporting', orderType: 'SubscriptionReporting', visitors: 'VisitorReporting', device: null,
}

/** A filter opens no more than the breakdown by the same thing would. */
function neededFor(breakdown: Breakdown, filters: Filters): Capability[] {
  const needed = [reporting[breakdown], filters.channels && filters.channels !== 'all' ? reporting.channel : null, filters.visitors && filters.visitors !== 'all' ? reporting.visitors : null]
  return needed.filter(capability => capability !== null)
}

/** What a row is named by, as text of the database; and that text as the merchant reads it. */
const named: Record<Breakdown, { column: string; name: (value: string) => string }> = {
  channel: { column: 'channel::text', name: value => channels[Number(value)]! },
  device: { column: 'device::text', name: value => devices[Number(value)]! },
  visitors: { column: 'is_new::text', name: value => visitorKinds[value === 'true' ? 0 : 1] },
  referrer: { column: `case when referrer = '' then '${directReferrer}' else referrer end`, name: value => value },
  // No column of a visitor: orders have it, and every visitor stands against each type.
  orderType: { column: `''`, name: value => value },
}

type Row = { value: string; arm: ArmIndex } & Omit<ArmTotals, never>

async function totalsBy(db: Db, asked: Asked): Promise<{ value: string; totals: PerArm<ArmTotals> }[]> {
  const { breakdown, filters } = asked
  const { column, name } = named[breakdown]
  const isOrderType = breakdown === 'orderType', isReferrer = breakdown === 'referrer'
  const chosen = filters.channels && filters.channels !== 'all' ? filters.channels.split(',').map(one => channels.indexOf(one as Channel)) : null
  const values = [
    asked.storeId, asked.testId,
    filters.device && filters.device !== 'all' ? devices.indexOf(filters.device) : null,
    filters.visitors && filters.visitors !== 'all' ? filters.visitors === 'new' : null,
    chosen, isReferrer ? filters.search?.trim().toLowerCase() ?? '' : '',
  ]
  const where = `store_id = $1 and test_id = $2 and referrer ${isReferrer ? '<>' : '='} '${allReferrers}' and ($3::int is null or device = $3) and ($4::boolean is null or is_new = $4)
    and ($5::int[] is null or channel = any($5)) and ($6 = '' or position($6 in ${named.referrer.column}) > 0)`
  // The hosts told apart are the same for visitors and orders.
  const hosts = isReferrer ? `with hosts as (select ${column} as value from test_cube where ${where} group by ${column} having sum(visitors) > 0 order by sum(visitors) desc, ${column} collate "C" limit ${referrerLimit}) ` : ''
  const value = isReferrer ? `coalesce((select h.value from hosts h where h.value = ${column}), '${otherReferrers}')` : column
  const [visitors, orders] = [
    await query<Row>(db.kysely, `${hosts}select ${value} as value, arm, sum(visitors)::int as visitors, sum(clickers)::int as clickers, sum(adders)::int as adders, sum(bounces)::int as bounces, sum(sessions)::int as sessions
      from test_cube where ${where} group by 1, 2 having sum(visitors) > 0`, values),
    await query<Row>(db.kysely, `${hosts}select ${isOrderType ? 'type' : value} as value, arm, sum(buyers)::int as buyers, sum(orders)::int as orders, sum(revenue)::float8 as revenue, sum(capped_revenue)::float8 as "cappedRevenue",
        sum(capped_revenue_squares)::float8 as "cappedRevenueSquares", sum(order_squares)::float8 as "orderSquares", sum(capped_revenue_orders)::float8 as "cappedRevenueOrders"
      from test_cube_orders where ${where} and type ${isOrderType ? '<>' : '='} '' group by 1, 2`, values),
  ]
  const found = new Map<string, PerArm<ArmTotals>>()
  const at = (key: string): PerArm<ArmTotals> => {
    let totals = found.get(key)
    if (!totals) found.set(key, totals = [{ ...emptyTotals }, { ...emptyTotals }])
    return totals
  }
  for (const { value: key, arm, ...figures } of orders) Object.assign(at(name(key))[arm], figures)
  const keys = isOrderType ? [...found.keys()] : null
  for (const { value: key, arm, ...figures } of visitors) for (const row of keys ?? [name(key)]) Object.assign(at(row)[arm], figures)
  return [...found].map(([key, totals]) => ({ value: key, totals }))
}
