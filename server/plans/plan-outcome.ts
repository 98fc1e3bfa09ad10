import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatDate } from '../../domain/figures.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import { askedPlan, planOutcome, planOutcomeWords } from '../../domain/plans/plan-outcome.ts'
import { toast } from '../page/toasts.ts'
import { seeOther } from '../page/page.ts'
import { pathOf, queryOf } from '../http/query.ts'
import { apiOf, shellOf, visitBy } from '../session/visit.ts'

/**
 * In milliseconds: how long, and how often, to ask for the outcome. The shop reports an approval in
 * a webhook, which may arrive after the merchant.
 */
const timeout = 3000,
  lookEvery = 150

/**
 * Tells the outcome on the page to which a merchant returns after approving or declining a plan in
 * the shop's admin. The page's address then loses the mark of the return.
 */
export function planOutcomes(app: FastifyInstance): void {
  app.addHook('preHandler', async (request, reply) => {
    const query = queryOf(request),
      id = query.get(askedPlan)
    if (request.method !== 'GET' || id === null) return
    const asked = shellOf(request).plans.find(plan => plan.id === id)
    if (asked) await tellOutcome(request, reply, asked)
    query.delete(askedPlan)
    return seeOther(request, reply, pathOf(request) + (query.size > 0 ? `?${query}` : ''))
  })
}

/** Waits for the outcome, and shows it as a toast on the next page. */
async function tellOutcome(
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
