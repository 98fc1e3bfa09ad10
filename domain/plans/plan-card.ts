import type { Plan } from './plan.ts'

/** A plan, and what decides how its card looks to one store. */
export type PlanCard = {
  plan: Pick<Plan, 'available' | 'isAnnual' | 'requireAppointment'>
  /** The store is on this plan. */
  isCurrent: boolean
  /** The store is on some plan. */
  hasPlan: boolean
  isOnTrial: boolean
  isOnboarded: boolean
  isReinstall: boolean
  /** The store has used up its free trial: another plan begins without one. */
  isTrialOver: boolean
  /** The position of the monthly/annual toggle. */
  showsAnnual: boolean
}

/**
 * The first text that applies is used, so the order matters (requirements 13.1). Only a store that
 * would get a free trial is offered one (decision 057).
 */
const labels: [text: string, applies: (card: PlanCard) => boolean][] = [
  ['Unavailable', ({ plan }) => !plan.available],
  ['Current free trial', card => card.isCurrent && card.isOnTrial],
  ['Current plan', card => card.isCurrent],
  ['View annual plans', card => card.plan.isAnnual !== card.showsAnnual],
  ['Talk to sales', ({ plan }) => plan.requireAppointment],
  ['Start free trial', card => !card.isOnboarded && !card.isReinstall && !card.isTrialOver],
  ['Update free trial', card => card.isOnTrial],
  ['Update plan', card => card.hasPlan],
  ['Select plan', () => true],
]

/** The text of a plan card's button. */
export const planButtonText = (card: PlanCard): string =>
  labels.find(([, applies]) => applies(card))![0]

/** The state that decides whether a store may subscribe to its own plan again. */
export type Repick = {
  isReinstall: boolean
  pendingPlan: string | null
  /** When the last subscription ended, or when its paid time will end. */
  currentSubscriptionEnd: Date | null
  now: Date
}
/**
 * A reinstalled store may subscribe to its plan again after its subscription has ended
 * (requirements 12.13).
 */
export const mayRepick = ({
  isReinstall,
  pendingPlan,
  currentSubscriptionEnd,
  now,
}: Repick): boolean =>
  isReinstall &&
  pendingPlan === null &&
  currentSubscriptionEnd !== null &&
  currentSubscriptionEnd <= now
