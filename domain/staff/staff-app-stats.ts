import * as Type from 'typebox'
import { planLevelNames } from '../plans/plan-level.ts'
import { testKindNames } from '../tests/test-kind.ts'
import { testStatuses } from '../tests/test-status.ts'

const Count = Type.Integer()
/** Number of days that are shown, including today. */
export const statsDays = 30

export const AppStats = Type.Object({
  stores: Type.Object({
    installed: Count,
    uninstalled: Count,
    onTrial: Count,
    /** Installed stores with a subscription that has not lapsed, by plan level. */
    levels: Type.Record(Type.Enum([...planLevelNames]), Count),
    /** Installed stores without a subscription: never subscribed, or lapsed. */
    withoutPlan: Count,
  }),
  /** Tests of each kind in each status. */
  tests: Type.Array(
    Type.Object({
      kind: Type.Enum(testKindNames),
      counts: Type.Record(Type.Enum([...testStatuses]), Count),
      all: Count,
    }),
  ),
  /** The last thirty days, newest first. Each shop's days are in its own time zone. */
  days: Type.Array(Type.Object({ day: Type.String(), visitors: Count, events: Count })),
})
export type AppStats = Type.Static<typeof AppStats>
