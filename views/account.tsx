import type { ComponentChildren } from 'preact'
import { formatCount, formatDate } from '../domain/figures.ts'
import { formatLimit, unlimitedVisitors, type Plan } from '../domain/plan.ts'
import type { StoreInfo, StoreStatus } from '../domain/store.ts'
import { Icon } from './icons.tsx'
import { progressTone, usageOf } from '../domain/usage.ts'

/** What Twinshelf knows of the store, its plan and this month's visitors. */
export function Account({ store, status, plans }: { store: StoreInfo; status: StoreStatus; plans: Plan[] }) {
  const plan = plans.find(({ id }) => id === store.planId)
  const date = (instant: string | null | undefined) => (instant ? formatDate(instant, store.timeZone) : null)
  return (
    <>
      <div class="page-head"><h1>My account</h1>{store.isDemo && <span class="demo-label">Demo data</span>}</div>
      <div class="columns">
        <section class="card" aria-labelledby="store">
          <div class="card-head"><h2 id="store">Store</h2></div>
          <Facts facts={[['Name', store.name], ['Shop', store.shop], ['Domain', store.domain], ['Email', store.email], ['Currency', store.currency], ['Time zone', store.timeZone], ['With Twinshelf since', date(store.createdAt)]]} />
        </section>
        <section class="card" aria-labelledby="plan">
          <div class="card-head"><h2 id="plan">Plan</h2></div>
          <Facts facts={[
            ['Plan', plan ? `${plan.title} ${formatLimit(plan.limit)}, ${plan.isAnnual ? 'annually' : 'monthly'}` : 'None'], ['Subscription', status.subscriptionStatus],
            ['Trial ends', date(status.trialEnd)], ['Next bill', date(status.nextBill)], ['Usage resets', date(status.usageReset)], ['Subscription ends', date(status.currentSubscriptionEnd)],
          ]} />
          {status.sessionLimit > 0 && <Usage status={status} />}
        </section>
      </div>
    </>
  )
}

/** What is known; what is not is left out. */
const Facts = ({ facts }: { facts: [name: string, value: ComponentChildren][] }) => (
  <dl class="card-body facts">{facts.filter(([, value]) => value).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
)

function Usage({ status }: { status: StoreStatus }) {
  const { percent, filled, colour, isWarned } = usageOf(status)
  const tone = progressTone(colour)
  const limit = status.sessionLimit === unlimitedVisitors ? formatLimit(status.sessionLimit) : formatCount(status.sessionLimit)
  return (
    <div class="card-body work">
      <div class="row"><span class="status" data-tone={tone}>{isWarned && <Icon name="warning" />}Visitors this month</span><span class="figures">{formatCount(status.sessions)} of {limit}</span></div>
      <progress value={filled} max={100} data-tone={tone} aria-label={`${percent}% of this month's visitors used`}>{percent}%</progress>
      <span class="note">Counts every visitor of the shop, tested or not.</span>
    </div>
  )
}
