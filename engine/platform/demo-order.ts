import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { minorDigits } from '../../domain/money.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { PlatformOrder } from './adapter.ts'

const Amount = Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,3})?$' })
const ShopId = Type.Union([
  Type.String({ minLength: 1, maxLength: 64 }),
  Type.Integer({ minimum: 0 }),
])
const Line = Type.Object({
  product_id: ShopId,
  variant_id: ShopId,
  title: Type.String({ maxLength: 1000 }),
  quantity: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  price: Amount,
  unit_price: Type.Optional(Type.Union([Amount, Type.Null()])),
  amount: Type.Optional(Amount),
  selling_plan: Type.Optional(Type.Union([Type.Object({ name: Type.String() }), Type.Null()])),
})
const types = { one_time: 'oneTime', subscription: 'subscription', renewal: 'renewal' } as const
/**
 * An order as the demo shop's webhook and admin API send it. We ignore fields that a newer platform
 * adds, and allow that an older shop does not send some fields yet.
 */
const DemoOrder = Type.Object({
  id: ShopId,
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  created_at: Type.String({ maxLength: 40 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  subtotal_price: Amount,
  refunded: Amount,
  test: Type.Boolean(),
  order_type: Type.Optional(Type.Enum(Object.keys(types) as (keyof typeof types)[])),
  first_order: Type.Optional(Type.Union([Type.Object({ id: ShopId }), Type.Null()])),
  line_items: Type.Optional(Type.Array(Line, { maxItems: 1_000 })),
  note_attributes: Type.Array(
    Type.Object({ name: Type.String({ maxLength: 255 }), value: Type.String({ maxLength: 4096 }) }),
    { maxItems: 100 },
  ),
})
const check = Compile(DemoOrder)

/** Throws HttpProblem 400 that names the first field that is wrong. */
export function parseDemoOrder(body: unknown): PlatformOrder {
  if (!check.Check(body))
    throw wrong(
      check.Errors(body)[0]?.instancePath.slice(1).replaceAll('/', '.') ?? '',
      'is not valid',
    )
  const createdAt = new Date(body.created_at)
  if (Number.isNaN(createdAt.getTime())) throw wrong('created_at', 'is not an instant')
  const lines = (body.line_items ?? []).map((line, i) => ({
    productId: String(line.product_id),
    variantId: String(line.variant_id),
    title: line.title,
    quantity: line.quantity,
    amount:
      line.amount === undefined
        ? minorUnits(line.price, body.currency, `line_items.${i}.price`) * line.quantity
        : minorUnits(line.amount, body.currency, `line_items.${i}.amount`),
    isSubscription: line.selling_plan != null,
    ...(line.unit_price != null && {
      unitPrice: minorUnits(line.unit_price, body.currency, `line_items.${i}.unit_price`),
    }),
  }))
  return {
    id: String(body.id),
    name: body.name ?? `#${body.id}`,
    createdAt: createdAt.toISOString(),
    currency: body.currency,
    subtotal: minorUnits(body.subtotal_price, body.currency, 'subtotal_price'),
    refunded: minorUnits(body.refunded, body.currency, 'refunded'),
    test: body.test,
    type: body.order_type
      ? types[body.order_type]
      : lines.some(line => line.isSubscription)
        ? 'subscription'
        : 'oneTime',
    lines,
    ...(body.first_order && { firstOrderId: String(body.first_order.id) }),
    // A shop may send a name twice; the last one is what the cart held last.
    attributes: Object.fromEntries(body.note_attributes.map(({ name, value }) => [name, value])),
  }
}

/** "12.34" → 1234, digit by digit: a float would lose cents. */
function minorUnits(amount: string, currency: string, field: string): number {
  const digits = minorDigits(currency)
  const [whole = '', part = ''] = amount.split('.')
  if (/[1-9]/.test(part.slice(digits))) throw wrong(field, `has more digits than ${currency} has`)
  return Number(whole + part.slice(0, digits).padEnd(digits, '0'))
}

const wrong = (field: string, message: string) =>
  new HttpProblem(400, `The order's ${field || 'body'} ${message}.`, [{ field, message }])
