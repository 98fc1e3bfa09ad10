import type { EventStore } from './event-rows.ts'
import type { Folded } from './fold-rows.ts'
import { visitorKey } from './sessions.ts'
import { areEqual, isCounted, isSteady, mergeStates, type VisitorState } from './visitor-state.ts'

/** A visitor of a store. */
export type VisitorOf = { storeId: string; visitor: string }

/** Who is set aside with their network; `changed`: for whom that has just begun or ended, what is stored of them being as before. */
export type Aside = {
  has: (storeId: string, visitor: string) => boolean
  changed: VisitorOf[]
}
export const noneAside: Aside = { has: () => false, changed: [] }

/** A visitor's state in a test before the batch and after it. */
export type Touched = { store: EventStore; before: VisitorState | null; after: VisitorState }

/** Whose states a batch may change: everybody in it, and who is set aside or counted again. */
export function concerned({ states, sessions }: Folded, aside: Aside): VisitorOf[] {
  const visitors = new Map<string, VisitorOf>()
  const add = ({ storeId, visitor }: VisitorOf) =>
    visitors.set(visitorKey(storeId, visitor), { storeId, visitor })
  for (const { store, byVisitor } of states.values())
    for (const visitor of byVisitor.keys()) add({ storeId: store.id, visitor })
  for (const one of sessions.values()) add(one)
  aside.changed.forEach(add)
  return [...visitors.values()]
}

/** The tests that the batch tells something of, and all others that the same visitors are in: their sessions continue there too. `stored` is what is kept of `concerned`. */
export function touchedStates(
  { states }: Folded,
  stored: { storeId: string; state: VisitorState }[],
  storeOf: (storeId: string) => EventStore,
  aside: Aside,
): Touched[] {
  const withAside = (storeId: string, state: VisitorState): VisitorState =>
    state.isAside === aside.has(storeId, state.visitor)
      ? state
      : { ...state, isAside: !state.isAside }
  const known = new Set<VisitorState>()
  const touched: Touched[] = stored.map(({ storeId, state: before }) => {
    const own = states.get(before.testId)?.byVisitor.get(before.visitor)
    if (own) known.add(own)
    return {
      store: storeOf(storeId),
      before,
      after: withAside(storeId, own ? mergeStates(before, own) : before),
    }
  })
  for (const { store, byVisitor } of states.values())
    for (const state of byVisitor.values())
      if (!known.has(state))
        touched.push({ store, before: null, after: withAside(store.id, state) })
  return touched
}

/** Those whose state is not what it was. */
export const changedStates = (touched: Touched[]): Touched[] =>
  touched.filter(({ before, after }) => !before || !areEqual(before, after))

/** Whether a visitor enters or leaves a test's figures, and so brings all they did along; who stays brings only what is new. */
export const isMoved = ({ before, after }: Touched): boolean =>
  !isSteady(before, after) && (isCounted(after) || (before !== null && isCounted(before)))
