import * as Type from 'typebox'
import { arms } from '../arm.ts'
import { DailyVisitors } from './daily-visitors.ts'
import { DomSelector } from '../drafts/dom-selector.ts'
import { Hypothesis, TestDraft } from '../drafts/draft.ts'
import { goalNames } from '../reports/goal.ts'
import { holdCauseNames } from './hold-cause.ts'
import { importFacts } from '../imports/import-facts.ts'
import { GoalResult, TestSummary, Verdict } from '../reports/summary.ts'
import { testKindNames } from './test-kind.ts'
import { testStatuses } from './test-status.ts'

const Instant = Type.String()
const MaybeInstant = Type.Union([Instant, Type.Null()])

export const testEventKinds = [
  'Created',
  'Modified',
  'Start',
  'End',
  'Lift',
  'Progress',
  'Paused',
  'Duration',
  'Visitors',
] as const
/**
 * One entry of a test's history. `detail`: in plain words. `value`: the share of progress, or the
 * number of visitors.
 */
export const TestEvent = Type.Object({
  kind: Type.Enum([...testEventKinds]),
  at: Instant,
  detail: Type.Union([Type.String(), Type.Null()]),
  value: Type.Union([Type.Number(), Type.Null()]),
})
export type TestEvent = Type.Static<typeof TestEvent>

/** Why the system holds a test, and what can be done about it (hold-cause.ts). */
export const HoldCause = Type.Object({
  cause: Type.Enum(holdCauseNames),
  message: Type.String(),
  remedy: Type.String(),
  /** The page of the shop's admin where the remedy is done. */
  fixAt: Type.Optional(Type.String()),
})

const base = {
  id: Type.String(),
  kind: Type.Enum(testKindNames),
  title: Type.String(),
  status: Type.Enum([...testStatuses]),
  goal: Type.Enum(goalNames),
  weights: Type.Tuple([Type.Number(), Type.Number()]),
  /** Tested pages: URL patterns, or the control's path. */
  pages: Type.Array(Type.String()),
  createdAt: Instant,
  updatedAt: Instant,
  startAt: MaybeInstant,
  /**
   * `endsAt`: the planned end. It moves later by the whole days for which the test was paused, and
   * if it is paused now, by those up to now. `endedAt`: the real end.
   */
  endsAt: MaybeInstant,
  endedAt: MaybeInstant,
  appliedAt: MaybeInstant,
  /** True when the product's simulated shoppers made the test's data. */
  isDemo: Type.Boolean(),
  /**
   * True for a past experiment that staff imported from a file. It is over, and our script never
   * showed it.
   */
  isImported: Type.Boolean(),
}
/** A row of the tests list, with the result of only the primary goal. */
export const TestListItem = Type.Object({
  ...base,
  visitors: Type.Integer(),
  /** The last days with visitors; null before the first. */
  daily: Type.Union([DailyVisitors, Type.Null()]),
  result: Type.Union([GoalResult, Type.Null()]),
  verdict: Type.Union([Verdict, Type.Null()]),
})
export type TestListItem = Type.Static<typeof TestListItem>

export const Test = Type.Object({
  ...base,
  /**
   * For an imported test: facts about visitors that its file does not contain, so no list, filter
   * or column shows them. Empty for other tests.
   */
  notInFile: Type.Array(Type.Enum([...importFacts])),
  hypothesisDescription: Type.String(),
  controlTitle: Type.String(),
  variantTitle: Type.String(),
  statusHistory: Type.Array(
    Type.Object({ status: Type.Enum([...testStatuses]), appliedOn: Instant }),
  ),
  events: Type.Array(TestEvent),
  hypotheses: Type.Array(Hypothesis),
  domSelectors: Type.Array(DomSelector),
  controlUrl: Type.String(),
  redirectUrl: Type.String(),
  minimumEffect: Type.Number(),
  /** All visitors that the sample plan expects: N* of the decision rule. */
  plannedVisitors: Type.Integer(),
  estimatedCompletionDate: MaybeInstant,
  launchAt: MaybeInstant,
  automaticallyEndAt: MaybeInstant,
  previewUrls: Type.Tuple([Type.String(), Type.String()]),
  ...pick(TestDraft.properties, 'control', 'variant', 'resourceIds', 'audienceIds', 'apiMode'),
  /** Null unless the test is on hold, or was on hold when it was suspended. */
  holdCause: Type.Union([HoldCause, Type.Null()]),
  /** The arm that was applied: everyone gets it for good. Null when none was. */
  appliedArm: Type.Union([Type.Enum([...arms]), Type.Null()]),
  /** For an applied redirect test: our script sends the control's visitors on, not the shop. */
  sendsByScript: Type.Optional(Type.Literal(true)),
  /**
   * Changes whenever anything here changes, except values that change only with time
   * (`figuresRevision`).
   */
  revision: Type.String(),
  summary: TestSummary,
})
export type Test = Type.Static<typeof Test>

/** PUT takes any of these fields. A status must be an allowed change (test-status.ts). */
export const TestUpdate = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    hypothesisDescription: Type.Optional(Type.String({ maxLength: 2000 })),
    controlTitle: Type.Optional(Type.String({ maxLength: 120 })),
    variantTitle: Type.Optional(Type.String({ maxLength: 120 })),
    status: Type.Optional(Type.Enum([...testStatuses])),
  },
  { additionalProperties: false },
)
export type TestUpdate = Type.Static<typeof TestUpdate>

/** The values of the list's `status` query: a status, or the drafts. */
export const listTabs = [...testStatuses, 'Draft'] as const
export type ListTab = (typeof listTabs)[number]
export const listSorts = [
  'title',
  'visitors',
  'lift',
  'chanceToWin',
  'createdAt',
  'startAt',
] as const

function pick<T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> {
  return Object.fromEntries(names.map(name => [name, from[name]])) as Pick<T, K>
}
