import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { minorDigits } from '../../../domain/money.ts'
import { refundedTax, wholeTaxes } from '../../../domain/prices/included-tax.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { OrderLine, PlatformOrder } from '../adapter.ts'

const Amount = Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,3})?$' })
const ShopId = Type.Union([
  Type.String({ minLength: 1, maxLength: 64 }),
  Type.Integer({ minimum: 0 }),
])
/** A part of a rounded tax may have more digits than the currency. */
const taxDigits = 6
const TaxAmount = Type.String({ pattern: `^\\d{1,9}(\\.\\d{1,${taxDigits}})?$` })
const Line = Type.Object({
  product_id: ShopId,
  variant_id: ShopId,
  title: Type.String({ maxLength: 1000 }),
  quantity: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  price: Amount,
  unit_price: Type.Optional(Type.Union([Amount, Type.Null()])),
  amount: Type.Optional(Amount),
  selling_plan: Type.Optional(Type.Union([Type.Object({ name: Type.String() }), Type.Null()])),
  tax_lines: Type.Optional(Type.Array(Type.Object({ price: TaxAmount }), { maxItems: 20 })),
  presentment: Type.Optional(
    Type.Object({ unit_price: Type.Optional(Type.Union([Amount, Type.Null()])) }),
  ),
})
/** The market that the buyer paid in. An older shop does not send its rounding. */
const Presentment = Type.Object({
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  rate: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  step: Type.Optional(Type.Integer({ minimum: 1 })),
  ending: Type.Optional(Type.Integer({ minimum: 0 })),
  has_price_list: Type.Optional(Type.Boolean()),
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
  updated_at: Type.Optional(Type.String({ maxLength: 40 })),
  cancelled_at: Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Null()])),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  subtotal_price: Amount,
  refunded: Amount,
  taxes_included: Type.Optional(Type.Boolean()),
  refunded_tax: Type.Optional(Amount),
  presentment: Type.Optional(Presentment),
  test: Type.Boolean(),
  order_type: Type.Optional(Type.Enum(Object.keys(types) as (keyof typeof types)[])),
  first_order: Type.Optional(Type.Union([Type.Object({ id: ShopId }), Type.Null()])),
  express_checkout: Type.Optional(Type.Boolean()),
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
  const updatedAt = new Date(body.updated_at ?? body.created_at)
  if (Number.isNaN(updatedAt.getTime())) throw wrong('updated_at', 'is not an instant')
  const market = marketOf(body.presentment)
  // The prices of a price list say nothing about price tests.
  const isListed = body.presentment?.has_price_list === true
  const whole = (body.line_items ?? []).map((line, i) => ({
    productId: String(line.product_id),
    variantId: String(line.variant_id),
    title: line.title,
    quantity: line.quantity,
    amount:
      line.amount === undefined
        ? minorUnits(line.price, body.currency, `line_items.${i}.price`) * line.quantity
        : minorUnits(line.amount, body.currency, `line_items.${i}.amount`),
    isSubscription: line.selling_plan != null,
    ...(!isListed &&
      line.unit_price != null && {
        unitPrice: minorUnits(line.unit_price, body.currency, `line_items.${i}.unit_price`),
      }),
    ...(market &&
      line.presentment?.unit_price != null && {
        shownPrice: minorUnits(
          line.presentment.unit_price,
          market.currency,
          `line_items.${i}.presentment.unit_price`,
        ),
      }),
  }))
  const gross = {
    subtotal: minorUnits(body.subtotal_price, body.currency, 'subtotal_price'),
    refunded: minorUnits(body.refunded, body.currency, 'refunded'),
  }
  const { lines, ...sums } = body.taxes_included
    ? beforeTax(body, whole, gross)
    : { lines: whole, ...gross }
  return {
    id: String(body.id),
    name: body.name ?? `#${body.id}`,
    createdAt: createdAt.toISOString(),
    currency: body.currency,
    ...sums,
    // Nobody pays for a cancelled order, whatever was paid back.
    ...(body.cancelled_at != null && {
      refunded: sums.subtotal,
      ...('tax' in sums && { refundedTax: sums.tax }),
    }),
    ...(market && { market }),
    ...(body.updated_at !== undefined && { updatedAt: updatedAt.toISOString() }),
    test: body.test,
    type: body.order_type
      ? types[body.order_type]
      : lines.some(line => line.isSubscription)
        ? 'subscription'
        : 'oneTime',
    lines,
    ...(body.express_checkout !== undefined && { isExpress: body.express_checkout }),
    ...(body.first_order && { firstOrderId: String(body.first_order.id) }),
    // A shop may send a name twice; the last one is what the cart held last.
    attributes: Object.fromEntries(body.note_attributes.map(({ name, value }) => [name, value])),
  }
}

type Amounts = Pick<PlatformOrder, 'subtotal' | 'refunded'>

/** The order's amounts without the tax that its own tax lines say they include. */
function beforeTax(
  { currency, line_items = [], refunded_tax }: Type.Static<typeof DemoOrder>,
  whole: readonly OrderLine[],
  gross: Amounts,
): Amounts & Pick<PlatformOrder, 'lines' | 'tax' | 'refundedTax'> {
  const unit = 10 ** (taxDigits - minorDigits(currency))
  const taxes = wholeTaxes(
    line_items.map(({ tax_lines = [] }) =>
      tax_lines.reduce((sum, { price }) => sum + taxParts(price), 0),
    ),
    unit,
  )
  const lines = whole.map((line, i) => {
    if (taxes[i]! > line.amount) throw wrong(`line_items.${i}.tax_lines`, 'is more than the line')
    return { ...line, amount: line.amount - taxes[i]!, tax: taxes[i]! }
  })
  const tax = taxes.reduce((sum, each) => sum + each, 0)
  if (tax > gross.subtotal) throw wrong('subtotal_price', 'is less than its tax')
  const paidBack =
    refunded_tax === undefined
      ? refundedTax(tax, gross.refunded, gross.subtotal)
      : minorUnits(refunded_tax, currency, 'refunded_tax')
  if (paidBack > gross.refunded) throw wrong('refunded_tax', 'is more than the refund')
  return {
    lines,
    subtotal: gross.subtotal - tax,
    refunded: gross.refunded - paidBack,
    tax,
    refundedTax: paidBack,
  }
}

/** "12.34" in parts of a unit, `taxDigits` digits of them. */
function taxParts(amount: string): number {
  const [whole = '', part = ''] = amount.split('.')
  return Number(whole + part.padEnd(taxDigits, '0'))
}

/** Without a rate and a rounding we do not know how the market makes its prices. */
const marketOf = (
  said: Type.Static<typeof Presentment> | undefined,
): PlatformOrder['market'] | undefined =>
  said?.rate === undefined || said.step === undefined || said.has_price_list
    ? undefined
    : { currency: said.currency, rate: said.rate, step: said.step, ending: said.ending ?? 0 }

/** The orders that can be read, and what is wrong with the others. */
export function readableOrders(bodies: readonly unknown[]) {
  const orders: PlatformOrder[] = [],
    unreadable: string[] = []
  for (const body of bodies)
    try {
      orders.push(parseDemoOrder(body))
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      unreadable.push(error.message)
    }
  return { orders, unreadable }
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
