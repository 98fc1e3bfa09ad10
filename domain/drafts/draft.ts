import * as Type from 'typebox'
import { IdParam, Maybe } from '../api/call.ts'
import { DomSelector, zeroId } from './dom-selector.ts'
import { goalNames } from '../reports/goal.ts'
import { Screenshot } from './pictures/screenshot.ts'
import { testKindNames } from '../tests/test-kind.ts'
import { changeStates, templateKinds, TestTarget } from '../tests/test-target.ts'
import type { FieldProblem } from '../problem.ts'
import { leadsElsewhere } from '../tests/redirect-url.ts'

const Weights = Type.Tuple([Type.Number(), Type.Number()])
/**
 * Where a draft comes from: a copy of a template, draft or test; an existing template; a proposal
 * of Lift Assist.
 */
export const draftOrigins = ['Duplicate', 'ExistingTemplate', 'LiftAssist'] as const
export const apiModes = ['automatic', 'manual'] as const

/**
 * The fields of a draft that a merchant can write. An incomplete draft can be stored; only the
 * launch needs all fields.
 */
export const draftFields = {
  title: Type.String({ maxLength: 120 }),
  hypothesisDescription: Type.String({ maxLength: 2000 }),
  controlTitle: Type.String({ maxLength: 120 }),
  variantTitle: Type.String({ maxLength: 120 }),
  goal: Type.Enum(goalNames),
  /** Shares of traffic, control first; they must sum to 1. */
  weights: Weights,
  /** Smallest relative change worth finding, 0.1 for 10%. */
  minimumEffect: Type.Number({ minimum: 0.01, maximum: 1 }),
  /**
   * Visitors a day that the merchant expects, for shops without figures of their own; null when the
   * merchant gave no number.
   */
  expectedVisitors: Maybe(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
  /** URL redirect: the tested page (path on the shop) and where the variant goes. */
  controlUrl: Type.String({ maxLength: 2048 }),
  redirectUrl: Type.String({ maxLength: 2048 }),
  /** Visitors in any of these audiences take part. When empty, all visitors do. */
  audienceIds: Type.Array(IdParam, { maxItems: 10 }),
  /**
   * API test: assigned on the first page, or when the shop's code first asks. Null for the other
   * kinds.
   */
  apiMode: Maybe(Type.Enum([...apiModes])),
}
export const DraftCreate = Type.Object(
  {
    kind: Type.Enum(testKindNames),
    ...partial(draftFields),
    origin: Type.Optional(Type.Enum([...draftOrigins])),
    /** Page element: the tested pages that the draft starts with. */
    urlPatterns: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 20 })),
    /** The lift assist that the draft was made from. */
    liftAssistId: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
)
export type DraftCreate = Type.Static<typeof DraftCreate>

/** `screenshots`: the existing pictures of this arm. */
export const Hypothesis = Type.Object({
  id: Type.String(),
  arm: Type.Enum(['control', 'variant']),
  screenshots: Type.Array(Screenshot),
})
export type Hypothesis = Type.Static<typeof Hypothesis>
export const TestDraft = Type.Object({
  id: Type.String(),
  kind: Type.Enum(testKindNames),
  ...draftFields,
  origin: Type.Union([Type.Enum([...draftOrigins]), Type.Null()]),
  hypotheses: Type.Array(Hypothesis),
  domSelectors: Type.Array(DomSelector),
  version: Type.Integer(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  variantCreatedAt: Type.Union([Type.String(), Type.Null()]),
  control: Maybe(TestTarget),
  variant: Maybe(TestTarget),
  /**
   * Ids of the products, collections, pages, blogs or articles that take part. When empty, all that
   * are assigned to the control's template do.
   */
  resourceIds: Type.Array(Type.String()),
  /** The kind of the control's template when it was chosen. */
  templateKind: Maybe(Type.Enum([...templateKinds])),
  /** The state of the variant's template at the last look (`draftTemplateStatus`). */
  changeState: Maybe(Type.Enum([...changeStates])),
  launchAt: Type.Union([Type.String(), Type.Null()]),
  automaticallyEndAt: Type.Union([Type.String(), Type.Null()]),
  /**
   * The page in a browser that saved this version (`savedBy` of the update); null when something
   * else did.
   */
  savedBy: Type.Optional(Maybe(Type.String())),
  /** Signed preview links on the shop, one per arm, control first. */
  previewUrls: Type.Tuple([Type.String(), Type.String()]),
})
export type TestDraft = Type.Static<typeof TestDraft>

/** The message for a redirect that leads to its own page. */
export const samePageMessage = 'The variant must be another page than the control.'

/**
 * Problems of a draft that prevent its launch, each at its field. The engine adds those that need a
 * look at the shop, for example whether the URL exists.
 */
export function launchProblems(
  draft: Pick<
    TestDraft,
    'kind' | 'title' | 'weights' | 'controlUrl' | 'redirectUrl' | 'domSelectors'
  >,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const at = (field: string, message: string) => problems.push({ field, message })
  if (!draft.title.trim()) at('title', 'Give the test a name.')
  problems.push(...weightProblems(draft.weights))
  if (draft.kind === 'PageElement') {
    if (!draft.domSelectors.some(s => s.urlPatterns.some(p => p.trim())))
      at('urlPatterns', 'Name at least one page, for example /products/*.')
    const actions = draft.domSelectors.flatMap(s => s.actions)
    if (actions.length === 0)
      at('changes', 'Add at least one change. Without one, control and variant are the same.')
    actions.forEach((a, i) => {
      if (!a.selector.trim())
        at(
          `changes.${i}.selector`,
          'Pick the element to change, or enter its selector, for example .product-form__submit.',
        )
      if ((a.kind === 'style' || a.kind === 'attribute') && !a.name.trim())
        at(
          `changes.${i}.name`,
          a.kind === 'style' ? 'Name the CSS property.' : 'Name the attribute.',
        )
      if (a.kind !== 'hide' && a.kind !== 'remove' && !a.value.trim())
        at(`changes.${i}.value`, 'Enter the new value.')
    })
  }
  if (draft.kind === 'UrlRedirect') {
    if (!draft.controlUrl.trim())
      at('controlUrl', 'Name the page to test, for example /pages/gift-guide.')
    if (!draft.redirectUrl.trim()) at('redirectUrl', 'Name the page the variant goes to.')
    else if (draft.controlUrl.trim() && !leadsElsewhere(draft.controlUrl, draft.redirectUrl))
      at('redirectUrl', samePageMessage)
  }
  return problems
}

/** A set without changes that names the pages that a draft starts with. */
export const pagesOnly = (urlPatterns: readonly string[]): DomSelector[] =>
  urlPatterns.length > 0 ? [{ id: zeroId, actions: [], urlPatterns: [...urlPatterns] }] : []

/**
 * Each weight must be above 0, and the two must sum to 1, give or take half a ten-thousandth: the
 * hash that assigns arms has 10,000 steps.
 */
export function weightProblems(weights: readonly number[]): FieldProblem[] {
  const [control = 0, variant = 0] = weights
  if (!(control > 0 && variant > 0))
    return [{ field: 'weights', message: 'Each arm needs a share of the visitors above 0%.' }]
  if (Math.abs(control + variant - 1) > 0.00005)
    return [{ field: 'weights', message: 'The two shares must add up to 100%.' }]
  return []
}

/** The same fields, all optional. */
export function partial<T extends Record<string, Type.TSchema>>(
  shape: T,
): { [K in keyof T]: Type.TOptional<T[K]> } {
  return Object.fromEntries(Object.entries(shape).map(([k, s]) => [k, Type.Optional(s)])) as {
    [K in keyof T]: Type.TOptional<T[K]>
  }
}
