import { Agent } from 'undici'
import { HttpProblem } from '../../../domain/problem.ts'
import type { PlatformAdapter } from '../adapter.ts'
import { livePages } from '../live-pages.ts'
import type { TokenSource } from '../tokens.ts'
import { shopifyBilling } from './billing/shopify-billing.ts'
import { budgets } from './client/budget.ts'
import { shopifyClient } from './client/shopify-client.ts'
import { shopifyOrders } from './orders/shopify-orders.ts'
import { shopifyPrices } from './prices/shopify-prices.ts'
import { shopifyProducts } from './products/shopify-products.ts'
import { shopifyPageApis } from './script/shopify-page-apis.ts'
import { shopifyPictures } from './script/shopify-pictures.ts'
import { shopifyPixel } from './script/shopify-pixel.ts'
import { shopifyRollouts } from './script/shopify-rollouts.ts'
import { shopifyScript } from './script/shopify-script.ts'
import { shopifyGrants } from './session/shopify-grants.ts'
import { verifyShopifyToken } from './session/shopify-id-token.ts'
import { shopifyAddresses } from './shopify-addresses.ts'
import type { ShopifyConfig } from './shopify-config.ts'
import { isShopifyShop } from './client/shopify-ids.ts'
import { shopifyPages } from './shopify-pages.ts'
import { shopifyShop } from './shopify-shop.ts'
import { shopifyResources } from './themes/shopify-resources.ts'
import { shopifyThemes } from './themes/shopify-themes.ts'
import { orderIdIn, ordersIn, productIn, subscriptionIn } from './webhooks/shopify-bodies.ts'
import { shopifyDelivery } from './webhooks/shopify-delivery.ts'
import { rolloutTopics, shopifyTopics } from './webhooks/shopify-topics.ts'

export type ShopifyOptions = ShopifyConfig & {
  /** Where the tokens of shops come from. */
  tokens: TokenSource
  /** Called when Shopify answers in another version of its API than ours. */
  onDrift?: (version: string) => void
  /** How often an operation that failed in passing is made again; tests pass 0. */
  maxTries?: number
  clock?: () => Date
}

/** Implements the platform interface for Shopify, over its Admin API. */
export function shopifyPlatform({
  tokens,
  onDrift = () => {},
  maxTries,
  clock = () => new Date(),
  ...config
}: ShopifyOptions): PlatformAdapter {
  const originOf = (shop: string) => config.standIn ?? `https://${shop}`
  const agent = new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 10_000 })
  const known = budgets()
  const client = shopifyClient({ originOf, tokens, agent, budgets: known, onDrift, maxTries })
  const addresses = shopifyAddresses(config),
    shop = shopifyShop(client, config),
    orders = shopifyOrders(client),
    prices = shopifyPrices(client, shop.capabilities),
    pixel = shopifyPixel(client),
    resources = shopifyResources(client)
  const { removeFields, ...script } = shopifyScript(client, config, addresses)
  const { removeRules, ...charged } = prices
  const { order, ...someOrders } = orders
  const pages = livePages(config.standIn ?? 'https://admin.shopify.com')

  return {
    ...addresses,
    ...shopifyGrants({ ...config, originOf, agent }),
    ...shop,
    ...shopifyThemes(client, addresses),
    ...resources,
    ...shopifyPictures(client, agent),
    ...shopifyProducts(client),
    ...charged,
    ...shopifyBilling(client, addresses),
    ...shopifyPages(client, resources),
    ...someOrders,
    ...script,
    ...pixel,
    ...shopifyRollouts(client, addresses, config.readsRollouts),
    ...pages,
    name: 'shopify',
    hosts: isShopifyShop,
    rate: known.rate,
    close: async () => {
      await agent.close()
      await pages.close()
    },
    pageApis: () => Promise.resolve(shopifyPageApis),
    removeScript: async name => {
      await removeFields(name)
      await pixel.publishPixel(name, null).catch(withoutPermission)
      await removeRules(name)
    },
    verifyIdToken: idToken => verifyShopifyToken(idToken, config, clock()),
    verifyWebhook: (headers, rawBody) => shopifyDelivery(headers, rawBody, config.secrets),
    topics: { ...shopifyTopics, ...(config.readsRollouts && rolloutTopics) },
    // The body may be old, because deliveries come late and in any order; the shop knows.
    parseOrder: (body, delivery) => order(delivery.shop, orderIdIn(body, delivery.topic)),
    parseProduct: productIn,
    parseShopper: ordersIn,
    parseSubscription: subscriptionIn,
  }
}

/** What we have no permission for any more, we cannot have left there either. */
const withoutPermission = (error: unknown): void => {
  if (!(error instanceof HttpProblem && error.status === 422)) throw error
}
