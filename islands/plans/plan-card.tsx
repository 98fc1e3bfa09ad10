/** @jsxImportSource react */
import { discountAmount, type DiscountCheck } from '../../domain/plans/discount.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import type { ShownOffer } from '../../domain/plans/plan-offer.ts'
import { isPriced, priceText, wholeDollars } from '../../domain/plans/plan-price.ts'
import { planLevelOf, planTiers } from '../../domain/plans/plan-level.ts'
import { billedText, planName } from '../../domain/plans/plan-words.ts'
import { Icon } from '../icon.tsx'

/** Where a card's button leads. */
export type PlanActs = {
  /** Path of the page that offers the plans. The choice is posted to it. */
  page: string
  /** Where a plan that is agreed in person is requested. */
  talk: string
  /** The chooser's state as a query, so that the next page keeps it. */
  state: string
  /** The same page with the other billing period. */
  flipped: string
  /** The discount code in the address, if it is valid. */
  code: string | null
}
export type PlanCardProps = {
  offer: ShownOffer
  discount: DiscountCheck
  acts: PlanActs
  isChosen: boolean
  /** Switches the billing period in place. Without it the button leads to `flipped`. */
  onFlip?: () => void
}

/** The card of a plan: its price a month, one button, and its features. */
export function PlanCard({ offer, discount, acts, isChosen, onFlip }: PlanCardProps) {
  const { plan, discounted } = offer
  const id = `plan-${plan.id}`,
    badge = planLevelOf(plan.level)?.badge
  return (
    <article
      className={isChosen ? 'card plan-card plan-card-chosen' : 'card plan-card'}
      aria-labelledby={id}
    >
      <header>
        <h2 id={id}>{plan.title}</h2>
        {discounted !== null && (
          <span className="badge" data-tone="accent">
            {discountAmount(discount)} off
          </span>
        )}
        {badge && (
          <span className="badge" data-tone="warn">
            <Icon name="crown" />
            {badge}
          </span>
        )}
      </header>
      <p className="plan-price">
        <PlanPrice offer={offer} />
      </p>
      <p className="plan-saving">{billedText(offer, discount)}</p>
      <PlanButton offer={offer} acts={acts} isMain={isChosen} {...(onFlip && { onFlip })} />
      <Features level={plan.level} />
    </article>
  )
}

/** The price a month, with the one before the discount struck out beside it. */
export function PlanPrice({ offer: { plan, discounted } }: { offer: ShownOffer }) {
  const price = priceText(plan)
  return (
    <>
      {discounted !== null && (
        <del>
          <span className="visually-hidden">was </span>
          {price}
        </del>
      )}
      <strong>{discounted === null ? price : wholeDollars(discounted)}</strong>
      {isPriced(plan) && (
        <>
          {' '}
          <span className="muted">a month</span>
        </>
      )}
    </>
  )
}

export type PlanButtonProps = {
  offer: ShownOffer
  acts: PlanActs
  isMain?: boolean
  isSmall?: boolean
  onFlip?: () => void
}
/** The text says what happens (requirements 13.1). Screen readers also hear the plan's name. */
export function PlanButton({
  offer: { plan, text, act, isDiscounted },
  acts: { page, talk, state, flipped, code },
  isMain = false,
  isSmall = false,
  onFlip,
}: PlanButtonProps) {
  const look = `button${isMain || act === 'none' ? '' : ' secondary'}${isSmall ? ' small' : ''}`
  const label = (
    <>
      {text}
      <span className="visually-hidden">
        {` ${planName(plan)}, ${plan.isAnnual ? 'annually' : 'monthly'}`}
      </span>
    </>
  )
  switch (act) {
    case 'none':
      return (
        <button className={look} type="button" disabled>
          {label}
        </button>
      )
    case 'flip':
      return (
        <a
          className={look}
          href={flipped}
          onClick={
            onFlip &&
            (event => {
              event.preventDefault()
              onFlip()
            })
          }
        >
          {label}
        </a>
      )
    case 'downgrade':
      return (
        <a
          className={look}
          href={downgradeAddress(page + state, plan)}
          data-modal={downgradeId(plan)}
          aria-haspopup="dialog"
        >
          {label}
        </a>
      )
    case 'talk':
      return (
        <form method="post" action={talk + state}>
          <button className={look}>{label}</button>
        </form>
      )
    case 'subscribe':
      return (
        <form method="post" action={page + state}>
          <SelectedPlan plan={plan} code={isDiscounted ? code : null} />
          <button className={look}>{label}</button>
        </form>
      )
  }
}

export const downgradeId = ({ id }: Pick<Plan, 'id'>): string => `downgrade-${id}`
/** The address of a page with the dialog open that confirms the change to this plan. */
export const downgradeAddress = (page: string, { id }: Pick<Plan, 'id'>): string =>
  `${page}${page.includes('?') ? '&' : '?'}ask=downgrade&plan=${encodeURIComponent(id)}`

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
    <ul className="feature-list">
      {below && <li className="feature-lead">{`Everything in ${below}, and`}</li>}
      {planTiers[at]!.features.map(feature => (
        <li key={feature}>
          <Icon name="check" />
          <span>{feature}</span>
        </li>
      ))}
    </ul>
  )
}
