import { attributionDiffers, Deltas } from './aggregates-deltas.ts'
import type { Side } from './aggregates-deltas.ts'
import { aggregateProducts } from './aggregates-products.ts'
import { readSessions, visitorKey, writeSessions } from './aggregates-sessions.ts'
import type { SessionChanges, Sessions } from './aggregates-sessions.ts'
import { testsOf, writeSpeed } from './aggregates-speed.ts'
import { readStates, type Touched, writeStates } from './aggregates-states.ts'
import { recordStoreVisitors } from './aggregates-store.ts'
import type { PeriodStore, RecordedVisitors } from './aggregates-store.ts'
import { foldRows, mergeStates } from './aggregates-visitors.ts'
import type { Folded } from './aggregates-visitors.ts'
import { markChanged, writeDeltas } from './aggregates-write.ts'
import type { EventRow, EventStore } from '../ingest-rows.ts'
import { inZonesNow } from '../time-zone.ts'
import type { Trx } from '../../db/types.ts'
import { areEqual, isCounted, isSteady, type VisitorState } from './visitor-state.ts'

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
