import type { Transaction } from 'kysely'
import type { Schema } from './db/schema.ts'
import { attributionDiffers, Deltas, isChange } from './aggregates-deltas.ts'
import type { Side } from './aggregates-deltas.ts'
import { aggregateProducts } from './aggregates-products.ts'
import { readSessions, visitorKey, writeSessions } from './aggregates-sessions.ts'
import type { SessionChanges, Sessions } from './aggregates-sessions.ts'
import { testsOf, writeSpeed } from './aggregates-speed.ts'
import { recordStoreVisitors } from './aggregates-store.ts'
import type { PeriodStore, RecordedVisitors } from './aggregates-store.ts'
import { areEqual, foldRows, isCounted, isSteady, mergeStates } from './aggregates-visitors.ts'
import type { Folded, VisitorState } from './aggregates-visitors.ts'
import { rows as query, run } from './db/raw.ts'
import type { EventRow, EventStore } from './ingest-rows.ts'
import { inZonesNow } from './time-zone.ts'

export type Trx = Transaction<Schema>
export type AggregatedStore = EventStore & PeriodStore

/**
 * Brings the stored aggregates up to date with event rows that are all new to the database. The caller holds the
 * stores' locks (ingest-write.ts `lockStores`), since visitors are read, merged and written back. Answers the keys of
 * shop visitors it wrote, for `recorded` once they are committed.
 */
export async function aggregate(
  trx: Trx,
  rows: EventRow[],
  remembered: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
  aside: Aside = noneAside,
): Promise<string[]> {
  const storeIds = new Set([
      ...rows.map(row => row.visit.storeId),
      ...aside.changed.map(({ storeId }) => storeId),
    ]),
    storeOf = await inZonesNow(trx, storeIds, remembered)
  const written = await recordStoreVisitors(trx, rows, storeOf, recorded, aside.has)
  const folded = foldRows(rows, storeOf, aside.has)
  const storeOfTest = new Map<string, AggregatedStore>()
  for (const storeId of storeIds) {
    const store = storeOf(storeId)
    for (const id of store.tests.keys()) storeOfTest.set(id, store)
  }
  const deltas = new Deltas()
  for (const [testId, counts] of folded.setAside)
    deltas.setAside(storeOfTest.get(testId)!.id, testId, counts)

  const sessions = await writeSessions(trx, folded.sessions)
  const touched = await touchedVisitors(trx, folded, sessions, storeOf, storeOfTest, aside)
  // A visitor who enters or leaves the figures brings all their sessions along; one who stays, only what is new.
  const moved = touched.filter(
    ({ before, after }) =>
      !isSteady(before, after) && (isCounted(after) || (before && isCounted(before))),
  )
  const all = await readSessions(
    trx,
    moved.map(({ store, after }) => ({ storeId: store.id, visitor: after.visitor })),
  )
  for (const { store, before, after } of touched) {
    const key = visitorKey(store.id, after.visitor)
    const changes = sessions.get(key) ?? noChanges
    if (isSteady(before, after))
      deltas.replace(
        store,
        { state: before!, sessions: changes.before },
        { state: after, sessions: changes.after },
      )
    else {
      const now = all.get(key) ?? noChanges.after
      deltas.replace(
        store,
        before && sideOf(before, new Map([...now, ...changes.before])),
        sideOf(after, now),
      )
    }
  }
  const changed = touched.filter(({ before, after }) => !before || !areEqual(before, after))
  const reattributed = changed.filter(({ before, after }) =>
    attributionDiffers(before ?? undefined, after),
  )
  const products = await aggregateProducts(trx, folded.products, touched)
  await writeSpeed(trx, folded.speed)
  await writeStates(trx, changed)
  await writeDeltas(trx, deltas)
  await markChanged(
    trx,
    new Map([...deltas.changedTests(), ...testsOf(folded.speed), ...products]),
    reattributed,
  )
  return written
}

/** A visitor's state in a test before the batch and after it. */
type Touched = { store: AggregatedStore; before: VisitorState | null; after: VisitorState }

/** Who is set aside with their network; `changed`: for whom that has just begun or ended, what is stored of them being as before. */
export type Aside = {
  has: (storeId: string, visitor: string) => boolean
  changed: { storeId: string; visitor: string }[]
}
export const noneAside: Aside = { has: () => false, changed: [] }

const noChanges: SessionChanges = { before: new Map(), after: new Map() }

/** The tests that the batch tells something of, and all others that the same visitors are in: their sessions go on there too. */
async function touchedVisitors(
  trx: Trx,
  { states }: Folded,
  sessions: Map<string, SessionChanges>,
  storeOf: (storeId: string) => AggregatedStore,
  storeOfTest: Map<string, AggregatedStore>,
  aside: Aside,
): Promise<Touched[]> {
  const found = new Map<string, VisitorState>()
  const visitors = new Map<string, { storeId: string; visitor: string }>()
  for (const [testId, byVisitor] of states) {
    const storeId = storeOfTest.get(testId)!.id
    for (const [visitor, state] of byVisitor) {
      found.set(testId + visitor, state)
      visitors.set(visitorKey(storeId, visitor), { storeId, visitor })
    }
  }
  for (const key of sessions.keys()) {
    const place = key.indexOf(' ')
    visitors.set(key, { storeId: key.slice(0, place), visitor: key.slice(place + 1) })
  }
  for (const { storeId, visitor } of aside.changed)
    visitors.set(visitorKey(storeId, visitor), { storeId, visitor })
  const withAside = (storeId: string, state: VisitorState): VisitorState =>
    state.isAside === aside.has(storeId, state.visitor)
      ? state
      : { ...state, isAside: !state.isAside }
  const touched: Touched[] = []
  for (const { storeId, state: before } of await readStates(trx, [...visitors.values()])) {
    const own = found.get(before.testId + before.visitor)
    found.delete(before.testId + before.visitor)
    touched.push({
      store: storeOf(storeId),
      before,
      after: withAside(storeId, own ? mergeStates(before, own) : before),
    })
  }
  for (const state of found.values()) {
    const store = storeOfTest.get(state.testId)!
    touched.push({ store, before: null, after: withAside(store.id, state) })
  }
  return touched
}

/** With all of the visitor's sessions, that of the exposure among them even if nothing is known of it. */
export const sideOf = (state: VisitorState, sessions: Sessions): Side => ({
  state,
  sessions:
    !state.first || sessions.has(state.first.session)
      ? sessions
      : new Map([...sessions, [state.first.session, []]]),
})

type StateRow = {
  store_id: string
  test_id: string
  visitor_id: string
  arm: 0 | 1
  stages: number
  seen: number
  is_bot: boolean
  is_aside: boolean
  is_new: boolean | null
  device: 0 | 1 | 2 | null
  session_id: string | null
  channel: number | null
  referrer: string | null
  country: string | null
  consented: boolean | null
  first: number | null
  click: number | null
  cart: number | null
}

/** What is kept of these visitors, in each test that they are in. */
export async function readStates(
  trx: Trx,
  visitors: { storeId: string; visitor: string }[],
): Promise<{ storeId: string; state: VisitorState }[]> {
  if (visitors.length === 0) return []
  // The lateral join keeps to the index whatever the planner believes of a table that was never analysed.
  const found = await query<StateRow>(
    trx,
    `
    select v.store_id, v.test_id, v.visitor_id, v.arm, v.stages, v.seen, v.is_bot, v.is_aside, v.is_new, v.device, v.session_id, v.channel, v.referrer, v.country, v.consented,
      extract(epoch from v.first_exposed_at)::float8 * 1000 as first, extract(epoch from v.last_click_at)::float8 * 1000 as click, extract(epoch from v.last_cart_at)::float8 * 1000 as cart
    from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from test_visitors v where v.store_id = k.store_id and v.visitor_id = k.visitor_id offset 0) v`,
    [visitors.map(v => v.storeId), visitors.map(v => v.visitor)],
  )
  return found.map(row => ({
    storeId: row.store_id,
    state: {
      testId: row.test_id,
      visitor: row.visitor_id,
      arm: row.arm,
      stages: row.stages,
      seen: row.seen,
      isBot: row.is_bot,
      isAside: row.is_aside,
      first:
        row.first === null
          ? null
          : {
              at: Math.round(row.first),
              session: row.session_id ?? '',
              device: row.device!,
              isNew: row.is_new!,
              channel: row.channel ?? 0,
              referrer: row.referrer ?? '',
              country: row.country,
              hasConsented: row.consented ?? false,
            },
      lastClickAt: row.click === null ? null : Math.round(row.click),
      lastCartAt: row.cart === null ? null : Math.round(row.cart),
    },
  }))
}

async function writeStates(trx: Trx, touched: Touched[]): Promise<void> {
  if (touched.length === 0) return
  const states = touched.map(({ after }) => after)
  await run(
    trx,
    `
    insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_aside, is_new, device, session_id, channel, referrer, country, consented, first_exposed_at, last_click_at, last_cart_at)
    select store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_aside, is_new, device, session_id, channel, referrer, country, consented, to_timestamp(first / 1000), to_timestamp(click / 1000), to_timestamp(cart / 1000)
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::smallint[], $6::smallint[], $7::boolean[], $8::boolean[], $9::smallint[], $10::text[], $11::smallint[], $12::text[], $13::text[], $14::boolean[], $15::float8[], $16::float8[], $17::float8[], $18::boolean[])
      as n(store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, session_id, channel, referrer, country, consented, first, click, cart, is_aside)
    on conflict (store_id, test_id, visitor_id) do update set stages = excluded.stages, seen = excluded.seen, is_bot = excluded.is_bot, is_aside = excluded.is_aside, is_new = excluded.is_new,
      device = excluded.device, session_id = excluded.session_id, channel = excluded.channel, referrer = excluded.referrer, country = excluded.country, consented = excluded.consented,
      first_exposed_at = excluded.first_exposed_at, last_click_at = excluded.last_click_at, last_cart_at = excluded.last_cart_at`,
    [
      touched.map(({ store }) => store.id),
      states.map(s => s.testId),
      states.map(s => s.visitor),
      states.map(s => s.arm),
      states.map(s => s.stages),
      states.map(s => s.seen),
      states.map(s => s.isBot),
      states.map(s => s.first?.isNew ?? null),
      states.map(s => s.first?.device ?? null),
      states.map(s => s.first?.session ?? null),
      states.map(s => s.first?.channel ?? null),
      states.map(s => s.first?.referrer ?? null),
      states.map(s => s.first?.country ?? null),
      states.map(s => s.first?.hasConsented || null),
      states.map(s => s.first?.at ?? null),
      states.map(s => s.lastClickAt),
      states.map(s => s.lastCartAt),
      states.map(s => s.isAside),
    ],
  )
}

const figuresOf = (deltas: { figures: number[] }[], count: number): number[][] =>
  Array.from({ length: count }, (_, i) => deltas.map(d => d.figures[i]!))

export async function writeDeltas(trx: Trx, deltas: Deltas): Promise<void> {
  const days = [...deltas.days.values()].filter(isChange)
  if (days.length > 0) {
    await run(
      trx,
      `
      insert into test_days as d (store_id, test_id, day, arm, dimension, value, visitors, clickers, adders, bounces, sessions)
      select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::smallint[], $5::text[], $6::text[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[])
      on conflict (store_id, test_id, day, arm, dimension, value) do update
        set visitors = d.visitors + excluded.visitors, clickers = d.clickers + excluded.clickers, adders = d.adders + excluded.adders,
          bounces = d.bounces + excluded.bounces, sessions = d.sessions + excluded.sessions`,
      [
        days.map(d => d.storeId),
        days.map(d => d.testId),
        days.map(d => d.day),
        days.map(d => d.arm),
        days.map(d => d.dimension),
        days.map(d => d.value),
        ...figuresOf(days, 5),
      ],
    )
  }
  const cube = [...deltas.cube.values()].filter(isChange)
  if (cube.length > 0) {
    await run(
      trx,
      `
      insert into test_cube as c (store_id, test_id, country, referrer, arm, device, channel, is_new, visitors, clickers, adders, bounces, sessions)
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::boolean[], $9::int[], $10::int[], $11::int[], $12::int[], $13::int[])
      on conflict (store_id, test_id, country, referrer, arm, device, channel, is_new) do update
        set visitors = c.visitors + excluded.visitors, clickers = c.clickers + excluded.clickers, adders = c.adders + excluded.adders,
          bounces = c.bounces + excluded.bounces, sessions = c.sessions + excluded.sessions`,
      [
        cube.map(d => d.storeId),
        cube.map(d => d.testId),
        cube.map(d => d.country),
        cube.map(d => d.referrer),
        cube.map(d => d.arm),
        cube.map(d => d.device),
        cube.map(d => d.channel),
        cube.map(d => d.isNew),
        ...figuresOf(cube, 5),
      ],
    )
  }
  const arms = [...deltas.arms.values()].filter(isChange)
  if (arms.length > 0) {
    await run(
      trx,
      `
      insert into test_arms as a (store_id, test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside, consented, bot_visitors, bot_clickers, bot_adders, aside)
      select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[], $12::int[], $13::int[], $14::int[], $15::int[])
      on conflict (store_id, test_id, arm) do update set assigned = a.assigned + excluded.assigned, applied = a.applied + excluded.applied, exposed = a.exposed + excluded.exposed,
        recorded = a.recorded + excluded.recorded, bots = a.bots + excluded.bots, both_arms = a.both_arms + excluded.both_arms, set_aside = a.set_aside + excluded.set_aside,
        consented = a.consented + excluded.consented, bot_visitors = a.bot_visitors + excluded.bot_visitors, bot_clickers = a.bot_clickers + excluded.bot_clickers, bot_adders = a.bot_adders + excluded.bot_adders, aside = a.aside + excluded.aside`,
      [
        arms.map(d => d.storeId),
        arms.map(d => d.testId),
        arms.map(d => d.arm),
        ...figuresOf(arms, 12),
      ],
    )
  }
}

/** Tells the rollup which tests to sum up again, and whether orders already there now belong elsewhere. */
async function markChanged(
  trx: Trx,
  tests: Map<string, string>,
  reattributed: Touched[],
): Promise<void> {
  for (const { store, after } of reattributed) tests.set(after.testId, store.id)
  if (tests.size === 0) return
  const withOrders =
    reattributed.length === 0
      ? []
      : await query<{ test_id: string }>(
          trx,
          `
    select distinct k.test_id from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id)
    where (select true from orders o where o.store_id = k.store_id and o.visitor_id = k.visitor_id limit 1)`,
          [
            reattributed.map(({ store }) => store.id),
            reattributed.map(({ after }) => after.testId),
            reattributed.map(({ after }) => after.visitor),
          ],
        )
  const moved = new Set(withOrders.map(row => row.test_id))
  await run(
    trx,
    `
    insert into test_changes as c (store_id, test_id, changed, orders_changed)
    select store_id, test_id, 1, moved from unnest($1::uuid[], $2::uuid[], $3::int[]) n(store_id, test_id, moved)
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + excluded.orders_changed`,
    [[...tests.values()], [...tests.keys()], [...tests.keys()].map(id => (moved.has(id) ? 1 : 0))],
  )
}
