import type { Exclusion } from './summary.ts'

/** Why an order is in no arm, as a line of the ledger says it after "Left out:". */
export const exclusionWords: Record<Exclusion, string> = {
  noExposure: 'never met the test', beforeExposure: 'before meeting the test', bothArms: 'seen in both arms',
  bot: 'bot', testOrder: 'test order', noConsent: 'no consent', renewal: 'renewal of a subscription',
}
