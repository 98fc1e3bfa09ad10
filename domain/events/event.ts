import type { ArmIndex } from '../arm.ts'

/**
 * What a shopper's browser tells the collector. Types alone: the storefront script imports them, and must not
 * carry a validator (the schema is in event-schema.ts).
 */
export const eventKinds = ['exposure', 'view', 'click', 'cart', 'checkout', 'vitals'] as const
export type EventKind = (typeof eventKinds)[number]

/** Stages a visitor has passed in a test, as bits; the script keeps them and sends them with every beacon. */
export const stage = { assigned: 1, applied: 2, exposed: 4 } as const

export type ShopperEvent = {
  /** Made by the client, unique per store; a repeat changes nothing. */
  id: string
  /** Client's clock, milliseconds since 1970. */
  at: number
  kind: EventKind
  /** Path and query of the page. */
  path: string
  /** exposure: the one test met. click, vitals: the tests whose tested page this is. cart, checkout, view: left out. */
  tests?: string[]
  /** view, cart: the platform's id of the product whose page this is, or that was added; left out where it is not known. */
  product?: string
  /** vitals: what the browser's own observers say of this page, as far as they do (domain/reports/speed.ts). */
  vitals?: Vitals
}

/** Largest contentful paint and interaction to next paint in whole milliseconds, cumulative layout shift in thousandths. */
export type Vitals = { lcp?: number; cls?: number; inp?: number }

export type Beacon = {
  v: 1
  /** The shop's platform domain. */
  shop: string
  visitor: string
  session: string
  /** Client's clock when this beacon left; with the arrival time it tells how wrong that clock is. */
  sent: number
  /** First visit of this visitor to the shop began with this session. */
  isNew: boolean
  /** The session's first page (path and query) and its referrer, kept across redirects. */
  landing: string
  referrer: string
  /** The shop's privacy signal said yes; left out where the shop has asked nothing. A refusal sends nothing at all. */
  consent?: true
  /** Every test the visitor was assigned in: arm and stage bits so far. */
  tests: Record<string, [arm: ArmIndex, stages: number]>
  events: ShopperEvent[]
}

export const beaconLimits = { events: 50, bytes: 64 * 1024, tests: 50 } as const
/** Events older than this are set aside, and so are those further ahead than `ahead`. Milliseconds. */
export const eventAge = { behind: 48 * 3_600_000, ahead: 10 * 60_000 } as const
/** A client clock wrong by more than this is corrected by `received − sent`; below, it is taken as it is. */
export const clockTolerance = 30_000
/** Name of the cart attribute that carries the visitor's id to the order. */
export const cartAttribute = '_ts_visitor'
/** Session ends after this silence (requirements 27.9). Milliseconds. */
export const sessionSilence = 30 * 60_000
