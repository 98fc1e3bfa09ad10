/** What the shop tells its app. */
export const topics = [
  'orders/create',
  /** Any change of an order, also one that has a topic of its own. */
  'orders/updated',
  'orders/cancelled',
  'orders/refunded',
  'products/update',
  'products/delete',
  'themes/create',
  'themes/publish',
  'themes/update',
  'themes/delete',
  'shop/update',
  'app_subscriptions/update',
  'app/uninstalled',
  'app/scopes_update',
  'customers/data_request',
  'customers/redact',
  'shop/redact',
  'experiments/update',
] as const
export type Topic = (typeof topics)[number]
