import type { Trx } from '../db/types.ts'
import { attributionDiffers, deltasOf } from './fold/deltas.ts'
import type { EventRow, EventStore } from './fold/event-rows.ts'
import { foldRows } from './fold/fold-rows.ts'
import { foldPeriods, type PeriodStore, type RecordedVisitors } from './fold/periods.ts'
import { type FoldedProducts, type ProductDelta, productDeltas } from './fold/products.ts'
import { sessionChanges } from './fold/sessions.ts'
import { testsOf } from './fold/speed.ts'
import {
  type Aside,
  changedStates,
  concerned,
  isMoved,
  noneAside,
  type Touched,
  touchedStates,
} from './fold/states.ts'
import { markChanged, writeDeltas } from './store/counts.ts'
import { writePeriods } from './store/periods.ts'
import { addProducts, dropBeyondLimit, readProducts, writeProductDeltas } from './store/products.ts'
import { addSessions, readSessions } from './store/sessions.ts'
import { writeSpeed } from './store/speed.ts'
import { readStates, writeStates } from './store/states.ts'
import { inZonesNow } from './time-zone.ts'

export type AggregatedStore = EventStore & PeriodStore

/**
 * Brings the stored aggregates up to date with event rows that are all new to the database. The caller holds the
 * stores' locks (ingest-write.ts `lockStores`), since visitors are read, merged and written back. Answers the keys of
 * shop visitors it wrote, for `recorded` once they are committed.
 *
 * `fold/` says what the batch means, and never sees the database; `store/` reads and writes, and decides nothing.
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
  const periods = foldPeriods(rows, storeOf, recorded)
  const folded = foldRows(rows, storeOf, aside.has)

  await writePeriods(trx, [...periods.values()], aside.has)
  const sessions = sessionChanges(folded.sessions, await addSessions(trx, folded.sessions))
  const stored = await readStates(trx, concerned(folded, aside))
  const touched = touchedStates(folded, stored, storeOf, aside)
  const all = await readSessions(trx, touched.filter(isMoved).map(visitorOf))
  const deltas = deltasOf(touched, folded.setAside, sessions, all)
  const products = await keepProducts(trx, folded.products, touched)

  const changed = changedStates(touched)
  await writeProductDeltas(trx, products)
  await writeSpeed(trx, folded.speed)
  await writeStates(trx, changed)
  await writeDeltas(trx, deltas)
  await markChanged(
    trx,
    new Map([
      ...deltas.changedTests(),
      ...testsOf(folded.speed.values()),
      ...testsOf(products.values()),
    ]),
    changed.filter(({ before, after }) => attributionDiffers(before ?? undefined, after)),
  )
  return [...periods.keys()]
}

const visitorOf = ({ store, after }: Touched) => ({
  storeId: store.id,
  testId: after.testId,
  visitor: after.visitor,
})

/** Stores what visitors did with products; answers what that changes in the products' counts. */
async function keepProducts(
  trx: Trx,
  folded: FoldedProducts,
  touched: Touched[],
): Promise<ProductDelta[]> {
  const old = await addProducts(trx, folded),
    dropped = await dropBeyondLimit(trx, folded, old)
  // Of who was in no batch before, nothing else was kept.
  const moved = touched.filter(one => one.before && isMoved(one))
  const all = await readProducts(trx, moved.map(visitorOf))
  return productDeltas(folded, touched, { old, dropped, all })
}
