import type { ArmIndex } from '../domain/arm.ts'
import { assign } from '../domain/assignment.ts'
import { stage } from '../domain/event.ts'
import { setAside } from './ingest-rows.ts'
import type { EventRow, EventStore, StoreTest } from './ingest-rows.ts'
import type { DeviceIndex } from './visit-agent.ts'

/** Time, device and kind of visit of the earliest exposure; ties go to the smaller, so that order does not matter. */
export type Exposure = { at: number; device: DeviceIndex; isNew: boolean }

/**
 * What is known of one visitor in one test. Every part grows one way (or, min, max), so merging in any order and
 * any number of times gives the same state. Instants in milliseconds.
 */
export type VisitorState = {
  testId: string; visitor: string
  arm: ArmIndex
  /** Bits of domain/event.ts `stage`. */
  stages: number
  /** Arms met, as bits: 1 control, 2 variant. */
  seen: number
  isBot: boolean
  first: Exposure | null
  lastClickAt: number | null
  lastCartAt: number | null
}

export const armBit = (arm: ArmIndex): number => 1 << arm
export const hasMetOtherArm = (state: VisitorState): boolean => (state.seen & ~armBit(state.arm)) !== 0
/** Whether the visitor stands in the figures of their arm. */
export const isCounted = (state: VisitorState): boolean => state.first !== null && !state.isBot && !hasMetOtherArm(state)

/** The states by visitor, by test (a test's id is unique among all stores). */
export type Folded = { states: Map<string, Map<string, VisitorState>>; setAside: Map<string, [number, number]> }

/** Folds rows that are all new (a repeated row must be left out, or set-aside counts go wrong) into one state per test and visitor. */
export function foldRows(rows: EventRow[], storeOf: (storeId: string) => EventStore): Folded {
  const folded: Folded = { states: new Map(), setAside: new Map() }
  let lastVisit: EventRow['visit'] | undefined
  for (const row of rows) {
    const { visit } = row
    const tests = storeOf(visit.storeId).tests
    if (row.setAside) for (const id of row.tests ?? []) countSetAside(folded, tests.get(id), visit.visitor)
    if (row.setAside === setAside.farOff) continue
    if (visit !== lastVisit) {
      lastVisit = visit
      for (const id in visit.claims) applyClaim(folded, tests.get(id), visit)
    }
    if (row.setAside === setAside.otherArm) for (const id of row.tests ?? []) markSeen(folded, tests.get(id), visit)
    if (row.setAside) continue
    for (const id of row.tests ?? []) applyEvent(folded, tests.get(id), row)
  }
  return folded
}

/** Joins two states of the same visitor and test. */
export function mergeStates(a: VisitorState, b: VisitorState): VisitorState {
  return {
    ...a, stages: a.stages | b.stages, seen: a.seen | b.seen, isBot: a.isBot || b.isBot, first: earlier(a.first, b.first),
    lastClickAt: later(a.lastClickAt, b.lastClickAt), lastCartAt: later(a.lastCartAt, b.lastCartAt),
  }
}

export function areEqual(a: VisitorState, b: VisitorState): boolean {
  return a.stages === b.stages && a.seen === b.seen && a.isBot === b.isBot && a.lastClickAt === b.lastClickAt && a.lastCartAt === b.lastCartAt
    && a.first?.at === b.first?.at && a.first?.device === b.first?.device && a.first?.isNew === b.first?.isNew
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

function applyEvent(folded: Folded, test: StoreTest | undefined, row: EventRow): void {
  if (!test) return
  const state = stateOf(folded, test, row.visit)
  if (row.kind === 'exposure') {
    state.seen |= armBit(state.arm)
    state.first = earlier(state.first, { at: row.at, device: row.visit.device, isNew: row.visit.isNew })
  } else if (row.kind === 'click') state.lastClickAt = later(state.lastClickAt, row.at)
  else if (row.kind === 'cart') state.lastCartAt = later(state.lastCartAt, row.at)
}

function countSetAside(folded: Folded, test: StoreTest | undefined, visitor: string): void {
  if (!test) return
  let counts = folded.setAside.get(test.id)
  if (!counts) folded.setAside.set(test.id, counts = [0, 0])
  counts[assign(test.id, visitor, test.weights)]++
}

function stateOf(folded: Folded, test: StoreTest, visit: EventRow['visit']): VisitorState {
  let byVisitor = folded.states.get(test.id)
  if (!byVisitor) folded.states.set(test.id, byVisitor = new Map())
  let state = byVisitor.get(visit.visitor)
  if (!state) {
    byVisitor.set(visit.visitor, state = {
      testId: test.id, visitor: visit.visitor, arm: assign(test.id, visit.visitor, test.weights),
      stages: 0, seen: 0, isBot: false, first: null, lastClickAt: null, lastCartAt: null,
    })
  }
  state.isBot ||= visit.isBot
  return state
}

function earlier(a: Exposure | null, b: Exposure | null): Exposure | null {
  if (!a || !b) return a ?? b
  return (a.at - b.at || a.device - b.device || Number(a.isNew) - Number(b.isNew)) <= 0 ? a : b
}

const later = (a: number | null, b: number | null): number | null => (a === null || b === null ? a ?? b : Math.max(a, b))
