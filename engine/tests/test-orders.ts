import type { ArmIndex } from '../../domain/arm.ts'
import { channels } from '../../domain/events/channel.ts'
import type { Output } from '../../domain/api/contract.ts'
import { devices } from '../../domain/device.ts'
import type { ImportFact } from '../../domain/imports/import-facts.ts'
import type { Exclusion, Ledger } from '../../domain/reports/summary.ts'
import { shownExclusion } from '../../domain/tests/exclusion-words.ts'
import { access } from '../plans/access.ts'
import { showsOrderType, untold } from '../reports/breakdowns.ts'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import { rows as query } from '../db/raw.ts'
import { countsTax, orderAmounts } from '../orders/order-amount.ts'
import {
  inTest,
  orderLost,
  orderReason,
  orderWay,
  walkIndex,
  withVisitor,
} from '../orders/order-reason.ts'
import type { OrderLine } from '../platform/adapter.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'

type Answer = Output<'testOrders'>
/**
 * `shop`: the shop that has the orders; null for an imported test, whose orders are only in its
 * file.
 */
type Found = Omit<Answer, 'rows'> & {
  rows: Omit<Answer['rows'][number], 'address'>[]
  notInFile: ImportFact[]
  shop: string | null
}
export type OrdersAsk = {
  part?: 'all' | 'control' | 'variant' | Exclusion
  page?: number
  pageSize?: number
  search?: string
}
type TestRow = {
  shop: string | null
  from: Date | null
  to: Date | null
  notInFile: ImportFact[]
  ledger: Ledger | null
  isKept: boolean
}
type Line = Answer['total']

/**
 * The API for the orders behind a line of the ledger, judged by the ledger's own rule. It tells no
 * more about their visitors than the breakdowns that the plan includes.
 */
export function testOrders(serve: Serve, { db, platform }: EngineContext): void {
  serve('testOrders', async ({ params: { id }, query: asked }, { storeId }) => {
    const { notInFile, shop, ...found } = await ledgerOrders(
        db,
        storeId,
        knownId(id, 'test'),
        asked,
      ),
      { can } = await access({ db }, storeId),
      hidden = untold(can, notInFile)
    return {
      ...found,
      rows: found.rows.map(row => ({
        ...row,
        address: shop === null ? null : platform.orderAddress(shop, row),
        visitor: row.visitor && { ...row.visitor, ...hidden },
        ...(!showsOrderType(can) && {
          type: null,
          reason: shownExclusion(row.reason, false),
          lines: row.lines.map(line => ({ ...line, isSubscription: null })),
        }),
      })),
    }
  })
}

/**
 * A page of a test's orders, newest first. Counts come from the ledger, so that the two never
 * disagree; orders of the last two seconds may be missing. Throws HttpProblem 404.
 */
export async function ledgerOrders(
  db: Pick<Db, 'kysely'>,
  storeId: string,
  testId: string,
  asked: OrdersAsk,
): Promise<Found> {
  const { part = 'all', page = 0, pageSize = 10 } = asked
  const [test] = await query<TestRow>(
    db.kysely,
    `
    select case when not t.is_imported then st.shop end as shop, t.start_at as "from", t.ended_at as "to", t.not_in_file as "notInFile", s.order_figures->'ledger' as ledger, t.settled_at is null as "isKept" from tests t join stores st on st.store_id = t.store_id
    left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id where t.store_id = $1 and t.test_id = $2`,
    [storeId, testId],
  )
  if (!test) throw notFound('test')
  const { from, to, notInFile, shop, ledger, isKept } = test
  if (!from || !ledger || !isKept)
    return {
      notInFile,
      shop,
      isKept,
      rows: [],
      count: 0,
      total: { orders: 0, amount: 0, refunds: 0 },
    }
  // Merchants write an order number with or without the # that the platform puts before it.
  const search = (asked.search ?? '').trim().replace(/^#/, '')
  const span = [storeId, testId, from, to ?? 'infinity']
  const total = search
    ? await totalFound(db, [...span, ...patterns(search)], part)
    : lineOf(ledger, part)
  // The query ends with the last order of the part, so that it does not scan all older orders.
  const wanted = Math.min(pageSize, total.orders - page * pageSize)
  if (wanted <= 0) return { notInFile, shop, isKept, rows: [], count: total.orders, total }
  const values = [...span, ...(search ? patterns(search) : [])]
  const found = await db.kysely.transaction().execute(async trx => {
    for (const setting of search ? [] : walkIndex) await query(trx, setting, [])
    return query<Row>(
      trx,
      `${chosen(part, Boolean(search))} order by o.created_at desc, o.order_id desc limit $${values.length + 1} offset $${values.length + 2}`,
      [...values, wanted, page * pageSize],
    )
  })
  return { notInFile, shop, isKept, rows: found.map(rowOf), count: total.orders, total }
}

function lineOf({ arms, excluded, total }: Ledger, part: NonNullable<OrdersAsk['part']>): Line {
  const { orders, amount, refunds } =
    part === 'all'
      ? total
      : part === 'control'
        ? arms[0]
        : part === 'variant'
          ? arms[1]
          : (excluded.find(line => line.reason === part) ?? { orders: 0, amount: 0, refunds: 0 })
  return { orders, amount, refunds }
}

const reason = orderReason()
const inPart = (part: NonNullable<OrdersAsk['part']>): string =>
  part === 'all'
    ? 'true'
    : part === 'control' || part === 'variant'
      ? `${reason} is null and v.arm = ${part === 'control' ? 0 : 1}`
      : `${reason} = '${part}'`

/**
 * Orders whose name or id begins with the search. "offset 0" keeps the test's span out of this
 * query: without table statistics, the database would use the span's index instead of those for
 * names and ids.
 */
const named = `(select * from (
  select * from orders n where n.store_id = $1 and n.name like $5 union select * from orders n where n.store_id = $1 and n.name like $6
  union select * from orders n where n.store_id = $1 and n.order_id like $5 offset 0) f)`
const patterns = (search: string): string[] => {
  const escaped = search.replace(/[\\%_]/g, '\\$&')
  return [`${escaped}%`, `#${escaped}%`]
}
const chosen = (part: NonNullable<OrdersAsk['part']>, isSearch: boolean): string => `
  select o.order_id, coalesce(o.name, o.order_id) as name, o.created_at, o.type, ${orderAmounts}, o.lines, ${countsTax} as counts_tax, ${reason} as reason, ${orderWay} as way, ${orderLost} as lost,
    v.visitor_id, v.arm, v.first_exposed_at, v.device, v.channel, v.is_new, v.country
  from ${isSearch ? named : 'orders'} o ${withVisitor} where ${inTest} and ${inPart(part)}`

async function totalFound(
  db: Pick<Db, 'kysely'>,
  values: unknown[],
  part: NonNullable<OrdersAsk['part']>,
): Promise<Line> {
  const [line] = await query<Line>(
    db.kysely,
    `
    select count(*)::int as orders, coalesce(sum(amount), 0)::float8 as amount, coalesce(sum(refunded), 0)::float8 as refunds from (${chosen(part, true)}) o`,
    values,
  )
  return line!
}

type Row = {
  order_id: string
  name: string
  created_at: Date
  type: Answer['rows'][number]['type']
  amount: number
  refunded: number
  lines: OrderLine[] | null
  counts_tax: boolean
  reason: Exclusion | null
  way: Answer['rows'][number]['way']
  lost: Answer['rows'][number]['lost']
  visitor_id: string | null
  arm: ArmIndex | null
  first_exposed_at: Date | null
  device: number | null
  channel: number | null
  is_new: boolean | null
  country: string | null
}

const rowOf = (row: Row): Found['rows'][number] => ({
  id: row.order_id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  type: row.type,
  amount: row.amount,
  refunded: row.refunded,
  arm: row.reason === null ? row.arm : null,
  reason: row.reason,
  way: row.way,
  lost: row.lost,
  visitor:
    row.visitor_id === null
      ? null
      : {
          id: row.visitor_id,
          arm: row.arm!,
          firstExposedAt: row.first_exposed_at?.toISOString() ?? null,
          device: row.device === null ? null : devices[row.device]!,
          channel: row.channel === null ? null : channels[row.channel]!,
          isNew: row.is_new,
          country: row.country,
        },
  lines: (row.lines ?? []).map(({ title, quantity, amount, tax = 0, isSubscription }) => ({
    title,
    quantity,
    amount: row.counts_tax ? amount + tax : amount,
    isSubscription,
  })),
})
