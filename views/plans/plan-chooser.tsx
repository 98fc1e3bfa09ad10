import { discountApplies, type DiscountCheck } from '../../domain/plans/discount.ts'
import { formatLimit, type Plan, visitorSteps } from '../../domain/plans/plan.ts'
import { planLevelOf } from '../../domain/plans/plan-level.ts'
import type { PlanChoice, PlanOffer } from '../../domain/plans/plan-offer.ts'
import { annualSavingBadge } from '../../domain/plans/plan-price.ts'
import { Icon } from '../icons.tsx'
import { type PlanActs, PlanCard } from './plan-card.tsx'
import { PlanCompare } from './plan-compare.tsx'
import { PlanDowngrade } from './plan-downgrade.tsx'
import { PlanLead, type LeadProps } from './plan-lead.tsx'

export type ChooserProps = {
  choice: PlanChoice
  offers: PlanOffer[]
  /** The store's plan; null when it has none, or has lost it. */
  current: Plan | null
  discount: DiscountCheck
  /** The message that the code is valid; null when it is not. */
  message: string | null
  acts: PlanActs
  /** Hidden fields of every form on the page: host, shop and code. */
  carried: Record<string, string>
  /** When the next billing cycle begins, in words. */
  nextCycle: string | null
  problem: string | null
  lead: LeadProps | null
}

/**
 * Plans at one size and billing period. The controls are a plain form; where scripts run, only the
 * offers are fetched again.
 */
export function PlanChooser(props: ChooserProps) {
  const { offers, current, discount, message, acts, nextCycle, problem, lead } = props
  return (
    <>
      {problem && (
        <p class="banner" data-tone="bad" role="alert">
          <Icon name="warning" />
          <span>{problem}</span>
        </p>
      )}
      <Controls {...props} />
      <div class="stack" id="plan-offers">
        {message && (
          <p class="banner" data-tone="good" role="status">
            <Icon name="check" />
            <span>{message}</span>
            <span class="note">
              Code <code>{acts.code}</code>
            </span>
          </p>
        )}
        {offers.length === 0 ? (
          <p class="card card-body">
            No plan of this size is offered. Choose another number of visitors.
          </p>
        ) : (
          <div class="plan-grid">
            {offers.map(offer => (
              <PlanCard
                key={offer.plan.id}
                offer={offer}
                discount={discount}
                acts={acts}
                isChosen={offer === chosenOf(offers, discount)}
              />
            ))}
          </div>
        )}
        {current &&
          offers.map(
            offer =>
              offer.act === 'downgrade' && (
                <PlanDowngrade
                  key={offer.plan.id}
                  offer={offer}
                  current={current}
                  acts={acts}
                  nextCycle={nextCycle}
                />
              ),
          )}
      </div>
      <div class="row plan-foot">
        <span class="note">
          Prices in US dollars. A change to a smaller plan takes effect at the next billing cycle.
        </span>
        <button
          class="secondary small"
          type="button"
          command="show-modal"
          commandfor="plan-compare"
        >
          Compare plans
        </button>
      </div>
      <PlanCompare offers={offers} />
      {lead && <PlanLead {...lead} />}
    </>
  )
}

/**
 * The plan that is highlighted: the store's own, or else the one that the code is for, or else the
 * default.
 */
const chosenOf = (offers: PlanOffer[], discount: DiscountCheck): PlanOffer | undefined =>
  offers.find(({ isCurrent }) => isCurrent) ??
  (discount.planId ? offers.find(({ plan }) => discountApplies(discount, plan.id)) : undefined) ??
  offers.find(({ plan }) => planLevelOf(plan.level)?.isDefault)

/**
 * The slider's steps are radio buttons: arrow keys move between them, screen readers hear each
 * number, and none needs a script.
 */
function Controls({ choice, acts: { page }, carried }: ChooserProps) {
  return (
    <form
      class="card plan-controls"
      action={page}
      hx-get={page}
      hx-trigger="change"
      hx-target="#plan-offers"
      hx-select="#plan-offers"
      hx-swap="outerHTML show:none"
      hx-replace-url="true"
      hx-sync="this:replace"
      data-decides
      aria-label="Size and billing"
    >
      {Object.entries(carried).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <fieldset class="range-field">
        <legend>Monthly visitors</legend>
        <div class="range-steps">
          {visitorSteps.map(step => (
            <label key={step}>
              <input type="radio" name="visitors" value={step} checked={step === choice.visitors} />
              <span>{formatLimit(step)}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div class="billing-field">
        <fieldset class="segmented">
          <legend class="visually-hidden">Billing</legend>
          <label>
            <input type="radio" name="billing" value="monthly" checked={!choice.isAnnual} />
            Monthly
          </label>
          <label>
            <input type="radio" name="billing" value="annual" checked={choice.isAnnual} />
            Annual{' '}
            <span class="badge" data-tone="good">
              {annualSavingBadge}
            </span>
          </label>
        </fieldset>
        <span class="note">All visitors to your shop count, not only those in tests.</span>
      </div>
      <noscript>
        <button class="secondary small">Show plans</button>
      </noscript>
    </form>
  )
}
