import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import { jobKinds } from '../jobs/job.ts'
import { reconciledInWords, reconciledThings } from '../platform/reconciled.ts'
import { LeadMailing } from './staff-leads.ts'
import { StoreName } from './staff-list.ts'
import { storeStates, subscriptionStatuses } from '../stores/store.ts'
import { day } from '../time-units.ts'

/**
 * `waiting`: a newer script is being published. `failing`: the shop refused it. `none`: nothing was
 * ever published.
 */
export const scriptStates = ['published', 'waiting', 'failing', 'none'] as const
export type ScriptState = (typeof scriptStates)[number]
/** The result of fetching the script from the shop's own address. */
export const scriptFindings = ['answers', 'differs', 'missing', 'unreachable'] as const
export type ScriptFinding = (typeof scriptFindings)[number]
export const findingWords: Record<ScriptFinding, string> = {
  answers: 'The shop serves the script as it was published.',
  differs: 'The shop serves another script than the one published last.',
  missing: 'The shop has no script at its address.',
  unreachable: 'The shop could not be reached.',
}
/**
 * Whether the shop has the newest script, in one word. `broken`: the shop refuses it, serves
 * another, or could not be reached.
 */
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
  'webhooksLost',
] as const
export type StoreTrouble = (typeof storeTroubles)[number]
export const storeTroubleLabels: Record<StoreTrouble, string> = {
  scriptFailing: 'Shop refused the script',
  scriptAmiss: 'Script check failed',
  noScript: 'No script',
  noEvents: 'No visitors for two days',
  subscription: 'Subscription lapsed',
  overLimit: 'Over the limit',
  webhooksLost: 'Did not report everything',
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
  /** The last day, in the shop's time zone, on which its script sent an event. */
  lastEventDay: Maybe(Type.String()),
  lastSignInAt: Maybe(Instant),
  /**
   * The last nightly comparison with the platform, and how many of each thing it found that no
   * webhook had told us.
   */
  reconciled: Maybe(
    Type.Object({
      at: Instant,
      found: Type.Partial(Type.Record(Type.Enum(reconciledThings), Type.Integer())),
    }),
  ),
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
  reconciled,
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
    ['webhooksLost', reconciled !== null && reconciledInWords(reconciled.found) !== null],
  ]
  return found.filter(([, isFound]) => isFound).map(([trouble]) => trouble)
}

const Count = Type.Integer()
/**
 * Among the failing ones, the one with the latest next attempt. `at`: when that attempt is. `shop`:
 * the shop it belongs to.
 */
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
  /**
   * `space`: of the disk with the data folder, in bytes; null when the database is elsewhere.
   * `isHeldBack`: true while the disk is nearly full and shoppers' events are refused.
   */
  disk: Type.Object({
    space: Maybe(Type.Object({ free: Type.Number(), size: Type.Number() })),
    isHeldBack: Type.Boolean(),
  }),
  /** The program's own backups; null when it makes none. */
  backups: Maybe(Type.Object({ newestAt: Maybe(Instant), problem: Maybe(Type.String()) })),
  jobs: Type.Object({
    /**
     * `due`: due and not begun; `oldestDueAt`: since when the oldest is due. `later`: scheduled.
     * `active`: running. `retrying`: failed and waiting for a retry. `errored`: stopped in the last
     * seven days.
     */
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
  /** Tests whose figures have changed since their summary was last computed. */
  reportsWaiting: Count,
  /** Open connections of this machine to the real-time hub. */
  hubConnections: Count,
  /**
   * True when all beacons since this machine started came from one address. Then it probably sees a
   * proxy instead of shoppers.
   */
  isOneAddress: Type.Boolean(),
  /** Number of stores with Google Analytics on, and of those where sending fails. */
  analytics: Type.Object({ enabled: Count, failing: Count, newestError: Failure }),
  /**
   * Requests for a custom plan: where they are mailed, how many wait for an answer, and how many
   * the mail server has refused so far.
   */
  leads: Type.Object({ ...LeadMailing.properties, open: Count, failing: Count }),
})
export type ApiHealth = Type.Static<typeof ApiHealth>
