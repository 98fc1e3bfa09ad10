import type { FastifyInstance } from 'fastify'
import type { AddressWatch } from './events/address-watch.ts'
import { billingEvents } from './plans/billing.ts'
import type { CollectTokens } from './events/collect-tokens.ts'
import { collector } from './events/collector.ts'
import type { EngineContext } from './context.ts'
import type { Disk } from './db/disk.ts'
import { erasedOrders } from './stores/shoppers/erased-orders.ts'
import { keyRing, keysFor } from './session/key-ring.ts'
import type { LiveTokens } from './session/live-sessions.ts'
import type { CollectorMeter } from './operators/metrics.ts'
import { networkHash } from './events/networks/networks.ts'
import { orderEvents } from './orders/orders.ts'
import { pixelCollector } from './orders/pixel-collector.ts'
import { orderCheck } from './prices/price-checks.ts'
import { scripts } from './script/scripts.ts'
import { shopperEvents } from './stores/shoppers/shopper-calls.ts'
import { shopEvents } from './stores/shop-events.ts'
import { storeEvents } from './stores/stores.ts'
import { themeEvents } from './themes/themes.ts'
import { uninstallEvents } from './stores/uninstall-events.ts'
import { webhooks, type EventHandlers } from './orders/webhooks.ts'

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
  const { db, clock, config, platforms, limits } = context,
    simulated = platforms.all.find(({ replayKey }) => replayKey !== undefined)
  app.register(collector, {
    db,
    clock,
    replayKey: simulated?.replayKey,
    canReplay: shop => simulated?.hosts(shop) === true,
    perAddress: config.COLLECT_PER_ADDRESS,
    eventsPerAddress: config.EVENTS_PER_ADDRESS,
    eventsPerShop: config.EVENTS_PER_SHOP,
    countryHeader: config.COUNTRY_HEADER,
    networks: networkHash(keysFor(keyRing(config), 'networks').at(-1)!),
    tokens: scriptTokens,
    meter,
    disk,
    limits,
    ...(config.NODE_ENV === 'production' && { sawAddress: addresses.saw }),
  })
  const check = orderCheck(context),
    erased = erasedOrders(config)
  app.register(pixelCollector, { db, clock, tokens: scriptTokens, check, erased, disk, limits })
  app.register(webhooks, {
    platforms: platforms.all,
    handlers: {
      ...orderEvents(context, check, erased),
      ...shopperEvents(context),
      ...storeEvents(context),
      ...billingEvents(context),
      ...uninstallEvents(context),
      ...themeEvents(context),
      ...shopEvents(context),
    } satisfies EventHandlers,
  })
  app.register(scripts, { context, tokens, runtimeFile })
}
