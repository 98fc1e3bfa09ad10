import { type Excluding, layersOf, rivalsOf } from '../../domain/tests/exclusion.ts'
import { keptTests, reservedTest } from '../../domain/tests/exclusion-choice.ts'
import { hour } from '../../domain/time-units.ts'
import type { EventStore, StoreTest, Visit } from '../events/fold/event-rows.ts'

/** A script in a browser's cache may not know of a test that has just begun: as long it is left out of the verdict. Milliseconds. */
export const layerGrace = 120_000
/** A first visit is over after this; what it was given to was chosen among the tests of some moment in it. Milliseconds. */
const longestVisit = 24 * hour

type Running = Excluding & { from: number; isForAll: boolean; rivals: readonly string[] }

/**
 * Whether a visitor who is exposed to this test at this moment belongs to another one of its layer: to one that disturbs it
 * and that they came into before; on a first visit, also to the one that they were given to. Both by the
 * functions that the script asks.
 */
export function belongsElsewhere(
  test: StoreTest,
  at: number,
  visit: Pick<Visit, 'visitor' | 'isNew' | 'claims'>,
  store: EventStore,
): boolean {
  const layer = layersAt(store, at).find(tests => tests.some(({ id }) => id === test.id))
  if (!layer) return false
  const rivals = new Map(layer.map(one => [one.id, one.rivals]))
  // A browser names its tests in the order in which it came into them.
  const held = Object.keys(visit.claims).filter(id => rivals.has(id))
  if (!keptTests(held, id => rivals.get(id)!).includes(test.id)) return true
  // Who is in an audience only the script can tell, and so among which tests it chose.
  if (!visit.isNew || !layer.every(({ isForAll }) => isForAll)) return false
  const moments = [
    at - longestVisit,
    ...layer.map(({ from }) => from).filter(from => from > at - longestVisit),
  ]
  return !moments.some(
    moment =>
      reservedTest(
        layer.filter(({ from }) => from <= moment).map(({ id }) => id),
        visit.visitor,
      ) === test.id,
  )
}

// A store is read again every two seconds; until then the same tests run at nearly every moment.
const known = new WeakMap<EventStore, Map<string, Running[][]>>()

function layersAt(store: EventStore, at: number): Running[][] {
  const running: Running[] = []
  for (const { excluding, isForAll = true, spans } of store.tests.values()) {
    const span = excluding && spans.find(({ from, to }) => at >= from + layerGrace && at < to)
    if (span) running.push({ ...excluding, from: span.from, isForAll, rivals: [] })
  }
  if (running.length < 2) return []
  let ofStore = known.get(store)
  if (!ofStore) known.set(store, (ofStore = new Map()))
  const key = running.map(({ id, from }) => `${id} ${from}`).join()
  let layers = ofStore.get(key)
  if (!layers)
    ofStore.set(
      key,
      (layers = layersOf(running).map(layer =>
        layer.map(test => ({ ...test, rivals: rivalsOf(test, layer) })),
      )),
    )
  return layers
}
