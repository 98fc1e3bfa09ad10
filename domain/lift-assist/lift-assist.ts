import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'
import { DraftCreate } from '../drafts/draft.ts'
import { assistKinds } from './lift-assist-rules.ts'
import { templateTypes } from '../themes/template.ts'
import { testKindNames } from '../tests/test-kind.ts'

/** One proposal of what to test next, with the shop's own figures it comes from. */
export const LiftAssist = Type.Object({
  /** The same as long as it is about the same pages. */
  id: Type.String(),
  kind: Type.Enum([...assistKinds]),
  testKind: Type.Enum(testKindNames),
  title: Type.String(),
  /** Why, with the figures in it. */
  reason: Type.String(),
  template: Maybe(Type.Object({ type: Type.Enum([...templateTypes]), suffix: Type.String() })),
  /** Path patterns of the pages it is about. */
  pages: Type.Array(Type.String()),
  figures: Type.Object({
    /** Of the last full days: different visitors of a day, added up; views of pages; visits that began, were only, and ended here; visitors who added to the cart here. */
    visitors: Type.Integer(),
    views: Type.Integer(),
    entries: Type.Integer(),
    bounces: Type.Integer(),
    exits: Type.Integer(),
    adders: Type.Integer(),
    /** Part of the shop's visitors that came here. */
    reach: Type.Number(),
    /** What the proposal rests on: the rate here and the rate it is held against. Null where there is no such rate. */
    rate: Maybe(Type.Number()),
    otherRate: Maybe(Type.Number()),
  }),
  /** Whether a test has ever run on these pages. */
  isTested: Type.Boolean(),
  /** Different visitors that a test of 28 days would meet. */
  expectedVisitors: Type.Integer(),
  /** Smallest relative change of the goal that those can find; null where the goal has not happened yet. */
  smallestChange: Maybe(Type.Number()),
  /** Orders to be won in 28 days, as a share of the shop's, if the leak closed; where there is none, by a tenth more orders of those who come here. */
  score: Type.Number(),
  /** The draft that was opened from it. */
  draftId: Maybe(Type.String()),
  /** Body of POST /api/v0/test-drafts that opens it. */
  draft: DraftCreate,
})
export type LiftAssist = Type.Static<typeof LiftAssist>

export const LiftAssists = Type.Object({
  assists: Type.Array(LiftAssist),
  /** Why there are none. */
  reason: Maybe(Type.String()),
  /** Full days the figures are of. */
  from: Maybe(Type.String()),
  to: Maybe(Type.String()),
  days: Type.Integer(),
})
export type LiftAssists = Type.Static<typeof LiftAssists>
