import type { Exclusion } from '../reports/summary.ts'

/**
 * An order has no visitor when the visitor refused consent, and also when it was not placed in the
 * online shop. We cannot tell these two apart.
 */
const noVisitor = 'no visitor known (no consent, or not bought in the online shop)'

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
}
