import { type Kysely, sql } from 'kysely'
import type { HubEvent, Job } from '../../domain/jobs/job.ts'
import type { Schema } from '../db/schema.ts'

/** The one channel by which the processes on a database hear of each other. */
export const hubChannel = 'twinshelf_hub'
/** Sent instead of an announcement when there is a job to be run. */
export const wakeCall = 'jobs'
// Postgres takes less than 8,000 bytes.
const maxBytes = 7_900

/** The job as it was when that happened; of one too long to send along, only its id. */
export type Announcement = { storeId: string; event: HubEvent; job: Job | { id: string } | null }

/** Tells the store's open browsers, whichever machine they are at, once the transaction is committed; nothing is told about one that is rolled back. */
export async function announce(
  on: Kysely<Schema>,
  storeId: string,
  event: HubEvent,
  job: Job | null = null,
): Promise<void> {
  const whole = JSON.stringify({ storeId, event, job } satisfies Announcement)
  await notify(
    on,
    Buffer.byteLength(whole) <= maxBytes
      ? whole
      : JSON.stringify({ storeId, event, job: job && { id: job.id } } satisfies Announcement),
  )
}

/** Asks every process to look for due jobs now. */
export const wakeJobs = (on: Kysely<Schema>): Promise<void> => notify(on, wakeCall)

async function notify(on: Kysely<Schema>, payload: string): Promise<void> {
  await sql`select pg_notify(${hubChannel}, ${payload})`.execute(on)
}
