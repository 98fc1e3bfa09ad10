import { type DiscountCheck, discountApplies, discountedDisplayPrice } from './discount.ts'
import { defaultVisitorStep, isDowngrade, type Plan, visitorSteps } from './plan.ts'
import { mayRepick, planButtonText, type PlanCard } from './plan-card.ts'
import { displayPrice, isPriced, yearlySaving } from './plan-price.ts'
import { planLevelOf, planTiers } from './plan-level.ts'
import type { StoreInfo, StoreStatus } from '../stores/store.ts'
import { hasLapsed, trialDaysFor } from '../stores/store-subscription.ts'

/** The position of the plan chooser: one of the slider's steps, and the monthly/annual toggle. */
export type PlanChoice = { visitors: number; isAnnual: boolean }

/**
 * The position that the query asks for. `step`: the slider's position from 0, which a form without
 * script sends instead of `visitors`. What the query does not say comes from a plan: the size from
 * the one that the merchant wants (`wanted`, by a discount code), the toggle from the one that they
 * have (`own`, requirements 12.9).
 */
export function planChoice(
  asked: { visitors: string | null; step?: string | null; billing: string | null },
  { own, wanted }: { own: PlanSize | undefined; wanted?: PlanSize | undefined },
): PlanChoice {
  const size = wanted ?? own
  return {
    visitors:
      visitorSteps.find(step => String(step) === asked.visitors) ??
      visitorSteps.find((_, at) => String(at) === asked.step) ??
      (size ? stepFor(size.limit) : defaultVisitorStep),
    isAnnual:
      asked.billing === 'annual' ||
      (asked.billing !== 'monthly' && ((own ?? wanted)?.isAnnual ?? false)),
  }
}
type PlanSize = Pick<Plan, 'limit' | 'isAnnual'>
const stepFor = (limit: number): number =>
  visitorSteps.find(step => step >= limit) ?? visitorSteps.at(-1)!

/** The same choice in the other billing period. */
export const flipped = ({ visitors, isAnnual }: PlanChoice): PlanChoice => ({
  visitors,
  isAnnual: !isAnnual,
})

/**
 * The address of a page for a choice; `more` are further parameters, such as the dialog to open.
 */
export const choiceAddress = (
  page: string,
  { visitors, isAnnual }: PlanChoice,
  more: Readonly<Record<string, string>> = {},
): string =>
  `${page}?${new URLSearchParams({ visitors: String(visitors), billing: isAnnual ? 'annual' : 'monthly', ...more })}`

/** A store that looks at plans, and its discount. */
export type Offering = {
  store: Pick<StoreInfo, 'planId' | 'hasSubscribed' | 'trial' | 'onboarded' | 'reinstall'>
  status: Pick<
    StoreStatus,
    'subscriptionStatus' | 'pendingPlan' | 'currentSubscriptionEnd' | 'trialEnd'
  >
  plans: readonly Plan[]
  discount: DiscountCheck
  now: Date
}

export type PlanOffer = {
  plan: Plan
  /** The button's text. */
  text: string
  /**
   * What the button does: nothing, switch the monthly/annual toggle, start a lead, ask to confirm a
   * downgrade, subscribe at once.
   */
  act: 'none' | 'flip' | 'talk' | 'downgrade' | 'subscribe'
  isCurrent: boolean
  /** Dollars a month after the discount; null when no discount is shown. */
  discounted: number | null
  /**
   * Dollars a month of the same plan with annual billing, after the discount if it applies to that
   * plan; null when there is no such plan. A card whose button is disabled shows no discount.
   */
  annually: number | null
  /** True when the subscription gets the discount code. */
  isDiscounted: boolean
  /** What annual billing saves, in dollars a year. */
  saving: number | null
  /** The same plan in the other billing period. */
  other: Plan | null
}

/** One plan with its button and prices for this store. */
export function planOffer(plan: Plan, offering: Offering, showsAnnual: boolean): PlanOffer {
  const { plans, discount } = offering
  const card = cardOf(plan, offering, showsAnnual)
  const isClosed = !plan.available || card.isCurrent
  const other =
    plans.find(
      p =>
        p.level === plan.level &&
        p.limit === plan.limit &&
        p.available === plan.available &&
        p.isAnnual !== plan.isAnnual,
    ) ?? null
  const [monthly, annual] = plan.isAnnual ? [other, plan] : [plan, other]
  return {
    plan,
    text: planButtonText(card),
    act: isClosed ? 'none' : actOf(plan, offering, showsAnnual),
    isCurrent: card.isCurrent,
    other,
    discounted: isPriced(plan) ? discountedDisplayPrice(discount, plan, isClosed) : null,
    annually:
      annual && isPriced(annual)
        ? (discountedDisplayPrice(
            discount,
            annual,
            isClosed || cardOf(annual, offering, true).isCurrent,
          ) ?? displayPrice(annual, annual.price))
        : null,
    isDiscounted: !isClosed && discountApplies(discount, plan.id),
    saving: yearlySaving(monthly ?? undefined, annual ?? undefined),
  }
}

/**
 * One plan per level for the chooser's position. If a level has only an annual plan, it is shown
 * beside the monthly plans of other levels, and its button switches the toggle.
 */
export function planOffers(offering: Offering, { visitors, isAnnual }: PlanChoice): PlanOffer[] {
  return planTiers.flatMap(({ level }) => {
    const sized = offering.plans.filter(
      plan => plan.level === level && plan.limit === visitors && plan.available,
    )
    const plan = sized.find(p => p.isAnnual === isAnnual) ?? (isAnnual ? undefined : sized[0])
    return plan ? [planOffer(plan, offering, isAnnual)] : []
  })
}

/** An offer without what no card shows. */
export type ShownOffer = Omit<PlanOffer, 'other'>
/** What one position of the chooser offers. */
export type PlanPosition = PlanChoice & { offers: ShownOffer[] }

/**
 * The offers of every step of the slider in both billing periods, so that a page can follow the
 * slider without a request.
 */
export const planPositions = (offering: Offering): PlanPosition[] =>
  visitorSteps.flatMap(visitors =>
    [false, true].map(isAnnual => ({
      visitors,
      isAnnual,
      offers: planOffers(offering, { visitors, isAnnual }).map(({ other: _, ...offer }) => offer),
    })),
  )

/**
 * The plan that is highlighted: the store's own, or else the one that the code is for, or else the
 * default.
 */
export const highlighted = <Offer extends ShownOffer>(
  offers: readonly Offer[],
  discount: DiscountCheck,
): Offer | undefined =>
  offers.find(({ isCurrent }) => isCurrent) ??
  (discount.planId ? offers.find(({ plan }) => discountApplies(discount, plan.id)) : undefined) ??
  offers.find(({ plan }) => planLevelOf(plan.level)?.isDefault)

function cardOf(plan: Plan, { store, status, now }: Offering, showsAnnual: boolean): PlanCard {
  const isLapsed = hasLapsed({ ...status, hasSubscribed: store.hasSubscribed })
  const again = {
    isReinstall: store.reinstall,
    pendingPlan: status.pendingPlan,
    currentSubscriptionEnd: dateOf(status.currentSubscriptionEnd),
    now,
  }
  return {
    plan,
    showsAnnual,
    hasPlan: store.planId !== null && !isLapsed,
    isOnTrial: store.trial && !isLapsed,
    isReinstall: store.reinstall,
    isCurrent: plan.id === store.planId && !isLapsed && !mayRepick(again),
    isOnboarded: store.onboarded,
    isTrialOver: trialDaysFor(dateOf(status.trialEnd), store.hasSubscribed, now) === 0,
  }
}

const dateOf = (instant: string | null | undefined): Date | null =>
  instant ? new Date(instant) : null

function actOf(
  plan: Plan,
  { store, status, plans }: Offering,
  showsAnnual: boolean,
): PlanOffer['act'] {
  if (plan.isAnnual !== showsAnnual) return 'flip'
  if (plan.requireAppointment) return 'talk'
  const current = plans.find(({ id }) => id === store.planId)
  return status.subscriptionStatus === 'Active' && current && isDowngrade(current, plan)
    ? 'downgrade'
    : 'subscribe'
}
