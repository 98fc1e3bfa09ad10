import { discountAmount, type DiscountCheck } from './discount.ts'
import { formatLimit, type Plan, unlimitedVisitors } from './plan.ts'
import type { PlanOffer } from './plan-offer.ts'
import { isPriced, wholeDollars } from './plan-price.ts'

/** "Core 100k" */
export const planName = (plan: Pick<Plan, 'title' | 'limit'>): string =>
  `${plan.title} ${formatLimit(plan.limit)}`

/** "Core 100k (Annually)" */
export const planTitle = (plan: Pick<Plan, 'title' | 'limit' | 'isAnnual'>): string =>
  `${planName(plan)} (${plan.isAnnual ? 'Annually' : 'Monthly'})`

const whole = new Intl.NumberFormat('en-US')
/** What a screen reader says for a step of the slider: "100,000 visitors a month". */
export const stepWords = (step: number): string =>
  step === unlimitedVisitors
    ? 'More than 1,000,000 visitors a month'
    : `${whole.format(step)} visitors a month`

/** The line under a card's price: how the plan is billed, and what annual billing saves. */
export function billedText(
  { plan, saving, discounted, annually }: Omit<PlanOffer, 'other'>,
  discount: DiscountCheck,
): string {
  if (!isPriced(plan)) return 'A price that is agreed with you'
  if (!plan.isAnnual)
    return saving && annually !== null
      ? `${wholeDollars(annually)} a month when billed annually`
      : 'Billed every 30 days'
  if (discounted !== null)
    return `Save ${saving ? `${wholeDollars(saving)} a year, and ` : ''}${discountAmount(discount)} with your code`
  return `${wholeDollars(plan.price)} billed annually${saving ? `. Save ${wholeDollars(saving)} a year` : ''}`
}
