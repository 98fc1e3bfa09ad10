import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { minorDigits } from '../../../domain/money.ts'
import type { Order } from '../../orders/order.ts'
import { shownOrder } from '../../pages/shown.ts'
import { shop } from '../../shop.ts'
import { shopifyShop } from '../../shopify/shop-names.ts'
import type { AppPixelCode } from '../deployed.ts'
import { inScript } from '../embed/embed-page.ts'
import { pixelFrame, pixelHost } from './pixel-frame-script.ts'

export type WebPixelParts = {
  /** The app's pixel, as it was deployed. */
  code: () => AppPixelCode | null
  /** What the app has connected it with; null while it has not. */
  settings: () => Record<string, unknown> | null
  /** Whether the shop asks its buyers for consent. */
  asksConsent: () => boolean
}

/** What a pixel hears when an order was completed. Amounts are in the buyer's currency. */
export function checkoutCompleted(order: Order, at: Date): object {
  const shown = shownOrder(order)
  const money = (minor: number) => ({
    amount: minor / 10 ** minorDigits(shown.currency),
    currencyCode: shown.currency,
  })
  return {
    id: `sh-${randomUUID()}`,
    name: 'checkout_completed',
    type: 'standard',
    seq: 1,
    timestamp: at.toISOString(),
    data: {
      checkout: {
        token: order.token,
        order: { id: String(order.number), customer: { isFirstOrder: null } },
        // Express checkout has lost them.
        attributes: Object.entries(order.attributes).map(([key, value]) => ({ key, value })),
        currencyCode: shown.currency,
        subtotalPrice: money(shown.subtotal),
        totalPrice: money(shown.subtotal + shown.shipping),
        lineItems: shown.lines.map(({ title, quantity, amount, variant_id, product_id }) => ({
          title,
          quantity,
          finalLinePrice: money(amount),
          variant: { id: String(variant_id), product: { id: String(product_id), title } },
        })),
      },
    },
  }
}

/** What the page after the checkout needs to run the pixel; empty when the shop has none. */
export const webPixelTags =
  ({ code, settings }: WebPixelParts) =>
  (order: Order, at: Date): string =>
    code() && settings()
      ? `<script type="application/json" id="web-pixel-event">${inScript(checkoutCompleted(order, at))}</script><script src="/web-pixels/host.js" defer></script>`
      : ''

/** The frame in which the platform runs a pixel, of an origin of its own. */
export const webPixels: FastifyPluginAsync<WebPixelParts> = async (
  server,
  { code, settings, asksConsent },
) => {
  server.get('/web-pixels/host.js', (_, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(`;(${pixelHost})(${JSON.stringify(code()?.needs ?? [])}, ${asksConsent()})\n`),
  )
  server.get('/web-pixels/frame', (_, reply) => {
    const pixel = code(),
      given = settings()
    if (!pixel || !given) return reply.callNotFound()
    const init = {
      context: {},
      data: {
        customer: null,
        cart: null,
        shop: { name: shop.name, myshopifyDomain: shopifyShop.domain, countryCode: 'US' },
        purchasingCompany: null,
      },
      customerPrivacy: {
        analyticsProcessingAllowed: true,
        marketingAllowed: false,
        preferencesProcessingAllowed: false,
        saleOfDataAllowed: false,
      },
    }
    const inTag = (script: string) =>
      `<script>${script.replaceAll('</script', '<\\/script')}</script>`
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header(
        'content-security-policy',
        "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; connect-src http: https:; frame-ancestors 'self'",
      )
      .send(
        `<!doctype html><meta charset="utf-8"><title>Web pixel</title>${inTag(`(${pixelFrame})(${inScript(given)},${inScript(init)})`)}${inTag(pixel.source)}`,
      )
  })
}
