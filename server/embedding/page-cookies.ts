import type {} from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { sessionHeaders } from '../../domain/embedding/page-session.ts'
import { isByBearer } from './bearer.ts'

/** The most characters of the cookies that a page remembers. */
const largest = 8_000

/**
 * Answers for pages that hold their session themselves (decision 075). Such a page remembers the
 * app's small cookies, such as waiting toasts, in its memory. It gets and sends them in headers,
 * and it gets redirects in a header too, because a script cannot see a real one. The browser's
 * own cookies are ignored: they may belong to another session. Call it after the cookie plugin.
 */
export function pageCookies(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!isByBearer(request)) return
    reply.header('vary', 'authorization')
    const kept = request.headers[sessionHeaders.kept]
    request.cookies =
      typeof kept === 'string' && kept.length <= largest
        ? Object.fromEntries(new URLSearchParams(kept))
        : {}
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isByBearer(request)) return payload
    const lines = [reply.getHeader('set-cookie') ?? []].flat().map(String)
    reply.removeHeader('set-cookie')
    if (lines.length > 0) reply.header(sessionHeaders.keep, remembered(lines))
    const to = reply.getHeader('location')
    if (reply.statusCode < 300 || reply.statusCode > 399 || to === undefined) return payload
    reply.code(204).removeHeader('location').removeHeader('content-length')
    reply.header(sessionHeaders.location, to)
    return ''
  })
}

/** The cookies of `Set-Cookie` lines, as in a query. */
function remembered(lines: string[]): string {
  const values = new URLSearchParams()
  for (const line of lines) {
    const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
    if (name) values.set(name, decodeURIComponent(value!))
  }
  return values.toString()
}
