import type { Migration } from '../migrate.ts'

/** Before a job is taken up it is looked which stores have one running: a handful of rows among all that are kept. */
export const leasedJobs: Migration = {
  name: '0030-leased-jobs',
  statements: ['create index jobs_leased on jobs (leased_until) where lease is not null'],
}
