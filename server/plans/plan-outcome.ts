import { setTimeout } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatDate } from '../../domain/figures.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import { askedPlan, planOutcome, planOutcomeWords } from '../../domain/plans/plan-outcome.ts'
import { toast } from '../page/toasts.ts'
import { queryOf } from '../http/query.ts'
import { apiOf, shellOf, visitBy } from '../session/visit.ts'

/** The shop tells about an approval by a message of its own, which may arrive after the merchant does. Milliseconds. */
const timeout = 3000,
  lookEvery = 150

/** The plan that the merchant comes back from approving, or declining, in the shop's admin; null for anybody else. */
export const planAsked = (request: FastifyRequest): Plan | null => {
  const id = queryOf(request).get(askedPlan)
  return shellOf(request).plans.find(plan => plan.id === id) ?? null
}

/** Says on the next page what came of it. */
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
    // A plan for the next cycle stays pending; whether it was declined may take a moment to be known.
    if ((outcome === 'waiting' && left > 0) || (outcome === 'later' && left > timeout - 1000))
      continue
    const { text, tone } = planOutcomeWords(
      outcome,
      asked,
      status.nextBill ? formatDate(status.nextBill, store.timeZone) : null,
    )
    toast(request, reply, text, tone)
    // What the page's frame was drawn from is from before the answer.
    return visitBy(request).forget()
  }
}
