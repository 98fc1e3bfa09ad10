import { discountAmount, type DiscountCheck } from '../../domain/plans/discount.ts'
import { paths } from '../../domain/paths.ts'
import { formatLimit, type Plan } from '../../domain/plans/plan.ts'
import type { PlanOffer } from '../../domain/plans/plan-offer.ts'
import { isPriced, priceText, wholeDollars } from '../../domain/plans/plan-price.ts'
import { planLevelOf, planTiers } from '../../domain/plans/plan-level.ts'
import { Icon } from '../icons.tsx'

/** Where a card's button leads. */
export type PlanActs = {
  /** Path of the page that offers the plans. The choice is posted to it. */
  page: string
  /** The chooser's state as a query, so that the next page keeps it. */
  state: string
  /** The same page with the other billing period. */
  flipped: string
  /** The discount code in the address, if it is valid. */
  code: string | null
}
type PlanCardProps = {
  offer: PlanOffer
  discount: DiscountCheck
  acts: PlanActs
  isChosen: boolean
}

/** "Core 100k" */
export const planName = (plan: Pick<Plan, 'title' | 'limit'>): string =>
  `${plan.title} ${formatLimit(plan.limit)}`

/** "Core 100k (Annually)" */
export const planTitle = (plan: Pick<Plan, 'title' | 'limit' | 'isAnnual'>): string =>
  `${planName(plan)} (${plan.isAnnual ? 'Annually' : 'Monthly'})`

/** The card of a plan: its price a month, one button, and its features. */
export function PlanCard({ offer, discount, acts, isChosen }: PlanCardProps) {
  const { plan, discounted } = offer
  const id = `plan-${plan.id}`,
    badge = planLevelOf(plan.level)?.badge
  return (
    <article
      class={isChosen ? 'card plan-card plan-card-chosen' : 'card plan-card'}
      aria-labelledby={id}
    >
      <header>
        <h2 id={id}>{plan.title}</h2>
        {discounted !== null && (
          <span class="badge" data-tone="accent">
            {discountAmount(discount)} off
          </span>
        )}
        {badge && (
          <span class="badge" data-tone="warn">
            <Icon name="crown" />
            {badge}
          </span>
        )}
      </header>
      <p class="plan-price">
        <PlanPrice offer={offer} />
      </p>
      <p class="plan-saving">{savingText(offer, discount)}</p>
      <PlanButton offer={offer} acts={acts} isMain={isChosen} />
      <Features level={plan.level} />
    </article>
  )
}

/** The price a month, with the one before the discount struck out beside it. */
export function PlanPrice({ offer: { plan, discounted } }: { offer: PlanOffer }) {
  const price = priceText(plan)
  return (
    <>
      {discounted !== null && (
        <del>
          <span class="visually-hidden">was </span>
          {price}
        </del>
      )}
      <strong>{discounted === null ? price : wholeDollars(discounted)}</strong>
      {isPriced(plan) && (
        <>
          {' '}
          <span class="muted">a month</span>
        </>
      )}
    </>
  )
}

function savingText(
  { plan, saving, discounted, annually }: PlanOffer,
  discount: DiscountCheck,
): string {
  if (!isPriced(plan)) return 'A price that is agreed with you'
  if (!plan.isAnnual)
    return saving && annually !== null
      ? `${wholeDollars(annually)} a month when billed annually`
      : 'Billed every 30 days'
  if (discounted !== null)
    return `Save ${saving ? `${wholeDollars(saving)} a year, and ` : ''}${discountAmount(discount)} with your code`
  return `${wholeDollars(plan.price)} billed annually${saving ? `. Save ${wholeDollars(saving)} a year` : ''}`
}

type PlanButtonProps = { offer: PlanOffer; acts: PlanActs; isMain?: boolean; isSmall?: boolean }
/** The text says what happens (requirements 13.1). Screen readers also hear the plan's name. */
export function PlanButton({
  offer: { plan, text, act, isDiscounted },
  acts: { page, state, flipped, code },
  isMain = false,
  isSmall = false,
}: PlanButtonProps) {
  const look = `button${isMain || act === 'none' ? '' : ' secondary'}${isSmall ? ' small' : ''}`
  const label = (
    <>
      {text}
      <span class="visually-hidden">
        {' '}
        {planName(plan)}, {plan.isAnnual ? 'annually' : 'monthly'}
      </span>
    </>
  )
  switch (act) {
    case 'none':
      return (
        <button class={look} type="button" disabled>
          {label}
        </button>
      )
    case 'flip':
      return (
        <a class={look} href={flipped}>
          {label}
        </a>
      )
    case 'downgrade':
      return (
        <button class={look} type="button" command="show-modal" commandfor={downgradeId(plan)}>
          {label}
        </button>
      )
    case 'talk':
      return (
        <form method="post" action={paths.customRequest(page) + state}>
          <button class={look}>{label}</button>
        </form>
      )
    case 'subscribe':
      return (
        <form method="post" action={page + state}>
          <SelectedPlan plan={plan} code={isDiscounted ? code : null} />
          <button class={look}>{label}</button>
        </form>
      )
  }
}

export const downgradeId = ({ id }: Pick<Plan, 'id'>): string => `downgrade-${id}`

/**
 * Hidden fields of the form that subscribes to a plan. The code is in them, so that the merchant
 * approves the price that was shown.
 */
export const SelectedPlan = ({ plan, code }: { plan: Pick<Plan, 'id'>; code: string | null }) => (
  <>
    <input type="hidden" name="plan" value={plan.id} />
    {code !== null && <input type="hidden" name="discountCode" value={code} />}
  </>
)

function Features({ level }: { level: number }) {
  const at = planTiers.findIndex(tier => tier.level === level)
  if (at < 0) return null
  const below = planTiers[at - 1]?.name
  return (
    <ul class="feature-list">
      {below && <li class="feature-lead">Everything in {below}, and</li>}
      {planTiers[at]!.features.map(feature => (
        <li key={feature}>
          <Icon name="check" />
          <span>{feature}</span>
        </li>
      ))}
    </ul>
  )
}
