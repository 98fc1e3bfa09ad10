import type { FastifyInstance, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { formatDate } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { trialDaysFor } from '../../domain/stores/store-subscription.ts'
import type { PlanHelp } from '../../views/plans/plan-lead.tsx'
import { AllPlans, type Lapse, NoPlan, SelectPlan } from '../../views/plans/plan-pages.tsx'
import { page } from '../page/page.ts'
import { storeAddressesOf } from '../page/shop-addresses.ts'
import { type PlanActsOptions, planPage } from './plan-acts.ts'
import { allPlansOf, chooserOf } from './plan-chooser.ts'
import { withQuery } from '../http/query.ts'
import { apiOf, shellOf, storeOf } from '../session/visit.ts'

type PlansPagesOptions = PlanActsOptions & { clock: () => Date }

const lapses: Record<string, Lapse['how']> = {
  Cancelled: 'cancelled',
  Expired: 'expired',
  Frozen: 'frozen',
}

/** The pages to which the gate sends a store without a usable plan, and where it can choose one. */
export function plansPages(app: FastifyInstance, { clock, ...options }: PlansPagesOptions): void {
  const { supportEmail } = options
  const helpFor = (request: FastifyRequest): PlanHelp | null =>
    supportEmail === null ? null : { email: supportEmail, shop: storeOf(request).shop }
  planPage(
    app,
    {
      path: paths.overlay('selectplan'),
      route: 'select-plan',
      draw: async (request, reply, beside) => {
        const { store, status, plans } = shellOf(request)
        const chooser = await chooserOf(request, paths.overlay('selectplan'), clock(), beside)
        return page(
          request,
          reply,
          { route: 'select-plan', scheduler: beside.lead?.booking },
          h(SelectPlan, {
            chooser,
            trialDays: trialDaysFor(
              status.trialEnd ? new Date(status.trialEnd) : null,
              store.hasSubscribed,
              clock(),
            ),
            pending: plans.find(({ id }) => id === status.pendingPlan) ?? null,
            address: withQuery(paths.overlay('selectplan'), chooser.chooser.carried),
            isDeclined: status.subscriptionStatus === 'Declined',
            help: helpFor(request),
          }),
        )
      },
    },
    options,
  )

  planPage(
    app,
    {
      path: paths.overlay('select-secret-all-plans'),
      route: 'all-plans',
      draw: async (request, reply, beside) =>
        page(
          request,
          reply,
          { route: 'all-plans', scheduler: beside.lead?.booking },
          h(
            AllPlans,
            await allPlansOf(request, paths.overlay('select-secret-all-plans'), clock(), beside),
          ),
        ),
    },
    options,
  )

  planPage(
    app,
    {
      path: paths.overlay('noplan'),
      route: 'no-plan',
      draw: async (request, reply, beside) => {
        const { store, status, plans } = shellOf(request)
        const how = lapses[status.subscriptionStatus ?? ''] ?? 'cancelled'
        const since =
          how !== 'frozen' && status.currentSubscriptionEnd
            ? formatDate(status.currentSubscriptionEnd, store.timeZone)
            : null
        const chooser =
          how === 'frozen'
            ? null
            : await chooserOf(request, paths.overlay('noplan'), clock(), beside)
        return page(
          request,
          reply,
          { route: 'no-plan', scheduler: beside.lead?.booking },
          h(NoPlan, {
            suspended: (await apiOf(request).tests({ query: { status: 'Suspended', perPage: 1 } }))
              .counts.Suspended,
            storeName: store.name,
            lapse: { how, since },
            plan: plans.find(({ id }) => id === store.planId) ?? null,
            admin: storeAddressesOf(request).admin,
            chooser,
            help: helpFor(request),
          }),
        )
      },
    },
    options,
  )
}
