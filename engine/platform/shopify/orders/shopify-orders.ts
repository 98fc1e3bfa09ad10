import { HttpProblem } from '../../../../domain/problem.ts'
import type { Platform, PlatformOrder } from '../../adapter.ts'
import { eachOf, wholeList } from '../client/lists.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import {
  changedOrders,
  moreLines,
  moreRefundLines,
  oneOrder,
  ordersOfCustomer,
} from '../documents/orders.ts'
import { gid, idOf } from '../client/shopify-ids.ts'
import { type OrderFacts, orderFrom } from './order-from-facts.ts'

/** Orders that are read at the same time: each is an operation of its own. */
const atOnce = 4

/**
 * Orders of a Shopify shop. A list names them, and each is read by itself, because an order may
 * have hundreds of lines, and because one that cannot be read must not hide the others.
 */
export function shopifyOrders({ ask }: ShopifyClient): Pick<
  Platform,
  'changedOrders' | 'ordersOf'
> & {
  /** Throws HttpProblem 404 when the shop does not have the order. */
  order: (shop: string, id: string) => Promise<PlatformOrder>
} {
  async function order(shop: string, id: string): Promise<PlatformOrder> {
    const name = gid('Order', id)
    const { order: found } = await ask(shop, oneOrder, { id: name })
    if (!found) throw new HttpProblem(404, 'There is no such order in the shop.')
    const { lineItems, refunds, ...rest } = found
    const facts: OrderFacts = {
      ...rest,
      lines: [...lineItems.nodes],
      refundLines: refunds.flatMap(({ refundLineItems }) => refundLineItems.nodes),
      refundedWithoutLine: refunds.flatMap(({ orderAdjustments }) => orderAdjustments.nodes),
    }
    if (lineItems.pageInfo.hasNextPage)
      facts.lines.push(
        ...(await wholeList(async after => {
          const asked = { id: name, after: after ?? lineItems.pageInfo.endCursor }
          return (await ask(shop, moreLines, asked)).order?.lineItems
        })),
      )
    for (const { id: refund, refundLineItems } of refunds)
      if (refundLineItems.pageInfo.hasNextPage)
        facts.refundLines.push(
          ...(await wholeList(async after => {
            const asked = { id: refund, after: after ?? refundLineItems.pageInfo.endCursor }
            const [node] = (await ask(shop, moreRefundLines, asked)).nodes
            return node?.__typename === 'Refund' ? node.refundLineItems : null
          })),
        )
    return orderFrom(facts)
  }

  return {
    order,
    changedOrders: async (shop, { from, to, cursor }) => {
      const { orders } = await ask(shop, changedOrders, {
        query: `updated_at:>='${from}' AND updated_at:<'${to}'`,
        after: cursor ?? null,
      })
      const read = await eachOf(orders.nodes, atOnce, async ({ id, name }) => {
        try {
          return { order: await order(shop, idOf(id)) }
        } catch (error) {
          // The shop itself does not answer, so the next page would not be read either.
          if (!isAboutOrder(error)) throw error
          return { unreadable: `Order ${name}: ${error.message}` }
        }
      })
      return {
        orders: read.flatMap(({ order }) => (order ? [order] : [])),
        unreadable: read.flatMap(({ unreadable }) => (unreadable ? [unreadable] : [])),
        next: orders.pageInfo.hasNextPage ? orders.pageInfo.endCursor : null,
      }
    },
    ordersOf: async (shop, customer) => {
      if (!/^\d{1,20}$/.test(customer)) return []
      const all = await wholeList(
        async after =>
          (await ask(shop, ordersOfCustomer, { query: `customer_id:${customer}`, after })).orders,
      )
      return all.map(({ id }) => idOf(id))
    },
  }
}

const isAboutOrder = (error: unknown): error is HttpProblem =>
  error instanceof HttpProblem && (error.status === 400 || error.status === 404)
