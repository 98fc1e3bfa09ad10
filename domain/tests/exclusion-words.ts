import type { Exclusion } from '../reports/summary.ts'

/**
 * An order has no visitor when the visitor refused consent, and also when it was not placed in the
 * online shop. We cannot tell these two apart.
 */
const noVisitor = 'no visitor known (no consent, or not bought in the online shop)'

const express = 'express checkout, without consent to the checkout pixel'
const cleared = 'another app or the theme cleared the cart attribute'

/** Why an order is in no arm, as the ledger says it after "Left out:". */
export const exclusionWords: Record<Exclusion, string> = {
  noExposure: 'never met the test',
  beforeExposure: 'before meeting the test',
  bothArms: 'seen in both arms',
  bot: 'bot',
  testOrder: 'test order',
  noConsent: noVisitor,
  renewal: 'renewal of a subscription',
  paused: 'while the test was paused or on hold',
  network: 'from a network that was set aside',
  expressCheckout: express,
  attributeCleared: cleared,
}

/**
 * Why an order is in no arm, as an exported file says it, where the words must be clear without the
 * report.
 */
export const exclusionReasons: Record<Exclusion, string> = {
  noExposure: 'the visitor never met the test',
  beforeExposure: 'bought before they met the test',
  bothArms: 'the visitor met both arms',
  bot: 'a bot',
  testOrder: 'a test order',
  noConsent: noVisitor,
  renewal: 'renewal of a subscription',
  paused: 'bought while the test was paused or on hold',
  network: 'the visitor came from a network that was set aside',
  expressCheckout: express,
  attributeCleared: cleared,
}

/**
 * Whether the reason tells the type of the order. A plan that does not open the types of orders
 * must not say it.
 */
const tellsType = (reason: Exclusion): boolean => reason === 'renewal'
const otherReason = 'other reason'

/** The reason, or null where the plan must not say it. */
export const shownExclusion = (reason: Exclusion | null, showsTypes: boolean): Exclusion | null =>
  reason && !showsTypes && tellsType(reason) ? null : reason

/** Why an order is in no arm: in the report (`ledger`), or in an exported file (`file`). */
export function whyLeftOut(
  reason: Exclusion | null,
  { showsTypes, place }: { showsTypes: boolean; place: 'ledger' | 'file' },
): string {
  const shown = shownExclusion(reason, showsTypes)
  return shown ? (place === 'ledger' ? exclusionWords : exclusionReasons)[shown] : otherReason
}
