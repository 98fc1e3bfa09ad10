import type { FieldProblem } from '../problem.ts'
import { type TestKind, testKindNames } from '../tests/test-kind.ts'

/*
 * The draft editor's steps: one row for each, in the editor's order. To add a step, or to fill one:
 *
 * 1. Here: its row. `kinds` are the kinds of test that have it. `fields` are the names of its form
 *    fields and of the
 *    fields that the engine's errors name. A name includes its parts ('changes' includes
 *    changes.0.selector).
 * 2. server/drafts/steps/draft-step-NAME.ts exports a `StepModule`
 *    (server/drafts/steps/draft-step.ts, which has the types), listed in
 *    server/drafts/steps/draft-steps.ts, which also contains the modules of only a few lines:
 *    - `show(context)` loads what the step shows and draws it: `{ stage, aside? }`, the middle of
 *      the page and, for the
 *      steps that need one, a third column. `context.props` are the props of every step
 *      (views/drafts/draft-editor.tsx).
 *    - `acts`: what its own buttons do. `<button name="act" value="NAME.VERB:ARGUMENT">` saves the
 *      form first, then calls
 *      `acts.VERB(context, ARGUMENT)`, and the editor shows the step again (or the step that the
 *      act returns). A thrown
 *      HttpProblem with fields is shown at those fields.
 *    - `part(context)`: what the step's fields add to the save of the draft (prices), and the
 *      problems with them.
 *    - `save(context)`: stores what belongs in the shop (content), after each save of the draft,
 *      also after automatic
 *      saves. It returns the problems. `part` and `save` are only called when the step's form was
 *      posted.
 * 3. views/drafts/steps/draft-step-NAME.tsx: the component. It is inside the editor's one form, so
 *    it must not contain a
 *    form. Return dialogs as `dialogs` from `show`: they are drawn after the form and post to their
 *    own pages.
 *
 * Everything works without scripts. islands/drafts/autosave.tsx posts the same form with
 * `act=autosave` and shows each message at the field with that name. An island that saves the draft
 * itself must set the form's `version` field.
 */
type Step = { label: string; kinds: readonly TestKind[]; fields: readonly string[] }

const all = testKindNames
const rows = {
  goal: {
    label: 'Goal and hypothesis',
    kinds: all,
    fields: ['hypothesisDescription', 'goal', 'minimumEffect', 'expectedVisitors'],
  },
  theme: { label: 'Theme', kinds: ['Theme'], fields: ['control', 'variant', 'themeId'] },
  template: {
    label: 'Template',
    kinds: ['Template'],
    fields: ['type', 'control', 'variant', 'suffix', 'granular', 'resourceIds'],
  },
  page: {
    label: 'Page',
    kinds: ['PageContent'],
    fields: ['type', 'control', 'variant', 'suffix', 'granular', 'resourceIds'],
  },
  content: { label: 'Content', kinds: ['Template', 'PageContent'], fields: ['content'] },
  pages: {
    label: 'Pages',
    kinds: ['UrlRedirect', 'PageElement'],
    fields: ['urlPatterns', 'controlUrl', 'redirectUrl', 'redirectTestUrl'],
  },
  changes: { label: 'Changes', kinds: ['PageElement'], fields: ['changes', 'domSelectors'] },
  products: {
    label: 'Products and prices',
    kinds: ['Price'],
    fields: ['products', 'prices', 'rule'],
  },
  code: { label: 'Your code', kinds: ['Api'], fields: ['apiMode'] },
  split: {
    label: 'Audience and split',
    kinds: all,
    fields: [
      'audienceIds',
      'weights',
      'controlTitle',
      'variantTitle',
      'launchAt',
      'automaticallyEndAt',
    ],
  },
  review: { label: 'Review', kinds: all, fields: [] },
} as const satisfies Record<string, Step>

export type DraftStep = keyof typeof rows
const steps: Record<DraftStep, Step> = rows
const stepNames = Object.keys(rows) as DraftStep[]

export const draftSteps = Object.fromEntries(
  stepNames.map(name => [name, steps[name].label]),
) as Record<DraftStep, string>

/** The steps a kind of test has. */
export const stepsOf = (kind: TestKind): DraftStep[] =>
  stepNames.filter(step => steps[step].kinds.includes(kind))

/**
 * The step that contains a field; null for a field of no step, such as the test's name, which is
 * above all steps.
 */
export const stepOfField = (field: string, kind: TestKind): DraftStep | null =>
  stepsOf(kind).find(step =>
    steps[step].fields.some(name => field === name || field.startsWith(`${name}.`)),
  ) ?? null

/**
 * The step to show so that the merchant can fix a problem: the present step when it has a problem
 * or no other step has one, else the first step with one.
 */
export function stepToFix(
  problems: readonly FieldProblem[],
  present: DraftStep,
  kind: TestKind,
): DraftStep {
  const broken = problems.map(p => stepOfField(p.field, kind))
  return broken.includes(present)
    ? present
    : (stepsOf(kind).find(step => broken.includes(step)) ?? present)
}
