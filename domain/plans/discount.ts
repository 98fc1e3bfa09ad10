import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'
import { formatLimit, type Plan } from './plan.ts'
import { displayPrice } from './plan-price.ts'

/** Numbers that are sent (requirements 6.9). */
export const discountTypes = { Percentage: 0, Fixed: 1 } as const

export const DiscountCheck = Type.Object({
  isValid: Type.Boolean(),
  valueType: Type.Enum([0, 1]),
  /** Percents, or whole dollars a billing period. */
  value: Type.Number(),
  /** The one plan it is for; without one it is for all. */
  planId: Type.Optional(Maybe(Type.String())),
})
export type DiscountCheck = Type.Static<typeof DiscountCheck>

/** Whatever is wrong with a code: nothing is applied, and nothing said (requirements 25.8). */
export const invalidDiscount: DiscountCheck = {
  isValid: false,
  valueType: discountTypes.Percentage,
  value: 0,
}

/** Codes are told apart without regard to case and surrounding blanks. */
export const discountKey = (code: string): string => code.trim().toUpperCase()

/** A discount with a planId is for that plan alone, any other for all (requirements 15.6). */
export const discountApplies = (discount: DiscountCheck, planId: string): boolean =>
  discount.isValid && (discount.planId == null || discount.planId === planId)

/** The price of a billing period after the discount: a percent of it less, or an amount less. May be 0 or below. */
export const discountedPrice = (
  discount: Pick<DiscountCheck, 'valueType' | 'value'>,
  price: number,
): number =>
  discount.valueType === discountTypes.Percentage
    ? price * (1 - discount.value / 100)
    : price - discount.value

/** What a card shows a month after the discount, divided by 12 for annual plans; null when none is to be shown (requirements 15.7). */
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

/** The message for a valid discount (requirements 25.17, 25.18): with its plan, or for all. Null for one that is not valid, or whose plan is not known. */
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
