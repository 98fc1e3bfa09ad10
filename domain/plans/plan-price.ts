import { customPrice, type Plan } from './plan.ts'

/** What a yearly plan saves against twelve months of its monthly one. */
export const annualSavingBadge = 'Save 25%'
const appointmentAbove = 1_000_000

/** Dollars a month as shown: of an annual plan the floor of a twelfth (requirements 26.9). */
export const displayPrice = ({ isAnnual }: Pick<Plan, 'isAnnual'>, price: number): number =>
  isAnnual ? Math.floor(price / 12) : price

/** Whether it has a price before anybody has talked. */
export const isPriced = ({ limit, price }: Pick<Plan, 'limit' | 'price'>): boolean =>
  limit <= appointmentAbove && price !== customPrice

/** "$99"; "Let's talk" above a million visitors, "Custom" for a price that is agreed in person. */
export function priceText(plan: Pick<Plan, 'limit' | 'price' | 'isAnnual'>): string {
  if (plan.limit > appointmentAbove) return "Let's talk"
  if (plan.price === customPrice) return 'Custom'
  return wholeDollars(displayPrice(plan, plan.price))
}

/** The monthly price times 12 minus the annual price (requirements 26.10). Null where there is no such pair of prices. */
export function yearlySaving(
  monthly: Pick<Plan, 'price'> | undefined,
  annual: Pick<Plan, 'price'> | undefined,
): number | null {
  if (!monthly || !annual || monthly.price === customPrice || annual.price === customPrice)
    return null
  return monthly.price * 12 - annual.price
}

/** Prices of plans are whole-dollar USD. */
export const wholeDollars = (dollars: number): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 0,
  }).format(dollars)

/** Old plans whose stores are shown a new price a month, and the cheaper plan they are offered instead (requirements 19.9). */
export const priceChangeAlerts: Readonly<Record<string, { planId: string; price: number }>> = {
  'core-100k-monthly-2025': { planId: 'core-100k-monthly', price: 99 },
  'core-100k-annual-2025': { planId: 'core-100k-annual', price: 74 },
}
