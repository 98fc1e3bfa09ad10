import type { Transaction } from 'kysely'
import type { Schema } from './db/schema.ts'
import { attributionDiffers, Deltas } from './aggregates-deltas.ts'
import { recordStoreVisitors } from './aggregates-store.ts'
import type { PeriodStore, RecordedVisitors } from './aggregates-store.ts'
import { areEqual, foldRows, mergeStates } from './aggregates-visitors.ts'
import type { VisitorState } from './aggregates-visitors.ts'
import { rows as query, run } from './db/raw.ts'
import type { EventRow, EventStore } from './ingest-rows.ts'

export type Trx = Transaction<Schema>
export type AggregatedStore = EventStore & PeriodStore

/**
 * Brings the stored aggregates up to date with event rows that are all new to the database. The caller holds the
 * stores' locks (ingest-write.ts `lockStores`), since visitors are read, merged and written back. Answers the keys of
 * shop visitors it wrote, for `recorded` once they are committed.
 */
export async function aggregate(trx: Trx, rows: EventRow[], storeOf: (storeId: string) => AggregatedStore, recorded?: RecordedVisitors): Promise<string[]> {
  const written = await recordStoreVisitors(trx, rows, storeOf, recorded)
  const folded = foldRows(rows, storeOf)
  const storeOfTest = new Map<string, AggregatedStore>()
  for (const storeId of new Set(rows.map(row => row.visit.storeId))) {
    const store = storeOf(storeId)
    for (const id of store.tests.keys()) storeOfTest.set(id, store)
  }
  const deltas = new Deltas()
  for (const [testId, counts] of folded.setAside) deltas.setAside(storeOfTest.get(testId)!.id, testId, counts)

  const found = [...folded.states.values()].flatMap(byVisitor => [...byVisitor.values()])
  const known = await readStates(trx, found, storeOfTest)
  const changed: VisitorState[] = [], reattributed: VisitorState[] = []
  for (const state of found) {
    const before = known.get(state.testId + state.visitor)
    const after = before ? mergeStates(before, state) : state
    if (before && areEqual(before, after)) continue
    changed.push(after)
    if (attributionDiffers(before, after)) reattributed.push(after)
    deltas.replace(storeOfTest.get(state.testId)!, before, after)
  }
  await writeStates(trx, changed, storeOfTest)
  await writeDeltas(trx, deltas)
  await markChanged(trx, deltas, reattributed, storeOfTest)
  return written
}

type StateRow = {
  test_id: string; visitor_id: string; arm: 0 | 1; stages: number; seen: number; is_bot: boolean; is_new: boolean | null; device: 0 | 1 | 2 | null
  first: number | null; click: number | null; cart: number | null
}

async function readStates(trx: Trx, states: VisitorState[], storeOfTest: Map<string, EventStore>): Promise<Map<string, VisitorState>> {
  if (states.length === 0) return new Map()
  // The lateral join keeps to the key whatever the planner believes of a table that was never analysed.
  const found = await query<StateRow>(trx, `
    select v.test_id, v.visitor_id, v.arm, v.stages, v.seen, v.is_bot, v.is_new, v.device,
      extract(epoch from v.first_exposed_at)::float8 * 1000 as first, extract(epoch from v.last_click_at)::float8 * 1000 as click, extract(epoch from v.last_cart_at)::float8 * 1000 as cart
    from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id),
      lateral (select * from test_visitors v where v.store_id = k.store_id and v.test_id = k.test_id and v.visitor_id = k.visitor_id offset 0) v`,
  [states.map(s => storeOfTest.get(s.testId)!.id), states.map(s => s.testId), states.map(s => s.visitor)])
  return new Map(found.map(row => [row.test_id + row.visitor_id, {
    testId: row.test_id, visitor: row.visitor_id, arm: row.arm, stages: row.stages, seen: row.seen, isBot: row.is_bot,
    first: row.first === null ? null : { at: Math.round(row.first), device: row.device!, isNew: row.is_new! },
    lastClickAt: row.click === null ? null : Math.round(row.click), lastCartAt: row.cart === null ? null : Math.round(row.cart),
  }]))
}

async function writeStates(trx: Trx, states: VisitorState[], storeOfTest: Map<string, EventStore>): Promise<void> {
  if (states.length === 0) return
  await run(trx, `
    insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, first_exposed_at, last_click_at, last_cart_at)
    select store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, to_timestamp(first / 1000), to_timestamp(click / 1000), to_timestamp(cart / 1000)
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::smallint[], $6::smallint[], $7::boolean[], $8::boolean[], $9::smallint[], $10::float8[], $11::float8[], $12::float8[])
      as n(store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, first, click, cart)
    on conflict (store_id, test_id, visitor_id) do update set stages = excluded.stages, seen = excluded.seen, is_bot = excluded.is_bot, is_new = excluded.is_new,
      device = excluded.device, first_exposed_at = excluded.first_exposed_at, last_click_at = excluded.last_click_at, last_cart_at = excluded.last_cart_at`,
  [
    states.map(s => storeOfTest.get(s.testId)!.id), states.map(s => s.testId), states.map(s => s.visitor), states.map(s => s.arm), states.map(s => s.stages), states.map(s => s.seen),
    states.map(s => s.isBot), states.map(s => s.first?.isNew ?? null), states.map(s => s.first?.device ?? null),
    states.map(s => s.first?.at ?? null), states.map(s => s.lastClickAt), states.map(s => s.lastCartAt),
  ])
}

async function writeDeltas(trx: Trx, deltas: Deltas): Promise<void> {
  const days = [...deltas.days.values()].filter(d => d.figures.some(n => n !== 0))
  if (days.length > 0) {
    await run(trx, `
      insert into test_days as d (store_id, test_id, day, arm, dimension, value, visitors, clickers, adders)
      select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::smallint[], $5::text[], $6::text[], $7::int[], $8::int[], $9::int[])
      on conflict (store_id, test_id, day, arm, dimension, value) do update
        set visitors = d.visitors + excluded.visitors, clickers = d.clickers + excluded.clickers, adders = d.adders + excluded.adders`,
    [days.map(d => d.storeId), days.map(d => d.testId), days.map(d => d.day), days.map(d => d.arm), days.map(d => d.dimension), days.map(d => d.value),
      ...[0, 1, 2].map(i => days.map(d => d.figures[i]))])
  }
  const arms = [...deltas.arms.values()].filter(d => d.figures.some(n => n !== 0))
  if (arms.length > 0) {
    await run(trx, `
      insert into test_arms as a (store_id, test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside)
      select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[])
      on conflict (store_id, test_id, arm) do update set assigned = a.assigned + excluded.assigned, applied = a.applied + excluded.applied, exposed = a.exposed + excluded.exposed,
        recorded = a.recorded + excluded.recorded, bots = a.bots + excluded.bots, both_arms = a.both_arms + excluded.both_arms, set_aside = a.set_aside + excluded.set_aside`,
    [arms.map(d => d.storeId), arms.map(d => d.testId), arms.map(d => d.arm), ...[0, 1, 2, 3, 4, 5, 6].map(i => arms.map(d => d.figures[i]))])
  }
}

/** Tells the rollup which tests to sum up again, and whether orders already there now belong elsewhere. */
async function markChanged(trx: Trx, deltas: Deltas, reattributed: VisitorState[], storeOfTest: Map<string, EventStore>): Promise<void> {
  const tests = new Set([...deltas.arms.values()].map(d => d.testId))
  if (tests.size === 0) return
  const withOrders = reattributed.length === 0 ? [] : await query<{ test_id: string }>(trx, `
    select distinct k.test_id from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id)
    where (select true from orders o where o.store_id = k.store_id and o.visitor_id = k.visitor_id limit 1)`,
  [reattributed.map(s => storeOfTest.get(s.testId)!.id), reattributed.map(s => s.testId), reattributed.map(s => s.visitor)])
  const moved = new Set(withOrders.map(row => row.test_id))
  const ids = [...tests]
  await run(trx, `
    insert into test_changes as c (store_id, test_id, changed, orders_changed)
    select store_id, test_id, 1, moved from unnest($1::uuid[], $2::uuid[], $3::int[]) n(store_id, test_id, moved)
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + excluded.orders_changed`,
  [ids.map(id => storeOfTest.get(id)!.id), ids, ids.map(id => (moved.has(id) ? 1 : 0))])
}
