import type { FastifyInstance } from 'fastify'
import type { AddressWatch } from './events/address-watch.ts'
import { billingTopics } from './plans/billing.ts'
import type { CollectTokens } from './events/collect-tokens.ts'
import { collector } from './events/collector.ts'
import type { EngineContext } from './context.ts'
import type { Disk } from './db/disk.ts'
import { erasedOrders } from './stores/shoppers/erased-orders.ts'
import { keyRing, keysFor } from './session/key-ring.ts'
import type { LiveTokens } from './session/live-sessions.ts'
import type { CollectorMeter } from './operators/metrics.ts'
import { networkHash } from './events/networks/networks.ts'
import { orderTopics } from './orders/orders.ts'
import { orderCheck } from './prices/price-checks.ts'
import { scripts } from './script/scripts.ts'
import { shopperTopics } from './stores/shoppers/shopper-calls.ts'
import { storeTopics } from './stores/stores.ts'
import { shopTopics } from './themes/themes.ts'
import { uninstallTopics } from './stores/uninstall-topics.ts'
import { webhooks } from './orders/webhooks.ts'

/** What the routes for shops need. */
export type ShopParts = {
  context: EngineContext
  tokens: LiveTokens
  scriptTokens: CollectTokens
  meter: CollectorMeter
  addresses: AddressWatch
  disk: Disk
  runtimeFile: URL | undefined
}

/**
 * Registers the routes that shops call: the collector for beacons, the platform's webhooks, and the
 * scripts.
 */
export function shopRoutes(
  app: FastifyInstance,
  { context, tokens, scriptTokens, meter, addresses, disk, runtimeFile }: ShopParts,
): void {
  const { db, clock, config, platform } = context
  app.register(collector, {
    db,
    clock,
    replayKey: config.DEMO_APP_SECRET,
    perAddress: config.COLLECT_PER_ADDRESS,
    eventsPerAddress: config.EVENTS_PER_ADDRESS,
    eventsPerShop: config.EVENTS_PER_SHOP,
    countryHeader: config.COUNTRY_HEADER,
    networks: networkHash(keysFor(keyRing(config), 'networks').at(-1)!),
    tokens: scriptTokens,
    meter,
    disk,
    ...(config.NODE_ENV === 'production' && { sawAddress: addresses.saw }),
  })
  app.register(webhooks, {
    platform,
    topics: {
      ...orderTopics(context, orderCheck(context), erasedOrders(config)),
      ...shopperTopics(context),
      ...storeTopics(context),
      ...billingTopics(context),
      ...uninstallTopics(context),
      ...shopTopics(context),
    },
  })
  app.register(scripts, { context, tokens, runtimeFile })
}
