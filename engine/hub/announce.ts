import { type Kysely, sql } from 'kysely'
import type { HubEvent, Job } from '../../domain/jobs/job.ts'
import type { Schema } from '../db/schema.ts'

/** The Postgres channel on which the processes of a database notify each other. */
export const hubChannel = 'twinshelf_hub'
/** Payload that says that a job is due, instead of an announcement. */
export const wakeCall = 'jobs'
// A Postgres notification must have less than 8,000 bytes.
const maxBytes = 7_900

/**
 * `job` is the job at the time of the event. When it is too long for a notification, only its id is
 * sent.
 */
export type Announcement = { storeId: string; event: HubEvent; job: Job | { id: string } | null }

/**
 * Notifies all open browsers of the store, on every machine, when the transaction commits. A
 * rollback sends nothing.
 */
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
