import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Outbox } from '../../apps/webhooks.ts'
import { openBilling, type Billing } from '../../billing/billing.ts'
import type { AppSubscription } from '../../billing/billing-rows.ts'
import type { Database } from '../../database.ts'
import { storePath } from '../launch.ts'
import type { DeliveryOutbox } from '../webhook-outbox.ts'
import { payloadOf } from '../webhook-payloads.ts'

/** What the app charges on this platform: it asks by a call, the merchant approves on a page. */
export type Charges = Billing & {
  /** The page on which the merchant approves or declines, with a signature in its query. */
  confirmationPath: (id: string) => string
  /** Whether an address of that page has its signature. */
  isSigned: (id: string, signature: string) => boolean
}

export function openCharges(
  db: Database,
  {
    clock,
    deliveries,
    isInstalled,
    apiKey,
    apiSecret,
    startsSubscribed,
  }: {
    clock: () => Date
    deliveries: DeliveryOutbox
    isInstalled: () => boolean
    apiKey: string
    apiSecret: string
    startsSubscribed: boolean
  },
): Charges {
  const outbox: Pick<Outbox, 'write' | 'wake'> = {
    write: (topic, body, at) => {
      if (!isInstalled()) return
      const facts = { orderNumber: () => null, scopes: () => [] }
      deliveries.write(topic, payloadOf(topic, body, facts, at), at)
    },
    wake: deliveries.wake,
  }
  const billing = openBilling({
    db,
    outbox,
    clock,
    startsSubscribed,
    table: 'shopify_charges',
    newId: () => String(randomInt(20_000_000_000, 90_000_000_000)),
  })
  const sign = (id: string): string =>
    createHmac('sha256', apiSecret).update(`charge ${id}`).digest('base64url')
  return {
    ...billing,
    confirmationPath: id =>
      `${storePath}/charges/${apiKey}/${id}/RecurringApplicationCharge/confirm_recurring_application_charge?signature=${sign(id)}`,
    isSigned: (id, signature) => {
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(id))]
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}

/** Where the merchant is sent after an answer: the app's own address, with the charge's number. */
export function returnUrl({ id, returnPath }: AppSubscription): string {
  const url = new URL(returnPath)
  url.searchParams.set('charge_id', id)
  return url.href
}
