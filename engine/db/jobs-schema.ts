import type { Generated } from 'kysely'
import type { JobKind, JobStatus } from '../../domain/jobs/job.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0004. */
export type JobsSchema = { jobs: JobsTable }

export type JobsTable = {
  store_id: string
  job_id: string
  kind: JobKind
  /** Of a store's unfinished jobs only one has it. */
  key: string | null
  payload: Json<Record<string, unknown>>
  /** What the last checkpoint kept. */
  state: Json<Record<string, unknown>>
  status: Generated<JobStatus>
  progress: Generated<number>
  message: string | null
  run_at: Date
  /** Asked for again while it ran: it is queued for then instead of being completed. */
  rerun_at: Date | null
  /** Unexpected errors so far. */
  attempts: Generated<number>
  /** How often a process has taken it up; a stop gives the turn back, a crash does not. */
  starts: Generated<number>
  leased_until: Generated<Date>
  /** Names the run that holds the lease; only that run may write. */
  lease: string | null
  created_at: Date
  updated_at: Date
}
