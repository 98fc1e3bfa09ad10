import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import { jobKinds } from '../jobs/job.ts'
import { StoreName } from './staff-list.ts'
import { storeStates, subscriptionStatuses } from '../stores/store.ts'
import { day } from '../time-units.ts'

/** `waiting`: a newer script is on its way; `failing`: the shop would not take it; `none`: nothing was ever published. */
export const scriptStates = ['published', 'waiting', 'failing', 'none'] as const
export type ScriptState = (typeof scriptStates)[number]
/** What a look at the shop's script address found. */
export const scriptFindings = ['answers', 'differs', 'missing', 'unreachable'] as const
export type ScriptFinding = (typeof scriptFindings)[number]
export const findingWords: Record<ScriptFinding, string> = {
  answers: 'The shop serves the script as it was published.',
  differs: 'The shop serves another script than the one published last.',
  missing: 'The shop has no script at its address.',
  unreachable: 'The shop could not be reached.',
}
/** What of it matters first: whether the shop has the newest script. `broken`: it refuses it, serves another or could not be reached. */
export const scriptStandings = ['installed', 'waiting', 'broken', 'missing'] as const
export type ScriptStanding = (typeof scriptStandings)[number]
export const scriptStandingLabels: Record<ScriptStanding, string> = {
  installed: 'Installed',
  waiting: 'Being published',
  broken: 'Not working',
  missing: 'Missing',
}
export function scriptStandingOf({
  state,
  finding,
}: {
  state: ScriptState
  finding: ScriptFinding | null
}): ScriptStanding {
  if (state === 'none' || finding === 'missing') return 'missing'
  if (state === 'failing' || (finding !== null && finding !== 'answers')) return 'broken'
  return state === 'waiting' ? 'waiting' : 'installed'
}
export const ScriptCheck = Type.Object({ finding: Type.Enum([...scriptFindings]), at: Instant })
export type ScriptCheck = Type.Static<typeof ScriptCheck>

export const storeTroubles = [
  'scriptFailing',
  'scriptAmiss',
  'noScript',
  'noEvents',
  'subscription',
  'overLimit',
] as const
export type StoreTrouble = (typeof storeTroubles)[number]
export const storeTroubleLabels: Record<StoreTrouble, string> = {
  scriptFailing: 'Shop refused the script',
  scriptAmiss: 'Script check failed',
  noScript: 'No script',
  noEvents: 'No visitors for two days',
  subscription: 'Subscription lapsed',
  overLimit: 'Over the limit',
}
export const StoreHealth = Type.Object({
  ...StoreName.properties,
  status: Type.Enum([...storeStates]),
  subscriptionStatus: Maybe(Type.Enum([...subscriptionStatuses])),
  plan: Maybe(Type.String()),
  script: Type.Object({
    state: Type.Enum([...scriptStates]),
    publishedAt: Maybe(Instant),
    error: Maybe(Type.String()),
    check: Maybe(ScriptCheck),
  }),
  /** The last day, by the shop's own calendar, on which its script reported anything. */
  lastEventDay: Maybe(Type.String()),
  lastSignInAt: Maybe(Instant),
  visitors: Type.Integer(),
  visitorLimit: Maybe(Type.Integer()),
  isOnTrial: Type.Boolean(),
  runningTests: Type.Integer(),
  troubles: Type.Array(Type.Enum([...storeTroubles])),
})
export type StoreHealth = Type.Static<typeof StoreHealth>
export const healthSorts = ['troubles', 'name', 'lastEventDay', 'lastSignInAt', 'usage'] as const
export const healthViews = ['troubled', 'all'] as const

type Facts = Omit<StoreHealth, 'troubles'> & {
  hasLapsed: boolean
  /** The shop's day before yesterday. */ twoDaysAgo: string
  installedFor: number
}

/** The problems of a store, worst first. An uninstalled store has none. */
export function storeTroublesOf({
  status,
  script,
  runningTests,
  lastEventDay,
  twoDaysAgo,
  installedFor,
  hasLapsed,
  isOnTrial,
  visitors,
  visitorLimit,
}: Facts): StoreTrouble[] {
  if (status === 'uninstalled') return []
  const found: [StoreTrouble, boolean][] = [
    ['scriptFailing', script.state === 'failing'],
    ['scriptAmiss', script.check !== null && script.check.finding !== 'answers'],
    ['noScript', script.state === 'none'],
    [
      'noEvents',
      runningTests > 0 &&
        installedFor > 2 * day &&
        (lastEventDay === null || lastEventDay <= twoDaysAgo),
    ],
    ['subscription', hasLapsed],
    // During the trial visitors are not limited (requirements 12.7).
    [
      'overLimit',
      !isOnTrial && visitorLimit !== null && visitorLimit > 0 && visitors >= visitorLimit,
    ],
  ]
  return found.filter(([, isFound]) => isFound).map(([trouble]) => trouble)
}

const Count = Type.Integer()
/** Of those that fail the one that is tried again last; `at`: when. `shop`: whose it is. */
const Failure = Maybe(Type.Object({ message: Type.String(), at: Instant, shop: Type.String() }))
export const ApiHealth = Type.Object({
  version: Type.String(),
  node: Type.String(),
  startedAt: Instant,
  memory: Type.Integer(),
  database: Type.Object({
    kind: Type.Enum(['pglite', 'postgres']),
    milliseconds: Type.Number(),
    bytes: Type.Number(),
    migrations: Count,
    isMigrated: Type.Boolean(),
  }),
  /** The disk under the data folder, in bytes; null where the database is elsewhere. Held back: shoppers' events, while it is nearly full. */
  disk: Type.Object({
    space: Maybe(Type.Object({ free: Type.Number(), size: Type.Number() })),
    isHeldBack: Type.Boolean(),
  }),
  /** The program's own backups; null where it makes none. */
  backups: Maybe(Type.Object({ newestAt: Maybe(Instant), problem: Maybe(Type.String()) })),
  jobs: Type.Object({
    /** Due and not begun, since when the oldest; for later; being run; failed and to be tried again; given up in the last seven days. */
    due: Count,
    oldestDueAt: Maybe(Instant),
    later: Count,
    active: Count,
    retrying: Count,
    errored: Count,
    newestError: Maybe(
      Type.Object({
        kind: Type.Enum([...jobKinds]),
        message: Type.String(),
        at: Instant,
        shop: Type.String(),
      }),
    ),
  }),
  scripts: Type.Object({ waiting: Count, failing: Count, newestError: Failure }),
  /** Tests whose figures have changed since their report was last summed up. */
  reportsWaiting: Count,
  /** Open connections of this machine to the real-time hub. */
  hubConnections: Count,
  /** All beacons that this machine has taken since its start came from one address: it does not tell shoppers apart. */
  isOneAddress: Type.Boolean(),
  /** Stores whose Google Analytics is on, and those of them where sending fails. */
  analytics: Type.Object({ enabled: Count, failing: Count, newestError: Failure }),
})
export type ApiHealth = Type.Static<typeof ApiHealth>
