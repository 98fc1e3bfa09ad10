import { formatCount, formatDate } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { formatLimit, unlimitedVisitors, type Plan } from '../../domain/plans/plan.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { storeNameLength, type StoreInfo, type StoreStatus } from '../../domain/stores/store.ts'
import { progressTone, usageOf } from '../../domain/plans/usage.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Facts } from '../facts.tsx'
import { Icon } from '../icons.tsx'
import { SettingsNav } from '../settings-nav.tsx'
import { SampleLabel } from '../sample-label.tsx'

type AccountProps = {
  store: StoreInfo
  status: StoreStatus
  plans: Plan[]
  /** The typed name and its problems, after a refused form. */
  rename?: { typed: string; problems: FieldProblem[] }
}

/** The page of the store's name and contact, its plan, and this month's visitors. */
export function Account({ store, status, plans, rename }: AccountProps) {
  const planOf = (id: string | null) => plans.find(plan => plan.id === id)
  const plan = planOf(store.planId),
    pending = planOf(status.pendingPlan)
  const date = (instant: string | null | undefined) =>
    instant ? formatDate(instant, store.timeZone) : null
  return (
    <>
      <SettingsNav current="account" />
      <div class="page-head">
        <h1>My account</h1>
        <SampleLabel isDemo={store.isDemo} />
      </div>
      <div class="columns">
        <section class="card" aria-labelledby="store">
          <div class="card-head">
            <h2 id="store">Store</h2>
          </div>
          <form class="card-body stack" method="post" action={paths.settings('account')}>
            <DraftField
              name="name"
              label="Name"
              help="The name in Twinshelf. Your shop’s own name does not change."
              problems={rename?.problems ?? []}
              control={bound => (
                <input
                  {...bound}
                  value={rename?.typed ?? store.name}
                  maxLength={storeNameLength}
                  required
                  autocomplete="organization"
                />
              )}
            />
            <div class="row">
              <button class="secondary">Save name</button>
            </div>
          </form>
          <Facts
            facts={[
              ['Shop', store.shop],
              ['Domain', store.domain],
              ['Email', store.email],
              ['Phone', store.phone],
            ]}
          />
        </section>
        <section class="card" aria-labelledby="plan">
          <div class="card-head">
            <h2 id="plan">Plan</h2>
          </div>
          <Facts
            facts={[
              ['Plan', plan ? planWords(plan) : 'None'],
              ['Subscription', status.subscriptionStatus],
              [store.trial ? 'Trial ends' : 'Trial ended', date(status.trialEnd)],
              ['Next bill', date(status.nextBill)],
              ['Next plan', pending && planWords(pending)],
              ['Usage resets', date(status.usageReset)],
              ['Subscription ends', status.nextBill ? null : date(status.currentSubscriptionEnd)],
              ['With Twinshelf since', date(store.createdAt)],
            ]}
          />
          {status.sessionLimit > 0 && <VisitorUsage status={status} isTrial={store.trial} />}
          <div class="card-foot">
            <a class="button secondary" href={paths.settings('billing')}>
              Change plan
            </a>
          </div>
        </section>
      </div>
      <section class="card" aria-labelledby="sessions">
        <div class="card-head">
          <h2 id="sessions">Sessions</h2>
        </div>
        <form class="card-body stack" method="post" action={paths.endSessions()}>
          <p class="note">
            Signs everyone out of this store, in every browser. Anyone who can open your shop’s
            admin can sign in again from there.
          </p>
          <div class="row">
            <button class="secondary">Sign out of all sessions</button>
          </div>
        </form>
      </section>
    </>
  )
}

const planWords = (plan: Plan) =>
  `${plan.title} ${formatLimit(plan.limit)}, ${plan.isAnnual ? 'annually' : 'monthly'}`

/** Visitors of this cycle, compared with the limit of the plan. */
export function VisitorUsage({ status, isTrial }: { status: StoreStatus; isTrial: boolean }) {
  const { percent, filled, colour, isWarned } = usageOf(status)
  const tone = progressTone(colour)
  const limit =
    status.sessionLimit === unlimitedVisitors
      ? formatLimit(status.sessionLimit)
      : formatCount(status.sessionLimit)
  return (
    <div class="card-body work">
      <div class="row">
        <span class="status" data-tone={tone}>
          {isWarned && <Icon name="warning" />}Visitors this month
        </span>
        <span class="figures">
          {formatCount(status.sessions)} of {limit}
        </span>
      </div>
      <progress
        value={filled}
        max={100}
        data-tone={tone}
        aria-label={`${percent}% of this month's visitors used`}
      >
        {percent}%
      </progress>
      <span class="note">
        All visitors to your shop count, not only those in tests.
        {isTrial && ' During the free trial there is no limit.'}
      </span>
    </div>
  )
}
