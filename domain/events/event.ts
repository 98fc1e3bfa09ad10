import type { ArmIndex } from '../arm.ts'

/**
 * What a shopper's browser sends to the collector. Only types and constants, because the storefront
 * script imports this file and must not contain a validator (the schema is in event-schema.ts).
 */
export const eventKinds = ['exposure', 'view', 'click', 'cart', 'checkout', 'vitals'] as const
export type EventKind = (typeof eventKinds)[number]

/**
 * The stages that a visitor has passed in a test, as bits. The script stores them and sends them
 * with every beacon.
 */
export const stage = { assigned: 1, applied: 2, exposed: 4 } as const

export type ShopperEvent = {
  /** Made by the client, unique per store. A repeated id changes nothing. */
  id: string
  /** By the client's clock, in milliseconds since 1970. */
  at: number
  kind: EventKind
  /** Path and query of the page. */
  path: string
  /**
   * exposure: the one test that the visitor met. click, vitals: the tests that have this page as a
   * tested page. cart, checkout, view: left out.
   */
  tests?: string[]
  /**
   * view, cart: the platform's id of the product that was viewed or added; left out when unknown.
   */
  product?: string
  /** vitals: what the browser measured on this page (domain/reports/speed.ts). */
  vitals?: Vitals
}

/**
 * Largest contentful paint and interaction to next paint in whole milliseconds, cumulative layout
 * shift in thousandths.
 */
export type Vitals = { lcp?: number; cls?: number; inp?: number }

export type Beacon = {
  v: 1
  /** The shop's platform domain. */
  shop: string
  visitor: string
  session: string
  /**
   * When the beacon was sent, by the client's clock. Together with the time of arrival it tells how
   * wrong that clock is.
   */
  sent: number
  /** True when this session is the visitor's first visit to the shop. */
  isNew: boolean
  /** The session's first page (path and query) and its referrer, kept across redirects. */
  landing: string
  referrer: string
  /**
   * True when the shop's privacy signal says that the visitor agreed; left out when the shop has
   * not asked. After a refusal nothing is sent.
   */
  consent?: true
  /** Each test that the visitor was assigned in: the arm, and the stage bits so far. */
  tests: Record<string, [arm: ArmIndex, stages: number]>
  events: ShopperEvent[]
}

export const beaconLimits = { events: 50, bytes: 64 * 1024, tests: 50 } as const
/**
 * Events older than `behind`, or further in the future than `ahead`, are not counted. Milliseconds.
 */
export const eventAge = { behind: 48 * 3_600_000, ahead: 10 * 60_000 } as const
/**
 * A client's clock that is wrong by more than this is corrected by `received − sent`. Milliseconds.
 */
export const clockTolerance = 30_000
/** Name of the cart attribute that carries the visitor's id to the order. */
export const cartAttribute = '_ts_visitor'
/** A session ends after this time without an event (requirements 27.9). Milliseconds. */
export const sessionSilence = 30 * 60_000
