import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { JobKind } from '../../domain/jobs/job.ts'
import { day, minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { run } from '../db/raw.ts'
import { dropDays, makeComingDays } from '../events/event-days.ts'
import { wakeJobs } from '../hub/announce.ts'
import { addNightly } from './nightly.ts'
import { passingCauses } from '../../domain/tests/hold-cause.ts'
import { isHeldFor } from '../tests/held-for.ts'
import { waitsAtLimit } from '../tests/limit-holds.ts'
import { forgetNetworks } from '../events/network-days.ts'
import { forgetPixels } from '../orders/order-pixels.ts'
import { keepVisitors, reclaim } from '../stores/shoppers/retention.ts'

/**
 * Jobs that are repeated for every store with a running test, and how often. `testCheck` also runs
 * while a change of a test in the shop must still be undone or the shop's pages do not load the
 * script or a test waits for the merchant, `limitCheck` while a test waits at the
 * visitor limit. The kind is the key, too.
 */
const recurring: [kind: JobKind, every: number][] = [
  ['limitCheck', 5 * minute],
  ['testCheck', 5 * minute],
  ['rollupRepair', day],
]
/** How long old rows are kept. A platform retries a delivery for two days at most. */
const keptFor = 30 * day

export type Schedule = { stop: () => Promise<void> }

/**
 * Adds due jobs every minute (`every`, milliseconds). Any number of processes may do so on one
 * database. `isPastMade`: true while sample data is made and the clock shows the past
 * (app-options.ts). Then it does nothing.
 */
export function startSchedule({
  db,
  clock,
  log,
  retentionDays,
  every = minute,
  isPastMade = () => false,
}: {
  db: Db
  clock: () => Date
  log: FastifyBaseLogger
  retentionDays: number
  every?: number
  isPastMade?: (() => boolean) | undefined
}): Schedule {
  const stopping = new AbortController()
  /**
   * The day of the last search for visitors to delete. It reads whole tables, so it runs once a
   * day.
   */
  let looked = ''
  const ticking = (async () => {
    // Wait first: jobs that were due before the start are in the database, and the first minute is
    // for merchants who wait for a page.
    while (
      await setTimeout(every, true, { signal: stopping.signal, ref: false }).catch(() => false)
    ) {
      if (isPastMade()) continue
      await addDue(db, clock()).catch((error: unknown) =>
        log.error({ err: error }, 'recurring jobs not added'),
      )
      await addNightly(db, clock()).catch((error: unknown) =>
        log.error({ err: error }, 'nightly comparisons not added'),
      )
      await prune(db, clock()).catch((error: unknown) =>
        log.error({ err: error }, 'old rows not removed'),
      )
      await keepDays(db, clock(), retentionDays).then(
        dropped => dropped.length > 0 && log.info({ dropped }, 'days of events dropped'),
        // A long reader may lock the table. The next minute tries again.
        (error: unknown) => log.warn({ err: error }, 'days of events not made or dropped yet'),
      )
      const today = clock().toISOString().slice(0, 10)
      if (looked !== today) {
        await keepVisitors(db, clock(), retentionDays, stopping.signal).then(
          ({ tests, rows }) =>
            rows > 0 && log.info({ tests, rows }, 'visitors past the retention time deleted'),
          (error: unknown) =>
            log.error({ err: error }, 'visitors past the retention time not deleted'),
        )
        await reclaim(db).catch((error: unknown) =>
          log.warn({ err: error }, 'space of deleted rows not reclaimed'),
        )
        looked = today
      }
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await ticking
    },
  }
}

/**
 * Queues the recurring jobs that are due. Each has one row per store: the last run, from which the
 * next time follows.
 */
export async function addDue(db: Db, now: Date): Promise<void> {
  await db.kysely.transaction().execute(async trx => {
    await sql`select pg_advisory_xact_lock(hashtext('twinshelf schedule'))`.execute(trx)
    let added = 0
    for (const [kind, every] of recurring) {
      const before = new Date(now.getTime() - every)
      await run(
        trx,
        `delete from jobs where key = $1 and status in ('completed', 'errored') and run_at <= $2`,
        [kind, before],
      )
      added += await run(
        trx,
        `
        insert into jobs (store_id, job_id, kind, key, payload, state, run_at, created_at, updated_at)
        select s.store_id, gen_random_uuid(), $1, $1, '{}', '{}', $2, $2, $2 from stores s
        where s.status = 'installed' and (exists (select from tests t where t.store_id = s.store_id and t.status = 'Active')
            or ($1 = 'testCheck' and exists (select from journal e where e.store_id = s.store_id and e.state = 'open' and e.test_id is not null))
            or ($1 = 'testCheck' and (s.script_switch_at is not null or exists (select from tests t where t.store_id = s.store_id and (${passingCauses.map(cause => isHeldFor('t', cause)).join(' or ')}))))
            or ($1 = 'limitCheck' and exists (select from tests t where t.store_id = s.store_id and ${waitsAtLimit('t')})))
          and not exists (select from jobs j where j.store_id = s.store_id and j.key = $1)
        on conflict do nothing`,
        [kind, now],
      )
    }
    // Uninstalling plans the erasure of the store's data. If that job is missing, it is planned
    // again.
    added += await run(
      trx,
      `
      insert into jobs (store_id, job_id, kind, key, payload, state, run_at, created_at, updated_at)
      select s.store_id, gen_random_uuid(), 'storeErasure', 'storeErasure', '{}', '{}', $1, $1, $1 from stores s
      where s.status = 'uninstalled' and (s.erased_at is null or s.erased_at < s.installed_at)
        and not exists (select from jobs j where j.store_id = s.store_id and j.key = 'storeErasure' and j.status not in ('completed', 'errored'))
      on conflict do nothing`,
      [now],
    )
    if (added > 0) await wakeJobs(trx)
  })
}

/**
 * Deletes old rows: finished jobs, pictures of choices, webhook deliveries, answers to data
 * requests, sessions and download links that have ended, rates of shops that were not asked for a
 * day, counts of limits whose minute is over, undone changes in shops, and after 48 hours networks
 * and messages of the checkout pixel.
 */
export async function prune(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptFor)
  await run(
    db.kysely,
    `delete from jobs where status in ('completed', 'errored') and updated_at < $1`,
    [before],
  )
  await run(db.kysely, 'delete from choice_pictures where asked_at < $1', [before])
  await run(db.kysely, 'delete from webhook_deliveries where received_at < $1', [before])
  await run(db.kysely, 'delete from shopper_exports where asked_at < $1', [before])
  // A store's next sign-in or download deletes its own, but a store that nobody opens has none.
  await run(db.kysely, 'delete from refresh_tokens where expires_at <= $1', [now])
  await run(db.kysely, 'delete from download_links where expires_at <= $1', [now])
  await run(db.kysely, 'delete from shop_rates where greatest(next_at, slowed_until) < $1', [
    new Date(Math.min(now.getTime(), Date.now()) - day),
  ])
  await run(db.kysely, forgetUndone, [new Date(now.getTime() - day), undoneKept])
  // Their windows end by the time of the processes.
  await run(db.kysely, 'delete from rate_limits where expire < $1', [Date.now()])
  await forgetNetworks(db, now)
  await forgetPixels(db.kysely, now)
}

/** Undone changes of one draft or test to keep, because a copy of it may start from them. */
const undoneKept = 20
/**
 * Only for installed stores: what a shop contained before us is kept for a store that comes back.
 */
const forgetUndone = `
  delete from journal j using (
    select store_id, seq, row_number() over (partition by store_id, test_id order by seq desc) as age,
      test_id is null or not exists (select from drafts d where d.store_id = u.store_id and d.draft_id = u.test_id)
        and not exists (select from tests t where t.store_id = u.store_id and t.test_id = u.test_id) as is_nobodys
    from journal u where state = 'undone' and created_at < $1 and exists (select from stores s where s.store_id = u.store_id and s.status = 'installed')
  ) old where j.store_id = old.store_id and j.seq = old.seq and j.state = 'undone' and (old.is_nobodys or old.age > $2)`

/**
 * Creates the partitions of the coming days of events, and drops days older than `retentionDays`.
 * Returns the dropped days.
 */
export async function keepDays(
  db: Pick<Db, 'kysely'>,
  now: Date,
  retentionDays: number,
): Promise<string[]> {
  await makeComingDays(db, now)
  return dropDays(db, new Date(now.getTime() - retentionDays * day).toISOString().slice(0, 10))
}
