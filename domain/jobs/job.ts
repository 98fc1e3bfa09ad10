import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'

/** What runs in the background. */
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
  'storeErasure',
  'shopperErasure',
  'shopperExport',
  'networkMove',
] as const
export type JobKind = (typeof jobKinds)[number]

/** In the order a job passes them: `updated` once it has told about progress. The last two are final. */
export const jobStatuses = ['queued', 'active', 'updated', 'completed', 'errored'] as const
export type JobStatus = (typeof jobStatuses)[number]

export const Job = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...jobKinds]),
  status: Type.Enum([...jobStatuses]),
  /** What it is doing, or why it failed, in words for the merchant. */
  message: Maybe(Type.String()),
  /** Share done, 0 to 1. */
  progress: Type.Number(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
export type Job = Type.Static<typeof Job>

export const isFinished = (status: JobStatus): boolean =>
  status === 'completed' || status === 'errored'

/** Events of the hub at /storeJobHub (requirements 18.3), with the Job as their one argument; `ThemesUpdated` has none. */
export const hubEvents = ['Active', 'Updated', 'Completed', 'Errored', 'ThemesUpdated'] as const
export type HubEvent = (typeof hubEvents)[number]
/** What tells about a job that has come to this status. */
export const eventOf = {
  active: 'Active',
  updated: 'Updated',
  completed: 'Completed',
  errored: 'Errored',
} as const satisfies Partial<Record<JobStatus, HubEvent>>

/** What the app tells its open pages, over its own WebSocket. */
export type LiveMessage = { type: 'job'; job: Job } | { type: 'themes' }

/** The hub's client (requirements 26.20, 26.21): waits before each attempt to come back, silence after which the server is given up, and between its own signs of life. Milliseconds. */
export const hubTiming = {
  reconnect: [0, 2_000, 10_000, 30_000],
  serverTimeout: 30_000,
  keepAlive: 15_000,
} as const
