import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { AppPixels } from '../apps/app-pixel.ts'
import { frameApi, hostScript } from './pixel-sandbox.ts'
import type { Order } from './order.ts'

/** The cookie that tells the next page that its order was completed just now, in this browser. */
const completedCookie = 'completed'
/** For so long the page of an order counts as the one after the checkout. Seconds. */
const completedAge = 300

export const noteCompleted = (reply: FastifyReply, { token }: Pick<Order, 'token'>): void =>
  void reply.setCookie(completedCookie, token, {
    path: '/orders',
    maxAge: completedAge,
    sameSite: 'lax',
    httpOnly: true,
  })

/**
 * What an app's pixel is told on the page after the checkout, as JSON for the page; null on any
 * other visit of the order's page. The page adds who the browser is and whether it agreed.
 */
export function completedEvent(
  { cookies }: FastifyRequest,
  { id, token }: Pick<Order, 'id' | 'token'>,
): string | null {
  if (cookies[completedCookie] !== token) return null
  const event = { name: 'checkout_completed', data: { checkout: { order: { id } } } }
  return JSON.stringify(event).replaceAll('<', '\\u003c')
}

/**
 * The stand-in for a platform's sandbox for pixels: a frame of an origin of its own, without access
 * to the page. The page loads it only where the shop's privacy API says that the buyer agreed.
 */
export const pixelFrames: FastifyPluginAsync<{ pixels: AppPixels }> = async (app, { pixels }) => {
  app.get('/pixels/host.js', (_, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(hostScript),
  )
  app.get('/pixels/frame', (_, reply) => {
    const pixel = pixels.current()
    if (!pixel) return reply.callNotFound()
    const settings = JSON.stringify(pixel.settings).replaceAll('<', '\\u003c')
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
        `<!doctype html><meta charset="utf-8"><title>Pixel</title>${inTag(`(${frameApi})(${settings})`)}${inTag(pixel.script)}`,
      )
  })
}
