import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { ArmIndex, PerArm } from '../domain/arm.ts'
import { type ImportFact, importFacts } from '../domain/import-facts.ts'
import type { ImportOptions } from '../domain/import.ts'
import { HttpProblem } from '../domain/problem.ts'
import type { Trx } from './aggregates.ts'
import type { Schema } from './db/schema.ts'
import { rows as query, run } from './db/raw.ts'
import type { CollectingStore } from './event-stores.ts'
import {
  type ImportedOrder,
  type ImportedVisitor,
  inferredId,
  type Met,
} from './imports-visitors.ts'
import { eventRows } from './ingest-rows.ts'
import { lockStores, writeRows, writing } from './ingest-write.ts'
import { zoneNow } from './time-zone.ts'
import { dayIn } from './visit-day.ts'

/** The import as it stands before its rows are written. `isNew`: no visitor of it is there yet. `isFinished`: its test is there. `isSame`: so are all rows of this file. */
export type Opened = {
  testId: string
  weights: PerArm<number>
  isNew: boolean
  isFinished: boolean
  isSame: boolean
  from: number
  to: number
}
type ImportTest = { id: string; weights: PerArm<number> }
type Options = ImportOptions & { kind: NonNullable<ImportOptions['kind']> }

/**
 * Finds or begins the import of this title. `first` and `last` of the file in milliseconds. Throws HttpProblem 409 when
 * what the title stands for was measured otherwise: an arm is found by the split, so it cannot change.
 */
export async function openImport(
  one: Kysely<Schema>,
  storeId: string,
  options: Options,
  file: { hash: string; first: number; last: number },
  now: Date,
): Promise<Opened> {
  return one.transaction().execute(async trx => {
    const { title, weights, goal, kind } = options
    await sql`select pg_advisory_xact_lock(hashtext('twinshelf imports'), hashtext(${storeId}))`.execute(
      trx,
    )
    const known = await trx
      .selectFrom('test_imports as i')
      .leftJoin('tests as t', join =>
        join.onRef('t.store_id', '=', 'i.store_id').onRef('t.test_id', '=', 'i.test_id'),
      )
      .select([
        'i.test_id',
        'i.weights',
        'i.goal',
        'i.kind',
        'i.is_finished',
        'i.file_hash',
        't.start_at',
        't.ended_at',
      ])
      .where('i.store_id', '=', storeId)
      .where('i.title', '=', title)
      .executeTakeFirst()
    const isDeleted = known?.is_finished && !known.start_at
    if (known && !isDeleted) {
      if (known.weights[0] !== weights[0] || known.goal !== goal || known.kind !== kind)
        throw new HttpProblem(
          409,
          `“${title}” was imported before with another split, goal or kind. Choose another title, or delete that test first.`,
          [{ field: 'title', message: 'Imported before, with another split, goal or kind.' }],
        )
      const from = Math.min(file.first, known.start_at?.getTime() ?? Infinity),
        to = Math.max(file.last + afterLast, known.ended_at?.getTime() ?? 0)
      return {
        testId: known.test_id,
        weights: known.weights,
        isNew: false,
        isFinished: known.is_finished,
        isSame: known.is_finished && known.file_hash === file.hash,
        from,
        to,
      }
    }
    // A deleted test's events stay, under its id: this one has another.
    const row = {
      test_id: randomUUID(),
      weights: JSON.stringify(weights),
      goal,
      kind,
      is_finished: false,
      file_hash: '',
      imported_at: now,
    }
    await trx
      .insertInto('test_imports')
      .values({ store_id: storeId, title, ...row })
      .onConflict(oc => oc.columns(['store_id', 'title']).doUpdateSet(row))
      .execute()
    return {
      testId: row.test_id,
      weights,
      isNew: true,
      isFinished: false,
      isSame: false,
      from: file.first,
      to: file.last + afterLast,
    }
  })
}

/** A test ends after its last row. Milliseconds. */
const afterLast = 1_000

/** Those of these visitors who are in the test already, by their ids with us. `names` are theirs in the file. */
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
  // A day more each way: the shop's time zone may have been another.
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

/** Writes what some visitors did as the collector does, and their orders. The store's own events wait meanwhile, some tens of milliseconds. */
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

/** As the file tells them: one that comes again and differs is told anew. */
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

/** Of how often its figures have changed. */
export async function changesOf(
  one: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<number> {
  const row = await one
    .selectFrom('test_changes')
    .select('changed')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  return row?.changed ?? 0
}

/**
 * Puts the test itself there, over and never run by us, now that all its rows are: before, it would be summed up, and
 * judged, by a part of them. One that was there is judged anew.
 */
export async function closeImport(
  trx: Trx,
  storeId: string,
  { testId, weights, from, to }: Opened,
  options: Options,
  file: { hash: string; visitors: number; told: ReadonlySet<ImportFact> },
  now: Date,
): Promise<void> {
  const start_at = new Date(from),
    ended_at = new Date(to)
  const own = {
    start_at,
    ends_at: ended_at,
    ended_at,
    minimum_effect: options.minimumEffect ?? 0.1,
    updated_at: now,
    verdict_kind: null,
    verdict_at: null,
    verdict_lift: null,
    verdict_chance: null,
  }
  const key = { store_id: storeId, test_id: testId }
  // What an earlier file of the same test has told stays told.
  const before = await trx
    .selectFrom('tests')
    .select('not_in_file')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  const not_in_file = JSON.stringify(
    (before?.not_in_file ?? importFacts).filter(fact => !file.told.has(fact)),
  )
  await trx
    .insertInto('tests')
    .values({
      ...key,
      ...own,
      draft_id: randomUUID(),
      kind: options.kind,
      title: options.title,
      hypothesis_description: '',
      control_title: 'Control',
      variant_title: 'Variant',
      goal: options.goal,
      weights: JSON.stringify(weights),
      control_url: '',
      redirect_url: '',
      dom_selectors: '[]',
      control_hypothesis_id: randomUUID(),
      variant_hypothesis_id: randomUUID(),
      launch_at: null,
      automatically_end_at: null,
      created_at: now,
      status: 'Ended',
      pages: '[]',
      applied_at: null,
      planned_visitors: file.visitors,
      is_imported: true,
      not_in_file,
    })
    .onConflict(oc => oc.columns(['store_id', 'test_id']).doUpdateSet({ ...own, not_in_file }))
    .execute()
  await trx
    .updateTable('tests')
    .set({ planned_visitors: sql`greatest(planned_visitors, ${file.visitors})` })
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .execute()
  await trx
    .deleteFrom('test_history')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .execute()
  await trx
    .insertInto('test_history')
    .values([
      { ...key, status: 'Active' as const, applied_on: start_at },
      { ...key, status: 'Ended' as const, applied_on: ended_at },
    ])
    .execute()
  await trx
    .deleteFrom('test_events')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .execute()
  await trx
    .insertInto('test_events')
    .values([
      {
        ...key,
        kind: 'Created' as const,
        at: now,
        detail: 'Imported',
        value: null,
        mark: 'Created',
      },
      { ...key, kind: 'Start' as const, at: start_at, detail: null, value: null, mark: 'Start' },
      { ...key, kind: 'End' as const, at: ended_at, detail: null, value: null, mark: 'End' },
    ])
    .execute()
  await trx
    .updateTable('test_imports')
    .set({ is_finished: true, file_hash: file.hash, imported_at: now })
    .where('store_id', '=', storeId)
    .where('title', '=', options.title)
    .execute()
}
