import { assign } from '../../../domain/tests/assignment.ts'
import { channelOf, channels, referrerHost, trafficSource } from '../../../domain/events/channel.ts'
import { stage } from '../../../domain/events/event.ts'
import { type FoldedProducts, foldProduct } from './aggregates-products.ts'
import { type FoldedSessions, type SessionSpan, spanOf, widen } from './aggregates-sessions.ts'
import { foldSpeed, type SpeedDeltas } from './aggregates-speed.ts'
import { setAside } from '../ingest-rows.ts'
import type { EventRow, EventStore, StoreTest } from '../ingest-rows.ts'
import { isCounting, isRunning, partAt } from '../../tests/stand-still.ts'
import { armBit, compare, type Exposure, later, type VisitorState } from './visitor-state.ts'

/** The states by visitor, by test (a test's id is unique among all stores); and what the visitors' sessions gain. */
export type Folded = {
  states: Map<string, Map<string, VisitorState>>
  setAside: Map<string, [number, number]>
  sessions: FoldedSessions
  speed: SpeedDeltas
  products: FoldedProducts
}

/** Folds rows that are all new (a repeated row must be left out, or set-aside counts go wrong) into one state per test and visitor. */
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
  let lastVisit: EventRow['visit'] | undefined,
    span: SessionSpan | null = null
  for (const row of rows) {
    const { visit } = row
    const store = storeOf(visit.storeId),
      { tests } = store
    if (row.setAside)
      for (const id of row.tests ?? []) countSetAside(folded, tests.get(id), visit.visitor)
    if (row.setAside === setAside.farOff) continue
    if (visit !== lastVisit) {
      lastVisit = visit
      span = null
      for (const id in visit.claims) applyClaim(folded, tests.get(id), visit)
    }
    // A page's figures come as it is left, which is no act of the visitor's.
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
      for (const id of row.tests ?? []) markSeen(folded, tests.get(id), visit)
    if (row.setAside) continue
    for (const id of row.tests ?? []) applyEvent(folded, tests.get(id), row, store)
    foldProduct(folded.products, row, store)
  }
  return folded
}

/** Joins two states of the same visitor and test. */
export function mergeStates(a: VisitorState, b: VisitorState): VisitorState {
  return {
    ...a,
    stages: a.stages | b.stages,
    seen: a.seen | b.seen,
    isBot: a.isBot || b.isBot,
    first: earlier(a.first, b.first),
    lastClickAt: later(a.lastClickAt, b.lastClickAt),
    lastCartAt: later(a.lastCartAt, b.lastCartAt),
  }
}

function applyClaim(folded: Folded, test: StoreTest | undefined, visit: EventRow['visit']): void {
  const claim = test && visit.claims[test.id]
  if (!claim) return
  const state = stateOf(folded, test, visit)
  state.stages |= claim[1]
  if (claim[1] & (stage.applied | stage.exposed)) state.seen |= armBit(claim[0])
}

function markSeen(folded: Folded, test: StoreTest | undefined, visit: EventRow['visit']): void {
  const claim = test && visit.claims[test.id]
  if (claim) stateOf(folded, test, visit).seen |= armBit(claim[0])
}

function applyEvent(
  folded: Folded,
  test: StoreTest | undefined,
  row: EventRow,
  store: EventStore,
): void {
  // Of a row that was written before pauses were left out, nobody has asked yet.
  if (
    !test ||
    (row.kind === 'click' && !isRunning(test, row.at)) ||
    (row.kind === 'cart' && !isCounting(test, row.at))
  )
    return
  const state = stateOf(folded, test, row.visit)
  if (row.kind === 'exposure') {
    state.seen |= armBit(state.arm)
    state.first = earlier(state.first, exposureOf(row, store))
  } else if (row.kind === 'click') state.lastClickAt = later(state.lastClickAt, row.at)
  else if (row.kind === 'cart') state.lastCartAt = later(state.lastCartAt, row.at)
}

function countSetAside(folded: Folded, test: StoreTest | undefined, visitor: string): void {
  if (!test) return
  let counts = folded.setAside.get(test.id)
  if (!counts) folded.setAside.set(test.id, (counts = [0, 0]))
  counts[assign(test.id, visitor, test.weights)]++
}

function stateOf(folded: Folded, test: StoreTest, visit: EventRow['visit']): VisitorState {
  let byVisitor = folded.states.get(test.id)
  if (!byVisitor) folded.states.set(test.id, (byVisitor = new Map()))
  let state = byVisitor.get(visit.visitor)
  if (!state) {
    byVisitor.set(
      visit.visitor,
      (state = {
        testId: test.id,
        visitor: visit.visitor,
        arm: assign(test.id, visit.visitor, test.weights),
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

function earlier(a: Exposure | null, b: Exposure | null): Exposure | null {
  if (!a || !b) return a ?? b
  return compare(a, b) <= 0 ? a : b
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
