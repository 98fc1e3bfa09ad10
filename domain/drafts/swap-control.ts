import {
  type ArmState,
  isInUse,
  ownIsNoVariant,
  targetKind,
  type TestTarget,
} from '../tests/test-target.ts'
import type { TestKind } from '../tests/test-kind.ts'

/**
 * Why control and variant of a kind of test can never be swapped. Null for the kinds whose variant
 * can be what the shop shows now: the control is always that (decision 062).
 */
export const neverSwapped: Record<TestKind, string | null> = {
  Theme: null,
  Template: null,
  PageContent: null,
  UrlRedirect: null,
  PageElement:
    'The control is the page as your shop shows it now. The variant is the same page with your changes, so it cannot be the control.',
  Api: 'Your own code decides what each arm shows. Exchange the two arms in your code instead.',
  Price:
    'The control has your shop’s present prices. Your shop does not have the variant’s prices, so they cannot be the control.',
}

export const noVariantToSwap = 'There is no variant to swap with.'
export const unusedVariant =
  'No page of your shop uses the variant’s template, so it is not what your shop shows now. Assign it to a page in your shop first, or keep the control.'
export const unreadVariant =
  'Your shop did not answer, so we cannot say whether it uses the variant.'

/**
 * Why the arms of this draft cannot be swapped now; null when they can. `variantNow` is the
 * variant's template in the shop: null for other variants, and when the shop did not answer.
 */
export function swapProblem(
  draft: { kind: TestKind; control: TestTarget | null; variant: TestTarget | null },
  variantNow: Pick<ArmState, 'target' | 'assignedCount'> | null,
): string | null {
  const never = neverSwapped[draft.kind]
  if (never) return never
  if (!draft.control || !draft.variant) return noVariantToSwap
  // Any theme can be published, and a page of the shop is shown now.
  if (targetKind(draft.kind) !== 'template') return null
  if (!variantNow) return unreadVariant
  if (!isInUse(variantNow)) return unusedVariant
  return draft.control.suffix ? null : ownIsNoVariant
}
