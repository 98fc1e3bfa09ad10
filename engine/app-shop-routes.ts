import type { FastifyInstance } from 'fastify'
import type { AddressWatch } from './address-watch.ts'
import { billingTopics } from './billing.ts'
import type { CollectTokens } from './collect-tokens.ts'
import { collector } from './collector.ts'
import type { EngineContext } from './context.ts'
import type { Disk } from './db/disk.ts'
import { erasedOrders } from './erased-orders.ts'
import { keyRing, keysFor } from './key-ring.ts'
import type { LiveTokens } from './live-sessions.ts'
import type { CollectorMeter } from './metrics.ts'
import { networkHash } from './networks.ts'
import { orderTopics } from './orders.ts'
import { orderCheck } from './price-checks.ts'
import { scripts } from './scripts.ts'
import { shopperTopics } from './shopper-calls.ts'
import { storeTopics } from './stores.ts'
import { shopTopics } from './themes.ts'
import { uninstallTopics } from './uninstall.ts'
import { webhooks } from './webhooks.ts'

/** What the routes for shops are served with. */
export type ShopParts = {
  context: EngineContext
  tokens: LiveTokens
  scriptTokens: CollectTokens
  meter: CollectorMeter
  addresses: AddressWatch
  disk: Disk
  runtimeFile: URL | undefined
}

/** What shops send and load: the beacons of their pages, the platform's webhooks, and their scripts. */
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
