import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'

export type Origins = { app: string; shop: string; admin: string }

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
 * Content security policy of an HTML answer. Scripts need the nonce. Only this shop's admin may
 * frame the page, and nobody may frame staff's pages. Pictures may come from the shop, for its
 * products. Forms may end in a sign-in at the admin. `others`: origins of the vendors' scripts that
 * the page loads. `frames`: what the page frames besides the shop.
 */
export const policy = (
  nonce: string,
  { shop, admin }: Origins,
  isFramed: boolean,
  others: string[] = [],
  frames: string[] = [],
): string =>
  `default-src 'none'; script-src ${[`'nonce-${nonce}'`, ...others].join(' ')}; style-src 'self'; img-src ${["'self' data:", shop, ...others].filter(Boolean).join(' ')}; connect-src ${["'self'", ...others].join(' ')}; frame-src ${[shop, ...frames].filter(Boolean).join(' ')}; form-action 'self' ${admin}; frame-ancestors ${isFramed ? admin : "'none'"}; object-src 'none'; base-uri 'none'`

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
