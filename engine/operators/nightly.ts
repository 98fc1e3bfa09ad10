import { randomUUID } from 'node:crypto'
import { nextNight } from '../../domain/platform/night.ts'
import type { Db } from '../db/connection.ts'
import { reconciliationKey } from '../db/installed.ts'
import { rows, run } from '../db/raw.ts'

/**
 * Queues a comparison with the platform for each installed store that has none waiting. It runs at
 * night in the store's time zone. Several processes may call this on the same database.
 */
export async function addNightly({ kysely }: Pick<Db, 'kysely'>, now: Date): Promise<void> {
  const stores = await rows<{ id: string; zone: string }>(
    kysely,
    `select s.store_id as id, s.time_zone as zone from stores s where s.status = 'installed' and not exists
      (select from jobs j where j.store_id = s.store_id and j.key = $1 and j.status not in ('completed', 'errored'))`,
    [reconciliationKey],
  )
  if (stores.length === 0) return
  await run(
    kysely,
    `insert into jobs (store_id, job_id, kind, key, payload, state, run_at, created_at, updated_at)
      select n.store_id, n.job_id, 'reconciliation', $4, '{}', '{}', n.run_at, $5, $5
      from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) n(store_id, job_id, run_at)
      on conflict do nothing`,
    [
      stores.map(({ id }) => id),
      stores.map(() => randomUUID()),
      stores.map(({ id, zone }) => nextNight(id, zone, now)),
      reconciliationKey,
      now,
    ],
  )
}
