import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import { jobKinds, jobStatuses } from '../jobs/job.ts'
import { Network } from '../events/network.ts'
import { StaffAct } from '../staff-calls/users.ts'
import { AppliedDiscount } from './staff-discounts.ts'
import { EarningsLine } from './staff-earnings.ts'
import { StoreHealth } from './staff-health.ts'
import { StoreName } from './staff-list.ts'
import { Lead } from './staff-leads.ts'
import { StaffTest } from './staff-tests.ts'
import { StaffUninstall, StaffUninstalls } from './staff-uninstalls.ts'
import { Flag, Trial } from './staff-stores.ts'

const Count = Type.Integer()
/** Number of days in the charts, including today, and of hours in the chart of the API. */
export const trendDays = 30,
  trendHours = 24

/**
 * Requests that the API has answered in one hour. `slowest`: 95% of them took at most this many
 * milliseconds; null without requests.
 */
export const ApiHour = Type.Object({
  at: Instant,
  requests: Count,
  errors: Count,
  slowest: Maybe(Type.Number()),
})
export type ApiHour = Type.Static<typeof ApiHour>
/**
 * Number of stores at the end of a day (UTC): installed, on trial, paying. `installs`: stores
 * installed on that day. `running`: tests that had started and not ended; tests that are paused
 * today are left out.
 */
export const StoreDay = Type.Object({
  day: Type.String(),
  installs: Count,
  installed: Count,
  onTrial: Count,
  paying: Count,
  running: Count,
})
export type StoreDay = Type.Static<typeof StoreDay>
/**
 * Lists are oldest first. `leads`: merchants who requested a custom plan in the last thirty days.
 */
export const StaffTrends = Type.Object({
  days: Type.Array(StoreDay),
  hours: Type.Array(ApiHour),
  leads: Count,
  /** Requests that wait for an answer, however old. */
  openLeads: Count,
  uninstalls: StaffUninstalls,
})
export type StaffTrends = Type.Static<typeof StaffTrends>

export const FoundTest = Type.Object({ id: Type.String(), title: Type.String(), store: StoreName })
export const FoundOrder = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Instant,
  store: StoreName,
})
/** At most ten of each. */
export const StaffFound = Type.Object({
  stores: Type.Array(StoreName),
  tests: Type.Array(FoundTest),
  orders: Type.Array(FoundOrder),
})
export type StaffFound = Type.Static<typeof StaffFound>

/**
 * A count of figures from the stored events, which staff asked for. `test`: the title of the test;
 * null for all figures of the store, or when the test was deleted since.
 */
export const Recount = Type.Object({
  id: Type.String(),
  test: Maybe(Type.String()),
  isWholeStore: Type.Boolean(),
  status: Type.Enum([...jobStatuses]),
  message: Maybe(Type.String()),
  /** Share done, 0 to 1. */
  progress: Type.Number(),
  askedAt: Instant,
  updatedAt: Instant,
  by: Maybe(Type.String()),
})
export type Recount = Type.Static<typeof Recount>

/** Everything that staff see about one store. */
export const StaffStorePage = Type.Object({
  trial: Trial,
  health: StoreHealth,
  flags: Type.Array(Flag),
  /** Newest first, at most fifty. */
  tests: Type.Array(StaffTest),
  discounts: Type.Array(AppliedDiscount),
  /** The newest twenty. */
  leads: Type.Array(Lead),
  /** Newest first, at most five. */
  uninstalls: Type.Array(StaffUninstall),
  recounts: Type.Array(Recount),
  earnings: Type.Array(Type.Object({ month: Type.String(), ...EarningsLine.properties })),
  failedJobs: Type.Array(
    Type.Object({ kind: Type.Enum([...jobKinds]), message: Type.String(), at: Instant }),
  ),
  /** What we changed in the shop and the shop refused to put back, newest first. */
  notUndone: Type.Array(Type.Object({ what: Type.String(), why: Type.String(), at: Instant })),
  acts: Type.Array(StaffAct),
  networks: Type.Array(Network),
  /** Visitors of the last thirty days, oldest first. */
  visitors: Type.Array(Type.Object({ day: Type.String(), count: Count })),
})
export type StaffStorePage = Type.Static<typeof StaffStorePage>
