import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookDelivery } from '../../adapter.ts'
import { isShopifyShop } from '../client/shopify-ids.ts'
import { namedShop } from './shopify-topics.ts'

type Headers = Record<string, string | string[] | undefined>

/**
 * Recognises a delivery of Shopify's: base64 of the HMAC-SHA256 of the raw body. After a rotation
 * of the secret the old one signs for an hour more, so each of `secrets` may have signed.
 *
 * The signature covers the body only. Somebody who has seen one delivery could send it again under
 * another topic or shop. So where a handler acts on a delivery alone, its body must name the shop
 * of the header (a body of another topic does not); all other handlers ask the shop of the header
 * for the thing that the body names, and believe only the answer.
 */
export function shopifyDelivery(
  headers: Headers,
  rawBody: Buffer,
  secrets: readonly string[],
): WebhookDelivery | null {
  const signature = header(headers, 'hmac-sha256')
  if (signature === null || !secrets.some(secret => isSigned(rawBody, signature, secret)))
    return null
  const topic = header(headers, 'topic'),
    shop = header(headers, 'shop-domain'),
    deliveryId = header(headers, 'webhook-id'),
    triggeredAt = new Date(header(headers, 'triggered-at') ?? '')
  if (topic === null || shop === null || deliveryId === null) return null
  if (deliveryId.length > 200 || !isShopifyShop(shop) || Number.isNaN(triggeredAt.getTime()))
    return null
  const field = namedShop[topic]
  if (field !== undefined && shopIn(rawBody, field) !== shop) return null
  return { topic, shop, deliveryId, triggeredAt: triggeredAt.toISOString() }
}

/** A header of the old family (X-Shopify-Topic) or of the new one (shopify-topic). */
function header(headers: Headers, name: string): string | null {
  const value = headers[`x-shopify-${name}`] ?? headers[`shopify-${name}`]
  return typeof value === 'string' && value !== '' ? value : null
}

function isSigned(body: Buffer, signature: string, secret: string): boolean {
  const given = Buffer.from(signature, 'base64'),
    right = createHmac('sha256', secret).update(body).digest()
  return given.length === right.length && timingSafeEqual(given, right)
}

function shopIn(body: Buffer, field: string): unknown {
  try {
    return (JSON.parse(body.toString('utf8')) as Record<string, unknown>)[field]
  } catch {
    return undefined
  }
}
