import type { ArmIndex } from '../../../domain/arm.ts'
import type { DeviceIndex } from '../../../domain/device.ts'

/** The earliest exposure and what is known of the visit it was on; ties go to the smaller, so that order does not matter. */
export type Exposure = {
  at: number
  session: string
  device: DeviceIndex
  isNew: boolean
  /** Place in domain/events/channel.ts `channels`. */
  channel: number
  /** Host, empty for none. */
  referrer: string
  country: string | null
  /** Their browser said so; false where it did not say. */
  hasConsented: boolean
}

/**
 * What is known of one visitor in one test. Every part grows one way (or, min, max), so merging in any order and
 * any number of times gives the same state. Instants in milliseconds.
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
  /** Set aside with the network it came from (network-visitors.ts). Not told by events: whoever has the state says it. */
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
/** Whether the visitor stands in the figures of their arm. */
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

/** Of two exposures the earlier, or the only one. */
export function earlier(a: Exposure | null, b: Exposure | null): Exposure | null {
  if (!a || !b) return a ?? b
  return compare(a, b) <= 0 ? a : b
}

/** Whether nothing would have to be written of a visitor. */
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

/** Whether two exposures are one, or neither is. */
export const isSameExposure = (a: Exposure | null, b: Exposure | null): boolean =>
  a === b || (a !== null && b !== null && compare(a, b) === 0)

/** In the figures before and after, by the same exposure: or in neither. */
export const isSteady = (before: VisitorState | null, after: VisitorState): boolean =>
  before !== null &&
  isCounted(before) === isCounted(after) &&
  isSameExposure(before.first, after.first)

/** Negative when the first of two exposures is the earlier one; exposures of one moment have an order too. */
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

/** The later of two instants, null being none. */
export const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)
