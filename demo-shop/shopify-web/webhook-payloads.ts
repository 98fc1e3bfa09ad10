import { createHash } from 'node:crypto'
import type { Topic } from '../apps/topics.ts'
import type { productJson } from '../catalogue/products-json.ts'
import type { orderJson } from '../orders/order.ts'
import type { themeJson } from '../themes/themes.ts'
import { shop } from '../shop.ts'
import { gid } from '../shopify/api/gid.ts'
import { shopifyShop } from '../shopify/shop-names.ts'

/** What a payload says beyond the body that our own webhooks have. */
export type Facts = {
  /** The number of an order, by our id. */
  orderNumber: (id: string) => number | null
  scopes: () => readonly string[]
}
type OrderBody = ReturnType<typeof orderJson>
type Body = Record<string, unknown>

/** A number for something that our shop names otherwise, such as a customer. Below 2⁴⁸. */
const numberOf = (name: string): number =>
  createHash('sha256').update(name).digest().readUIntBE(0, 6)
export const orderNumberOf = ({ name }: Pick<OrderBody, 'name'>): number => Number(name.slice(1))

const money = (own: string, paid: string, currency: string) => ({
  shop_money: { amount: own, currency_code: shop.currency },
  presentment_money: { amount: paid, currency_code: currency },
})

/** An order as webhooks write it. The API has more; so an app asks it. */
function orderPayload(order: OrderBody): object {
  const id = orderNumberOf(order)
  const paid = order.presentment
  return {
    id,
    admin_graphql_api_id: gid('Order', id),
    name: order.name,
    order_number: id,
    created_at: order.created_at,
    processed_at: order.created_at,
    updated_at: order.updated_at,
    cancelled_at: order.cancelled_at,
    currency: order.currency,
    presentment_currency: paid.currency,
    test: order.test,
    source_name: order.order_type === 'renewal' ? 'subscription_contract' : 'web',
    financial_status: order.cancelled_at
      ? 'voided'
      : Number(order.refunded) === 0
        ? 'paid'
        : order.refunded === order.subtotal_price
          ? 'refunded'
          : 'partially_refunded',
    taxes_included: order.taxes_included,
    total_tax: order.total_tax,
    subtotal_price: order.subtotal_price,
    subtotal_price_set: money(order.subtotal_price, paid.subtotal_price, paid.currency),
    total_price: order.total_price,
    total_price_set: money(order.total_price, paid.total_price, paid.currency),
    total_shipping_price_set: money(order.total_shipping, paid.total_shipping, paid.currency),
    note_attributes: order.note_attributes,
    line_items: order.line_items.map((line, i) => ({
      id: id * 100 + i,
      admin_graphql_api_id: gid('LineItem', id * 100 + i),
      product_id: line.product_id,
      variant_id: line.variant_id,
      title: line.title,
      quantity: line.quantity,
      price: line.unit_price ?? line.price,
      price_set: money(
        line.unit_price ?? line.price,
        line.presentment.unit_price ?? line.presentment.price,
        paid.currency,
      ),
      tax_lines: line.tax_lines,
    })),
  }
}

const customer = (email: string) => ({ id: numberOf(email), email, phone: null })
const shopFacts = { shop_id: Number(shopifyShop.id), shop_domain: shopifyShop.domain }

const writers: Partial<Record<Topic, (body: Body, facts: Facts, at: Date) => object>> = {
  'orders/create': body => orderPayload(body as OrderBody),
  'orders/updated': body => orderPayload(body as OrderBody),
  'orders/cancelled': body => orderPayload(body as OrderBody),
  'orders/refunded': (body, _, at) => {
    const order = body as OrderBody,
      id = orderNumberOf(order)
    const refund = numberOf(`refund ${id} ${order.refunded}`)
    return {
      id: refund,
      admin_graphql_api_id: gid('Refund', refund),
      order_id: id,
      created_at: at.toISOString(),
      processed_at: at.toISOString(),
      note: null,
    }
  },
  'products/update': body => {
    const { id, title, handle, status, created_at, updated_at, variants } = body as ReturnType<
      typeof productJson
    >
    return {
      id: Number(id),
      admin_graphql_api_id: gid('Product', id),
      title,
      handle,
      status,
      created_at,
      updated_at,
      variants: variants.map(variant => ({
        id: Number(variant.id),
        product_id: Number(id),
        admin_graphql_api_id: gid('ProductVariant', variant.id),
        title: variant.title,
        price: variant.price,
        compare_at_price: variant.compare_at_price,
      })),
    }
  },
  'products/delete': ({ id }) => ({ id: Number(id) }),
  'themes/delete': ({ id }) => ({ id: Number(id) }),
  'shop/update': body => ({
    id: Number(shopifyShop.id),
    name: body['name'],
    email: body['email'],
    domain: shopifyShop.domain,
    myshopify_domain: shopifyShop.domain,
    currency: shop.currency,
    iana_timezone: shop.timeZone,
  }),
  'app_subscriptions/update': body => {
    const { id, name, status, created_at } = body['app_subscription'] as Record<string, unknown>
    return {
      app_subscription: {
        admin_graphql_api_id: gid('AppSubscription', String(id)),
        admin_graphql_api_shop_id: gid('Shop', shopifyShop.id),
        name,
        status,
        created_at,
        updated_at: created_at,
        currency: 'USD',
        capped_amount: null,
      },
    }
  },
  'app/uninstalled': () => ({
    id: Number(shopifyShop.id),
    domain: shopifyShop.domain,
    myshopify_domain: shopifyShop.domain,
  }),
  'app/scopes_update': (_, { scopes }, at) => ({
    id: Number(shopifyShop.id),
    previous: scopes(),
    current: scopes(),
    updated_at: at.toISOString(),
  }),
  'customers/data_request': (body, { orderNumber }) => ({
    ...shopFacts,
    customer: customer(emailOf(body)),
    orders_requested: numbersOf(body['orders_requested'], orderNumber),
    data_request: { id: numberOf(`request ${emailOf(body)}`) },
  }),
  'customers/redact': (body, { orderNumber }) => ({
    ...shopFacts,
    customer: customer(emailOf(body)),
    orders_to_redact: numbersOf(body['orders_to_redact'], orderNumber),
  }),
  'shop/redact': () => shopFacts,
}
for (const topic of ['themes/create', 'themes/publish', 'themes/update'] as const)
  writers[topic] = body => {
    const { id, name, role, created_at, updated_at } = body as ReturnType<typeof themeJson>
    return {
      id: Number(id),
      admin_graphql_api_id: gid('OnlineStoreTheme', id),
      name,
      role: role === 'live' ? 'main' : role,
      created_at,
      updated_at,
      previewable: true,
      processing: false,
    }
  }

const emailOf = ({ customer }: Body): string => (customer as { email: string }).email
const numbersOf = (ids: unknown, orderNumber: Facts['orderNumber']): number[] =>
  (ids as string[]).flatMap(id => orderNumber(id) ?? [])

/** The payload of the platform's webhook about what our own topic tells. */
export const payloadOf = (topic: Topic, body: object, facts: Facts, at: Date): object =>
  writers[topic]?.(body as Body, facts, at) ?? {}
