import { numberFormat } from '../intl/formats.ts'
import { customPrice, type Plan } from './plan.ts'

/** What an annual plan saves compared with twelve months of the monthly plan. */
export const annualSavingBadge = 'Save 25%'
const appointmentAbove = 1_000_000

/**
 * The price that is shown, in dollars a month. An annual price is divided by 12 and rounded down
 * (requirements 26.9).
 */
export const displayPrice = ({ isAnnual }: Pick<Plan, 'isAnnual'>, price: number): number =>
  isAnnual ? Math.floor(price / 12) : price

/** Whether the plan has a fixed price, so that no price must be agreed in person. */
export const isPriced = ({ limit, price }: Pick<Plan, 'limit' | 'price'>): boolean =>
  limit <= appointmentAbove && price !== customPrice

/** "$99"; "Let's talk" above a million visitors, "Custom" for a price that is agreed in person. */
export function priceText(plan: Pick<Plan, 'limit' | 'price' | 'isAnnual'>): string {
  if (plan.limit > appointmentAbove) return "Let's talk"
  if (plan.price === customPrice) return 'Custom'
  return wholeDollars(displayPrice(plan, plan.price))
}

/**
 * The monthly price times 12 minus the annual price (requirements 26.10). Null when one of the two
 * is missing or agreed in person.
 */
export function yearlySaving(
  monthly: Pick<Plan, 'price'> | undefined,
  annual: Pick<Plan, 'price'> | undefined,
): number | null {
  if (!monthly || !annual || monthly.price === customPrice || annual.price === customPrice)
    return null
  return monthly.price * 12 - annual.price
}

/** "$99". Prices of plans are whole US dollars. */
export const wholeDollars = (dollars: number): string =>
  numberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 0,
  }).format(dollars)

/**
 * For each old plan with a price change: the new monthly price that its stores see, and the cheaper
 * plan that they are offered (requirements 19.9).
 */
export const priceChangeAlerts: Readonly<Record<string, { planId: string; price: number }>> = {
  'core-100k-monthly-2025': { planId: 'core-100k-monthly', price: 99 },
  'core-100k-annual-2025': { planId: 'core-100k-annual', price: 74 },
}
