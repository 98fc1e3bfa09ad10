import { formatLimit, isDowngrade, type Plan } from './plan.ts'

/**
 * The outcome after the merchant was asked to approve a plan in the shop's admin: changed at once,
 * later, not confirmed yet, not approved.
 */
export type PlanOutcome = 'changed' | 'later' | 'waiting' | 'kept'

/** The query parameter with the id of the plan to approve. The shop's admin sends it back to us. */
export const askedPlan = 'asked'

type StoreNow = { planId: string | null; pendingPlan: string | null }
/**
 * Decides the outcome. `asked`: the plan to approve. `current`: the store's present plan. After its
 * approval, a downgrade stays pending until the next billing cycle; any other plan stays pending
 * only until the shop has confirmed it.
 */
export function planOutcome(
  asked: Plan,
  { planId, pendingPlan }: StoreNow,
  current: Plan | null,
): PlanOutcome {
  if (pendingPlan === asked.id)
    return current && current.id !== asked.id && isDowngrade(current, asked) ? 'later' : 'waiting'
  return planId === asked.id ? 'changed' : 'kept'
}

/** `nextBill`: the day of the next bill, in words; null when it is not known. */
export function planOutcomeWords(
  outcome: PlanOutcome,
  plan: Plan,
  nextBill: string | null,
): { text: string; tone: 'good' | 'bad' } {
  const name = `${plan.title} ${formatLimit(plan.limit)}, billed ${plan.isAnnual ? 'annually' : 'monthly'}`
  switch (outcome) {
    case 'changed':
      return {
        tone: 'good',
        text: `Your plan is now ${name}.${nextBill ? ` Next bill: ${nextBill}.` : ''}`,
      }
    case 'later':
      return {
        tone: 'good',
        text: `Your plan changes to ${name}${nextBill ? ` on ${nextBill}` : ' at the next billing cycle'}. Until then you keep your current plan.`,
      }
    case 'waiting':
      return {
        tone: 'good',
        text: `We are waiting for your shop to confirm ${name}. This page shows it as soon as it does.`,
      }
    case 'kept':
      return {
        tone: 'bad',
        text: `Your plan did not change: ${name} was not approved in your shop’s admin.`,
      }
  }
}
