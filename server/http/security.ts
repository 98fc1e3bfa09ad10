import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'

export type Origins = { app: string; shop: string; admin: string }

/** Headers of every answer; over https the browser is told to stay there. */
export function commonHeaders(app: FastifyInstance, { app: own }: Origins): void {
  app.addHook('onRequest', async (_, reply) => {
    setCommonHeaders(reply, own)
  })
}

export function setCommonHeaders(reply: FastifyReply, own: string): void {
  // The origin goes along to the app itself alone: a form's Origin header depends on it.
  reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'same-origin')
  if (own.startsWith('https:'))
    reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
}

/** Policy of an HTML answer: scripts by its nonce, framed by this shop's admin and nobody else, staff's pages by nobody. Pictures are the shop's too: its products'. Forms may end in signing in at the admin. `others`: origins of the scripts that the page brings along, and nothing else of theirs; `frames`: of what it frames beside the shop. */
export const policy = (
  nonce: string,
  { shop, admin }: Origins,
  isFramed: boolean,
  others: string[] = [],
  frames: string[] = [],
): string =>
  `default-src 'none'; script-src ${[`'nonce-${nonce}'`, ...others].join(' ')}; style-src 'self'; img-src ${["'self' data:", shop, ...others].filter(Boolean).join(' ')}; connect-src ${["'self'", ...others].join(' ')}; frame-src ${[shop, ...frames].filter(Boolean).join(' ')}; form-action 'self' ${admin}; frame-ancestors ${isFramed ? admin : "'none'"}; object-src 'none'; base-uri 'none'`

/** A change of state must come from a page of ours: cookies alone prove nothing (ASVS 3.5.1). */
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

/** Answers hold what one merchant alone may see. */
export const neverKept = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'no-store')
