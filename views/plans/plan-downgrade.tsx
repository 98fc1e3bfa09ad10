import type { Plan } from '../../domain/plans/plan.ts'
import type { PlanOffer } from '../../domain/plans/plan-offer.ts'
import { downgradeId, type PlanActs, planTitle, SelectedPlan } from './plan-card.tsx'

type PlanDowngradeProps = {
  offer: PlanOffer
  current: Plan
  acts: PlanActs
  nextCycle: string | null
}

/**
 * A dialog that says what a smaller plan means before the merchant requests it (requirements 12.6).
 */
export function PlanDowngrade({
  offer: { plan, isDiscounted },
  current,
  acts: { page, state, code },
  nextCycle,
}: PlanDowngradeProps) {
  const id = downgradeId(plan)
  return (
    <dialog id={id} aria-labelledby={`${id}-title`}>
      <form class="modal" method="post" action={page + state}>
        <h2 id={`${id}-title`}>Change to {planTitle(plan)}?</h2>
        <p class="muted">
          It takes effect at the next billing cycle{nextCycle && `, on ${nextCycle}`}. Until then
          you keep {planTitle(current)} and all its features.
        </p>
        <SelectedPlan plan={plan} code={isDiscounted ? code : null} />
        <footer>
          <button class="secondary" type="button" command="close" commandfor={id}>
            Keep my plan
          </button>
          <button>Change plan</button>
        </footer>
      </form>
    </dialog>
  )
}
