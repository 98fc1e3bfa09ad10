import type { Generated } from 'kysely'
import type { JobKind, JobStatus } from '../../domain/jobs/job.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0004. */
export type JobsSchema = { jobs: JobsTable }

export type JobsTable = {
  store_id: string
  job_id: string
  kind: JobKind
  /** At most one unfinished job of a store may have the same key. */
  key: string | null
  payload: Json<Record<string, unknown>>
  /** The state that the job saved at its last checkpoint. */
  state: Json<Record<string, unknown>>
  status: Generated<JobStatus>
  progress: Generated<number>
  message: string | null
  run_at: Date
  /**
   * Set when the job was asked for again while it ran: when it ends, it is queued for this time
   * instead of being completed.
   */
  rerun_at: Date | null
  /** Number of unexpected errors so far. */
  attempts: Generated<number>
  /**
   * Number of times that a process has started this job. A shutdown and an outage of the database
   * take their start back, a crash does not.
   */
  starts: Generated<number>
  leased_until: Generated<Date>
  /** Id of the run that holds the lease. Only that run may write. */
  lease: string | null
  created_at: Date
  updated_at: Date
}
