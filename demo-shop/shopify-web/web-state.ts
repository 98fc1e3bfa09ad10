import type { FastifyBaseLogger } from 'fastify'
import type { Topic } from '../apps/topics.ts'
import type { Outbox } from '../apps/webhooks.ts'
import type { Database } from '../database.ts'
import { ownAppConfig } from './app-config.ts'
import { openCharges, type Charges } from './billing/charges.ts'
import type { Deployed } from './deployed.ts'
import { openInstalls, type Installs } from './installs.ts'
import { openDeliveries, type DeliveryOutbox } from './webhook-outbox.ts'
import { payloadOf, type Facts } from './webhook-payloads.ts'
import { openSubscriptions, type Declared, type Subscriptions } from './webhook-subscriptions.ts'
import { platformTopics } from './webhook-topics.ts'

/** What the platform knows of the app besides its keys. */
export type WebOptions = {
  /**
   * What the app's configuration subscribes to, with addresses below `engineOrigin`; by default
   * what our own file says.
   */
  webhooks?: readonly Declared[] | undefined
  /** Scopes that the app may ask for later. */
  optionalScopes?: readonly string[] | undefined
  /** What the app has deployed; by default what the build has made for the platform. */
  deployed?: Deployed | undefined
  /** Whether a new shop has a subscription to the app; by default it has none. */
  startsSubscribed?: boolean | undefined
  /** Milliseconds until a webhook that was not taken is sent again for the first time. */
  webhookWait?: number | undefined
}
/** What the platform keeps to tell the app, besides the shop's own state. */
export type WebState = {
  subscriptions: Subscriptions
  deliveries: DeliveryOutbox
  installs: Installs
  charges: Charges
  /** Whether the app is installed there, and its scopes; set when the second face has opened. */
  link: { isInstalled: () => boolean; scopes: () => readonly string[] }
}

export function openWebState(
  db: Database,
  {
    keys,
    webhooks = ownAppConfig().webhooks,
    startsSubscribed = false,
    webhookWait,
  }: WebOptions & { keys: { apiKey: string; apiSecret: string } },
  {
    target,
    clock,
    log,
  }: {
    target: string
    clock: () => Date
    log: FastifyBaseLogger | undefined
  },
): WebState {
  const subscriptions = openSubscriptions(db, clock, webhooks)
  const deliveries = openDeliveries({
    db,
    target,
    secret: keys.apiSecret,
    subscriptions,
    log,
    firstWait: webhookWait,
  })
  const link: WebState['link'] = { isInstalled: () => true, scopes: () => [] }
  return {
    subscriptions,
    deliveries,
    installs: openInstalls(db, clock),
    charges: openCharges(db, {
      ...keys,
      clock,
      deliveries,
      isInstalled: () => link.isInstalled(),
      startsSubscribed,
    }),
    link,
  }
}

/** Topics about an app's own installation: each platform's app is told about its own. */
const ownTopics: ReadonlySet<Topic> = new Set([
  'app/uninstalled',
  'app_subscriptions/update',
  'shop/redact',
])

/** Tells both platforms' apps what happens in the shop. `own`: for the demo's app. */
export function toldToBoth(db: Database, own: Outbox, { deliveries, link }: WebState): Outbox {
  const number = db.prepare('select number from orders where id = ?')
  const facts: Facts = {
    orderNumber: id => (number.get(id) as { number: number } | undefined)?.number ?? null,
    scopes: () => link.scopes(),
  }
  return {
    write: (topic: Topic, body, at) => {
      own.write(topic, body, at)
      if (ownTopics.has(topic) || !link.isInstalled()) return
      for (const told of platformTopics[topic])
        deliveries.write(told, payloadOf(topic, body, facts, at), at)
    },
    wake: () => {
      own.wake()
      deliveries.wake()
    },
    waiting: () => own.waiting() + deliveries.waiting(),
    delivered: async () => {
      await own.delivered()
      await deliveries.delivered()
    },
    close: async () => {
      await own.close()
      await deliveries.close()
    },
  }
}

/** For a shop without the demo's own app: keeps nothing and sends nothing. */
export const noOutbox: Outbox = {
  write: () => {},
  wake: () => {},
  waiting: () => 0,
  delivered: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
