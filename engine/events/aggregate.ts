import { together, togetherAtLast } from '../db/together.ts'
import type { Trx } from '../db/types.ts'
import { attributionDiffers, deltasOf } from './fold/deltas.ts'
import type { EventRow, EventStore } from './fold/event-rows.ts'
import { foldRows } from './fold/fold-rows.ts'
import { foldPeriods, type PeriodStore, type RecordedVisitors } from './fold/periods.ts'
import { type FoldedProducts, type ProductDelta, productDeltas } from './fold/products.ts'
import { sessionChanges, type Sessions, visitorKey, withChanges } from './fold/sessions.ts'
import { testsOf } from './fold/speed.ts'
import {
  type Aside,
  changedStates,
  concerned,
  isMoved,
  noneAside,
  type Touched,
  touchedStates,
  type VisitorOf,
} from './fold/states.ts'
import { markChanged, writeDeltas } from './store/counts.ts'
import { writePeriods } from './store/periods.ts'
import { addProducts, dropBeyondLimit, readProducts, writeProductDeltas } from './store/products.ts'
import { readSessions, storedSessions, writeSessions } from './store/sessions.ts'
import { writeSpeed } from './store/speed.ts'
import { readStates, type StoredState, writeStates } from './store/states.ts'
import { inZones, inZonesNow } from './time-zone.ts'

export type AggregatedStore = EventStore & PeriodStore

/**
 * `known`: what was read already: of all visitors of the rows their states, and of most of them all
 * their sessions. `isLast`: the transaction does nothing after this.
 */
type Aggregating = {
  recorded?: RecordedVisitors | undefined
  aside?: Aside
  known?: {
    zones: ReadonlyMap<string, string>
    states: StoredState[]
    sessions: ReadonlyMap<string, Sessions>
  }
  isLast?: boolean
}

/**
 * Updates the stored aggregates with event rows that are all new to the database. The caller must
 * hold the stores' locks (store-lock.ts), because this function reads visitors,
 * merges them and writes them back.
 * Returns the keys (`recordedKey`) of the shop's visitors that it wrote; after the commit the
 * caller adds them to `recorded`.
 *
 * The modules in `fold/` compute what the batch means and never see the database. Those in `store/`
 * read and write, and decide nothing.
 */
export async function aggregate(
  trx: Trx,
  rows: EventRow[],
  remembered: (storeId: string) => AggregatedStore,
  { recorded, aside = noneAside, known, isLast = false }: Aggregating = {},
): Promise<string[]> {
  const storeIds = new Set([
      ...rows.map(row => row.visit.storeId),
      ...aside.changed.map(({ storeId }) => storeId),
    ]),
    storeOf = known ? inZones(known.zones, remembered) : await inZonesNow(trx, storeIds, remembered)
  const periods = foldPeriods(rows, storeOf, recorded)
  const folded = foldRows(rows, storeOf, aside.has)

  const before = known?.sessions ?? new Map<string, Sessions>()
  const sessions = sessionChanges(
    folded.sessions,
    await storedSessions(trx, folded.sessions, before),
  )
  const visitors = concerned(folded, aside),
    stored = known ? statesAmong(known.states, visitors) : await readStates(trx, visitors)
  const touched = touchedStates(folded, stored, storeOf, aside)
  const moved = touched.filter(isMoved).map(visitorOf),
    all = withChanges(await readSessions(trx, moved, before), sessions)
  const deltas = deltasOf(touched, folded.setAside, sessions, all)
  const products = await keepProducts(trx, folded.products, touched)

  const changed = changedStates(touched)
  await (isLast ? togetherAtLast : together)(trx, [
    ...writeSessions(folded.sessions),
    ...writePeriods([...periods.values()], aside.has),
    ...writeProductDeltas(products),
    ...writeSpeed(folded.speed),
    ...writeStates(changed),
    ...writeDeltas(deltas),
    ...markChanged(
      new Map([
        ...deltas.changedTests(),
        ...testsOf(folded.speed.values()),
        ...testsOf(products.values()),
      ]),
      changed.filter(({ before, after }) => attributionDiffers(before ?? undefined, after)),
    ),
  ])
  return [...periods.keys()]
}

const statesAmong = (states: StoredState[], visitors: VisitorOf[]): StoredState[] => {
  const keys = new Set(visitors.map(({ storeId, visitor }) => visitorKey(storeId, visitor)))
  return states.filter(({ storeId, state }) => keys.has(visitorKey(storeId, state.visitor)))
}

const visitorOf = ({ store, after }: Touched) => ({
  storeId: store.id,
  testId: after.testId,
  visitor: after.visitor,
})

/** Stores what visitors did with products. Returns the changes of the products' counts. */
async function keepProducts(
  trx: Trx,
  folded: FoldedProducts,
  touched: Touched[],
): Promise<ProductDelta[]> {
  const old = await addProducts(trx, folded),
    dropped = await dropBeyondLimit(trx, folded, old)
  // A visitor without an earlier state has no other stored products.
  const moved = touched.filter(one => one.before && isMoved(one))
  const all = await readProducts(trx, moved.map(visitorOf))
  return productDeltas(folded, touched, { old, dropped, all })
}
