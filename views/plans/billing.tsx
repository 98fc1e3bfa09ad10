import { formatCount, formatDate } from '../../domain/figures.ts'
import { formatLimit, unlimitedVisitors, type Plan } from '../../domain/plans/plan.ts'
import { wholeDollars } from '../../domain/plans/plan-price.ts'
import { planName } from '../../domain/plans/plan-words.ts'
import { inDays, timeSubscriptionEnd, timeToUsageReset } from '../../domain/stores/store-status.ts'
import type { StoreInfo, StoreStatus } from '../../domain/stores/store.ts'
import { VisitorUsage } from '../settings/account.tsx'
import { Facts } from '../facts.tsx'
import { Icon } from '../icons.tsx'
import { PlanChooser, type ChooserProps } from './plan-chooser.tsx'
import { SettingsNav } from '../settings-nav.tsx'

export type BillingProps = {
  store: StoreInfo
  status: StoreStatus
  plan: Plan | null
  /** The next plan: not approved yet, or waiting for its billing cycle. */
  pending: { plan: Plan; isLater: boolean } | null
  now: Date
  /** Days left of the trial; 0 without a trial. */
  trialDaysLeft: number
  /** An old plan has a new price, and another plan is cheaper (requirements 19.9). */
  priceChange: { price: number; plan: Plan } | null
  chooser: ChooserProps
}

/** The page that shows what the store pays for and uses, and the plans that it can choose. */
export function Billing({
  store,
  status,
  plan,
  pending,
  now,
  trialDaysLeft,
  priceChange,
  chooser,
}: BillingProps) {
  const date = (instant: string | null | undefined) =>
    instant ? formatDate(instant, store.timeZone) : null
  /** "24 Dec 2026, in 12 days"; only the date of what has passed. */
  const dateAndDays = (instant: string | null | undefined, left: number | null) =>
    left ? `${date(instant)}, ${inDays(left)}` : date(instant)
  const ends = timeSubscriptionEnd(status, now)
  return (
    <>
      <SettingsNav current="billing" />
      <div class="page-head">
        <h1>Plan & Billing</h1>
      </div>
      {priceChange && plan && (
        <PriceChange {...priceChange} current={plan} action={chooser.chooser.page} />
      )}
      {pending && (
        <p class="banner" data-tone="accent" role="status">
          <Icon name="clock" />
          <span>
            {pending.isLater
              ? `${planName(pending.plan)} starts at the next billing cycle${status.nextBill ? `, on ${date(status.nextBill)}` : ''}, if you have approved it in your shop’s admin. Until then you keep your current plan.`
              : `${planName(pending.plan)} starts when you approve it in your shop’s admin. Until then you keep your current plan.`}
          </span>
        </p>
      )}
      <div class="columns">
        <section class="card" aria-labelledby="plan">
          <div class="card-head">
            <h2 id="plan">Your plan</h2>
            {store.trial && (
              <span class="row">
                <span class="badge" data-tone="accent">
                  <Icon name="clock" />
                  Free trial, {trialDaysLeft} {trialDaysLeft === 1 ? 'day' : 'days'} left
                </span>
              </span>
            )}
          </div>
          <Facts
            facts={[
              ['Plan', plan ? plan.title : 'None'],
              ['Visitors a month', plan && formatLimit(plan.limit)],
              ['Billed', plan && (plan.isAnnual ? 'Annually' : 'Monthly')],
              ['Subscription', status.subscriptionStatus],
              [store.trial ? 'Trial ends' : 'Trial ended', date(status.trialEnd)],
              ['Next bill', date(status.nextBill)],
              // A running subscription is billed on, so it has no end.
              [
                ends ? 'Subscription ends' : 'Subscription ended',
                status.nextBill ? null : dateAndDays(status.currentSubscriptionEnd, ends),
              ],
            ]}
          />
        </section>
        <section class="card" aria-labelledby="usage">
          <div class="card-head">
            <h2 id="usage">Usage</h2>
          </div>
          {status.sessionLimit > 0 && <VisitorUsage status={status} isTrial={store.trial} />}
          <Facts
            facts={[
              [
                'Visitors left',
                store.trial || status.sessionLimit === 0
                  ? null
                  : status.sessionLimit >= unlimitedVisitors
                    ? 'No limit'
                    : formatCount(Math.max(0, status.sessionLimit - status.sessions)),
              ],
              [
                store.trial ? 'Counting starts again' : 'Usage resets',
                dateAndDays(status.usageReset, timeToUsageReset(status, now)),
              ],
              [
                'At the limit',
                store.trial || status.sessionLimit >= unlimitedVisitors
                  ? null
                  : 'Running tests go on hold. They resume by themselves when usage resets or you choose a larger plan.',
              ],
            ]}
          />
        </section>
      </div>
      <h2>Change plan</h2>
      <PlanChooser {...chooser} />
    </>
  )
}

type PriceChangeProps = { price: number; plan: Plan; current: Plan; action: string }
const PriceChange = ({ price, plan, current, action }: PriceChangeProps) => (
  <form class="banner" data-tone="warn" method="post" action={action}>
    <Icon name="info" />
    <span>
      <strong>
        {planName(current)} has a new price: {wholeDollars(price)} a month.
      </strong>
      <br />
      You still pay the old price. Switch to get the same plan for less.
    </span>
    <input type="hidden" name="plan" value={plan.id} />
    <span class="row">
      <button class="small">Switch to {wholeDollars(price)} a month</button>
    </span>
  </form>
)
