import * as Type from 'typebox'
import { discountCodeLimit } from '../calls/plans.ts'
import { closed, Instant, Maybe } from '../api/call.ts'
import { discountedPrice, discountKey, discountTypes } from '../plans/discount.ts'
import { customPrice, type Plan } from '../plans/plan.ts'
import type { FieldProblem } from '../problem.ts'
import { StoreName } from './staff-list.ts'
import { subscriptionStatuses } from '../stores/store.ts'
import { day as dayLength } from '../time-units.ts'

const Kind = { code: Type.String(), valueType: Type.Enum([0, 1]), value: Type.Integer() }
export const DiscountCode = Type.Object({
  ...Kind,
  /** `planId`, `plan`: the only plan that the code is for, and its name; null for all plans. */
  planId: Maybe(Type.String()),
  plan: Maybe(Type.String()),
  expiresAt: Maybe(Instant),
  hasEnded: Type.Boolean(),
  /**
   * `stores`: number of stores that have used the code. `maxStores`: how many may; null for no
   * limit.
   */
  stores: Type.Integer(),
  maxStores: Maybe(Type.Integer()),
  createdAt: Instant,
})
export type DiscountCode = Type.Static<typeof DiscountCode>
export const discountSorts = ['code', 'value', 'expiresAt', 'stores', 'createdAt'] as const
export const discountStates = ['open', 'ended'] as const

/** One subscription that a code was used for. */
export const AppliedDiscount = Type.Object({
  ...Kind,
  store: StoreName,
  plan: Type.String(),
  status: Type.Enum([...subscriptionStatuses]),
  at: Instant,
  currentPeriodEndsAt: Maybe(Instant),
})
export type AppliedDiscount = Type.Static<typeof AppliedDiscount>
export const appliedSorts = ['code', 'store', 'at'] as const

/** `discountProblems` checks the values, with a message for each field. */
export const DiscountInput = Type.Object(
  {
    code: Type.String({ maxLength: 200 }),
    valueType: Type.Enum([0, 1]),
    value: Type.Number(),
    planId: Maybe(Type.String({ maxLength: discountCodeLimit })),
    expiresAt: Maybe(Type.String({ maxLength: 40 })),
    maxStores: Maybe(Type.Number()),
  },
  closed,
)
export type DiscountInput = Type.Static<typeof DiscountInput>

const most = 1_000_000
/** The form of a stored code. It needs no encoding in addresses. */
const codeForm = /^[A-Z0-9](?:[A-Z0-9_-]{1,30})[A-Z0-9]$/

/**
 * What is wrong with a new code. `plans`: all existing plans. A discount that makes every price it
 * applies to zero or less would never be shown (requirements 15.7), so it is refused.
 */
export function discountProblems(
  { code, valueType, value, planId, expiresAt, maxStores }: DiscountInput,
  plans: readonly Plan[],
  now: Date,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const add = (field: keyof DiscountInput, message: string) => problems.push({ field, message })
  if (discountKey(code) === '') add('code', 'Enter a code.')
  else if (!codeForm.test(discountKey(code)))
    add(
      'code',
      'Use 3 to 32 letters, digits, hyphens or underscores, beginning and ending with a letter or digit.',
    )

  const plan = planId === null ? undefined : plans.find(({ id }) => id === planId)
  if (planId !== null && !plan) add('planId', 'There is no such plan.')
  const prices = (plan ? [plan] : plans.filter(({ available }) => available))
    .map(({ price }) => price)
    .filter(price => price !== customPrice)
  const isPercentage = valueType === discountTypes.Percentage
  if (!Number.isInteger(value) || value < 1)
    add(
      'value',
      isPercentage ? 'Enter whole percents, from 1 to 99.' : 'Enter whole dollars, at least 1.',
    )
  else if (isPercentage && value > 99) add('value', 'Enter whole percents, from 1 to 99.')
  else if (value > most) add('value', 'Enter at most 1,000,000 dollars.')
  else if (plan && prices.length === 0)
    add('planId', 'The price of this plan is agreed in person; no code applies to it.')
  else if (prices.every(price => discountedPrice({ valueType, value }, price) <= 0))
    add(
      'value',
      plan
        ? `Enter less than the plan’s price, ${plan.price} dollars.`
        : 'Enter less than the price of the most expensive plan.',
    )

  const expiry = expiresAt === null ? null : new Date(expiresAt)
  if (expiresAt !== null && !isInstant(expiresAt)) add('expiresAt', 'There is no such day.')
  else if (expiry && expiry <= now) add('expiresAt', 'Choose today or a later day.')
  else if (expiry && expiry.getTime() > now.getTime() + tenYears)
    add('expiresAt', 'Choose a day within ten years, or leave it out.')
  if (maxStores !== null && (!Number.isInteger(maxStores) || maxStores < 1 || maxStores > most))
    add('maxStores', 'Enter a whole number from 1 to 1,000,000, or leave it out.')
  return problems
}
const tenYears = 3653 * dayLength
/**
 * Whether a text is an instant on a day that exists. `Date` alone would read 30 February as 2
 * March.
 */
const isInstant = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))

/** The last moment of a day YYYY-MM-DD, in UTC. Other text is returned unchanged. */
export const endOfDay = (day: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999Z` : day

/** "20%" or "$50". */
export const discountValue = ({
  valueType,
  value,
}: Pick<DiscountCode, 'valueType' | 'value'>): string =>
  valueType === discountTypes.Percentage ? `${value}%` : `$${value}`
