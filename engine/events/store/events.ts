import { eventKinds } from '../../../domain/events/event.ts'
import { rows as query, run } from '../../db/raw.ts'
import type { Trx } from '../../db/types.ts'
import type { EventRow } from '../fold/event-rows.ts'

/** The key of an event, unique among all stores. */
const keyOf = (storeId: string, row: { day: string; id: string }) =>
  `${storeId} ${row.day} ${row.id}`

/** Stores the rows that are not stored yet. Returns how many it stored. */
export async function insertEvents(trx: Trx, rows: EventRow[]): Promise<number> {
  const { text, values } = inserting(rows)
  return run(trx, text(), values)
}

/**
 * Locks those of these stores that nobody else has locked, without waiting, and stores the rows of
 * these that are not stored yet. It is one statement: the next requests keep this process busy for
 * long, and the database would wait between two. `tryLock`: SQL that locks the store of a `key`.
 * Returns the locked stores and the number of rows.
 */
export async function insertWhereFree(
  trx: Trx,
  rows: EventRow[],
  stores: readonly { storeId: string; key: number }[],
  tryLock: string,
): Promise<{ own: Set<string>; written: number }> {
  const { text, values } = inserting(rows),
    from = values.length
  const [row] = await query<{ own: string[]; written: number }>(
    trx,
    `
    with free as materialized (
      select store_id from unnest($${from + 1}::uuid[], $${from + 2}::int[]) s(store_id, key) where ${tryLock}),
    added as (${text('join free f on f.store_id = v.store_id')} returning 1)
    select array(select store_id::text from free) as own, (select count(*) from added)::int as written`,
    [...values, stores.map(s => s.storeId), stores.map(s => s.key)],
  )
  return { own: new Set(row!.own), written: row!.written }
}

function inserting(rows: EventRow[]): { text: (where?: string) => string; values: unknown[] } {
  // Sends what a visit's events share only once and joins it in SQL. This saves two thirds of the
  // bytes.
  const visits = [...new Set(rows.map(row => row.visit))]
  const place = new Map(visits.map((visit, i) => [visit, i]))
  return {
    text: (where = '') => `
    insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests, product, vitals, landing, referrer, country, consent, channel)
    select v.store_id, e.day, e.id, to_timestamp(e.at / 1000), e.kind, v.device, e.set_aside, v.is_bot, v.is_new, v.visitor_id, v.session_id, e.path, v.claims::json, e.tests::uuid[], e.product, e.vitals::json,
      case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.landing end, case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.referrer end, case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.country end,
      case when e.kind = 0 and v.consent then true end, case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.channel end
    from unnest($1::int[], $2::date[], $3::text[], $4::float8[], $5::smallint[], $6::smallint[], $7::text[], $8::text[], $9::text[], $10::text[]) e(visit, day, id, at, kind, set_aside, path, tests, product, vitals)
    join unnest($11::int[], $12::uuid[], $13::smallint[], $14::boolean[], $15::boolean[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::boolean[], $23::smallint[])
      v(place, store_id, device, is_bot, is_new, visitor_id, session_id, claims, landing, referrer, country, consent, channel) on v.place = e.visit ${where}
    on conflict do nothing`,
    values: [
      rows.map(r => place.get(r.visit)),
      rows.map(r => r.day),
      rows.map(r => r.id),
      rows.map(r => r.at),
      rows.map(r => eventKinds.indexOf(r.kind)),
      rows.map(r => r.setAside),
      rows.map(r => r.path),
      rows.map(r => r.tests && `{${r.tests.join(',')}}`),
      rows.map(r => r.product),
      rows.map(r => r.vitals && JSON.stringify(r.vitals)),
      visits.map((_, i) => i),
      visits.map(v => v.storeId),
      visits.map(v => v.device),
      visits.map(v => v.isBot),
      visits.map(v => v.isNew),
      visits.map(v => v.visitor),
      visits.map(v => v.session),
      visits.map(v => JSON.stringify(v.claims)),
      visits.map(v => v.landing),
      visits.map(v => v.referrer),
      visits.map(v => v.country),
      visits.map(v => v.hasConsented),
      visits.map(v => v.channel),
    ],
  }
}

/**
 * Returns those of these rows that this transaction inserted. Only needed when some rows were
 * repeats, which is rare. The query also lists the days, so that the planner skips the other
 * partitions.
 */
export async function insertedHere(trx: Trx, rows: EventRow[]): Promise<EventRow[]> {
  const own = await query<{ store_id: string; day: string; id: string }>(
    trx,
    `
    select e.store_id, e.day, e.id from unnest($1::uuid[], $2::date[], $3::text[]) k(store_id, day, id),
      lateral (select * from events e where e.store_id = k.store_id and e.day = k.day and e.day = any($4::date[]) and e.id = k.id and e.xmin = pg_current_xact_id()::xid offset 0) e`,
    [
      rows.map(r => r.visit.storeId),
      rows.map(r => r.day),
      rows.map(r => r.id),
      [...new Set(rows.map(r => r.day))],
    ],
  )
  const keys = new Set(own.map(row => keyOf(row.store_id, row)))
  return rows.filter(row => keys.has(keyOf(row.visit.storeId, row)))
}
