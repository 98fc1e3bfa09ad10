import { type SessionChanges, visitorKey } from './sessions.ts'
import type { Touched } from './states.ts'
import type { Folded } from './fold-rows.ts'
import type { SessionSpan, Sessions } from './sessions.ts'
import { devices } from '../../../domain/device.ts'
import { stage } from '../../../domain/events/event.ts'
import type { EventStore, StoreTest } from './event-rows.ts'
import { isCountingFor, stragglerGrace } from '../../tests/stand-still.ts'
import { dayIn } from './visit-day.ts'
import {
  armBit,
  type Exposure,
  hasMetOtherArm,
  isCounted,
  isSameExposure,
  isSteady,
  type VisitorState,
} from './visitor-state.ts'

/**
 * How many figures a row of test_days and test_cube has (visitors, clickers, adders, bounces,
 * sessions), and how many a row of test_arms has. Figures are in the order of the columns.
 */
const dayFigures = 5,
  armFigures = 12
export type DayDelta = {
  storeId: string
  testId: string
  day: string
  arm: number
  dimension: string
  value: string
  figures: number[]
}
export type CubeDelta = {
  storeId: string
  testId: string
  country: string
  referrer: string
  arm: number
  device: number
  channel: number
  isNew: boolean
  figures: number[]
}
export type ArmDelta = { storeId: string; testId: string; arm: number; figures: number[] }
/**
 * A visitor's state in a test, with the visitor's sessions: all of them, or only the changed ones
 * if nothing else changed.
 */
export type Side = { state: VisitorState; sessions: Sessions }
type DeltaStore = Pick<EventStore, 'id' | 'timeZone' | 'tests'>

/**
 * Names of the cube's cells that sum up all referrers, and all countries. No host and no country
 * has this name.
 */
export const allReferrers = '*',
  allCountries = '*'

/**
 * Computes what a batch changes in the stored aggregates. `sessions`: the sessions that the batch
 * touched, by visitor. `all`: every session of the visitors who enter or leave the figures.
 */
export function deltasOf(
  touched: Touched[],
  setAside: Folded['setAside'],
  sessions: Map<string, SessionChanges>,
  all: Map<string, Sessions>,
): Deltas {
  const deltas = new Deltas()
  for (const [testId, { storeId, counts }] of setAside) deltas.setAside(storeId, testId, counts)
  for (const { store, before, after } of touched) {
    const key = visitorKey(store.id, after.visitor)
    const changes = sessions.get(key) ?? noChanges
    if (isSteady(before, after))
      deltas.replace(
        store,
        { state: before!, sessions: changes.before },
        { state: after, sessions: changes.after },
      )
    else {
      const now = all.get(key) ?? noChanges.after
      deltas.replace(
        store,
        before && sideOf(before, new Map([...now, ...changes.before])),
        sideOf(after, now),
      )
    }
  }
  return deltas
}

const noChanges: SessionChanges = { before: new Map(), after: new Map() }

/**
 * Makes a side with all of the visitor's sessions. The session of the first exposure is among them
 * even if nothing of it is stored.
 */
export const sideOf = (state: VisitorState, sessions: Sessions): Side => ({
  state,
  sessions:
    !state.first || sessions.has(state.first.session)
      ? sessions
      : new Map([...sessions, [state.first.session, []]]),
})

/**
 * Collects what changed visitors change in the stored aggregates: it subtracts each visitor's old
 * state and adds the new one.
 */
export class Deltas {
  readonly days = new Map<string, DayDelta>()
  readonly cube = new Map<string, CubeDelta>()
  readonly arms = new Map<string, ArmDelta>()

  replace(store: DeltaStore, before: Side | null, after: Side): void {
    if (before) this.#add(store, before, -1)
    this.#add(store, after, 1)
  }

  setAside(storeId: string, testId: string, counts: [number, number]): void {
    counts.forEach((count, arm) => {
      this.#arm(storeId, testId, arm)[6]! += count
    })
  }

  /** The tests in which a figure changed: store ids by test id. */
  changedTests(): Map<string, string> {
    const changed = [...this.days.values(), ...this.cube.values(), ...this.arms.values()].filter(
      isChange,
    )
    return new Map(changed.map(({ testId, storeId }) => [testId, storeId]))
  }

  #add(store: DeltaStore, { state, sessions }: Side, sign: 1 | -1): void {
    if (!state.isBot && !state.isAside) {
      const arm = this.#arm(store.id, state.testId, state.arm)
      if (state.stages & stage.assigned) arm[0]! += sign
      if (state.stages & stage.applied) arm[1]! += sign
      if (state.stages & stage.exposed) arm[2]! += sign
      if (isCounted(state)) arm[3]! += sign
      if (state.first && hasMetOtherArm(state)) arm[5]! += sign
    }
    const { first } = state
    if (!first) return
    // Counts only acts at or after the exposure. Both instants come from the visitor's own clock.
    const has = (at: number | null) => (at !== null && at >= first.at ? sign : 0)
    if (state.isBot) {
      const arm = this.#arm(store.id, state.testId, state.arm)
      arm[4]! += sign
      if (!state.isAside && !hasMetOtherArm(state))
        sum(arm, [0, 0, 0, 0, 0, 0, 0, 0, sign, has(state.lastClickAt), has(state.lastCartAt)])
    } else if (state.isAside) this.#arm(store.id, state.testId, state.arm)[11]! += sign
    if (!isCounted(state)) return

    if (first.hasConsented) this.#arm(store.id, state.testId, state.arm)[7]! += sign
    const test = store.tests.get(state.testId)
    const own = [
      sign,
      has(state.lastClickAt),
      has(state.lastCartAt),
      hasBounced(test, first, sessions) ? sign : 0,
      0,
    ]
    this.#addTo(store, state, first, dayIn(store.timeZone, first.at), own)
    const end = (test?.endedAt ?? Infinity) + stragglerGrace
    for (const parts of sessions.values()) {
      const begin = beginOf(test, first, parts)
      if (begin < end)
        this.#addTo(store, state, first, dayIn(store.timeZone, begin), [0, 0, 0, 0, sign])
    }
  }

  #addTo(
    store: DeltaStore,
    state: VisitorState,
    first: Exposure,
    day: string,
    figures: number[],
  ): void {
    for (const [dimension, value] of [
      ['all', ''],
      ['device', devices[first.device]],
    ] as const)
      sum(this.#day(store.id, state, day, dimension, value), figures)
    for (const country of first.country === null ? [allCountries] : [allCountries, first.country])
      for (const referrer of [allReferrers, first.referrer])
        sum(this.#cell(store.id, state, first, country, referrer), figures)
  }

  #day(
    storeId: string,
    { testId, arm }: VisitorState,
    day: string,
    dimension: string,
    value: string,
  ): number[] {
    return this.#figures(
      this.days,
      `${testId} ${day} ${arm} ${dimension} ${value}`,
      dayFigures,
      figures => ({ storeId, testId, day, arm, dimension, value, figures }),
    )
  }

  #cell(
    storeId: string,
    { testId, arm }: VisitorState,
    { device, channel, isNew }: Exposure,
    country: string,
    referrer: string,
  ): number[] {
    return this.#figures(
      this.cube,
      `${testId} ${arm} ${device} ${channel} ${isNew} ${country} ${referrer}`,
      dayFigures,
      figures => ({ storeId, testId, country, referrer, arm, device, channel, isNew, figures }),
    )
  }

  #arm(storeId: string, testId: string, arm: number): number[] {
    return this.#figures(this.arms, `${testId} ${arm}`, armFigures, figures => ({
      storeId,
      testId,
      arm,
      figures,
    }))
  }

  #figures<D extends { figures: number[] }>(
    deltas: Map<string, D>,
    key: string,
    length: number,
    make: (figures: number[]) => D,
  ): number[] {
    let delta = deltas.get(key)
    if (!delta) deltas.set(key, (delta = make(Array<number>(length).fill(0))))
    return delta.figures
  }
}

export const isChange = ({ figures }: { figures: number[] }): boolean => figures.some(n => n !== 0)

/**
 * The instant from which a session counts for a visitor who met the test (milliseconds), by the
 * parts of the session that fall into the test's own time. Infinity if it never counts.
 */
function beginOf(
  test: StoreTest | undefined,
  met: Exposure,
  parts: readonly SessionSpan[],
): number {
  let first = Infinity,
    last = -Infinity
  for (const part of parts) {
    if (!isCountingFor(test, met.at, part.first)) continue
    first = Math.min(first, part.first)
    last = Math.max(last, part.last)
  }
  return last >= met.at ? Math.max(first, met.at) : Infinity
}

/**
 * Whether the visitor met the test and viewed no second page in that session while the test ran.
 * False if that session is not in `sessions`: then only changed sessions are given, and this one
 * did not change, so it counts neither before nor after.
 */
function hasBounced(
  test: StoreTest | undefined,
  { session, at }: Exposure,
  sessions: Sessions,
): boolean {
  const parts = sessions.get(session)
  if (!parts) return false
  let views = 0
  for (const part of parts) if (isCountingFor(test, at, part.first)) views += part.views
  return views <= 1
}

/** Whether two states differ in anything that decides where the visitor's orders count. */
export const attributionDiffers = (a: VisitorState | undefined, b: VisitorState): boolean =>
  !isSameExposure(a?.first ?? null, b.first) ||
  a?.isBot !== b.isBot ||
  (a?.isAside ?? false) !== b.isAside ||
  ((a?.seen ?? 0) & ~armBit(b.arm)) !== (b.seen & ~armBit(b.arm))

function sum(into: number[], figures: number[]): void {
  figures.forEach((n, i) => {
    into[i]! += n
  })
}
