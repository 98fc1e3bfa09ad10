import type { TestDraft } from '../../domain/drafts/draft.ts'
import type { DraftStep } from '../../domain/drafts/draft-steps.ts'
import { swapProblem } from '../../domain/drafts/swap-control.ts'
import type { ArmState } from '../../domain/tests/test-target.ts'

/**
 * The button that swaps control and variant. When they cannot be swapped it is disabled, and the
 * reason is beside it.
 */
export function SwapControl({
  draft,
  step,
  variantNow = null,
}: {
  draft: TestDraft
  step: DraftStep
  variantNow?: ArmState | null
}) {
  const problem = swapProblem(draft, variantNow)
  return (
    <div class="stack-tight">
      <div class="row">
        <button
          class="secondary small"
          name="act"
          value={`${step}.swap:`}
          disabled={problem !== null}
          aria-describedby={problem ? 'swap-reason' : undefined}
        >
          Swap control and variant
        </button>
      </div>
      {problem && (
        <p class="note" id="swap-reason">
          {problem}
        </p>
      )}
    </div>
  )
}
