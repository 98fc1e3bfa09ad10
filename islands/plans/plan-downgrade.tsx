/** @jsxImportSource react */
import type { Plan } from '../../domain/plans/plan.ts'
import type { ShownOffer } from '../../domain/plans/plan-offer.ts'
import { planTitle } from '../../domain/plans/plan-words.ts'
import { downgradeId, type PlanActs, SelectedPlan } from './plan-card.tsx'

export type PlanDowngradeProps = {
  offer: ShownOffer
  /** The store's plan. */
  current: Pick<Plan, 'title' | 'limit' | 'isAnnual'>
  acts: PlanActs
  /** When the next billing cycle begins, in words. */
  nextCycle: string | null
  /** Open from the start, because the address asked for it. */
  isOpen?: boolean
}

/**
 * A dialog that says what a smaller plan means before the merchant requests it (requirements 12.6).
 */
export function PlanDowngrade({
  offer: { plan, isDiscounted },
  current,
  acts: { page, state, code },
  nextCycle,
  isOpen = false,
}: PlanDowngradeProps) {
  const id = downgradeId(plan)
  return (
    <dialog id={id} aria-labelledby={`${id}-title`} open={isOpen}>
      <form className="modal" method="post" action={page + state}>
        <h2 id={`${id}-title`}>{`Change to ${planTitle(plan)}?`}</h2>
        <p className="muted">
          {`It takes effect at the next billing cycle${nextCycle ? `, on ${nextCycle}` : ''}. Until then you keep ${planTitle(current)} and all its features.`}
        </p>
        <SelectedPlan plan={plan} code={isDiscounted ? code : null} />
        <footer>
          <a className="button secondary" href={page + state} data-close>
            Keep my plan
          </a>
          <button>Change plan</button>
        </footer>
      </form>
    </dialog>
  )
}
