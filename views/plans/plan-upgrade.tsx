import { aboutCapability, closedMessage, type Capability } from '../../domain/access.ts'
import type { DiscountCheck } from '../../domain/plans/discount.ts'
import { paths } from '../../domain/paths.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import type { ShownOffer } from '../../domain/plans/plan-offer.ts'
import { planTitle } from '../../domain/plans/plan-words.ts'
import type { PlanActs } from '../../islands/plans/plan-card.tsx'
import { drawn } from '../island.tsx'
import { Close } from '../modal.tsx'

export type UpgradeProps = {
  capability: Capability
  /**
   * The plan that opens the feature, with the store's size and billing period; null when none of
   * that size is offered.
   */
  offer: ShownOffer | null
  discount: DiscountCheck
  acts: PlanActs
  /** The store's plan. */
  current: Plan | null
  nextCycle: string | null
  /** Path of the page below the dialog. */
  at: string
}

/**
 * A dialog about a closed feature: what it is, and the one plan that opens it, with its price and
 * button. The server sends it open over the page.
 */
export const PlanUpgrade = ({ at, ...props }: UpgradeProps) => (
  <dialog open id="plan-upgrade" aria-labelledby="plan-upgrade-title">
    <div class="modal modal-plan">
      <UpgradeWords {...props} />
      <footer>
        <a class="button quiet" href={paths.settings('billing')}>
          See all plans
        </a>
        <Close href={at}>Not now</Close>
      </footer>
    </div>
  </dialog>
)

export function UpgradeWords({
  capability,
  offer,
  discount,
  acts,
  current,
  nextCycle,
}: Omit<UpgradeProps, 'at'>) {
  const { name, what } = aboutCapability(capability)
  return (
    <>
      <h2 id="plan-upgrade-title">{name}</h2>
      <p class="muted">
        {what} {closedMessage(capability)}
      </p>
      {offer && <div {...drawn('plan-card', { offer, discount, acts, isChosen: true })} />}
      <p class="note">
        {current && `You are on ${planTitle(current)}. `}
        {offer
          ? 'Your shop’s admin shows the price of the change. It starts when you approve it there.'
          : 'No plan of that level and of your size is offered at the moment.'}
      </p>
      {offer?.act === 'downgrade' && current && (
        <div {...drawn('plan-downgrade', { offer, current, acts, nextCycle })} />
      )}
    </>
  )
}
