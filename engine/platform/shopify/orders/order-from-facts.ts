import { minorDigits } from '../../../../domain/money.ts'
import { refundedTax, wholeTaxes } from '../../../../domain/prices/included-tax.ts'
import { HttpProblem } from '../../../../domain/problem.ts'
import type { OrderLine, PlatformOrder } from '../../adapter.ts'
import type {
  LineFactsFragment,
  OneOrderQuery,
  RefundLineFactsFragment,
} from '../documents/orders.ts'
import { idOf } from '../client/shopify-ids.ts'
import { priceDiscountTitle } from '../prices/price-discount.ts'

/** An order as the API answers it, with all its lines. */
export type OrderFacts = Omit<NonNullable<OneOrderQuery['order']>, 'lineItems' | 'refunds'> & {
  lines: LineFactsFragment[]
  refundLines: RefundLineFactsFragment[]
  /** Sums that were refunded without a line. */
  refundedWithoutLine: { taxAmountSet: Bag }[]
}

/** A part of a rounded tax may have more digits than the currency. */
const taxDigits = 6
/**
 * What Shopify calls the source of an order that a subscription makes by itself:
 * "subscription_contract", and since October 2025 "subscription_contract_checkout_one". With which
 * order the subscription began is in the contract, which only the app that made it may read. The
 * contract's attributes are copied to its orders, so a renewal may name the visitor of the first.
 */
const renewalSource = /^subscription_contract/

type Bag = { shopMoney: { amount: string } }

/** Throws HttpProblem 400 that says what of the order cannot be read. */
export function orderFrom(facts: OrderFacts): PlatformOrder {
  const { currencyCode: currency, taxesIncluded } = facts
  const units = (bag: Bag, what: string) => minorUnits(bag.shopMoney.amount, currency, what)
  const gross = facts.lines.map((line, i) => {
    const what = `line ${i + 1}`
    const discounts = line.discountAllocations.reduce(
      (sum, { allocatedAmountSet }) => sum + units(allocatedAmountSet, `${what}, discount`),
      0,
    )
    return units(line.originalTotalSet, `${what}, total`) - discounts
  })
  // Shopify's own tax lines say what a price with tax includes; in other shops tax comes on top.
  const taxes = taxesIncluded
    ? wholeTaxes(
        facts.lines.map(({ taxLines }) =>
          taxLines.reduce((sum, { priceSet }) => sum + taxParts(priceSet.shopMoney.amount), 0),
        ),
        10 ** (taxDigits - minorDigits(currency)),
      )
    : null
  const isForeign = facts.presentmentCurrencyCode !== currency
  const lines = facts.lines.map((line, i): OrderLine => {
    const tax = taxes?.[i]
    const unitPrice = unitPriceOf(line, currency, isForeign)
    return {
      // A product or product variant that was deleted has no id any more.
      productId: line.product ? idOf(line.product.id) : '0',
      variantId: line.variant ? idOf(line.variant.id) : '0',
      title: line.title,
      quantity: line.quantity,
      amount: gross[i]! - (tax ?? 0),
      ...(tax !== undefined && { tax }),
      isSubscription: line.sellingPlan !== null,
      ...(unitPrice !== null && { unitPrice }),
    }
  })
  const subtotal = sumOf(lines.map(({ amount }) => amount)),
    tax = taxes ? sumOf(taxes) : null
  const refunds =
    facts.cancelledAt === null
      ? refundsOf(facts, { subtotal, tax })
      : { refunded: subtotal, refundedTax: tax ?? 0 }
  return {
    id: idOf(facts.id),
    name: facts.name,
    createdAt: instant(facts.createdAt, 'createdAt'),
    updatedAt: instant(facts.updatedAt, 'updatedAt'),
    currency,
    subtotal,
    refunded: refunds.refunded,
    ...(tax !== null && { tax, refundedTax: refunds.refundedTax }),
    test: facts.test,
    type: renewalSource.test(facts.sourceName ?? '')
      ? 'renewal'
      : lines.some(({ isSubscription }) => isSubscription)
        ? 'subscription'
        : 'oneTime',
    lines,
    attributes: Object.fromEntries(
      facts.customAttributes.map(({ key, value }) => [key, value ?? '']),
    ),
  }
}

/**
 * What was paid back for goods: the refunded lines, and sums that were refunded without a line. If
 * Shopify says no tax of these, they have as much of it as the whole order. What was paid back for
 * shipping is not in it.
 */
function refundsOf(
  facts: OrderFacts,
  order: { subtotal: number; tax: number | null },
): { refunded: number; refundedTax: number } {
  const { currencyCode: currency } = facts
  const units = (bag: Bag, what: string) => minorUnits(bag.shopMoney.amount, currency, what)
  const lines = sumOf(facts.refundLines.map(one => units(one.subtotalSet, 'refund'))),
    lineTax = sumOf(facts.refundLines.map(one => units(one.totalTaxSet, 'refunded tax')))
  const goods =
    units(facts.totalRefundedSet, 'refunds') -
    units(facts.totalRefundedShippingSet, 'refunded shipping')
  if (order.tax === null) {
    // Tax on top of the price was paid back too, and is no revenue.
    const rest = Math.max(0, goods - lines - lineTax)
    return { refunded: Math.min(order.subtotal, lines + rest), refundedTax: 0 }
  }
  const rest = Math.max(0, goods - lines)
  // Their amounts are negative, because they lower what the order is worth.
  const said = sumOf(
    facts.refundedWithoutLine.map(({ taxAmountSet: { shopMoney } }) =>
      minorUnits(shopMoney.amount.replace('-', ''), currency, 'refunded tax'),
    ),
  )
  const tax = lineTax + (said || refundedTax(order.tax, rest, order.subtotal + order.tax))
  const paidBack = Math.min(order.subtotal + order.tax, lines + rest)
  const refunded = Math.min(order.subtotal, Math.max(0, paidBack - tax))
  return { refunded, refundedTax: Math.min(order.tax, paidBack - refunded) }
}

/**
 * The price of one piece before discounts of the merchant, by which a price test is checked. A
 * discount of ours is the price itself, so it is subtracted. Null where Shopify does not tell the
 * price that the page showed: of a subscription, and in another currency than the shop's, whose
 * rounding it does not tell.
 */
function unitPriceOf(line: LineFactsFragment, currency: string, isForeign: boolean): number | null {
  if (isForeign || line.sellingPlan !== null || line.quantity === 0) return null
  const own = sumOf(
    line.discountAllocations
      .filter(
        ({ discountApplication: by }) =>
          by.__typename === 'AutomaticDiscountApplication' && by.title === priceDiscountTitle,
      )
      .map(({ allocatedAmountSet }) => minorUnits(allocatedAmountSet.shopMoney.amount, currency, 'discount')), // prettier-ignore
  )
  const price = minorUnits(line.originalUnitPriceSet.shopMoney.amount, currency, 'unit price')
  return price - Math.round(own / line.quantity)
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, one) => sum + one, 0)

/** "12.34" in parts of a unit, `taxDigits` digits of them. */
function taxParts(amount: string): number {
  const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(amount) ?? []
  if (whole === undefined) throw unreadable('tax')
  return Number(whole + part.padEnd(taxDigits, '0'))
}

/** "12.34" → 1234, digit by digit: a float would lose cents. */
function minorUnits(amount: string, currency: string, what: string): number {
  const digits = minorDigits(currency)
  const [, whole, part = ''] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(amount) ?? []
  if (whole === undefined || /[1-9]/.test(part.slice(digits))) throw unreadable(what)
  return Number(whole + part.slice(0, digits).padEnd(digits, '0'))
}

function instant(text: string, what: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw unreadable(what)
  return at.toISOString()
}

const unreadable = (what: string) =>
  new HttpProblem(400, `The order’s ${what} cannot be read.`, [
    { field: what, message: 'cannot be read' },
  ])
