import { randomBytes, randomUUID } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { shippingFor, type PricedCart } from './carts.ts'
import type { Currency } from '../pages/currencies.ts'
import { inTransaction, type Database } from '../database.ts'
import { prepareOrders } from './orders-tables.ts'
import { renewalsOf, type Renewals } from './renewals.ts'
import type { Outbox } from '../apps/webhooks.ts'
import {
  type Customer,
  decimal,
  type NewOrder,
  type Order,
  orderJson,
  type OrderLine,
} from './order.ts'

export type Orders = {
  /**
   * Makes an order of the cart, with its subscriptions and its webhook. The same cart again gives
   * the same order.
   */
  place: (
    cart: PricedCart,
    customer: Customer,
    about: { isTest: boolean; createdAt: Date; presentment: Currency },
  ) => Order
  /**
   * Refunds an amount and tells the app. `already` is what the caller believes was refunded before,
   * so that a double click refunds once. Throws HttpProblem 404 for an unknown order, 409 when
   * `already` is wrong, 422 when the amount is more than is left.
   */
  refund: (id: string, amount: number, already: number) => Order
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
  /** Orders of the customer with this e-mail address. */
  ofCustomer: (email: string) => Order[]
  /** Asks the app for what it knows about the customer, or asks it to erase that. */
  tellOfCustomer: (topic: 'customers/data_request' | 'customers/redact', email: string) => void
}

type Row = Omit<
  Order,
  'createdAt' | 'isTest' | 'customer' | 'lines' | 'attributes' | 'renews' | 'presentment'
> & {
  currency: string
  rate: number
  created_at: string
  is_test: number
  customer: string
  lines: string
  attributes: string
  renews: string | null
  renews_number: number | null
}

/** Lines of orders from before there were selling plans lack some fields. */
type KeptLine = Omit<OrderLine, 'amount' | 'selling_plan' | 'unit_price'> & Partial<OrderLine>

export function openOrders(db: Database, outbox: Outbox, clock: () => Date): Orders {
  prepareOrders(db)
  const insert =
    db.prepare(`insert into orders (id, token, cart_token, created_at, is_test, type, renews, customer, lines, attributes, note, subtotal, shipping, currency, rate)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (cart_token) do nothing`)
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
  const pay = db.prepare('update orders set refunded = ? where id = ?')
  const one = (row: unknown): Order | null => (row ? orderOf(row as Row) : null)

  /**
   * Adds an order. Must be called in a transaction. Returns null when the cart is an order already.
   */
  function add(order: NewOrder): Order | null {
    const subtotal = order.lines.reduce((sum, line) => sum + line.amount, 0)
    const { changes } = insert.run(
      randomUUID(),
      randomBytes(24).toString('base64url'),
      order.cartToken,
      order.createdAt.toISOString(),
      order.isTest ? 1 : 0,
      order.type,
      order.renews,
      JSON.stringify(order.customer),
      JSON.stringify(order.lines),
      JSON.stringify(order.attributes),
      order.note,
      subtotal,
      shippingFor(subtotal),
      order.presentment.code,
      order.presentment.rate,
    )
    if (!changes) return null
    const added = one(byCart!.get(order.cartToken))!
    outbox.write('orders/create', orderJson(added), clock())
    return added
  }
  const renewals: Renewals = renewalsOf(db, add, id => one(byId!.get(id)))

  return {
    place: (cart, customer, { isTest, createdAt, presentment }) => {
      const order = inTransaction(db, () => {
        const lines: OrderLine[] = cart.items.map(
          ({
            variant_id,
            product_id,
            title,
            quantity,
            original_price,
            price,
            line_price,
            selling_plan,
            image,
          }) => ({
            variant_id,
            product_id,
            title,
            quantity,
            unit_price: original_price,
            price,
            amount: line_price,
            selling_plan,
            image,
          }),
        )
        const type = lines.some(line => line.selling_plan) ? 'subscription' : 'one_time'
        const added = add({
          cartToken: cart.token,
          createdAt,
          isTest,
          type,
          renews: null,
          customer,
          lines,
          attributes: cart.attributes,
          note: cart.note,
          presentment,
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
        pay.run(already + amount, id)
        const paid = one(byId!.get(id))!
        outbox.write('orders/updated', orderJson(paid), clock())
        return paid
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
    latest: limit => (latest.all(limit) as Row[]).map(orderOf),
    count: () => (count.get() as { count: number }).count,
    ofCustomer: email => (ofCustomer.all(email) as Row[]).map(orderOf),
    tellOfCustomer: (topic, email) => {
      const ids = (ofCustomer.all(email) as Row[]).map(({ id }) => id)
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
    between: (from, to) => (between.all(from, to) as Row[]).map(orderOf),
  }
}

const orderOf = ({
  created_at,
  is_test,
  customer,
  lines,
  attributes,
  renews,
  renews_number,
  currency,
  rate,
  ...row
}: Row): Order => ({
  ...row,
  createdAt: created_at,
  isTest: is_test === 1,
  renews: renews === null ? null : { id: renews, number: renews_number! },
  presentment: { code: currency, rate },
  customer: JSON.parse(customer) as Customer,
  lines: (JSON.parse(lines) as KeptLine[]).map(line => ({
    amount: line.price * line.quantity,
    selling_plan: null,
    unit_price: line.selling_plan ? null : line.price,
    ...line,
  })),
  attributes: JSON.parse(attributes) as Record<string, string>,
})
