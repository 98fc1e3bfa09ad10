import { randomUUID } from 'node:crypto'
import { type Kysely, sql, type UpdateObject } from 'kysely'
import type { HubEvent, JobKind } from '../../domain/jobs/job.ts'
import { maxJobs, type RunningJob, tooManyJobs, turnsOf } from '../../domain/jobs/job-lane.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { Schema } from '../db/schema.ts'
import { announce, wakeJobs } from '../hub/announce.ts'
import { jobOf, type JobRow } from '../hub/job-of.ts'
import type { NewJob } from './jobs.ts'
import type { Trx } from '../db/types.ts'

/**
 * Seconds after the last renewal at which a run counts as dead. A run renews its lease more often.
 */
export const leaseSeconds = 15
// Literals, not parameters, so that Postgres can use the partial indexes.
const isUnfinished = sql<boolean>`status not in ('completed', 'errored')`
const nextLease = sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`

/** Another process has taken over the job. This run must not write anything more. */
export class LeaseLost extends Error {}

/**
 * Queues the job, or moves the unfinished job with the same key. Returns the job's id. Throws
 * HttpProblem 429 when the store has too many jobs of the kind.
 */
export async function add(
  on: Kysely<Schema>,
  { storeId, kind, payload = {}, runAt, key }: NewJob,
  now: Date,
): Promise<string> {
  const most = maxJobs[kind]
  if (most !== undefined) {
    const { others } = await on
      .selectFrom('jobs')
      .select(eb => eb.fn.countAll<number>().as('others'))
      .where('store_id', '=', storeId)
      .where('kind', '=', kind)
      .where(isUnfinished)
      .$if(key !== undefined, own => own.where('key', 'is distinct from', key!))
      .executeTakeFirstOrThrow()
    if (others >= most) throw new HttpProblem(429, tooManyJobs(kind))
  }
  const { job_id } = await on
    .insertInto('jobs')
    .values({
      store_id: storeId,
      job_id: randomUUID(),
      kind,
      key: key ?? null,
      payload: JSON.stringify(payload),
      state: '{}',
      message: null,
      run_at: runAt ?? now,
      created_at: now,
      updated_at: now,
    })
    .onConflict(oc =>
      oc
        .columns(['store_id', 'key'])
        .where(isUnfinished)
        .doUpdateSet(eb => ({
          // A running job keeps its `run_at`; the new time goes into `rerun_at`.
          run_at: sql<Date>`case when ${isRunning} then jobs.run_at else ${eb.ref('excluded.run_at')} end`,
          rerun_at: runAt
            ? sql<Date | null>`case when ${isRunning} then ${eb.ref('excluded.run_at')} end`
            : sql<Date | null>`jobs.rerun_at`,
        })),
    )
    .returning('job_id')
    .executeTakeFirstOrThrow()
  if (!runAt || runAt <= now) await wakeJobs(on)
  return job_id
}
/**
 * SQL condition. It is also true when the job's process has just died: the process that continues
 * the job must know about the new request.
 */
const isRunning = sql<boolean>`jobs.lease is not null`

export async function cancel(on: Kysely<Schema>, storeId: string, key: string): Promise<void> {
  await on
    .deleteFrom('jobs')
    .where('store_id', '=', storeId)
    .where('key', '=', key)
    .where('status', '=', 'queued')
    .execute()
  await on
    .updateTable('jobs')
    .set({ rerun_at: null })
    .where('store_id', '=', storeId)
    .where('key', '=', key)
    .where('status', 'in', ['active', 'updated'])
    .execute()
}

/**
 * Starts the job that has been due longest, among the stores and kinds whose turn it is
 * (domain/jobs/job-lane.ts).
 * Returns null when there is none. `kinds`: the kinds that have a handler. `here`: the jobs that
 * this process runs, by id; these are excluded.
 */
export async function claim(
  db: Db,
  kinds: readonly JobKind[],
  now: Date,
  here: ReadonlyMap<string, RunningJob> = new Map(),
): Promise<JobRow | null> {
  if (!(await isAnyDue(db, kinds, now))) return null
  return db.kysely.transaction().execute(async trx => {
    const everywhere = await trx
      .selectFrom('jobs')
      .select(['store_id as storeId', 'kind'])
      .where('lease', 'is not', null)
      .where('leased_until', '>=', sql<Date>`clock_timestamp()`)
      .where(isUnfinished)
      .execute()
    const running = [...here.values()]
    for (const isFair of [true, false]) {
      const turns = turnsOf(kinds, running, everywhere, isFair)
      if (turns.length === 0) return null
      // Materialised, so that it runs once. As a plain join it could run, and lock, for every row.
      const row = await trx
        .with(
          w => w('due').materialized(),
          q =>
            q
              .selectFrom('jobs')
              .select(['store_id', 'job_id'])
              .where(isUnfinished)
              .where('run_at', '<=', now)
              .$if(here.size > 0, own => own.where('job_id', 'not in', [...here.keys()]))
              .where(eb =>
                eb.or(
                  turns.map(turn =>
                    eb.and([
                      eb('kind', 'in', turn.kinds),
                      ...(turn.without.length > 0 ? [eb('store_id', 'not in', turn.without)] : []),
                    ]),
                  ),
                ),
              )
              .where('leased_until', '<', sql<Date>`clock_timestamp()`)
              .orderBy('run_at')
              .limit(1)
              .forUpdate()
              .skipLocked(),
        )
        .updateTable('jobs')
        .from('due')
        .whereRef('jobs.store_id', '=', 'due.store_id')
        .whereRef('jobs.job_id', '=', 'due.job_id')
        .set({
          status: 'active',
          leased_until: nextLease,
          lease: randomUUID(),
          starts: sql<number>`jobs.starts + 1`,
          updated_at: now,
        })
        .returningAll('jobs')
        .executeTakeFirst()
      if (row) await announce(trx, row.store_id, 'Active', jobOf(row))
      if (row) return row
    }
    return null
  })
}

/** Most looks find nothing. This single statement finds that out cheaply. */
const isAnyDue = async (db: Db, kinds: readonly JobKind[], now: Date): Promise<boolean> =>
  kinds.length > 0 &&
  (await db.kysely
    .selectFrom('jobs')
    .select('job_id')
    .where(isUnfinished)
    .where('run_at', '<=', now)
    .where('kind', 'in', [...kinds])
    .where('leased_until', '<', sql<Date>`clock_timestamp()`)
    .limit(1)
    .executeTakeFirst()) !== undefined

/**
 * Updates the job that this run holds, and announces `event`. Throws `LeaseLost` when another
 * process has taken over the job.
 */
export async function change(
  on: Trx,
  { store_id, job_id, lease }: JobRow,
  set: UpdateObject<Schema, 'jobs'>,
  event?: HubEvent,
): Promise<JobRow> {
  const row = await on
    .updateTable('jobs')
    .set(set)
    .where('store_id', '=', store_id)
    .where('job_id', '=', job_id)
    .where('lease', '=', lease)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new LeaseLost(`Job ${job_id} was taken up by another process.`)
  if (event) await announce(on, store_id, event, jobOf(row))
  return row
}

/** Renews the lease. Returns false when another run holds it. */
export async function renewLease(db: Db, { store_id, job_id, lease }: JobRow): Promise<boolean> {
  const { numUpdatedRows } = await db.kysely
    .updateTable('jobs')
    .set({ leased_until: nextLease })
    .where('store_id', '=', store_id)
    .where('job_id', '=', job_id)
    .where('lease', '=', lease)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const letGo = { lease: null, leased_until: sql<Date>`'-infinity'` }

/**
 * Ends the job, with a message for the merchant when it failed. If the job was requested again
 * meanwhile, it is queued again from the beginning instead.
 */
export async function finish(
  db: Db,
  job: JobRow,
  end: { status: 'completed' } | { status: 'errored'; message: string },
  now: Date,
): Promise<void> {
  await db.kysely.transaction().execute(async trx => {
    const asked = await trx
      .selectFrom('jobs')
      .select('rerun_at')
      .where('store_id', '=', job.store_id)
      .where('job_id', '=', job.job_id)
      .forUpdate()
      .executeTakeFirst()
    if (asked?.rerun_at) {
      await change(trx, job, {
        ...letGo,
        status: 'queued',
        progress: 0,
        state: '{}',
        attempts: 0,
        starts: 0,
        run_at: asked.rerun_at,
        rerun_at: null,
        updated_at: now,
      })
      await wakeJobs(trx)
    } else if (end.status === 'completed')
      await change(trx, job, { ...letGo, ...end, progress: 1, updated_at: now }, 'Completed')
    else await change(trx, job, { ...letGo, ...end, updated_at: now }, 'Errored')
  })
}

/** Queues the job again for `runAt`, from its last checkpoint. */
export async function putOff(
  db: Db,
  job: JobRow,
  runAt: Date,
  now: Date,
  attempts: number,
  starts = job.starts,
): Promise<void> {
  await db.kysely.transaction().execute(trx =>
    change(trx, job, {
      ...letGo,
      status: 'queued',
      attempts,
      starts,
      run_at: runAt,
      updated_at: now,
    }),
  )
}

/** Releases a job when its process stops, so that another process can continue it at once. */
export async function release(db: Db, job: JobRow): Promise<void> {
  await db.kysely
    .transaction()
    .execute(trx => change(trx, job, { ...letGo, starts: sql<number>`greatest(starts - 1, 0)` }))
}

/**
 * For a database that only this process can use: releases all leases, because a dead process held
 * them.
 */
export async function releaseAll(db: Db): Promise<void> {
  await db.kysely.updateTable('jobs').set(letGo).where('lease', 'is not', null).execute()
}
