import { randomBytes } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { day } from '../../domain/time-units.ts'
import type { FindVariant } from '../catalogue/changed.ts'
import type { Database } from '../database.ts'
import type { TestedPriceOf } from '../apps/price-rules.ts'
import type { Currency } from '../pages/currencies.ts'
import { findSellingPlan, planPrice } from './selling-plans.ts'
import { shop } from '../shop.ts'

/**
 * `plan`: bought with this selling plan, as a subscription. A product variant may be in the cart
 * with a plan and without.
 */
export type CartLine = { id: number; quantity: number; plan?: number }
/**
 * What tells a line from the others. As text it is "30100", or "30100:7001" for one with a plan.
 */
export type LineKey = Pick<CartLine, 'id' | 'plan'>
export type Cart = {
  token: string
  lines: CartLine[]
  attributes: Record<string, string>
  note: string
}

export const cartLimits = {
  lines: 50,
  quantity: 99,
  attributes: 50,
  name: 255,
  value: 4096,
  /** Characters of all names and values together. */
  allAttributes: 8192,
  note: 2000,
} as const

/** How long a cart is kept after its last change. Milliseconds. */
export const cartAge = 14 * day
/**
 * How many carts are kept: anybody can begin one with a single request, and the disk is not
 * endless.
 */
export const cartsKept = 10_000
/** After this many saves, the carts that are too many are deleted. */
const clearEvery = 100

export type Carts = {
  /**
   * The cart of this token; null when there is none, when it has become an order, or when it is too
   * old.
   */
  find: (token: string | undefined) => Cart | null
  /** An empty cart. Its first `save` stores it. */
  begin: () => Cart
  save: (cart: Cart) => void
  /**
   * Deletes carts that are too old or have become an order, and those that are too many: the ones
   * that were not changed for the longest time.
   */
  clear: () => void
}

export function openCarts(db: Database, clock: () => Date): Carts {
  const find = db.prepare(
    'select token, lines, attributes, note from carts where token = ? and updated_at > ? and not exists (select 1 from orders where cart_token = carts.token)',
  )
  const save =
    db.prepare(`insert into carts (token, lines, attributes, note, updated_at) values (?, ?, ?, ?, ?)
    on conflict (token) do update set lines = excluded.lines, attributes = excluded.attributes, note = excluded.note, updated_at = excluded.updated_at`)
  const deleteOver =
    db.prepare(`delete from carts where updated_at <= ? or token in (select cart_token from orders)
      or token in (select token from carts order by updated_at desc limit -1 offset ${cartsKept})`)
  const tooOld = (): string => new Date(clock().getTime() - cartAge).toISOString()
  const clear = (): void => void deleteOver.run(tooOld())
  let saved = 0
  return {
    clear,
    find: token => {
      const row = token
        ? (find.get(token, tooOld()) as
            | { token: string; lines: string; attributes: string; note: string }
            | undefined)
        : undefined
      return row
        ? {
            token: row.token,
            note: row.note,
            lines: JSON.parse(row.lines) as CartLine[],
            attributes: JSON.parse(row.attributes) as Record<string, string>,
          }
        : null
    },
    begin: () => ({
      token: randomBytes(18).toString('base64url'),
      lines: [],
      attributes: {},
      note: '',
    }),
    save: ({ token, lines, attributes, note }) => {
      if (++saved % clearEvery === 0) clear()
      save.run(
        token,
        JSON.stringify(lines),
        JSON.stringify(attributes),
        note,
        clock().toISOString(),
      )
    },
  }
}

export const keyText = ({ id, plan }: LineKey): string =>
  plan === undefined ? String(id) : `${id}:${plan}`
/** The line that a form or script means. `id` is NaN when the text is no key. */
export function lineKey(text: string): LineKey {
  const [, id, plan] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ?? []
  return {
    id: id === undefined ? Number.NaN : Number(id),
    ...(plan !== undefined && { plan: Number(plan) }),
  }
}

/**
 * Adds to the quantity of the same product variant and plan. Throws HttpProblem 422 when one of
 * them does not exist, or when there are too many.
 */
export function addLine(
  cart: Cart,
  key: LineKey,
  quantity: number,
  findVariant: FindVariant,
): void {
  const found = findVariant(key.id)
  if (!found)
    throw new HttpProblem(422, 'We do not have that.', [
      { field: 'id', message: 'There is no such product variant.' },
    ])
  if (key.plan !== undefined && !findSellingPlan(found.product.handle, key.plan))
    throw new HttpProblem(422, 'We do not sell that by subscription.', [
      { field: 'selling_plan', message: 'The product has no such selling plan.' },
    ])
  setQuantity(cart, key, (lineOf(cart, key)?.quantity ?? 0) + quantity, findVariant)
}

/**
 * Sets a line's quantity; 0 removes the line. Throws HttpProblem 422 when that quantity is not
 * allowed, or the cart is full.
 */
export function setQuantity(
  cart: Cart,
  key: LineKey,
  quantity: number,
  findVariant: FindVariant,
): void {
  if (!Number.isInteger(quantity) || quantity < 0 || quantity > cartLimits.quantity) {
    throw new HttpProblem(422, `Choose a number from 0 to ${cartLimits.quantity}.`, [
      { field: 'quantity', message: `A number from 0 to ${cartLimits.quantity}.` },
    ])
  }
  const line = lineOf(cart, key)
  const found = findVariant(key.id)
  if (line) line.quantity = quantity
  else if (found && (key.plan === undefined || findSellingPlan(found.product.handle, key.plan)))
    cart.lines.push({ ...key, quantity })
  cart.lines = cart.lines.filter(line => line.quantity > 0)
  if (cart.lines.length > cartLimits.lines) throw new HttpProblem(422, 'The cart is full.')
}

const lineOf = (cart: Cart, { id, plan }: LineKey): CartLine | undefined =>
  cart.lines.find(line => line.id === id && line.plan === plan)

/**
 * Merges attributes from scripts and forms into the cart; an empty value removes an attribute.
 * Throws HttpProblem 422 when there are too many of them or they are too long.
 */
export function setAttributes(cart: Cart, attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.length > cartLimits.name || value.length > cartLimits.value)
      throw new HttpProblem(422, 'A cart attribute is too long.', [
        { field: 'attributes', message: 'Too long.' },
      ])
    if (value) cart.attributes[name] = value
    else delete cart.attributes[name]
  }
  const length = Object.entries(cart.attributes).reduce(
    (sum, pair) => sum + pair.join('').length,
    0,
  )
  if (
    Object.keys(cart.attributes).length > cartLimits.attributes ||
    length > cartLimits.allAttributes
  )
    throw new HttpProblem(422, 'The cart has too many attributes.', [
      { field: 'attributes', message: 'Too many.' },
    ])
}

/** Minor units. */
export const freeShippingFrom = 7500
const shippingPrice = 650
/** The shipping price for goods of this price. Minor units. */
export const shippingFor = (subtotal: number): number =>
  subtotal >= freeShippingFrom ? 0 : shippingPrice

/**
 * What functions of an app have made of a line. `presented`: one piece in the market's currency,
 * before and after its discount. `discount`: on the whole line, in the shop's currency and in the
 * market's.
 */
export type FunctionCharge = {
  presented?: { unit: number; price: number }
  discount?: { title: string; amount: number; shown: number }
}

/**
 * The cart, priced as things are now: a price test's price or the shop's own, less the discount of
 * a selling plan. Products that are no longer on sale are left out. Money is in minor units of the
 * shop's currency; shown.ts has what the buyer sees.
 */
export function priceCart(
  { token, lines, attributes, note }: Cart,
  findVariant: FindVariant,
  testedPrice: TestedPriceOf,
) {
  const items = lines.flatMap(({ id, quantity, plan: planId }) => {
    const found = findVariant(id)
    if (!found) return []
    const { product, variant } = found
    const plan = planId === undefined ? undefined : findSellingPlan(product.handle, planId)
    const unit = testedPrice(attributes, id) ?? variant.price
    const price = planPrice(plan, unit)
    return [
      {
        id,
        key: keyText({ id, ...(planId !== undefined && { plan: planId }) }),
        variant_id: id,
        product_id: product.id,
        handle: product.handle,
        title: variant.options.length ? `${product.title} – ${variant.title}` : product.title,
        product_title: product.title,
        variant_title: variant.options.length ? variant.title : null,
        url: `${product.url}?variant=${id}`,
        image: variant.picture,
        quantity,
        original_price: unit,
        price,
        line_price: price * quantity,
        selling_plan: plan ? { id: plan.id, name: plan.name } : null,
      },
    ]
  })
  const total = items.reduce((sum, item) => sum + item.line_price, 0)
  const charged: ((typeof items)[number] & FunctionCharge)[] = items
  return {
    token,
    note,
    attributes,
    currency: shop.currency as string,
    items: charged,
    item_count: items.reduce((sum, item) => sum + item.quantity, 0),
    total_price: total,
    shipping: items.length === 0 ? 0 : shippingFor(total),
    until_free_shipping: Math.max(0, freeShippingFrom - total),
  }
}
export type PricedCart = ReturnType<typeof priceCart>
/** Price tests leave a market alone that has a price list. */
export type PriceCart = (cart: Cart, market: Currency) => PricedCart
