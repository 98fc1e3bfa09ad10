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
/** One line of a test's history. `detail` is in plain words; `value` the share of progress or the number of visitors. */
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
  /** Planned end; moves by whole paused days, of a test that stands still by those up to now. `endedAt` is the real one. */
  endsAt: MaybeInstant,
  endedAt: MaybeInstant,
  appliedAt: MaybeInstant,
  /** Seeded by the product itself, not by shoppers. */
  isDemo: Type.Boolean(),
  /** A past experiment that staff took in from a file: over, and never in the shop by us. */
  isImported: Type.Boolean(),
}
/** A row of the tests list: the primary goal's result alone. */
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
  /** What of its visitors the file of an imported test does not say: no list, filter or column tells it. Empty for a test of the shop's own. */
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
  /** Visitors the plan foresees in all, N* of the decision rule. */
  plannedVisitors: Type.Integer(),
  estimatedCompletionDate: MaybeInstant,
  launchAt: MaybeInstant,
  automaticallyEndAt: MaybeInstant,
  previewUrls: Type.Tuple([Type.String(), Type.String()]),
  ...pick(TestDraft.properties, 'control', 'variant', 'resourceIds', 'audienceIds', 'apiMode'),
  /** Null unless it is on hold, or was when it was suspended. */
  holdCause: Type.Union([HoldCause, Type.Null()]),
  /** The arm that everyone has been given for good. */
  appliedArm: Type.Union([Type.Enum([...arms]), Type.Null()]),
  /** Another text whenever any of this has changed but the moment (`figuresRevision`). */
  revision: Type.String(),
  summary: TestSummary,
})
export type Test = Type.Static<typeof Test>

/** PUT takes any of these; a status is one legal change (test-status.ts). */
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

/** The list's `status` query: a status, or the drafts. */
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
