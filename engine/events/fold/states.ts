import type { EventStore } from './event-rows.ts'
import type { Folded } from './fold-rows.ts'
import { visitorKey } from './sessions.ts'
import { areEqual, isCounted, isSteady, mergeStates, type VisitorState } from './visitor-state.ts'

/** A visitor of a store. */
export type VisitorOf = { storeId: string; visitor: string }

/**
 * `has`: whether a visitor is set aside with their network. `changed`: the visitors for which this
 * has just begun or ended; their stored states are still as before.
 */
export type Aside = {
  has: (storeId: string, visitor: string) => boolean
  changed: VisitorOf[]
}
export const noneAside: Aside = { has: () => false, changed: [] }

/** A visitor's state in a test before the batch and after it. */
export type Touched = { store: EventStore; before: VisitorState | null; after: VisitorState }

/**
 * The visitors whose states a batch may change: those in the batch, and those that are set aside or
 * counted again.
 */
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

/**
 * The states of these visitors in the tests that the batch names, and in all their other tests,
 * because their sessions continue there too. `stored`: the stored states of the visitors in
 * `concerned`.
 */
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

/** The visitors whose state changed. */
export const changedStates = (touched: Touched[]): Touched[] =>
  touched.filter(({ before, after }) => !before || !areEqual(before, after))

/**
 * Whether a visitor enters or leaves a test's figures, or moves in them with another first
 * exposure. Then everything that the visitor did is added or subtracted; otherwise only what is
 * new.
 */
export const isMoved = ({ before, after }: Touched): boolean =>
  !isSteady(before, after) && (isCounted(after) || (before !== null && isCounted(before)))
