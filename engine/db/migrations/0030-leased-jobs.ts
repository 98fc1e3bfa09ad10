import type { Migration } from '../migrate.ts'

/**
 * Before a process takes a job, it looks which stores have a running one. Those are a handful of
 * rows among all jobs.
 */
export const leasedJobs: Migration = {
  name: '0030-leased-jobs',
  statements: ['create index jobs_leased on jobs (leased_until) where lease is not null'],
}
