import { dateFormat } from '../../domain/intl/formats.ts'
import { quotas } from '../../domain/quota.ts'
import type { Cell } from '../../domain/reports/export.ts'
import { orderRow, type ExportedOrder } from '../../domain/reports/export-orders.ts'
import type { PerArm } from '../../domain/arm.ts'
import type { untold } from './breakdowns.ts'
import type { Db } from '../db/connection.ts'
import { shopOfWork, statementLimit } from '../db/lost.ts'
import { rows as query, run } from '../db/raw.ts'
import { orderAmounts } from '../orders/order-amount.ts'
import { inTest, orderReason, orderWay, walkIndex, withVisitor } from '../orders/order-reason.ts'

/** Orders per page. */
const pageSize = 1_000

// One page, from the order after the last one read. No transaction spans several pages, because a
// slow reader would hold PGlite's only connection.
const page = `
  select o.order_id, o.created_at::text as cursor, o.created_at, coalesce(o.name, o.order_id) as name, o.type, ${orderAmounts}, o.lines,
    ${orderReason()} as reason, ${orderWay} as way, v.arm, v.device, v.channel, v.is_new, v.country, v.first_exposed_at
  from (select * from orders o where ${inTest} and o.created_at >= $5 and (o.created_at, o.order_id) > ($5, $6)
    order by created_at, order_id limit ${pageSize}) o ${withVisitor}
  order by o.created_at, o.order_id`

type Row = Omit<ExportedOrder, 'created' | 'isNew' | 'met'> & {
  order_id: string
  cursor: string
  created_at: Date
  is_new: boolean | null
  first_exposed_at: Date | null
}

export type OrdersAsk = {
  storeId: string
  shop: string
  testId: string
  from: Date
  to: Date | null
  timeZone: string
  currency: string
  titles: PerArm<string>
  hidden: ReturnType<typeof untold> & { type?: null }
}

/**
 * Yields every order of the shop while a test ran, oldest first, a page at a time. `hidden`: the
 * fields that stay empty (breakdowns.ts `untold`, `showsOrderType`).
 */
export async function* orderPages(
  db: Db,
  { storeId, shop, testId, from, to, timeZone, currency, titles, hidden }: OrdersAsk,
): AsyncGenerator<Cell[][]> {
  // The Swedish format of an instant is the ISO format with a space.
  const instant = dateFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  for (let at = '-infinity', id = ''; ;) {
    const readPage = () =>
      db.kysely.transaction().execute(async trx => {
        for (const setting of walkIndex) await run(trx, setting, [])
        return query<Row>(trx, page, [storeId, testId, from, to ?? 'infinity', at, id])
      })
    // This runs while the client reads the answer, outside the call that set its statement limit
    // and its share of the connections, so set both again.
    const found: Row[] = await shopOfWork.run(shop, () =>
      statementLimit.run(quotas.statement, readPage),
    )
    if (found.length > 0)
      yield found.map(({ created_at, is_new, first_exposed_at: met, ...row }) =>
        orderRow(
          {
            ...row,
            created: instant.format(created_at),
            isNew: is_new,
            met: met && instant.format(met),
            ...hidden,
          },
          currency,
          titles,
        ),
      )
    if (found.length < pageSize) return
    ;({ cursor: at, order_id: id } = found.at(-1)!)
  }
}
