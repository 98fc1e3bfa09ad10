import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'
import { DraftCreate } from '../drafts/draft.ts'
import { assistKinds } from './lift-assist-rules.ts'
import { templateTypes } from '../themes/template.ts'
import { testKindNames } from '../tests/test-kind.ts'

/** One proposal of what to test next, with the shop's own figures behind it. */
export const LiftAssist = Type.Object({
  /** Stays the same as long as the proposal is about the same pages. */
  id: Type.String(),
  kind: Type.Enum([...assistKinds]),
  testKind: Type.Enum(testKindNames),
  title: Type.String(),
  /** Why we propose it, in words with the figures. */
  reason: Type.String(),
  template: Maybe(Type.Object({ type: Type.Enum([...templateTypes]), suffix: Type.String() })),
  /** Path patterns of the pages it is about. */
  pages: Type.Array(Type.String()),
  figures: Type.Object({
    /**
     * Sums of the last full days. `visitors`, `adders`: visitors, and those who added to the cart
     * here, each counted once a day. `views`: page views. `entries`, `bounces`, `exits`: visits
     * that began here, saw only this page, ended here.
     */
    visitors: Type.Integer(),
    views: Type.Integer(),
    entries: Type.Integer(),
    bounces: Type.Integer(),
    exits: Type.Integer(),
    adders: Type.Integer(),
    /** The share of the shop's visitors that came here. */
    reach: Type.Number(),
    /** The rate here, and the rate to compare it with. Null when the proposal has no such rate. */
    rate: Maybe(Type.Number()),
    otherRate: Maybe(Type.Number()),
  }),
  /** Whether a test has ever run on these pages. */
  isTested: Type.Boolean(),
  /** Number of visitors that a test of 28 days would have, each counted once. */
  expectedVisitors: Type.Integer(),
  /**
   * Smallest relative change of the goal that this number can find; null when the goal has not
   * happened yet.
   */
  smallestChange: Maybe(Type.Number()),
  /**
   * Orders to gain, as a share of the shop's orders, if the bad rate became as good as elsewhere.
   * Without a bad rate: if a tenth more visitors ordered.
   */
  score: Type.Number(),
  /** The draft that was made from it; null when there is none. */
  draftId: Maybe(Type.String()),
  /** Body of the POST /api/v0/test-drafts that makes a draft from it. */
  draft: DraftCreate,
})
export type LiftAssist = Type.Static<typeof LiftAssist>

export const LiftAssists = Type.Object({
  assists: Type.Array(LiftAssist),
  /** Why there are no proposals; null when there are some. */
  reason: Maybe(Type.String()),
  /** The first and last full day of the figures, and their number. */
  from: Maybe(Type.String()),
  to: Maybe(Type.String()),
  days: Type.Integer(),
})
export type LiftAssists = Type.Static<typeof LiftAssists>
