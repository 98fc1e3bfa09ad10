import { paths } from '../../domain/paths.ts'
import { formatLimit, type Plan } from '../../domain/plans/plan.ts'
import type { PlanOffer } from '../../domain/plans/plan-offer.ts'
import { Icon } from '../icons.tsx'
import { Notice } from '../notice.tsx'
import { planName } from '../../domain/plans/plan-words.ts'
import type { PlanActs } from '../../islands/plans/plan-card.tsx'
import { drawn } from '../island.tsx'
import { PlanChooser, type ChooserProps } from './plan-chooser.tsx'
import { PlanLead, type LeadProps, type PlanHelp } from './plan-lead.tsx'
import { letterTo } from '../settings/settings-support.tsx'

type SelectPlanProps = {
  chooser: ChooserProps
  /** Days of the free trial that comes with the first plan; 0 when none is left. */
  trialDays: number
  /** A plan that was requested and is not approved in the shop's admin yet; null without one. */
  pending: Plan | null
  /** Address of this page, with what it carries. */
  address: string
  isDeclined: boolean
  help: PlanHelp | null
}

const Help = ({ help }: { help: PlanHelp | null }) =>
  help && (
    <p class="note plan-help">
      Questions about plans or billing? Write to{' '}
      <a href={letterTo(help.email, [`Shop: ${help.shop}`])} target="_top">
        {help.email}
      </a>
      .
    </p>
  )

/**
 * What became of the plan that was asked for. While it waits, the page asks again: the shop may
 * confirm it after the merchant has come back, and then the app's redirect leads on.
 */
function PlanNews({
  pending,
  address,
  isDeclined,
}: Pick<SelectPlanProps, 'pending' | 'address' | 'isDeclined'>) {
  if (!pending && !isDeclined) return null
  return (
    <div
      id="plan-news"
      {...(pending && {
        'hx-get': address,
        'hx-trigger': 'every 2s',
        'hx-target': '#plan-news',
        'hx-select': '#plan-news',
        'hx-swap': 'outerHTML show:none',
      })}
    >
      {pending ? (
        // No live region: it would be read again with each answer.
        <p class="banner" data-tone="accent">
          <Icon name="clock" />
          <span>
            {planName(pending)} waits for your approval in your shop’s admin. Select it again to get
            there, or choose another plan. This page continues by itself once your shop confirms it.
          </span>
        </p>
      ) : (
        <p class="banner" data-tone="warn" role="status">
          <Icon name="info" />
          <span>
            The plan was not approved in your shop’s admin, so nothing has begun. Choose one when
            you are ready.
          </span>
        </p>
      )}
    </div>
  )
}

/** The page on which a store without a plan chooses one. */
export const SelectPlan = ({
  chooser,
  trialDays,
  pending,
  address,
  isDeclined,
  help,
}: SelectPlanProps) => (
  <div class="stack plan-page">
    <div class="page-head">
      <h1>Choose your plan</h1>
      <p class="note page-facts">
        {trialDays > 0
          ? `Every plan starts with a free trial of ${trialDays} days. Visitor tracking is unlimited until it ends.`
          : 'A plan starts when you approve it in your shop’s admin.'}
      </p>
    </div>
    <PlanNews pending={pending} address={address} isDeclined={isDeclined} />
    <PlanChooser {...chooser} />
    <Help help={help} />
  </div>
)

/** How a subscription ended, and since when in words. */
export type Lapse = { how: 'cancelled' | 'expired' | 'frozen'; since: string | null }
type NoPlanProps = {
  /** How many tests are suspended. They continue when the store has a plan again. */
  suspended: number
  storeName: string
  lapse: Lapse
  /** The store's last plan. */
  plan: Plan | null
  /** Address of the shop's admin. */
  admin: string
  /** Null for a frozen subscription, which comes back only by itself. */
  chooser: ChooserProps | null
  help: PlanHelp | null
}

const lapseWords: Record<Lapse['how'], { title: string; what: string }> = {
  cancelled: { title: 'Your subscription was cancelled', what: 'was cancelled' },
  expired: { title: 'Your subscription has expired', what: 'expired' },
  frozen: { title: 'Your subscription is frozen', what: 'is frozen by your shop’s platform' },
}

/** The lockout: what happened, what it means, and the way back. */
export function NoPlan({
  storeName,
  lapse: { how, since },
  suspended,
  plan,
  admin,
  chooser,
  help,
}: NoPlanProps) {
  const { title, what } = lapseWords[how]
  const happened = `${plan ? planName(plan) : 'The plan'} of ${storeName} ${what}${since ? ` on ${since}` : ''}. Your visitors see the original shop${suspended > 0 ? `, and ${suspended === 1 ? 'one test is' : `${suspended} tests are`} suspended` : ''}. Your tests and their results are kept.`
  if (!chooser)
    return (
      <>
        <Notice
          title={title}
          actions={
            <a class="button" href={admin} target="_top">
              Open your shop’s admin
            </a>
          }
        >
          {happened} Everything continues when the shop’s own bill is paid.
        </Notice>
        <Help help={help} />
      </>
    )
  return (
    <div class="stack plan-page">
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      <p class="banner" data-tone="warn">
        <Icon name="warning" />
        <span>
          {happened}{' '}
          {suspended > 0
            ? `Choose a plan, and ${suspended === 1 ? 'the suspended test continues where it' : 'suspended tests continue where they'} stopped.`
            : 'Choose a plan to test again.'}
        </span>
      </p>
      <PlanChooser {...chooser} />
      <Help help={help} />
    </div>
  )
}

export type AllPlansProps = {
  offers: PlanOffer[]
  message: string | null
  acts: PlanActs
  problem: string | null
  lead: LeadProps | null
}

/**
 * A page of every plan, including those that are not offered. Each has its own billing period, so
 * there is no toggle.
 */
export const AllPlans = ({ offers, message, acts, problem, lead }: AllPlansProps) => (
  <div class="stack plan-page">
    <div class="page-head">
      <a class="back-link" href={paths.overlay('selectplan') + acts.state}>
        ← Choose your plan
      </a>
      <h1>All plans</h1>
      <p class="note page-facts">Prices in US dollars.</p>
    </div>
    {problem && (
      <p class="banner" data-tone="bad" role="alert">
        <Icon name="warning" />
        <span>{problem}</span>
      </p>
    )}
    {message && (
      <p class="banner" data-tone="good" role="status">
        <Icon name="check" />
        <span>{message}</span>
        <span class="note">
          Code <code>{acts.code}</code>
        </span>
      </p>
    )}
    <section class="card table-scroll" aria-label="All plans">
      <table class="table plan-table">
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col" class="num">
              Visitors a month
            </th>
            <th scope="col">Billed</th>
            <th scope="col" class="num">
              Price
            </th>
            <th scope="col">
              <span class="visually-hidden">Choose</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {offers.map(offer => (
            <tr key={offer.plan.id}>
              <th scope="row">{offer.plan.title}</th>
              <td class="num">{formatLimit(offer.plan.limit)}</td>
              <td>{offer.plan.isAnnual ? 'Annually' : 'Monthly'}</td>
              <td class="num plan-table-price" {...drawn('plan-price', { offer })} />
              <td class="num" {...drawn('plan-button', { offer, acts, isSmall: true })} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    {lead && <PlanLead {...lead} />}
  </div>
)

/**
 * Leads out of the frame to the shop's admin, which cannot be framed: the page's script follows the
 * link, or the merchant clicks it.
 */
export const Approve = ({ plan, url }: { plan: Plan; url: string }) => (
  <Notice
    title={`Approve ${planName(plan)}`}
    actions={
      <a class="button" href={url} target="_top" data-follow>
        Continue to your shop’s admin
      </a>
    }
  >
    Your shop’s admin shows what it costs and asks you to approve it. You come back here afterwards.
  </Notice>
)
