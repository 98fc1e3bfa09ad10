import type { ShopEvent } from '../../../../domain/platform/shop-event.ts'

/** The topics of Shopify's webhooks, and what each tells. The app subscribes to the same ones. */
export const shopifyTopics = {
  'orders/create': 'ordersCreated',
  'orders/updated': 'ordersUpdated',
  'orders/cancelled': 'ordersCancelled',
  'refunds/create': 'ordersRefunded',
  'products/update': 'productsUpdated',
  'products/delete': 'productsDeleted',
  'themes/create': 'themesCreated',
  'themes/publish': 'themesPublished',
  'themes/update': 'themesUpdated',
  'themes/delete': 'themesDeleted',
  'shop/update': 'shopUpdated',
  'app_subscriptions/update': 'subscriptionChanged',
  'app/uninstalled': 'appUninstalled',
  'app/scopes_update': 'scopesChanged',
  'customers/data_request': 'customerDataRequest',
  'customers/redact': 'customerRedact',
  'shop/redact': 'shopRedact',
} as const satisfies Record<string, ShopEvent>
export type ShopifyTopic = keyof typeof shopifyTopics

/** A topic of rollouts: of their documents only, so unconfirmed. */
export const rolloutTopics = { 'rollouts/update': 'experimentChanged' } as const satisfies Record<
  string,
  ShopEvent
>

/**
 * The field of a body that names its shop, for topics whose handlers act on the shop at once. The
 * handlers of the others ask the shop itself.
 */
export const namedShop: Readonly<Record<string, 'myshopify_domain' | 'shop_domain'>> = {
  'app/uninstalled': 'myshopify_domain',
  'shop/update': 'myshopify_domain',
  'customers/data_request': 'shop_domain',
  'customers/redact': 'shop_domain',
  'shop/redact': 'shop_domain',
}
