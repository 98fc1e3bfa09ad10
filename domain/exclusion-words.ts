import type { Exclusion } from './summary.ts'

/** Why an order is in no arm, as a line of the ledger says it after "Left out:". */
export const exclusionWords: Record<Exclusion, string> = {
  noExposure: 'never met the test', beforeExposure: 'before meeting the test', bothArms: 'seen in both arms',
  bot: 'bot', testOrder: 'test order', noConsent: 'no consent', renewal: 'renewal of a subscription',
}

/** Why an order stands in no arm, as a file says it that is read by itself. */
export const exclusionReasons: Record<Exclusion, string> = {
  noExposure: 'the visitor never met the test', beforeExposure: 'bought before they met the test', bothArms: 'the visitor met both arms', bot: 'a bot',
  testOrder: 'a test order', noConsent: 'no visitor known (no consent, or not bought in the online shop)', renewal: 'renewal of a subscription',
}
