import type { JobKind } from '../../domain/jobs/job.ts'
import type { Reader, Trx } from '../db/types.ts'

/** One run of a job. Killed at any moment, the job is run again from its last checkpoint. */
export type JobRun = {
  id: string
  storeId: string
  payload: Record<string, unknown>
  /** What the last checkpoint kept; empty at first. */
  state: Record<string, unknown>
  /** Tells browsers; share done from 0 to 1, and what is being done in words for the merchant. Never inside a transaction of yours. */
  progress: (done: number, message: string) => Promise<void>
  /** Within the transaction that did the work (`on`), or in one of its own. Throws, and so takes the work back, when another process has taken the job meanwhile. */
  checkpoint: (state: Record<string, unknown>, on?: Trx) => Promise<void>
  /** Aborted when the process is to stop: return or throw soon, the job continues after the next start. */
  signal: AbortSignal
}
/** Tried again, but only so often; then the job ends with this message, which is for the merchant. */
export class FewAttempts extends Error {
  readonly most: number
  constructor(message: string, most: number) {
    super(message)
    this.most = most
  }
}
/** Throwing ends the job as errored with the message when it is an HttpProblem; anything else is tried again, at most five times. */
export type JobHandler = (run: JobRun) => Promise<void>

/** How one run of a job ends, for those who watch. */
export const jobOutcomes = ['completed', 'errored', 'retried'] as const
export type JobOutcome = (typeof jobOutcomes)[number]

export type NewJob = {
  storeId: string
  kind: JobKind
  payload?: Record<string, unknown>
  /** Not before; now when left out. */
  runAt?: Date
  /**
   * While a job of this store with this key is unfinished, adding another moves its `runAt` and answers its id. One that
   * is being run at this moment runs again afterwards when a `runAt` is given; without one, the run under way is enough.
   */
  key?: string
}

/** Background jobs of all stores, kept in the database; several processes share the work. */
export type Jobs = {
  /** Inside the transaction that makes the job needed. Answers the job's id. */
  add: (on: Reader, job: NewJob) => Promise<string>
  /** Takes back what is still queued under this key. */
  cancel: (on: Reader, storeId: string, key: string) => Promise<void>
  /** Every kind has one handler, given before the first run. */
  on: (kind: JobKind, handler: JobHandler) => void
  /** Looks for due work now instead of at the next look; settles when nothing due is left. */
  runNow: () => Promise<void>
  stop: () => Promise<void>
}
