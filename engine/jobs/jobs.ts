import type { JobKind } from '../../domain/jobs/job.ts'
import type { Reader, Trx } from '../db/types.ts'

/**
 * One run of a job. It may be killed at any moment; the job then runs again from its last
 * checkpoint.
 */
export type JobRun = {
  id: string
  storeId: string
  payload: Record<string, unknown>
  /** The state of the last checkpoint; empty at first. */
  state: Record<string, unknown>
  /**
   * Shows progress in browsers: the share done from 0 to 1, and a text for the merchant. Do not
   * call it inside your own transaction.
   */
  progress: (done: number, message: string) => Promise<void>
  /**
   * Saves `state`, within the transaction that did the work (`on`) or in a new one. Throws when
   * another process has taken over the job, so that the transaction rolls back.
   */
  checkpoint: (state: Record<string, unknown>, on?: Trx) => Promise<void>
  /**
   * Aborted when the process stops or another process takes over the job. Return or throw soon.
   * After a stop, the job continues from its last checkpoint at the next start, even if this run
   * came to its end.
   */
  signal: AbortSignal
}
/**
 * An error after which the job is retried until it has been tried `most` times. Then the job ends
 * with this message, which the merchant reads.
 */
export class FewAttempts extends Error {
  readonly most: number
  constructor(message: string, most: number) {
    super(message)
    this.most = most
  }
}
/**
 * An HttpProblem ends the job as errored, with its message. After `StoreBusy` it runs again some
 * seconds later, as often as it takes. Any other error is retried, at most five attempts in all;
 * after five, a duty (domain/jobs/job-lane.ts) is retried every hour.
 */
export type JobHandler = (run: JobRun) => Promise<void>

/** How one run of a job can end, for metrics. */
export const jobOutcomes = ['completed', 'errored', 'retried'] as const
export type JobOutcome = (typeof jobOutcomes)[number]

export type NewJob = {
  storeId: string
  kind: JobKind
  payload?: Record<string, unknown>
  /** The earliest time to run; now when left out. */
  runAt?: Date
  /**
   * While a job of this store with this key is unfinished, adding another one moves its `runAt` and
   * returns its id. If that job is running: with a `runAt` it runs again afterwards; without one,
   * the present run is enough.
   */
  key?: string
}

/** Background jobs of all stores, stored in the database. Several processes share the work. */
export type Jobs = {
  /** Call it inside the transaction that makes the job necessary. Returns the job's id. */
  add: (on: Reader, job: NewJob) => Promise<string>
  /** Removes a queued job with this key, and a requested repetition of a running one. */
  cancel: (on: Reader, storeId: string, key: string) => Promise<void>
  /** Sets the handler of a kind, one each, before `start`. */
  on: (kind: JobKind, handler: JobHandler) => void
  /** Looks for due jobs now instead of at the next look. Settles when no due job is left. */
  runNow: () => Promise<void>
  stop: () => Promise<void>
}
