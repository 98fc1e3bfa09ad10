import { setTimeout } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatDate } from '../../domain/figures.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import { askedPlan, planOutcome, planOutcomeWords } from '../../domain/plans/plan-outcome.ts'
import { toast } from '../page/toasts.ts'
import { queryOf } from '../http/query.ts'
import { apiOf, shellOf, visitBy } from '../session/visit.ts'

/**
 * In milliseconds: how long, and how often, to ask for the outcome. The shop reports an approval in
 * a webhook, which may arrive after the merchant.
 */
const timeout = 3000,
  lookEvery = 150

/**
 * The plan that the merchant has just approved or declined in the shop's admin; null when they come
 * from elsewhere.
 */
export const planAsked = (request: FastifyRequest): Plan | null => {
  const id = queryOf(request).get(askedPlan)
  return shellOf(request).plans.find(plan => plan.id === id) ?? null
}

/** Waits for the outcome, and shows it as a toast on the next page. */
export async function tellOutcome(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Plan,
): Promise<void> {
  const api = apiOf(request),
    { plans } = shellOf(request)
  for (const giveUpAt = performance.now() + timeout; ; await setTimeout(lookEvery)) {
    const [store, status] = await Promise.all([api.storeInfo({}), api.storeStatus({})])
    const outcome = planOutcome(
      asked,
      { planId: store.planId, pendingPlan: status.pendingPlan },
      plans.find(({ id }) => id === store.planId) ?? null,
    )
    const left = giveUpAt - performance.now()
    // A plan for the next billing cycle stays pending. Wait one second for the news that it was
    // declined.
    if ((outcome === 'waiting' && left > 0) || (outcome === 'later' && left > timeout - 1000))
      continue
    const { text, tone } = planOutcomeWords(
      outcome,
      asked,
      status.nextBill ? formatDate(status.nextBill, store.timeZone) : null,
    )
    toast(request, reply, text, tone)
    // The cached data of the page's frame is older than the outcome.
    return visitBy(request).forget()
  }
}
