import { stage } from '../domain/event.ts'
import { type Excluding, layersOf } from '../domain/exclusion.ts'
import { reservedTest } from '../domain/exclusion-choice.ts'
import type { EventStore, StoreTest, Visit } from './ingest-rows.ts'

/** A script in a browser's cache may not know of a test that has just begun: as long it is left out of the verdict. Milliseconds. */
export const layerGrace = 120_000
/** A first visit is over after this; what it was given to was chosen among the tests of some moment in it. Milliseconds. */
const longestVisit = 24 * 3_600_000

type Running = Excluding & { from: number; isForAll: boolean }

/**
 * Whether a visitor who is exposed to this test at this moment belongs to another one of its layer. They are with the
 * first of the layer that they are known to have met; on a first visit, also by the function that the script asks.
 */
export function belongsElsewhere(test: StoreTest, at: number, visit: Pick<Visit, 'visitor' | 'isNew' | 'claims'>, store: EventStore): boolean {
  const layer = layersAt(store, at).find(tests => tests.some(({ id }) => id === test.id))
  if (!layer) return false
  const ids = new Set(layer.map(({ id }) => id))
  // A browser names its tests in the order in which it came into them.
  for (const id in visit.claims) {
    if (id === test.id) break
    if (ids.has(id) && visit.claims[id]![1] & stage.exposed) return true
  }
  // Who is in an audience only the script can tell, and so among which tests it chose.
  if (!visit.isNew || !layer.every(({ isForAll }) => isForAll)) return false
  const moments = [at - longestVisit, ...layer.map(({ from }) => from).filter(from => from > at - longestVisit)]
  return !moments.some(moment => reservedTest(layer.filter(({ from }) => from <= moment).map(({ id }) => id), visit.visitor) === test.id)
}

// A store is read anew every two seconds; until then the same tests run at nearly every moment.
const known = new WeakMap<EventStore, Map<string, Running[][]>>()

function layersAt(store: EventStore, at: number): Running[][] {
  const running: Running[] = []
  for (const { excluding, isForAll = true, spans } of store.tests.values()) {
    const span = excluding && spans.find(({ from, to }) => at >= from + layerGrace && at < to)
    if (span) running.push({ ...excluding, from: span.from, isForAll })
  }
  if (running.length < 2) return []
  let ofStore = known.get(store)
  if (!ofStore) known.set(store, ofStore = new Map())
  const key = running.map(({ id, from }) => `${id} ${from}`).join()
  let layers = ofStore.get(key)
  if (!layers) ofStore.set(key, layers = layersOf(running))
  return layers
}
