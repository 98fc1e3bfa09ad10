import type { FieldProblem } from './problem.ts'
import type { TestKind } from './test-kind.ts'

/** The editor's steps, in order; each is a page of its own. */
export const draftSteps = { goal: 'Goal and hypothesis', pages: 'Pages', changes: 'Changes', split: 'Audience and split', review: 'Review' } as const
export type DraftStep = keyof typeof draftSteps

/** The steps a kind of test has: a redirect changes nothing on the page itself. */
export const stepsOf = (kind: TestKind): DraftStep[] =>
  (Object.keys(draftSteps) as DraftStep[]).filter(step => step !== 'changes' || kind === 'PageElement')

/** The step a field stands in; the name stands above all of them. */
export function stepOfField(field: string): DraftStep | null {
  if (['hypothesisDescription', 'goal', 'minimumEffect'].includes(field)) return 'goal'
  if (['urlPatterns', 'controlUrl', 'redirectUrl'].includes(field)) return 'pages'
  if (field === 'changes' || field.startsWith('changes.') || field.startsWith('domSelectors')) return 'changes'
  if (['weights', 'controlTitle', 'variantTitle'].includes(field)) return 'split'
  return null
}

/** Where to go to mend what is wrong: the present step when it has a problem itself, else the first that has. The name's stands on every step. */
export function stepToMend(problems: FieldProblem[], present: DraftStep, kind: TestKind): DraftStep {
  const broken = problems.map(p => stepOfField(p.field))
  return broken.includes(present) ? present : stepsOf(kind).find(step => broken.includes(step)) ?? present
}
