import type { Selectable } from 'kysely'
import type { Job } from '../../domain/jobs/job.ts'
import type { JobsTable } from '../db/jobs-schema.ts'

export type JobRow = Selectable<JobsTable>

/** Converts a row to the form in which calls and the hub send a job. */
export const jobOf = (row: JobRow): Job => ({
  id: row.job_id,
  kind: row.kind,
  status: row.status,
  message: row.message,
  progress: row.progress,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
