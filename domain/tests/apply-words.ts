import type { Test } from './ab-test.ts'
import type { Arm } from '../arm.ts'
import type { Verdict } from '../reports/summary.ts'
import { formatCount } from '../figures.ts'
import type { AssignedType, TemplateType } from '../themes/template.ts'
import type { TestKind } from './test-kind.ts'
import { canMove, refusedMove } from './test-status.ts'

/** What we know in advance about applying an arm. */
export type ApplyFacts = {
  test: Pick<
    Test,
    | 'kind'
    | 'status'
    | 'startAt'
    | 'appliedArm'
    | 'control'
    | 'variant'
    | 'resourceIds'
    | 'controlUrl'
    | 'redirectUrl'
    | 'domSelectors'
    | 'sendsByScript'
  >
  /**
   * How many products, pages and so on are assigned to the control's template now; null when
   * unknown.
   */
  assigned: number | null
  /** Why the arm cannot be applied, when something that it needs is gone; else null. */
  missing: string | null
  /** Why the shop does not let us apply the arm, and what to do; null when it does. */
  lack: { reason: string; remedy: string } | null
  /**
   * For the variant of a redirect test: why our script makes it permanent, and how the shop could;
   * null when the shop does.
   */
  byScript: { reason: string; remedy: string } | null
  themeName: (id: string) => string
  /** Number of products in a price test; null when unknown. */
  products: number | null
  /**
   * For a price test: one sentence for each tested price that the merchant has changed in the shop
   * since.
   */
  repriced: readonly string[]
  verdict?: Verdict['kind']
  /** YYYY-MM-DD, used in the name under which the original template is kept. */
  today: string
}
/** `changes`: what changes now. `later`: how to undo it, or what stays. */
export type ApplyWords = { changes: string[]; later: string }

/**
 * What in the result speaks against applying the variant; null when the variant won or there is no
 * verdict.
 */
export function applyCaution(
  { verdict, test }: Pick<ApplyFacts, 'verdict'> & { test: Pick<Test, 'status'> },
  arm: Arm,
): string | null {
  if (arm === 'control' || verdict === undefined || verdict === 'winner') return null
  if (verdict === 'loser') return 'The control won this test: on the goal, the variant did worse.'
  if (verdict === 'noDifference')
    return 'This test found no difference between the arms, so choose by what you prefer.'
  if (verdict === 'splitBroken')
    return 'The traffic split of this test was broken, so it says nothing about which arm is better.'
  return `${test.status === 'Ended' ? 'This test ended without a winner' : 'This test has no winner yet'}: the variant may be better or worse than the control.`
}

/**
 * The entry in a test's history after an arm was applied, with the names of what could not be
 * changed.
 */
export function appliedWords(
  arm: Arm,
  {
    gone = [],
    edited = [],
    refused = [],
    isByScript = false,
  }: {
    gone?: readonly string[]
    edited?: readonly string[]
    refused?: readonly string[]
    /** Our script sends the control's visitors on, and not the shop. */
    isByScript?: boolean
  },
): string {
  const not = [
    ...(gone.length > 0 ? [`what is no longer there: ${gone.join(', ')}`] : []),
    ...(edited.length > 0 ? [`what was changed in the shop since: ${edited.join(', ')}`] : []),
    ...(refused.length > 0 ? [`what the shop refused to put back: ${refused.join(', ')}`] : []),
  ]
  const all = `${armName(arm)} applied`
  if (isByScript) return `${all}, by our script. ${controlRemains.slice(0, -1)}`
  return not.length > 0 ? `${all}, but not to ${not.join('; nor to ')}` : all
}

/** What a redirect by our script does not reach. */
export const controlRemains =
  'Search engines and visitors without scripts still get the control’s page.'

/** The entry while an arm is applied to more than a person waits for. */
export const applyingWords = (arm: Arm): string =>
  `${armName(arm)} is being applied in the background. This list will say when it is done`

/** The entry when the shop refused a part of it, so that nothing was applied. */
export const notAppliedWords = (arm: Arm, why: string): string =>
  `${armName(arm)} not applied. ${why}`

/** The entry when a change of the test that was interrupted could not be finished. */
export const notFinishedWords = (why: string): string =>
  `An interrupted change was not made. ${why}`

const armName = (arm: Arm): string => (arm === 'variant' ? 'Variant' : 'Control')

/** The message for an imported test. The engine uses it too when it refuses to apply one. */
export const importedHasNoArms =
  'This test was imported with its figures but without its arms, so there is nothing to apply.'

/** Why no arm of this test can be applied in the app; null when one can. */
export function whyNotApplied({
  kind,
  status,
  startAt,
  isImported,
}: Pick<Test, 'kind' | 'status' | 'startAt' | 'isImported'>): string | null {
  if (isImported) return importedHasNoArms
  if (kind === 'Api')
    return 'An API test is applied in your shop’s own code: your developer ships the arm that won. Ending the test shows the control to everyone who asks.'
  if (!startAt) return 'This test has never run, so there is nothing to apply.'
  return status === 'Ended' || canMove('merchant', status, 'Ended')
    ? null
    : refusedMove(status, 'Ended')
}

/** Says what applying an arm will change in the shop. */
export function applyWords(facts: ApplyFacts, arm: Arm): ApplyWords {
  const { status, appliedArm, kind } = facts.test
  const isRunning = status !== 'Ended'
  const ends = isRunning
    ? ['The test ends first: nothing is counted any more, and it cannot be started again.']
    : []
  if (arm === 'variant')
    return {
      changes: [...ends, ...variant[kind](facts)],
      later:
        kind === 'PageElement'
          ? 'The changes stay for as long as Twinshelf is installed. “Apply control” takes them out again.'
          : facts.byScript
            ? 'Visitors are sent on for as long as Twinshelf is installed. “Apply control” ends it.'
            : '“Apply control” undoes it at any time. What you change in the shop yourself afterwards stays.',
    }
  const undone =
    appliedArm === 'variant'
      ? undo[kind](facts)
      : kind === 'Theme'
        ? [
            `The theme ${theme(facts, 'control')} is the shop’s published theme: it stays so, or is published again.`,
          ]
        : [
            stays[kind] ??
              'Your shop does not change. We delete what we made for the variant, unless you changed it since.',
          ]
  return { changes: [...ends, ...undone], later: 'The variant can still be applied afterwards.' }
}

/**
 * For applying the control: the words for kinds of test that make nothing in the shop for the
 * variant.
 */
const stays: Partial<Record<TestKind, string>> = {
  Price: 'Your shop and its prices do not change.',
}

type Say = (facts: ApplyFacts) => string[]
const template: Say = ({ test: { control, variant, resourceIds }, assigned, today }) => {
  const type = control?.templateType ?? 'page',
    suffix = variant?.suffix ?? ''
  const drawn = named(type, suffix)
  if (!isAssigned(type))
    return [
      `The file ${named(type, '')} takes the content of ${drawn}, so everyone sees it on ${wholePages[type]}.`,
      `The original is kept in the theme as ${named(type, `before-${today}`)}.`,
    ]
  const count =
    resourceIds.length > 0 ? Math.min(resourceIds.length, assigned ?? Infinity) : assigned
  const what =
    count === null
      ? `All that the template ${named(type, control?.suffix ?? '')} draws`
      : `${formatCount(count)} ${nouns[type][count === 1 ? 0 : 1]}${resourceIds.length > 0 ? ' of this test' : ''}`
  return [
    `${what} ${count === 1 ? 'is' : 'are'} assigned to the template ${drawn} instead of ${named(type, control?.suffix ?? '')}.`,
    `The template ${drawn} stays in your theme.`,
  ]
}
const variant: Record<TestKind, Say> = {
  Theme: facts => [
    `The theme ${theme(facts, 'variant')} is published: it draws every page of the shop.`,
    `${theme(facts, 'control')} stays in the shop, unpublished.`,
  ],
  Template: template,
  PageContent: template,
  UrlRedirect: ({ test: { controlUrl, redirectUrl }, byScript }) =>
    byScript
      ? [
          `Our script sends everyone from ${controlUrl} to ${redirectUrl}, and counts nobody for it.`,
          controlRemains,
          `${byScript.reason} ${byScript.remedy}`,
        ]
      : [`The shop itself sends everyone from ${controlUrl} to ${redirectUrl}.`],
  PageElement: ({ test: { domSelectors } }) => {
    const n = domSelectors.reduce((sum, { actions }) => sum + actions.length, 0)
    return [
      `The script shows the variant’s ${n === 1 ? 'change' : `${n} changes`} to everyone, and counts nobody for it. Your theme is not touched.`,
    ]
  },
  Api: () => [],
  Price: ({ products, repriced }) => [
    `The prices of ${products === null ? 'all products of this test' : plural(products, 'product')} are set to the variant’s in the shop itself, for everyone. What was not tested keeps its price.`,
    ...(repriced.length > 0
      ? [
          `Prices that you have changed since are replaced, too: ${repriced.slice(0, maxNamed).join(' ')}${repriced.length > maxNamed ? ` And ${repriced.length - maxNamed} more.` : ''}`,
        ]
      : []),
  ],
}
const maxNamed = 5
const templateUndo: Say = ({ test: { control } }) => {
  const type = control?.templateType ?? 'page',
    own = named(type, control?.suffix ?? '')
  return isAssigned(type)
    ? [
        `What was assigned to the variant’s template is assigned to ${own} again.`,
        'We delete the variant’s template from the theme, unless you have changed it since.',
      ]
    : [`We restore the file ${own} and delete our copy of it.`]
}
const undo: Record<TestKind, Say> = {
  Theme: facts => [
    `The theme ${theme(facts, 'control')} is published again. ${theme(facts, 'variant')} stays in the shop, unpublished.`,
  ],
  Template: templateUndo,
  PageContent: templateUndo,
  UrlRedirect: ({ test: { controlUrl, sendsByScript } }) => [
    `${sendsByScript ? 'Our script no longer sends visitors on' : 'We delete the redirect'}, so ${controlUrl} is shown again.`,
  ],
  PageElement: () => ['The script no longer shows the variant’s changes.'],
  Api: () => [],
  Price: ({ products }) => [
    `The prices of ${products === null ? 'all products of this test' : plural(products, 'product')} are set back to what they were before, except those that you have changed since.`,
  ],
}

const nouns: Record<AssignedType, [one: string, many: string]> = {
  product: ['product', 'products'],
  collection: ['collection', 'collections'],
  page: ['page', 'pages'],
  blog: ['blog', 'blogs'],
  article: ['article', 'articles'],
}
const wholePages: Record<Exclude<TemplateType, AssignedType>, string> = {
  home: 'the home page',
  cart: 'the cart',
  search: 'the search page',
}
const isAssigned = (type: TemplateType): type is AssignedType => Object.hasOwn(nouns, type)
const plural = (n: number, noun: string) => `${formatCount(n)} ${noun}${n === 1 ? '' : 's'}`
/**
 * A template's file name in the theme, without its ending: "product.story"; "index" for the home
 * page.
 */
const named = (type: TemplateType, suffix: string) =>
  `${type === 'home' ? 'index' : type}${suffix && `.${suffix}`}`
const theme = ({ test, themeName }: ApplyFacts, arm: Arm) =>
  `“${themeName(test[arm]?.themeId ?? '')}”`
