import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { isDowngrade } from '../../domain/plans/plan.ts'
import { priceChangeAlerts } from '../../domain/plans/plan-price.ts'
import { trialDaysLeft } from '../../domain/stores/store-status.ts'
import { Billing } from '../../views/plans/billing.tsx'
import { page } from '../page/page.ts'
import { type PlanActsOptions, planPage } from './plan-acts.ts'
import { chooserOf } from './plan-chooser.ts'
import { shellOf } from '../session/visit.ts'

/** The page that shows what the store pays for and changes it. */
export function billing(
  app: FastifyInstance,
  { clock, ...options }: PlanActsOptions & { clock: () => Date },
): void {
  planPage(
    app,
    {
      path: paths.settings('billing'),
      route: 'settings-billing',
      draw: async (request, reply, beside) => {
        const { store, status, plans } = shellOf(request)
        const planBy = (id: string | null | undefined) => plans.find(plan => plan.id === id) ?? null
        const plan = planBy(store.planId),
          pending = planBy(status.pendingPlan)
        const alert = plan && priceChangeAlerts[plan.id],
          // The banner's button subscribes to it, so it must be a plan that is offered.
          cheaper = plans.find(({ id, available }) => available && id === alert?.planId)
        return page(
          request,
          reply,
          { route: 'settings-billing', scheduler: beside.lead?.booking },
          h(Billing, {
            store,
            status,
            plan,
            pending: pending && {
              plan: pending,
              isLater: plan !== null && isDowngrade(plan, pending),
            },
            now: clock(),
            trialDaysLeft: trialDaysLeft(status, clock()),
            priceChange: alert && cheaper ? { price: alert.price, plan: cheaper } : null,
            chooser: await chooserOf(request, paths.settings('billing'), clock(), beside),
          }),
        )
      },
    },
    options,
  )
}
