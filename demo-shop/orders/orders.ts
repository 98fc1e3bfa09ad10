import { randomBytes, randomUUID } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { shippingFor, type PricedCart } from './carts.ts'
import { hasPriceList, type Currency } from '../pages/currencies.ts'
import { orderLines } from './order-lines.ts'
import { inTransaction, type Database } from '../database.ts'
import { orderOf, type OrderRow } from './order-rows.ts'
import { prepareOrders } from './orders-tables.ts'
import { renewalsOf, type Renewals } from './renewals.ts'
import type { Outbox } from '../apps/webhooks.ts'
import { type Customer, decimal, type NewOrder, type Order, orderJson } from './order.ts'

export type Orders = {
  /**
   * Makes an order of the cart, with its subscriptions and its webhook. The same cart again gives
   * the same order.
   */
  place: (
    cart: PricedCart,
    customer: Customer,
    about: { isTest: boolean; createdAt: Date; isExpress: boolean; presentment: Currency },
  ) => Order
  /**
   * Refunds an amount and tells the app. `already` is what the caller believes was refunded before,
   * so that a double click refunds once. Throws HttpProblem 404 for an unknown order, 409 when
   * `already` is wrong, 422 when the amount is more than is left.
   */
  refund: (id: string, amount: number, already: number) => Order
  /**
   * Cancels an order that nobody pays for, and tells the app. Again is no error. Throws HttpProblem
   * 404 for an unknown order.
   */
  cancel: (id: string) => Order
  /** Makes the renewals that are due now, each once and dated on its own day. Returns how many. */
  renew: () => Promise<number>
  byId: (id: string) => Order | null
  byNumber: (number: number) => Order | null
  byToken: (token: string) => Order | null
  /**
   * The order that this cart became. Never a renewal: the key that a renewal is stored under can be
   * guessed.
   */
  byCart: (cartToken: string) => Order | null
  /** Newest first. */
  latest: (count: number) => Order[]
  count: () => number
  /** Orders that were placed in the half-open span of ISO instants. */
  between: (from: string, to: string) => Order[]
  /**
   * A page of the orders whose last change was in the half-open span, the oldest change first.
   * `after`: the last order of the page before, as it was then.
   */
  changed: (span: { from: string; to: string }, limit: number, after: Place | null) => Order[]
  /** Orders of the customer with this e-mail address. */
  ofCustomer: (email: string) => Order[]
  /** Asks the app for what it knows about the customer, or asks it to erase that. */
  tellOfCustomer: (topic: 'customers/data_request' | 'customers/redact', email: string) => void
}

/** Where a page of changed orders ended. */
export type Place = Pick<Order, 'updatedAt' | 'number'>

export function openOrders(
  db: Database,
  outbox: Outbox,
  clock: () => Date,
  taxRate = () => 0,
): Orders {
  prepareOrders(db)
  const insert =
    db.prepare(`insert into orders (id, token, cart_token, created_at, is_test, is_express, type, renews, customer, lines, attributes, note, subtotal, shipping, currency, rate, updated_at, step, ending, has_price_list, tax_rate)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (cart_token) do nothing`)
  const select =
    'select o.*, (select f.number from orders f where f.id = o.renews) as renews_number from orders o'
  const [byId, byNumber, byToken, byCart] = ['id', 'number', 'token', 'cart_token'].map(column =>
    db.prepare(`${select} where o.${column} = ?`),
  )
  const latest = db.prepare(`${select} order by o.created_at desc, o.number desc limit ?`)
  const ofCustomer = db.prepare(
    `${select} where lower(json_extract(o.customer, '$.email')) = lower(?) order by o.created_at, o.number limit 1000`,
  )
  const between = db.prepare(
    `${select} where o.created_at >= ? and o.created_at < ? order by o.created_at, o.number`,
  )
  const count = db.prepare('select count(*) as count from orders')
  const pay = db.prepare('update orders set refunded = ?, updated_at = ? where id = ?')
  const end = db.prepare('update orders set cancelled_at = ?, updated_at = ? where id = ?')
  const changed = db.prepare(
    `${select} where (o.updated_at, o.number) > (?, ?) and o.updated_at < ? order by o.updated_at, o.number limit ?`,
  )
  const one = (row: unknown): Order | null => (row ? orderOf(row as OrderRow) : null)

  /**
   * Adds an order. Must be called in a transaction. Returns null when the cart is an order already.
   */
  function add(order: NewOrder): Order | null {
    const at = clock()
    const subtotal = order.lines.reduce((sum, line) => sum + line.amount, 0)
    const { changes } = insert.run(
      randomUUID(),
      randomBytes(24).toString('base64url'),
      order.cartToken,
      order.createdAt.toISOString(),
      order.isTest ? 1 : 0,
      order.isExpress ? 1 : 0,
      order.type,
      order.renews,
      JSON.stringify(order.customer),
      JSON.stringify(order.lines),
      JSON.stringify(order.attributes),
      order.note,
      subtotal,
      order.shipping ?? shippingFor(subtotal),
      order.presentment.code,
      order.presentment.rate,
      at.toISOString(),
      order.presentment.step,
      order.presentment.ending,
      order.presentment.hasPriceList ? 1 : 0,
      taxRate(),
    )
    if (!changes) return null
    const added = one(byCart!.get(order.cartToken))!
    outbox.write('orders/create', orderJson(added), at)
    return added
  }
  /** Sends two webhooks about an order: one that says what happened, and `orders/updated`. */
  function toldOf(topic: 'orders/refunded' | 'orders/cancelled', id: string, at: Date): Order {
    const order = one(byId!.get(id))!
    outbox.write(topic, orderJson(order), at)
    outbox.write('orders/updated', orderJson(order), at)
    return order
  }
  const renewals: Renewals = renewalsOf(db, add, id => one(byId!.get(id)))

  return {
    place: (cart, customer, { isTest, createdAt, isExpress, presentment }) => {
      const order = inTransaction(db, () => {
        const lines = orderLines(cart, presentment)
        const { code, rate, step, ending } = presentment
        const type = lines.some(line => line.selling_plan) ? 'subscription' : 'one_time'
        const added = add({
          cartToken: cart.token,
          createdAt,
          isTest,
          isExpress,
          type,
          renews: null,
          customer,
          lines,
          attributes: cart.attributes,
          note: cart.note,
          presentment: { code, rate, step, ending, hasPriceList: hasPriceList(presentment) },
          shipping: cart.shipping,
        })
        if (added) renewals.begin(added)
        return added ?? one(byCart!.get(cart.token))!
      })
      outbox.wake()
      return order
    },
    refund: (id, amount, already) => {
      const order = inTransaction(db, () => {
        const order = one(byId!.get(id))
        if (!order) throw new HttpProblem(404, 'There is no such order.')
        if (order.cancelledAt !== null)
          throw new HttpProblem(409, 'This order was cancelled, so nothing was paid.')
        if (order.refunded !== already)
          throw new HttpProblem(
            409,
            'This order was refunded in the meantime. Check it before you try again.',
          )
        const left = order.subtotal - order.refunded
        if (!Number.isInteger(amount) || amount < 1 || amount > left) {
          const most = `At least ${decimal(1)} and at most ${decimal(left)}.`
          throw new HttpProblem(422, `This amount cannot be refunded. ${most}`, [
            { field: 'amount', message: most },
          ])
        }
        const at = clock()
        pay.run(already + amount, at.toISOString(), id)
        return toldOf('orders/refunded', id, at)
      })
      outbox.wake()
      return order
    },
    cancel: id => {
      const order = inTransaction(db, () => {
        const order = one(byId!.get(id))
        if (!order) throw new HttpProblem(404, 'There is no such order.')
        if (order.cancelledAt !== null) return order
        const at = clock()
        end.run(at.toISOString(), at.toISOString(), id)
        return toldOf('orders/cancelled', id, at)
      })
      outbox.wake()
      return order
    },
    renew: async () => {
      const made = await renewals.makeDue(clock())
      if (made > 0) outbox.wake()
      return made
    },
    byId: id => one(byId!.get(id)),
    byNumber: number => one(byNumber!.get(number)),
    byToken: token => one(byToken!.get(token)),
    byCart: token => {
      const order = one(byCart!.get(token))
      return order?.renews ? null : order
    },
    latest: limit => (latest.all(limit) as OrderRow[]).map(orderOf),
    count: () => (count.get() as { count: number }).count,
    ofCustomer: email => (ofCustomer.all(email) as OrderRow[]).map(orderOf),
    tellOfCustomer: (topic, email) => {
      const ids = (ofCustomer.all(email) as OrderRow[]).map(({ id }) => id)
      outbox.write(
        topic,
        {
          customer: { email },
          [topic === 'customers/redact' ? 'orders_to_redact' : 'orders_requested']: ids,
        },
        clock(),
      )
      outbox.wake()
    },
    between: (from, to) => (between.all(from, to) as OrderRow[]).map(orderOf),
    changed: ({ from, to }, limit, after) =>
      (changed.all(after?.updatedAt ?? from, after?.number ?? -1, to, limit) as OrderRow[]).map(
        orderOf,
      ),
  }
}
