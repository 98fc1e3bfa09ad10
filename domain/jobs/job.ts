import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'

/** The kinds of background jobs. */
export const jobKinds = [
  'uninstall',
  'screenshots',
  'choicePictures',
  'launchCheck',
  'scheduledStart',
  'scheduledEnd',
  'limitCheck',
  'testCheck',
  'rollupRepair',
  'rebuild',
  'reconciliation',
  'storeErasure',
  'shopperErasure',
  'shopperExport',
  'networkMove',
  'leadMail',
] as const
export type JobKind = (typeof jobKinds)[number]

/**
 * In the order in which a job passes them. `updated`: it has reported progress. The last two are
 * final.
 */
export const jobStatuses = ['queued', 'active', 'updated', 'completed', 'errored'] as const
export type JobStatus = (typeof jobStatuses)[number]

export const Job = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...jobKinds]),
  status: Type.Enum([...jobStatuses]),
  /** For the merchant: what the job is doing, or why it failed. */
  message: Maybe(Type.String()),
  /** Share done, 0 to 1. */
  progress: Type.Number(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
export type Job = Type.Static<typeof Job>

export const isFinished = (status: JobStatus): boolean =>
  status === 'completed' || status === 'errored'

/**
 * Events of the hub at /storeJobHub (requirements 18.3). Each has the Job as its only argument;
 * `ThemesUpdated` has none.
 */
export const hubEvents = ['Active', 'Updated', 'Completed', 'Errored', 'ThemesUpdated'] as const
export type HubEvent = (typeof hubEvents)[number]
/** The event that reports each status. */
export const eventOf = {
  active: 'Active',
  updated: 'Updated',
  completed: 'Completed',
  errored: 'Errored',
} as const satisfies Partial<Record<JobStatus, HubEvent>>

/** What the app sends to its open pages over its own WebSocket. */
export type LiveMessage = { type: 'job'; job: Job } | { type: 'themes' }

/**
 * Times of the hub's client (requirements 26.20, 26.21), in milliseconds. `reconnect`: waits before
 * each attempt to reconnect. `serverTimeout`: silence of the server after which the connection
 * counts as lost. `keepAlive`: interval of the client's own pings.
 */
export const hubTiming = {
  reconnect: [0, 2_000, 10_000, 30_000],
  serverTimeout: 30_000,
  keepAlive: 15_000,
} as const
