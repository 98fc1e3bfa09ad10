import type { Topic } from '../apps/topics.ts'

/** Version of the API in which payloads are written. */
export const apiVersion = '2026-10'

/** The platform's topics for what happens in the shop. A topic of ours may be none of its. */
export const platformTopics: Readonly<Record<Topic, readonly string[]>> = {
  'orders/create': ['orders/create'],
  'orders/updated': ['orders/updated'],
  'orders/cancelled': ['orders/cancelled'],
  'orders/refunded': ['refunds/create'],
  'products/update': ['products/update'],
  'products/delete': ['products/delete'],
  'themes/create': ['themes/create'],
  'themes/publish': ['themes/publish'],
  'themes/update': ['themes/update'],
  'themes/delete': ['themes/delete'],
  'shop/update': ['shop/update'],
  'app_subscriptions/update': ['app_subscriptions/update'],
  'app/uninstalled': ['app/uninstalled'],
  'app/scopes_update': ['app/scopes_update'],
  'customers/data_request': ['customers/data_request'],
  'customers/redact': ['customers/redact'],
  'shop/redact': ['shop/redact'],
  // Rollouts have topics of their own, which no published file names.
  'experiments/update': [],
}

/** Every topic that this stand-in sends. */
export const sentTopics: ReadonlySet<string> = new Set(Object.values(platformTopics).flat())

/** "orders/create" as the API names it: ORDERS_CREATE. */
export const enumName = (topic: string): string => topic.replace('/', '_').toUpperCase()
/** The other way; null for a topic that is not sent here. */
export const topicOf = (name: string): string | null =>
  [...sentTopics].find(topic => enumName(topic) === name) ?? null
