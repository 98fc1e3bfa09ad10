import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { HttpProblem } from '../../../domain/problem.ts'
import type { ShopEvent } from '../../../domain/platform/shop-event.ts'

/** The topics of the demo shop's webhooks, and what each tells. */
export const demoTopics = {
  'orders/create': 'ordersCreated',
  'orders/updated': 'ordersUpdated',
  'orders/cancelled': 'ordersCancelled',
  'orders/refunded': 'ordersRefunded',
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
  'experiments/update': 'experimentChanged',
} as const satisfies Record<string, ShopEvent>

const checkProduct = Compile(
  Type.Object({
    id: Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Integer({ minimum: 0 })]),
  }),
)
/** We read only which product it is, and then ask the shop. Throws HttpProblem 400. */
export function parseDemoProduct(body: unknown): { productId: string } {
  if (!checkProduct.Check(body))
    throw new HttpProblem(400, 'The product’s id is not valid.', [
      { field: 'id', message: 'is not valid' },
    ])
  return { productId: String(body.id) }
}
