import { formatLimit, type Plan } from '../domain/plan.ts'
import type { StoreInfo, StoreStatus } from '../domain/store.ts'
import { Notice } from './notice.tsx'

type PlanPageProps = { store: StoreInfo; status: StoreStatus; plans: Plan[] }

const lapsed: Record<string, string> = { Cancelled: 'was cancelled', Expired: 'has expired', Frozen: 'is frozen' }

export const NoPlan = ({ store, status }: PlanPageProps) => (
  <Notice title="No active subscription">
    The subscription of {store.name} {lapsed[status.subscriptionStatus ?? ''] ?? 'is not active'}. All visitors see the original shop until it is active again; your tests and their results are kept.
  </Notice>
)

export const SelectPlan = ({ store, plans }: PlanPageProps) => (
  <>
    <div class="page-head"><h1>Plans</h1><p class="note page-facts">{store.name} has no plan yet. These are offered; a plan is taken out in your shop’s admin.</p></div>
    <section class="card table-scroll" aria-label="Plans">
      <table class="table">
        <thead><tr><th scope="col">Plan</th><th scope="col" class="num">Visitors a month</th><th scope="col">Billed</th><th scope="col" class="num">Price</th></tr></thead>
        <tbody>{plans.filter(plan => plan.available).map(plan => (
          <tr key={plan.id}><th scope="row">{plan.title}</th><td class="num">{formatLimit(plan.limit)}</td><td>{plan.isAnnual ? 'Annually' : 'Monthly'}</td><td class="num">{plan.requireAppointment ? 'Let’s talk' : `$${plan.price}`}</td></tr>
        ))}</tbody>
      </table>
    </section>
  </>
)

export const Welcome = ({ store }: PlanPageProps) => (
  <Notice title={`Welcome, ${store.name}`}>Your plan is active. Setting up the store is not finished yet, so there is nothing to test so far.</Notice>
)
