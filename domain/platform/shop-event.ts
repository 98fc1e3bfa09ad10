/**
 * What a platform tells us about a shop. Each adapter maps its own topics to these names, so that
 * the rest of the engine knows no topic of any platform (decision 083).
 */
export const shopEvents = [
  'ordersCreated',
  'ordersUpdated',
  'ordersCancelled',
  'ordersRefunded',
  'productsUpdated',
  'productsDeleted',
  'themesCreated',
  'themesPublished',
  'themesUpdated',
  'themesDeleted',
  'shopUpdated',
  'subscriptionChanged',
  'appUninstalled',
  'scopesChanged',
  'customerDataRequest',
  'customerRedact',
  'shopRedact',
  'experimentChanged',
] as const
export type ShopEvent = (typeof shopEvents)[number]
