import { type Order, taxIn } from '../../orders/order.ts'
import { shownOrder } from '../../pages/shown.ts'
import { gid } from '../api/gid.ts'
import { moneyBag } from '../api/money.ts'
import { refundedLines } from './refund-answers.ts'

/** What a line is answered with beside its own facts. */
export type LineSources = {
  product: (id: string) => object | null
  variant: (id: string) => object | null
}

/**
 * A line of an order. `originalUnitPriceSet` is one piece with the selling plan's price, before the
 * discounts of functions; `discountedTotalSet` is what the buyer pays for all.
 */
export function lineAnswer(order: Order, at: number, { product, variant }: LineSources): object {
  const line = order.lines[at]!,
    shown = shownOrder(order).lines[at]!
  const { code } = order.presentment
  const off = { own: line.discount?.amount ?? 0, paid: line.discount?.shown ?? 0 }
  const original = { own: line.amount + off.own, paid: shown.amount + off.paid }
  const refunded = refundedLines(order).lines.find(one => one.at === at)
  const left = order.cancelledAt !== null ? 0 : line.quantity - (refunded?.quantity ?? 0)
  const bag = (own: number, paid: number) => moneyBag(own, paid, code)
  const each = ({ own, paid }: { own: number; paid: number }) =>
    bag(Math.round(own / line.quantity), Math.round(paid / line.quantity))
  const tax = { own: taxIn(line.amount, order.tax_rate), paid: taxIn(shown.amount, order.tax_rate) }
  // What is left after refunds, without tax: the field that its name does not suggest.
  const rest = {
    own: left === 0 ? 0 : line.amount - (refunded?.own ?? 0),
    paid: left === 0 ? 0 : shown.amount - (refunded?.paid ?? 0),
  }
  return {
    __typename: 'LineItem',
    id: gid('LineItem', order.number * 100 + at),
    title: line.title,
    name: line.title,
    quantity: line.quantity,
    currentQuantity: left,
    refundableQuantity: left,
    sku: String(line.variant_id),
    vendor: null,
    taxable: true,
    requiresShipping: true,
    isGiftCard: false,
    customAttributes: [],
    product: () => product(gid('Product', line.product_id)),
    variant: () => variant(gid('ProductVariant', line.variant_id)),
    sellingPlan: line.selling_plan && {
      name: line.selling_plan.name,
      sellingPlanId: gid('SellingPlan', line.selling_plan.id),
    },
    originalUnitPriceSet: each(original),
    originalTotalSet: bag(original.own, original.paid),
    discountedTotalSet: bag(line.amount, shown.amount),
    discountedUnitPriceSet: each({ own: line.amount, paid: shown.amount }),
    discountedUnitPriceAfterAllDiscountsSet: each({ own: line.amount, paid: shown.amount }),
    totalDiscountSet: bag(off.own, off.paid),
    priceAfterAllDiscountsBeforeTaxesSet: bag(
      rest.own - taxIn(rest.own, order.tax_rate),
      rest.paid - taxIn(rest.paid, order.tax_rate),
    ),
    discountAllocations: line.discount
      ? [
          {
            allocatedAmountSet: bag(off.own, off.paid),
            discountApplication: {
              __typename: 'AutomaticDiscountApplication',
              title: line.discount.title,
              index: at,
              allocationMethod: 'EACH',
              targetSelection: 'EXPLICIT',
              targetType: 'LINE_ITEM',
              value: {
                __typename: 'MoneyV2',
                ...bag(off.own, off.paid).presentmentMoney,
              },
            },
          },
        ]
      : [],
    taxLines: () =>
      order.tax_rate > 0
        ? [
            {
              title: 'Tax',
              rate: order.tax_rate / 100,
              ratePercentage: order.tax_rate,
              priceSet: bag(tax.own, tax.paid),
            },
          ]
        : [],
  }
}
