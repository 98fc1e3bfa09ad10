import * as Type from 'typebox'
import { closed, Instant, Maybe } from '../api/call.ts'
import { planLevelNames } from '../plans/plan-level.ts'
import { scriptStandings } from './staff-health.ts'
import { StoreName } from './staff-list.ts'
import { featureFlags, storeStates, subscriptionStatuses } from '../stores/store.ts'

export const Flag = Type.Enum([...featureFlags])
export const FeatureStore = Type.Object({
  ...StoreName.properties,
  status: Type.Enum([...storeStates]),
  plan: Maybe(Type.String()),
  flags: Type.Array(Flag),
  updatedAt: Instant,
})
export type FeatureStore = Type.Static<typeof FeatureStore>
export const featureSorts = ['name', 'flags', 'createdAt'] as const
/** A flag may be in only one of the lists. Flags in neither list do not change. */
export const FlagChange = Type.Object(
  { on: Type.Array(Flag, { uniqueItems: true }), off: Type.Array(Flag, { uniqueItems: true }) },
  closed,
)

const Usage = { visitors: Type.Integer(), visitorLimit: Maybe(Type.Integer()) }
export const TrialStore = Type.Object({
  ...StoreName.properties,
  plan: Maybe(Type.String()),
  trialEnd: Instant,
  daysLeft: Type.Integer(),
  ...Usage,
  /** Number of all tests that it has launched. */
  tests: Type.Integer(),
  script: Type.Enum([...scriptStandings]),
  /** The last day, in the shop's time zone, on which its script sent an event. */
  lastEventDay: Maybe(Type.String()),
})
export type TrialStore = Type.Static<typeof TrialStore>
export const trialSorts = ['name', 'trialEnd', 'visitors', 'tests', 'lastEventDay'] as const
/** The choices, in days, of the filter by the trial's end. */
export const trialEndsWithin = [3, 7, 14] as const
export const trialLevels = planLevelNames
/** The filters of the list of trials. */
export const trialFilters = {
  endsWithin: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  level: Type.Optional(Type.Enum([...planLevelNames])),
  script: Type.Optional(Type.Enum([...scriptStandings])),
}

export const Trial = Type.Object({
  ...StoreName.properties,
  domain: Type.String(),
  email: Maybe(Type.String()),
  status: Type.Enum([...storeStates]),
  subscriptionStatus: Maybe(Type.Enum([...subscriptionStatuses])),
  plan: Maybe(Type.String()),
  createdAt: Instant,
  /** Null when the store never had a trial. */
  trialEnd: Maybe(Instant),
  daysLeft: Type.Integer(),
  isOnTrial: Type.Boolean(),
  ...Usage,
  tests: Type.Integer(),
  /** Newest first. */
  extensions: Type.Array(
    Type.Object({ at: Instant, days: Type.Integer(), from: Instant, by: Type.String() }),
  ),
})
export type Trial = Type.Static<typeof Trial>

export const extensionDays = { least: 1, most: 1000 } as const
/**
 * `trialEnd`: the end that staff saw. If the end is another by now, nothing is changed, so that a
 * form sent twice extends only once.
 */
export const TrialExtension = Type.Object(
  {
    days: Type.Integer({ minimum: extensionDays.least, maximum: extensionDays.most }),
    trialEnd: Type.String({ maxLength: 40 }),
  },
  closed,
)
