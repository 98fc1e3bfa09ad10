/** A way to sell a product as a subscription: how often it is sent, and the discount each time. */
export type SellingPlan = { id: number; name: string; everyDays: number; percentOff: number }

const monthly: SellingPlan = {
  id: 7001,
  name: 'Deliver monthly, 10% off',
  everyDays: 30,
  percentOff: 10,
}
/** Plans of the products that are used up, or that are better fresh. By handle. */
const plansByProduct: Record<string, SellingPlan[]> = {
  'kiln-candle': [monthly],
  'tea-towel-pair': [monthly],
}

export const sellingPlan = (id: number): SellingPlan | undefined =>
  [monthly].find(plan => plan.id === id)

export const sellingPlansOf = (handle: string): SellingPlan[] => plansByProduct[handle] ?? []

/** The plan with this id, if the product is sold with it. */
export const findSellingPlan = (handle: string, id: number): SellingPlan | undefined =>
  sellingPlansOf(handle).find(plan => plan.id === id)

/**
 * What one piece costs with the plan. Whole minor units, so that a line's price is the sum of its
 * pieces.
 */
export const planPrice = (plan: SellingPlan | undefined, price: number): number =>
  plan ? Math.round((price * (100 - plan.percentOff)) / 100) : price
