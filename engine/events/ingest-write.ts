import type { Kysely } from 'kysely'
import { eventKinds } from '../../domain/events/event.ts'
import { aggregate, noneAside } from './aggregates/aggregates.ts'
import type { AggregatedStore } from './aggregates/aggregates.ts'
import type { RecordedVisitors } from './aggregates/aggregates-store.ts'
import { rows as query, run } from '../db/raw.ts'
import type { Schema } from '../db/schema.ts'
import { isOvertaken } from './event-days.ts'
import type { EventRow } from './ingest-rows.ts'
import { noteNetworks } from './networks/network-visitors.ts'
import type { Trx } from '../db/types.ts'

/**
 * One writer at a time for a store's events and orders, whatever process it is in, until the transaction ends. Taken
 * in one order by all, so that no two can wait for each other; in a transaction, so that a pooler may stand between.
 */
export async function lockStores(trx: Trx, storeIds: string[]): Promise<void> {
  await query(
    trx,
    `select pg_advisory_xact_lock(hashtext('twinshelf events'), key) from unnest($1::int[]) key`,
    [[...new Set(storeIds.map(lockKey))].sort((a, b) => a - b)],
  )
}

/** The same for those of these stores that nobody else writes for just now; answers them, and waits for nobody. */
export async function lockFreeStores(trx: Trx, storeIds: string[]): Promise<string[]> {
  const taken = await query<{ key: number }>(
    trx,
    `select key from unnest($1::int[]) key where not pg_try_advisory_xact_lock(hashtext('twinshelf events'), key)`,
    [[...new Set(storeIds.map(lockKey))]],
  )
  const keys = new Set(taken.map(row => row.key))
  return storeIds.filter(id => !keys.has(lockKey(id)))
}

/** Runs a transaction that writes events; again when it failed only because a day got its partition meanwhile (event-days.ts). */
export async function writing<T>(on: Kysely<Schema>, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await on.transaction().execute(work)
    } catch (error) {
      if (tries === maxTries || !isOvertaken(error)) throw error
    }
  }
}

/** Today's and the coming days may be made one after another while a batch holds rows of each. */
const maxTries = 5

/** Stores the rows that are not there yet and brings the aggregates up to date with them. Answers as `aggregate` does. */
export async function writeRows(
  trx: Trx,
  rows: EventRow[],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Promise<string[]> {
  const single = withoutRepeats(rows)
  const written = await insertEvents(trx, single)
  const added = written === single.length ? single : await insertedHere(trx, single)
  return aggregate(
    trx,
    added,
    storeOf,
    recorded,
    added.length > 0 ? await noteNetworks(trx, added, storeOf, recorded) : noneAside,
  )
}

const lockKey = (storeId: string): number => parseInt(storeId.slice(0, 8), 16) | 0

function withoutRepeats(rows: EventRow[]): EventRow[] {
  const keys = new Set<string>()
  return rows.filter(row => keys.size < keys.add(keyOf(row.visit.storeId, row)).size)
}

const keyOf = (storeId: string, row: { day: string; id: string }) =>
  `${storeId} ${row.day} ${row.id}`

async function insertEvents(trx: Trx, rows: EventRow[]): Promise<number> {
  // What a visit's events share is sent once and joined there: a third of the bytes.
  const visits = [...new Set(rows.map(row => row.visit))]
  const place = new Map(visits.map((visit, i) => [visit, i]))
  return run(
    trx,
    `
    insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests, product, vitals, landing, referrer, country, consent, channel)
    select v.store_id, e.day, e.id, to_timestamp(e.at / 1000), e.kind, v.device, e.set_aside, v.is_bot, v.is_new, v.visitor_id, v.session_id, e.path, v.claims::json, e.tests::uuid[], e.product, e.vitals::json,
      case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.landing end, case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.referrer end, case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.country end,
      case when e.kind = 0 and v.consent then true end, case when e.kind = 0 or (e.kind = 1 and e.path = v.landing) then v.channel end
    from unnest($1::int[], $2::date[], $3::text[], $4::float8[], $5::smallint[], $6::smallint[], $7::text[], $8::text[], $9::text[], $10::text[]) e(visit, day, id, at, kind, set_aside, path, tests, product, vitals)
    join unnest($11::int[], $12::uuid[], $13::smallint[], $14::boolean[], $15::boolean[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::boolean[], $23::smallint[])
      v(place, store_id, device, is_bot, is_new, visitor_id, session_id, claims, landing, referrer, country, consent, channel) on v.place = e.visit
    on conflict do nothing`,
    [
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
  )
}

/** Of rows just inserted with some conflicts, those this transaction wrote. Repeats are rare, so only then is it asked. The days are said once more, so that the planner leaves the others out. */
async function insertedHere(trx: Trx, rows: EventRow[]): Promise<EventRow[]> {
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
