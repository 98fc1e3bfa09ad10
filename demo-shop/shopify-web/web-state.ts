import type { FastifyBaseLogger } from 'fastify'
import type { Topic } from '../apps/topics.ts'
import type { Outbox } from '../apps/webhooks.ts'
import type { Database } from '../database.ts'
import { openAppScopes, type AppScopes, type DeclaredScopes } from './app-scopes.ts'
import { shopifyShop, type ShopifyApp } from './shopify-shop.ts'
import { openDeliveries, type DeliveryOutbox } from './webhook-outbox.ts'
import { payloadOf, type Facts } from './webhook-payloads.ts'
import { openSubscriptions, type Declared, type Subscriptions } from './webhook-subscriptions.ts'
import { platformTopics, sentTopics } from './webhook-topics.ts'

/** The app on the second platform that the shop shows itself on. */
export type ShopifyOptions = {
  apiKey: string
  apiSecret: string
  /** The app's name in addresses; by default "twinshelf". */
  appHandle?: string
  /**
   * What the app's configuration subscribes to, with addresses below `engineOrigin`; by default
   * every topic, each at /webhooks/shopify/<topic>.
   */
  webhooks?: readonly Declared[]
  scopes?: DeclaredScopes
  /** Milliseconds until a webhook that was not taken is sent again for the first time. */
  webhookWait?: number | undefined
}
/** What the platform keeps about the app, besides the shop's own state. */
export type WebState = {
  app: ShopifyApp
  subscriptions: Subscriptions
  deliveries: DeliveryOutbox
  scopes: AppScopes
}

const declaredWebhooks: readonly Declared[] = [...sentTopics].map(topic => ({
  topic,
  uri: `/webhooks/shopify/${topic.replace('/', '-')}`,
}))

export function openWebState(
  db: Database,
  {
    apiKey,
    apiSecret,
    appHandle = 'twinshelf',
    webhooks = declaredWebhooks,
    scopes: declared = { required: [], optional: [] },
    webhookWait,
  }: ShopifyOptions,
  {
    appOrigin,
    target,
    clock,
    isInstalled,
    log,
  }: {
    appOrigin: string
    target: string
    clock: () => Date
    isInstalled: () => boolean
    log: FastifyBaseLogger | undefined
  },
): WebState {
  const subscriptions = openSubscriptions(db, clock, webhooks)
  const deliveries = openDeliveries({
    db,
    target,
    secret: apiSecret,
    subscriptions,
    log,
    firstWait: webhookWait,
  })
  const scopes = openAppScopes(db, declared, (previous, current) => {
    if (!isInstalled()) return
    const at = clock()
    const said = { id: shopifyShop.id, previous, current, updated_at: at.toISOString() }
    deliveries.write('app/scopes_update', said, at)
    setImmediate(deliveries.wake)
  })
  return {
    app: { handle: appHandle, title: 'Twinshelf', apiKey, apiSecret, origin: appOrigin },
    subscriptions,
    deliveries,
    scopes,
  }
}

/** Tells the second platform's app what our own outbox tells. `own` is null without our own app. */
export function toldToBoth(
  db: Database,
  own: Outbox | null,
  { deliveries, subscriptions, scopes }: WebState,
): Outbox {
  const number = db.prepare('select number from orders where id = ?')
  const facts: Facts = {
    orderNumber: id => (number.get(id) as { number: number } | undefined)?.number ?? null,
    scopes: () => scopes.current().granted,
  }
  return {
    write: (topic: Topic, body, at) => {
      own?.write(topic, body, at)
      for (const told of platformTopics[topic])
        deliveries.write(told, payloadOf(topic, body, facts, at), at)
      if (topic === 'app/uninstalled') subscriptions.removeAll()
    },
    wake: () => {
      own?.wake()
      deliveries.wake()
    },
    waiting: () => (own?.waiting() ?? 0) + deliveries.waiting(),
    delivered: async () => {
      await own?.delivered()
      await deliveries.delivered()
    },
    close: async () => {
      await own?.close()
      await deliveries.close()
    },
  }
}
