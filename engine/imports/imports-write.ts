import type { Kysely } from 'kysely'
import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import type { Schema } from '../db/schema.ts'
import { rows as query, run } from '../db/raw.ts'
import type { CollectingStore } from '../events/event-stores.ts'
import {
  type ImportedOrder,
  type ImportedVisitor,
  inferredId,
  type Met,
} from './imports-visitors.ts'
import { eventRows } from '../events/fold/event-rows.ts'
import { writeRows, writing } from '../events/ingest-write.ts'
import { lockStores } from '../events/store-lock.ts'
import { zoneNow } from '../events/time-zone.ts'
import { dayIn } from '../events/fold/visit-day.ts'
import type { Trx } from '../db/types.ts'

type ImportTest = { id: string; weights: PerArm<number> }

/**
 * Which of these visitors are in the test already, by our ids. `names`: their names in the file, in
 * the order of `ids`.
 */
export async function knownVisitors(
  one: Kysely<Schema>,
  store: CollectingStore,
  test: ImportTest,
  ids: string[],
  names: string[],
): Promise<Map<string, Met>> {
  const found = await query<{
    visitor_id: string
    arm: ArmIndex
    seen: number
    first: number | null
  }>(
    one,
    `
    select visitor_id, arm, seen, round(extract(epoch from first_exposed_at) * 1000)::float8 as first from test_visitors where store_id = $1 and test_id = $2 and visitor_id = any($3::text[])`,
    [store.id, test.id, ids],
  )
  const nameOf = new Map(ids.map((id, i) => [id, names[i]!]))
  const exposed = found.flatMap(({ visitor_id, arm, first }) =>
    first === null
      ? []
      : [
          {
            id: inferredId(test, nameOf.get(visitor_id)!, arm, first),
            day: dayIn(store.timeZone, first),
          },
        ],
  )
  // We look a day earlier and later too, because the shop's time zone may have changed.
  const inferred = new Set(
    (
      await query<{ id: string }>(
        one,
        `
    select e.id from unnest($2::text[], $3::date[]) k(id, day), unnest(array[-1, 0, 1]) near(days),
      lateral (select e.id from events e where e.store_id = $1 and e.day = k.day + near.days and e.id = k.id offset 0) e`,
        [store.id, exposed.map(({ id }) => id), exposed.map(({ day }) => day)],
      )
    ).map(row => row.id),
  )
  return new Map(
    found.map(({ visitor_id, arm, seen, first }) => [
      visitor_id,
      {
        arms: seen,
        inferredAt:
          first !== null && inferred.has(inferredId(test, nameOf.get(visitor_id)!, arm, first))
            ? first
            : null,
      },
    ]),
  )
}

/**
 * Writes the visitors' events as the collector does, and their orders. The store's live events wait
 * meanwhile (on PGlite everything waits), for some tenths of a second at most.
 */
export async function writeVisitors(
  one: Kysely<Schema>,
  store: CollectingStore,
  testId: string,
  visitors: readonly ImportedVisitor[],
  now: Date,
): Promise<void> {
  const rows = visitors.flatMap(({ deliveries }) =>
    deliveries.flatMap(({ beacon, arrival }) => eventRows(beacon, arrival, store)),
  )
  const orders = visitors.flatMap(visitor => visitor.orders)
  await writing(one, async trx => {
    await lockStores(trx, [store.id])
    await writeRows(trx, rows, () => store)
    await writeOrders(trx, store, testId, orders, now)
  })
}

/** Writes the orders of the file. A stored order that differs is updated. */
async function writeOrders(
  trx: Trx,
  store: CollectingStore,
  testId: string,
  orders: readonly ImportedOrder[],
  now: Date,
): Promise<void> {
  if (orders.length === 0) return
  const zone = await zoneNow(trx, store)
  const changed = await run(
    trx,
    `
    insert into orders as o (store_id, order_id, name, type, created_at, day, visitor_id, amount, refunded, is_test, lines, units, triggered_at, imported_for)
    select $1, id, name, 'oneTime', to_timestamp(at / 1000), day, visitor, amount, refunded, false, lines::jsonb, units, $2, $3
    from unnest($4::text[], $5::text[], $6::float8[], $7::date[], $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::int[]) n(id, name, at, day, visitor, amount, refunded, lines, units)
    on conflict (store_id, order_id) do update set created_at = excluded.created_at, day = excluded.day, visitor_id = excluded.visitor_id, amount = excluded.amount, refunded = excluded.refunded, lines = excluded.lines, units = excluded.units, triggered_at = excluded.triggered_at
      where (o.created_at, o.visitor_id, o.amount, o.refunded, o.lines) is distinct from (excluded.created_at, excluded.visitor_id, excluded.amount, excluded.refunded, excluded.lines)`,
    [
      store.id,
      now,
      testId,
      orders.map(o => o.id),
      orders.map(o => o.name),
      orders.map(o => o.at),
      orders.map(o => dayIn(zone, o.at)),
      orders.map(o => o.visitor),
      orders.map(o => o.amount),
      orders.map(o => o.refunded),
      orders.map(o => JSON.stringify(o.lines)),
      orders.map(o => o.lines.reduce((sum, line) => sum + line.quantity, 0)),
    ],
  )
  if (changed > 0)
    await run(
      trx,
      `
    insert into test_changes as c (store_id, test_id, changed, orders_changed) values ($1, $2, 1, 1)
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`,
      [store.id, testId],
    )
}
