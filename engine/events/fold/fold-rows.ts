import { assign } from '../../../domain/tests/assignment.ts'
import { channelOf, channels, referrerHost, trafficSource } from '../../../domain/events/channel.ts'
import { stage } from '../../../domain/events/event.ts'
import { type FoldedProducts, foldProduct } from './products.ts'
import { type FoldedSessions, type SessionSpan, spanOf, widen } from './sessions.ts'
import { foldSpeed, type SpeedDeltas } from './speed.ts'
import { setAside } from './event-rows.ts'
import type { EventRow, EventStore, Visit } from './event-rows.ts'
import { isCounting, isRunning, partAt } from '../../tests/stand-still.ts'
import { armBit, earlier, type Exposure, later, type VisitorState } from './visitor-state.ts'

/**
 * What a batch means. `states`: visitors' states by test and visitor. `setAside`: how many events
 * were set aside, by test and arm. Test ids are unique among all stores. `sessions`: what the batch
 * adds to the visitors' sessions.
 */
export type Folded = {
  states: Map<string, { store: EventStore; byVisitor: Map<string, VisitorState> }>
  setAside: Map<string, { storeId: string; counts: [number, number] }>
  sessions: FoldedSessions
  speed: SpeedDeltas
  products: FoldedProducts
}

/**
 * Folds rows into one state per test and visitor. All rows must be new: a repeated row makes the
 * set-aside counts wrong.
 */
export function foldRows(
  rows: EventRow[],
  storeOf: (storeId: string) => EventStore,
  isAside: (storeId: string, visitor: string) => boolean = () => false,
): Folded {
  const folded: Folded = {
    states: new Map(),
    setAside: new Map(),
    sessions: new Map(),
    speed: new Map(),
    products: new Map(),
  }
  let lastVisit: Visit | undefined,
    span: SessionSpan | null = null
  for (const row of rows) {
    const { visit } = row
    const store = storeOf(visit.storeId),
      { tests } = store
    if (row.setAside)
      for (const id of row.tests ?? []) countSetAside(folded, store, id, visit.visitor)
    if (row.setAside === setAside.farOff) continue
    if (visit !== lastVisit) {
      lastVisit = visit
      span = null
      for (const id in visit.claims) applyClaim(folded, store, id, visit)
    }
    // A page's speed is sent when the visitor leaves the page. That is no act of the visitor, so it
    // does not widen the session.
    if (row.kind === 'vitals') {
      if (!row.setAside && !visit.isBot && !isAside(visit.storeId, visit.visitor))
        foldSpeed(folded.speed, row, tests)
      continue
    }
    if (!visit.isBot) {
      const part = partAt(tests, row.at)
      if (span?.part !== part) span = spanOf(folded.sessions, visit, part)
      widen(span, row)
    }
    if (row.setAside === setAside.otherArm)
      for (const id of row.tests ?? []) markSeen(folded, store, id, visit)
    if (row.setAside) continue
    for (const id of row.tests ?? []) applyEvent(folded, store, id, row)
    foldProduct(folded.products, row, store)
  }
  return folded
}

function applyClaim(folded: Folded, store: EventStore, id: string, visit: Visit): void {
  const claim = visit.claims[id],
    state = claim && stateOf(folded, store, id, visit)
  if (!state) return
  state.stages |= claim[1]
  if (claim[1] & (stage.applied | stage.exposed)) state.seen |= armBit(claim[0])
}

function markSeen(folded: Folded, store: EventStore, id: string, visit: Visit): void {
  const claim = visit.claims[id],
    state = claim && stateOf(folded, store, id, visit)
  if (state) state.seen |= armBit(claim[0])
}

function applyEvent(folded: Folded, store: EventStore, id: string, row: EventRow): void {
  const test = store.tests.get(id)
  // An older version stored rows without checking for pauses, so check again.
  if (
    !test ||
    (row.kind === 'click' && !isRunning(test, row.at)) ||
    (row.kind === 'cart' && !isCounting(test, row.at))
  )
    return
  const state = stateOf(folded, store, id, row.visit)!
  if (row.kind === 'exposure') {
    state.seen |= armBit(state.arm)
    state.first = earlier(state.first, exposureOf(row, store))
  } else if (row.kind === 'click') state.lastClickAt = later(state.lastClickAt, row.at)
  else if (row.kind === 'cart') state.lastCartAt = later(state.lastCartAt, row.at)
}

function countSetAside(folded: Folded, store: EventStore, id: string, visitor: string): void {
  const test = store.tests.get(id)
  if (!test) return
  let own = folded.setAside.get(id)
  if (!own) folded.setAside.set(id, (own = { storeId: store.id, counts: [0, 0] }))
  own.counts[assign(id, visitor, test.weights)]++
}

/**
 * The visitor's state in this test, as far as this batch tells it; null if the store has no such
 * test.
 */
function stateOf(folded: Folded, store: EventStore, id: string, visit: Visit): VisitorState | null {
  const test = store.tests.get(id)
  if (!test) return null
  let own = folded.states.get(id)
  if (!own) folded.states.set(id, (own = { store, byVisitor: new Map() }))
  let state = own.byVisitor.get(visit.visitor)
  if (!state) {
    own.byVisitor.set(
      visit.visitor,
      (state = {
        testId: id,
        visitor: visit.visitor,
        arm: assign(id, visit.visitor, test.weights),
        stages: 0,
        seen: 0,
        isBot: false,
        isAside: false,
        first: null,
        lastClickAt: null,
        lastCartAt: null,
      }),
    )
  }
  state.isBot ||= visit.isBot
  return state
}

function exposureOf({ at, visit }: EventRow, { hosts }: EventStore): Exposure {
  const referrer = referrerHost(visit.referrer, hosts)
  const channel =
    visit.channel ?? channels.indexOf(channelOf(trafficSource(visit.landing, referrer)))
  return {
    at,
    session: visit.session,
    device: visit.device,
    isNew: visit.isNew,
    channel,
    referrer,
    country: visit.country,
    hasConsented: visit.hasConsented,
  }
}
