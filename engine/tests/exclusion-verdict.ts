import { type Excluding, layersOf, rivalsOf } from '../../domain/tests/exclusion.ts'
import { keptTests, reservedTest } from '../../domain/tests/exclusion-choice.ts'
import { hour } from '../../domain/time-units.ts'
import type { EventStore, StoreTest, Visit } from '../events/fold/event-rows.ts'

/**
 * A script in a browser's cache may not know about a test that has just begun. So the verdict
 * ignores a test for this time, in milliseconds.
 */
export const layerGrace = 120_000
/**
 * Maximum length of a first visit, in milliseconds. The script chose the visitor's test among the
 * tests that ran at some moment of that visit.
 */
const longestVisit = 24 * hour

type Running = Excluding & { from: number; isForAll: boolean; rivals: readonly string[] }

/**
 * True if a visitor who is exposed to this test at this moment belongs to another test of its
 * layer: to a test that disturbs this one and that they entered before, or, on a first visit, to
 * the test that was reserved for them. Both checks call the same functions as the script.
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
  // A browser lists its tests in the order in which it entered them.
  const held = Object.keys(visit.claims).filter(id => rivals.has(id))
  if (!keptTests(held, id => rivals.get(id)!).includes(test.id)) return true
  // Only the script knows who is in an audience, and so among which tests it chose.
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

// The layers, cached for each store. A store is read again every two seconds; until then the same
// tests run at nearly every moment.
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
