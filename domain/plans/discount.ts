import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'
import { formatLimit, type Plan } from './plan.ts'
import { displayPrice } from './plan-price.ts'

/** The numbers of the types on the wire (requirements 6.9). */
export const discountTypes = { Percentage: 0, Fixed: 1 } as const

export const DiscountCheck = Type.Object({
  isValid: Type.Boolean(),
  valueType: Type.Enum([0, 1]),
  /** Percent, or whole dollars per billing period. */
  value: Type.Number(),
  /** The only plan that the discount is for; without it, all plans. */
  planId: Type.Optional(Maybe(Type.String())),
})
export type DiscountCheck = Type.Static<typeof DiscountCheck>

/** The answer to any code that is not valid: no discount and no message (requirements 25.8). */
export const invalidDiscount: DiscountCheck = {
  isValid: false,
  valueType: discountTypes.Percentage,
  value: 0,
}

/** The form in which codes are compared: case and surrounding spaces do not matter. */
export const discountKey = (code: string): string => code.trim().toUpperCase()

/**
 * Whether a discount is for this plan. One with a planId is only for that plan, any other for all
 * plans (requirements 15.6).
 */
export const discountApplies = (discount: DiscountCheck, planId: string): boolean =>
  discount.isValid && (discount.planId == null || discount.planId === planId)

/**
 * The price of a billing period after the discount, a percentage or an amount. Can be 0 or
 * negative.
 */
export const discountedPrice = (
  discount: Pick<DiscountCheck, 'valueType' | 'value'>,
  price: number,
): number =>
  discount.valueType === discountTypes.Percentage
    ? price * (1 - discount.value / 100)
    : price - discount.value

/**
 * The monthly price after the discount, for a plan's card; an annual price is divided by 12. Null
 * when the card shows no discount (requirements 15.7).
 */
export function discountedDisplayPrice(
  discount: DiscountCheck,
  plan: Pick<Plan, 'id' | 'price' | 'isAnnual'>,
  isCardDisabled: boolean,
): number | null {
  const price = discountedPrice(discount, plan.price)
  return price > 0 && discountApplies(discount, plan.id) && !isCardDisabled
    ? displayPrice(plan, price)
    : null
}

/** "20%" or "$20". */
export const discountAmount = ({ valueType, value }: DiscountCheck): string =>
  valueType === discountTypes.Percentage ? `${value}%` : `$${value}`

/**
 * The message for a valid discount (requirements 25.17, 25.18), for one plan or for all. Null when
 * it is not valid or its plan is unknown.
 */
export function discountMessage(
  discount: DiscountCheck,
  plans: readonly Pick<Plan, 'id' | 'title' | 'limit' | 'isAnnual'>[],
): string | null {
  if (!discount.isValid) return null
  if (discount.planId == null)
    return `Discount for ${discountAmount(discount)} off all plans applied`
  const plan = plans.find(({ id }) => id === discount.planId)
  return plan
    ? `Discount for ${discountAmount(discount)} off ${plan.title} ${formatLimit(plan.limit)} (${plan.isAnnual ? 'Annually' : 'Monthly'}) applied`
    : null
}
