/** A way to sell something again and again: how often it is sent, and what is taken off each time. */
export type SellingPlan = { id: number; name: string; everyDays: number; percentOff: number }

const monthly: SellingPlan = {
  id: 7001,
  name: 'Deliver monthly, 10% off',
  everyDays: 30,
  percentOff: 10,
}
/** What is used up, or may as well be fresh. By handle. */
const plansByProduct: Record<string, SellingPlan[]> = {
  'kiln-candle': [monthly],
  'tea-towel-pair': [monthly],
}

export const sellingPlan = (id: number): SellingPlan | undefined =>
  [monthly].find(plan => plan.id === id)

export const sellingPlansOf = (handle: string): SellingPlan[] => plansByProduct[handle] ?? []

/** The plan of this id, if the product is sold by it. */
export const findSellingPlan = (handle: string, id: number): SellingPlan | undefined =>
  sellingPlansOf(handle).find(plan => plan.id === id)

/** What one piece costs by the plan. Whole minor units, so that a line's price is its pieces'. */
export const planPrice = (plan: SellingPlan | undefined, price: number): number =>
  plan ? Math.round((price * (100 - plan.percentOff)) / 100) : price
