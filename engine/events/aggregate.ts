import { together, togetherAtLast } from '../db/together.ts'
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
 * Updates the stored aggregates with event rows that are all new to the database. The caller must
 * hold the stores' locks (store-lock.ts), because this function reads visitors,
 * merges them and writes them back.
 * Returns the keys (`recordedKey`) of the shop's visitors that it wrote; after the commit the
 * caller adds them to `recorded`. `isLast`: the transaction does nothing after this.
 *
 * The modules in `fold/` compute what the batch means and never see the database. Those in `store/`
 * read and write, and decide nothing.
 */
export async function aggregate(
  trx: Trx,
  rows: EventRow[],
  remembered: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
  aside: Aside = noneAside,
  isLast = false,
): Promise<string[]> {
  const storeIds = new Set([
      ...rows.map(row => row.visit.storeId),
      ...aside.changed.map(({ storeId }) => storeId),
    ]),
    storeOf = await inZonesNow(trx, storeIds, remembered)
  const periods = foldPeriods(rows, storeOf, recorded)
  const folded = foldRows(rows, storeOf, aside.has)

  const sessions = sessionChanges(
    folded.sessions,
    await addSessions(trx, folded.sessions, writePeriods([...periods.values()], aside.has)),
  )
  const stored = await readStates(trx, concerned(folded, aside))
  const touched = touchedStates(folded, stored, storeOf, aside)
  const all = await readSessions(trx, touched.filter(isMoved).map(visitorOf))
  const deltas = deltasOf(touched, folded.setAside, sessions, all)
  const products = await keepProducts(trx, folded.products, touched)

  const changed = changedStates(touched)
  await (isLast ? togetherAtLast : together)(trx, [
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
