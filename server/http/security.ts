import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ShopAddresses } from '../../domain/platform/shop-addresses.ts'
import { HttpProblem } from '../../domain/problem.ts'

export type Origins = { app: string }

/** Sets the headers of every answer. Over https they tell the browser to stay on https. */
export function commonHeaders(app: FastifyInstance, { app: own }: Origins): void {
  app.addHook('onRequest', async (_, reply) => {
    setCommonHeaders(reply, own)
  })
}

export function setCommonHeaders(reply: FastifyReply, own: string): void {
  // Browsers send a referrer only to the app itself. Without any, a form's Origin header would be
  // "null".
  reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'same-origin')
  if (own.startsWith('https:'))
    reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
}

/**
 * Content security policy of an HTML answer. Scripts need the nonce. The platform of the page's
 * shop says who may frame the page, from where its pictures, frames and scripts come, and where a
 * form may end, in a sign-in or an approval. A page without a shop has none of that. Nobody may
 * frame staff's pages. `others`: origins of the vendors' scripts that the page loads. `frames`:
 * what the page frames besides the shop.
 */
export function policy(
  nonce: string,
  shop: ShopAddresses | null,
  isFramed: boolean,
  others: string[] = [],
  frames: string[] = [],
): string {
  const own = shop ?? ofNoShop
  const directives: [name: string, ...values: string[]][] = [
    ['default-src'],
    ['script-src', `'nonce-${nonce}'`, ...own.scripts, ...others],
    ['style-src', "'self'"],
    ['img-src', "'self'", 'data:', ...own.images, ...others],
    ['connect-src', "'self'", ...others],
    ['frame-src', ...own.frames, ...frames],
    ['form-action', "'self'", ...own.adminOrigins],
    ['frame-ancestors', ...(isFramed ? own.frameAncestors : [])],
    ['object-src'],
    ['base-uri'],
  ]
  return directives
    .map(([name, ...values]) => `${name} ${values.length > 0 ? values.join(' ') : "'none'"}`)
    .join('; ')
}

const ofNoShop: Pick<
  ShopAddresses,
  'scripts' | 'images' | 'frames' | 'adminOrigins' | 'frameAncestors'
> = { scripts: [], images: [], frames: [], adminOrigins: [], frameAncestors: [] }

/**
 * Refuses changes (HttpProblem 403) that do not come from a page of the app: cookies alone prove
 * nothing (ASVS 3.5.1).
 */
export function sameOriginChanges(app: FastifyInstance, { app: own }: Origins): void {
  app.addHook('onRequest', async request => {
    if (request.method === 'GET' || request.method === 'HEAD' || isOwn(request, own)) return
    throw new HttpProblem(403, 'This request came from another site, so nothing was changed.')
  })
}

function isOwn({ headers }: FastifyRequest, own: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  return headers.origin === undefined ? site === 'same-origin' : headers.origin === own
}

/** Forbids caching, because the answer is for one merchant only. */
export const neverKept = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'no-store')
