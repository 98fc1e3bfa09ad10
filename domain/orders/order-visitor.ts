import { cartAttribute } from '../events/event.ts'
import { isImported } from '../imports/imported.ts'
import { priceAttribute } from '../prices/price-test.ts'
import { hour } from '../time-units.ts'

/**
 * How we know which visitor an order belongs to, the most trusted way first: the attribute that our
 * script writes into the cart, a message of our checkout pixel, or not at all (decision 081).
 */
export const orderWays = ['attribute', 'pixel', 'none'] as const
export type OrderWay = (typeof orderWays)[number]

/**
 * Why an order came without our cart attribute. `express`: the platform says that it was made by
 * "Buy it now" or express checkout. `cleared`: something of ours is left in the cart, or another
 * text stands in our attribute. `absent`: nothing says why.
 */
export const lostReasons = ['express', 'cleared', 'absent'] as const
export type LostReason = (typeof lostReasons)[number]

type Carried = { attributes: Record<string, string>; isExpress?: boolean }

/**
 * The visitor's id from the cart attribute, or null. Anyone can write cart attributes, so only an
 * id of our own form is accepted.
 */
export function visitorOf({ attributes }: Pick<Carried, 'attributes'>): string | null {
  const id = attributes[cartAttribute]
  return id !== undefined && /^[A-Za-z0-9_-]{8,64}$/.test(id) && !isImported(id) ? id : null
}

/** Why the order has no visitor in its attributes; null when it has one. */
export function lostWhy(order: Carried): LostReason | null {
  if (visitorOf(order) !== null) return null
  if (order.attributes[cartAttribute] || order.attributes[priceAttribute]) return 'cleared'
  return order.isExpress === true ? 'express' : 'absent'
}

/**
 * How far apart an order and the message of the pixel about it may be, and so how long a message
 * about an unknown order is kept. A platform may deliver an order a day late. Milliseconds.
 */
export const pixelWait = 48 * hour
/** How many messages about unknown orders a store keeps at once: the newest. */
export const maxWaitingPixels = 10_000

/** Whether a message that arrived at one instant can be about an order of the other. */
export const isTimely = (messageAt: number, orderAt: number): boolean =>
  Math.abs(messageAt - orderAt) <= pixelWait

/** What is known of the visitor of a stored order. */
export type KnownVisitor = { visitor: string | null; isByPixel: boolean; isDisputed: boolean }

/**
 * What a message of the pixel changes in what is known; null when it changes nothing. An attribute
 * is never replaced. The same message again changes nothing. Two messages that name different
 * visitors make the visitor unknown for good, so that a forged message cannot move an order to
 * another arm.
 */
export function withPixel(known: KnownVisitor, visitor: string): KnownVisitor | null {
  if (known.isDisputed || known.visitor === visitor) return null
  if (known.visitor === null) return { visitor, isByPixel: true, isDisputed: false }
  return known.isByPixel ? { visitor: null, isByPixel: false, isDisputed: true } : null
}

/** The way by which an order's visitor is known, in words. */
export const wayWords: Record<OrderWay, string> = {
  attribute: 'cart attribute',
  pixel: 'checkout pixel',
  none: 'not known',
}
/** Why the visitor of an order is not known, in words. */
export const lostWords: Record<LostReason | 'disputed', string> = {
  express:
    'Express checkout left out the cart’s attributes, and the buyer’s browser did not run our checkout pixel: no consent, or it was blocked',
  cleared: 'Another app or the theme cleared our cart attribute, and no checkout pixel told us',
  absent: 'No consent, blocked scripts, or not bought in the online shop',
  disputed: 'Two messages of the checkout pixel named different browsers, so neither is believed',
}
