import type { Capability } from '../../domain/access.ts'
import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import {
  breakdownPage,
  directReferrer,
  otherReferrers,
  referrerLimit,
  unknownCountry,
  visitorKinds,
  type Breakdown,
  type BreakdownSort,
} from '../../domain/reports/breakdown.ts'
import { channels, type Channel } from '../../domain/events/channel.ts'
import { devices, type Device } from '../../domain/device.ts'
import { emptyTotals, type ArmTotals } from '../../domain/reports/goal-result.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import type { ImportFact } from '../../domain/imports/import-facts.ts'
import { access } from '../plans/access.ts'
import { allCountries, allReferrers } from '../events/fold/deltas.ts'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import { rows as query } from '../db/raw.ts'
import { orderCells } from '../orders/order-sums.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import { isSplitBrokenOfTest } from '../tests/test-lists.ts'

type Filters = {
  device?: 'all' | Device
  visitors?: 'all' | 'new' | 'returning'
  channels?: string
  country?: string
  page?: number
  pageSize?: number
  sort?: BreakdownSort
  descending?: boolean
  search?: string
}
type Asked = { storeId: string; testId: string; breakdown: Breakdown; filters: Filters }

/**
 * Breakdowns read only the cube (migrations 0006 and 0015). So their cost grows with the kinds of
 * visitors, for referrers also with the hosts, but never with the events.
 */
export function breakdowns(serve: Serve, { db }: EngineContext): void {
  const answer = async (breakdown: Breakdown, id: string, storeId: string, filters: Filters) => {
    const testId = knownId(id, 'test')
    const test = await db.kysely
      .selectFrom('tests as t')
      .leftJoin('test_summaries as s', join =>
        join.onRef('s.store_id', '=', 't.store_id').onRef('s.test_id', '=', 't.test_id'),
      )
      .select(['t.goal', 't.is_imported', 't.not_in_file', isSplitBrokenOfTest.as('isSplitBroken')])
      .where('t.store_id', '=', storeId)
      .where('t.test_id', '=', testId)
      .executeTakeFirst()
    if (!test) throw notFound('test')
    const { require } = await access({ db }, storeId)
    for (const capability of neededFor(breakdown, filters)) require(capability)
    const goal: Goal = test.goal
    // If the imported file does not contain a fact, no visitor can be found by it.
    if (askedFor(breakdown, filters).some(fact => test.not_in_file.includes(fact as ImportFact)))
      return { goal, rows: [], count: 0 }
    const found = await totalsBy(db, { storeId, testId, breakdown, filters })
    const { page = 0, pageSize = 10, sort = 'visitors', descending = sort !== 'value' } = filters
    const hasBounces = !test.is_imported || (await isAnyPageTold(db, storeId, testId))
    return {
      goal,
      ...breakdownPage(found, {
        breakdown,
        goal,
        sort,
        descending,
        page,
        pageSize,
        hasBounces,
        isSplitBroken: test.isSplitBroken,
      }),
    }
  }
  serve('byChannel', ({ params, query: filters }, { storeId }) =>
    answer('channel', params.id, storeId, filters),
  )
  serve('byOrderType', ({ params, query: filters }, { storeId }) =>
    answer('orderType', params.id, storeId, filters),
  )
  serve('byDevice', ({ params, query: filters }, { storeId }) =>
    answer('device', params.id, storeId, filters),
  )
  serve('byVisitors', ({ params, query: filters }, { storeId }) =>
    answer('visitors', params.id, storeId, filters),
  )
  serve('byCountry', ({ params, query: filters }, { storeId }) =>
    answer('country', params.id, storeId, filters),
  )
  serve('referrers', ({ params, query: filters }, { storeId }) =>
    answer('referrer', params.id, storeId, filters),
  )
}

/** The capability that a plan needs for each breakdown; null if every plan has it. */
const reporting = {
  channel: 'ChannelsReporting',
  referrer: 'ChannelsReporting',
  orderType: 'SubscriptionReporting',
  visitors: 'VisitorReporting',
  country: 'CountrySegmentation',
  device: null,
} as const satisfies Record<Breakdown, Capability | null>

/** Whether the plan opens the type of an order: one-time, first of a subscription or renewal. */
export const showsOrderType = (can: (capability: Capability) => boolean): boolean =>
  can(reporting.orderType)

/**
 * Returns, each as null, the fields of a visitor that must not be shown, because the plan does not
 * open their breakdown or the imported file does not contain them. Spread the result over the known
 * fields.
 */
export function untold(
  can: (capability: Capability) => boolean,
  notInFile: readonly ImportFact[],
): { device?: null; channel?: null; isNew?: null; country?: null } {
  const hides = (fact: ImportFact) =>
    notInFile.includes(fact) || !(reporting[fact] === null || can(reporting[fact]))
  return {
    ...(hides('device') && { device: null }),
    ...(hides('channel') && { channel: null }),
    ...(hides('visitors') && { isNew: null }),
    ...(hides('country') && { country: null }),
  }
}

/**
 * The facts about visitors that a request asks for: its breakdown, and each filter that is set, by
 * the name of the breakdown of the same fact.
 */
function askedFor(
  breakdown: Breakdown,
  { device, channels: chosen, visitors, country }: Filters,
): Breakdown[] {
  const isSet = (filter: string | undefined) => filter !== undefined && filter !== 'all'
  return [
    breakdown,
    ...(isSet(device) ? ['device' as const] : []),
    ...(isSet(chosen) ? ['channel' as const] : []),
    ...(isSet(visitors) ? ['visitors' as const] : []),
    ...(isSet(country) ? ['country' as const] : []),
  ]
}
/** A filter needs the same capability as the breakdown by the same fact. */
const neededFor = (breakdown: Breakdown, filters: Filters): Capability[] =>
  askedFor(breakdown, filters)
    .map(asked => reporting[asked])
    .filter(capability => capability !== null)

/**
 * For each breakdown: the SQL expression for a row's name as text, and the function that turns this
 * text into the merchant's words.
 */
const named: Record<Breakdown, { column: string; name: (value: string) => string }> = {
  channel: { column: 'channel::text', name: value => channels[Number(value)]! },
  device: { column: 'device::text', name: value => devices[Number(value)]! },
  visitors: { column: 'is_new::text', name: value => visitorKinds[value === 'true' ? 0 : 1] },
  referrer: {
    column: `case when referrer = '' then '${directReferrer}' else referrer end`,
    name: value => value,
  },
  country: { column: 'place', name: value => value },
  // Visitors have no order type, only orders have one. So each type is compared with all visitors.
  orderType: { column: `''`, name: value => value },
}

/**
 * SQL: the cells of each country, and those of the unknown country as a sum: all countries together
 * (sign 1) minus each known country (sign -1).
 */
const placed = (table: string) =>
  `${table} cross join lateral (values (country, 1), ('${unknownCountry}', case when country = '${allCountries}' then 1 else -1 end)) k(place, sign)`

const orderSums = {
  revenue: 'revenue',
  cappedRevenue: 'capped_revenue',
  cappedRevenueSquares: 'capped_revenue_squares',
  orderSquares: 'order_squares',
  cappedRevenueOrders: 'capped_revenue_orders',
  units: 'units',
}

/**
 * For an imported test: whether any visitor saw a second page (domain/imports/imported.ts
 * `tellsPages`).
 */
async function isAnyPageTold(db: Db, storeId: string, testId: string): Promise<boolean> {
  return (
    (
      await query<object>(
        db.kysely,
        'select from test_cube where store_id = $1 and test_id = $2 and bounces < visitors limit 1',
        [storeId, testId],
      )
    ).length > 0
  )
}

type Row = { value: string; arm: ArmIndex } & ArmTotals
type Totals = { value: string; totals: PerArm<ArmTotals>; units: PerArm<number> }

async function totalsBy(db: Db, asked: Asked): Promise<Totals[]> {
  const { breakdown, filters } = asked
  const { column, name } = named[breakdown]
  const isOrderType = breakdown === 'orderType',
    isReferrer = breakdown === 'referrer'
  const chosen =
    filters.channels && filters.channels !== 'all'
      ? filters.channels.split(',').map(one => channels.indexOf(one as Channel))
      : null
  const values = [
    asked.storeId,
    asked.testId,
    filters.device && filters.device !== 'all' ? devices.indexOf(filters.device) : null,
    filters.visitors && filters.visitors !== 'all' ? filters.visitors === 'new' : null,
    chosen,
    isReferrer ? (filters.search?.trim().toLowerCase() ?? '') : '',
    filters.country && filters.country !== 'all' ? filters.country : allCountries,
  ]
  const where = `store_id = $1 and test_id = $2 and referrer ${isReferrer ? '<>' : '='} '${allReferrers}' and ($3::int is null or device = $3) and ($4::boolean is null or is_new = $4)
    and ($5::int[] is null or channel = any($5)) and ($6 = '' or position($6 in ${named.referrer.column}) > 0)
    and ${breakdown === 'country' ? `place <> '${allCountries}' and ($7 = '${allCountries}' or place = $7)` : `place = $7 and ($7 = '${unknownCountry}' or country = $7)`}`
  // Finds the hosts that get a row of their own once, not for every cell. They are the same for
  // visitors and for orders.
  const hosts = isReferrer
    ? `with hosts as materialized (select ${column} as value from ${placed('test_cube')} where ${where} group by ${column} having sum(sign * visitors) > 0 order by sum(sign * visitors) desc, ${column} collate "C" limit ${referrerLimit}) `
    : ''
  const value = isReferrer ? `coalesce(h.value, '${otherReferrers}')` : column
  const cells = (table: string) =>
    isReferrer ? `${placed(table)} left join hosts h on h.value = ${column}` : placed(table)
  // Adds money as numeric, because floating-point sums would depend on the order of the cells.
  const counts = (columns: string[]) =>
    columns.map(column => `sum(sign * ${column})::int as ${column}`).join(', ')
  const sums = (columns: Record<string, string>) =>
    Object.entries(columns)
      .map(([as, column]) => `sum(sign * ${column}::numeric)::float8 as "${as}"`)
      .join(', ')
  const [visitors, orders] = [
    await query<Row>(
      db.kysely,
      `${hosts}select ${value} as value, arm, ${counts(['visitors', 'clickers', 'adders', 'bounces', 'sessions'])}
      from ${cells('test_cube')} where ${where} group by 1, 2 having sum(sign * visitors) > 0`,
      values,
    ),
    await query<Row & { units: number }>(
      db.kysely,
      `${hosts}select ${isOrderType ? 'type' : value} as value, arm, ${counts(['buyers', 'orders'])}, ${sums(orderSums)}
      from ${cells(orderCells)} where ${where} and type ${isOrderType ? '<>' : '='} '' group by 1, 2 having sum(sign * orders) > 0`,
      values,
    ),
  ]
  const found = new Map<string, Totals>()
  const at = (key: string): Totals => {
    let row = found.get(key)
    if (!row)
      found.set(
        key,
        (row = { value: key, totals: [{ ...emptyTotals }, { ...emptyTotals }], units: [0, 0] }),
      )
    return row
  }
  for (const { value: key, arm, units, ...figures } of orders) {
    const row = at(name(key))
    Object.assign(row.totals[arm], figures)
    row.units[arm] = units
  }
  const keys = isOrderType ? [...found.keys()] : null
  for (const { value: key, arm, ...figures } of visitors)
    for (const row of keys ?? [name(key)]) Object.assign(at(row).totals[arm], figures)
  return [...found.values()]
}
