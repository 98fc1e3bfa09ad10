import { launchProblems, type TestDraft } from './draft.ts'
import { stepOfField, type DraftStep } from './draft-steps.ts'
import { formatCount } from '../figures.ts'
import { goals } from '../reports/goal.ts'
import type { FieldProblem } from '../problem.ts'
import { testKinds } from '../tests/test-kind.ts'
import { targetProblems } from '../tests/test-target.ts'

/**
 * All problems that prevent the launch and can be seen in the draft itself, each at its field. The
 * engine adds those that need a look at the shop.
 */
export const beforeLaunch = (draft: TestDraft): FieldProblem[] => [
  ...launchProblems(draft),
  ...targetProblems(draft),
]

/**
 * A step is done when its fields are filled and none of them has a problem that prevents the
 * launch. `open`: those problems.
 */
export function isStepDone(
  step: DraftStep,
  draft: TestDraft,
  open: readonly FieldProblem[],
): boolean {
  if (step === 'review') return open.length === 0
  if (step === 'goal' && !draft.hypothesisDescription.trim()) return false
  // A copy that is still equal to the control has a problem at `content`.
  if (step === 'content')
    return (
      draft.variant !== null &&
      (!draft.variant.isOurs || !open.some(({ field }) => field === 'content'))
    )
  return !open.some(p => stepOfField(p.field, draft.kind) === step)
}

export type ReadyLine = { ok: boolean; words: string }

/**
 * The lines beside the editor: what the draft has, and what is still missing. `matching`: for a
 * page element test, the number of the shop's pages that match.
 */
export function readyLines(
  draft: TestDraft,
  open: readonly FieldProblem[],
  matching: number,
): ReadyLine[] {
  const missing = (...fields: string[]) =>
    open.find(p => fields.some(f => p.field === f || p.field.startsWith(`${f}.`)))
  const line = (words: string, ...fields: string[]): ReadyLine => {
    const problem = missing(...fields)
    return { ok: !problem, words: problem ? problem.message : words }
  }
  return [
    { ok: true, words: `${testKinds[draft.kind].label} test` },
    { ok: !missing('title'), words: missing('title') ? 'No name yet' : 'Named' },
    { ok: true, words: `Goal: ${goals[draft.goal].label.toLowerCase()}` },
    ...subjectLines(),
    {
      ok: !missing('weights'),
      words: `Split ${draft.weights.map(w => Number((w * 100).toFixed(2))).join(' / ')}`,
    },
    ...(missing('audienceIds', 'launchAt', 'automaticallyEndAt')
      ? [line('', 'audienceIds', 'launchAt', 'automaticallyEndAt')]
      : []),
  ]

  /** Says whether the variant's copy differs from the control. */
  function contentLine(): ReadyLine[] {
    return draft.variant?.isOurs
      ? [
          {
            ok: !missing('content'),
            words: missing('content')
              ? 'The variant is still the same as the control'
              : 'The variant’s content differs',
          },
        ]
      : []
  }

  function subjectLines(): ReadyLine[] {
    switch (draft.kind) {
      case 'PageElement': {
        const changes = draft.domSelectors.flatMap(s => s.actions).length
        const pages = `${formatCount(matching)} ${matching === 1 ? 'page matches' : 'pages match'}`
        return [
          {
            ok: !missing('urlPatterns') && matching > 0,
            words: missing('urlPatterns')
              ? 'No page named yet'
              : matching > 0
                ? pages
                : 'No page of the shop matches',
          },
          {
            ok: !missing('changes'),
            words:
              changes === 0
                ? 'No change yet'
                : missing('changes')
                  ? 'A change is not complete'
                  : `${changes} ${changes === 1 ? 'change' : 'changes'}`,
          },
        ]
      }
      case 'UrlRedirect':
        return [
          {
            ok: !missing('controlUrl'),
            words: missing('controlUrl') ? 'No page to test yet' : `Control: ${draft.controlUrl}`,
          },
          {
            ok: !missing('redirectUrl'),
            words: missing('redirectUrl')
              ? 'No page for the variant yet'
              : `Variant: ${draft.redirectUrl}`,
          },
        ]
      case 'Theme':
        return [line('A theme for the variant', 'control', 'variant', 'themeId')]
      case 'Template':
        return [
          line(`Control: ${named(draft.control)}`, 'control'),
          line(`Variant: ${named(draft.variant)}`, 'variant'),
          ...contentLine(),
        ]
      case 'PageContent':
        return [
          line('One page chosen', 'control', 'resourceIds'),
          line('The variant has its own copy', 'variant'),
          ...contentLine(),
        ]
      // The launch checks look at the shop's code (API tests) and at the products (price tests).
      case 'Api':
        return [
          {
            ok: true,
            words:
              draft.apiMode === 'manual'
                ? 'Assigned when your code asks'
                : 'Assigned on the first page',
          },
        ]
      case 'Price':
        return missing('products') ? [line('', 'products')] : []
    }
  }
}

/** "product.story" */
export const named = (target: TestDraft['control']): string =>
  target?.templateType
    ? `${target.templateType}${target.suffix ? `.${target.suffix}` : ''}`
    : 'none'
