import type { ArmIndex } from '../../../domain/arm.ts'
import type { DeviceIndex } from '../../../domain/device.ts'

/**
 * The earliest exposure, and what is known about its visit. Of two exposures at the same time the
 * smaller one by `compare` is taken, so the order of events does not matter.
 */
export type Exposure = {
  at: number
  session: string
  device: DeviceIndex
  isNew: boolean
  /** Index in domain/events/channel.ts `channels`. */
  channel: number
  /** Host, empty for none. */
  referrer: string
  country: string | null
  /** True if the browser said that the visitor agreed; false if it did not say. */
  hasConsented: boolean
}

/**
 * What is known about one visitor in one test. Each field changes in one direction only (bitwise
 * or, minimum, maximum), so merging in any order and any number of times gives the same state.
 * Instants are in milliseconds.
 */
export type VisitorState = {
  testId: string
  visitor: string
  arm: ArmIndex
  /** Bits of domain/events/event.ts `stage`. */
  stages: number
  /** Arms met, as bits: 1 control, 2 variant. */
  seen: number
  isBot: boolean
  /**
   * True if the visitor is set aside with their network (network-visitors.ts). Events do not say
   * it: the caller that holds the state sets it.
   */
  isAside: boolean
  first: Exposure | null
  lastClickAt: number | null
  lastCartAt: number | null
}

/** An arm's bit in `seen`. */
export const armBit = (arm: ArmIndex): number => 1 << arm
/** Whether the visitor met the arm that is not theirs. */
export const hasMetOtherArm = (state: VisitorState): boolean =>
  (state.seen & ~armBit(state.arm)) !== 0
/** Whether the visitor counts in the figures of their arm. */
export const isCounted = (state: VisitorState): boolean =>
  state.first !== null && !state.isBot && !state.isAside && !hasMetOtherArm(state)

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

/** The earlier of two exposures, or the only one. */
export function earlier(a: Exposure | null, b: Exposure | null): Exposure | null {
  if (!a || !b) return a ?? b
  return compare(a, b) <= 0 ? a : b
}

/** Whether two states of a visitor are equal, so that nothing has to be written. */
export function areEqual(a: VisitorState, b: VisitorState): boolean {
  return (
    a.stages === b.stages &&
    a.seen === b.seen &&
    a.isBot === b.isBot &&
    a.isAside === b.isAside &&
    a.lastClickAt === b.lastClickAt &&
    a.lastCartAt === b.lastCartAt &&
    isSameExposure(a.first, b.first)
  )
}

/** Whether two exposures are the same, or both are null. */
export const isSameExposure = (a: Exposure | null, b: Exposure | null): boolean =>
  a === b || (a !== null && b !== null && compare(a, b) === 0)

/**
 * Whether the visitor is in the figures before and after, or in neither, with the same first
 * exposure. False without a state before.
 */
export const isSteady = (before: VisitorState | null, after: VisitorState): boolean =>
  before !== null &&
  isCounted(before) === isCounted(after) &&
  isSameExposure(before.first, after.first)

/**
 * Compares two exposures: negative when `a` is earlier. Exposures at the same moment are ordered by
 * their other fields.
 */
export function compare(a: Exposure, b: Exposure): number {
  return (
    a.at - b.at ||
    a.device - b.device ||
    Number(a.isNew) - Number(b.isNew) ||
    a.channel - b.channel ||
    byText(a.referrer, b.referrer) ||
    byText(a.session, b.session) ||
    byText(a.country ?? '', b.country ?? '') ||
    Number(a.hasConsented) - Number(b.hasConsented)
  )
}
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The later of two instants; null means none. */
export const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)
