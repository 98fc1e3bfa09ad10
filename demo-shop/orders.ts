import { randomBytes, randomUUID } from 'node:crypto'
import { minorDigits } from '../domain/money.ts'
import type { PricedCart } from './carts.ts'
import { inTransaction, type Database } from './database.ts'
import { shop } from './shop.ts'
import type { Outbox } from './webhooks.ts'

export type Customer = { email: string; name: string; address: string; city: string; postcode: string; country: string }
export type OrderLine = { variant_id: number; product_id: number; title: string; quantity: number; price: number; image: string }
export type Order = {
  number: number
  id: string
  token: string
  createdAt: string
  isTest: boolean
  customer: Customer
  lines: OrderLine[]
  attributes: Record<string, string>
  note: string
  /** Minor units; the subtotal is before shipping. */
  subtotal: number
  shipping: number
  refunded: number
}
export type Orders = {
  /** Makes the cart an order, and its webhook with it. The same cart again gives the same order. */
  place: (cart: PricedCart, customer: Customer, about: { isTest: boolean; createdAt: Date }) => Order
  byToken: (token: string) => Order | null
  byCart: (cartToken: string) => Order | null
  /** Newest first. */
  latest: (count: number) => Order[]
  count: () => number
  /** Taken in the half-open span of ISO instants. */
  between: (from: string, to: string) => Order[]
}

type Row = Omit<Order, 'createdAt' | 'isTest' | 'customer' | 'lines' | 'attributes'> & { created_at: string; is_test: number; customer: string; lines: string; attributes: string }

export function openOrders(db: Database, outbox: Outbox, clock: () => Date): Orders {
  const insert = db.prepare(`insert into orders (id, token, cart_token, created_at, is_test, customer, lines, attributes, note, subtotal, shipping)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (cart_token) do nothing`)
  const [byToken, byCart] = ['token', 'cart_token'].map(column => db.prepare(`select * from orders where ${column} = ?`))
  const latest = db.prepare('select * from orders order by created_at desc, number desc limit ?')
  const between = db.prepare('select * from orders where created_at >= ? and created_at < ? order by created_at, number')
  const count = db.prepare('select count(*) as count from orders')
  const one = (row: unknown): Order | null => (row ? orderOf(row as Row) : null)
  return {
    place: (cart, customer, { isTest, createdAt }) => {
      const order = inTransaction(db, () => {
        const lines: OrderLine[] = cart.items.map(({ variant_id, product_id, title, quantity, price, image }) => ({ variant_id, product_id, title, quantity, price, image }))
        const { changes } = insert.run(
          randomUUID(),
          randomBytes(24).toString('base64url'),
          cart.token,
          createdAt.toISOString(),
          isTest ? 1 : 0,
          JSON.stringify(customer),
          JSON.stringify(lines),
          JSON.stringify(cart.attributes),
          cart.note,
          cart.total_price,
          cart.shipping,
        )
        const order = one(byCart!.get(cart.token))!
        if (changes) outbox.write('orders/create', orderJson(order), clock())
        return order
      })
      outbox.wake()
      return order
    },
    byToken: token => one(byToken!.get(token)),
    byCart: token => one(byCart!.get(token)),
    latest: limit => (latest.all(limit) as Row[]).map(orderOf),
    count: () => (count.get() as { count: number }).count,
    between: (from, to) => (between.all(from, to) as Row[]).map(orderOf),
  }
}

const orderOf = ({ created_at, is_test, customer, lines, attributes, ...row }: Row): Order => ({
  ...row,
  createdAt: created_at,
  isTest: is_test === 1,
  customer: JSON.parse(customer) as Customer,
  lines: JSON.parse(lines) as OrderLine[],
  attributes: JSON.parse(attributes) as Record<string, string>,
})

/** An order as apps are told of it: webhook and admin API alike. Money as decimal text in the shop's currency. */
export function orderJson({ id, number, createdAt, isTest, lines, attributes, subtotal, shipping, refunded }: Order) {
  return {
    id,
    name: `#${number}`,
    created_at: createdAt,
    currency: shop.currency,
    test: isTest,
    subtotal_price: decimal(subtotal),
    total_shipping: decimal(shipping),
    total_price: decimal(subtotal + shipping),
    refunded: decimal(refunded),
    note_attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })),
    line_items: lines.map(({ variant_id, product_id, title, quantity, price }) => ({ variant_id, product_id, title, quantity, price: decimal(price) })),
  }
}

/** 1234 → "12.34", digit by digit. */
function decimal(minor: number): string {
  const digits = minorDigits(shop.currency)
  const text = String(minor).padStart(digits + 1, '0')
  return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text
}
