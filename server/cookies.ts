import type { FastifyReply, FastifyRequest } from 'fastify'
import type {} from '@fastify/cookie'
import type { AuthTokens } from '../domain/calls/session.ts'
import { shopName } from '../domain/startup.ts'

/** What a browser holds of one shop's session: the short-lived token, and the one it is renewed with. */
export type SessionCookies = { shop: string; token: string | undefined; refreshToken: string | undefined }
export type CookieJar = {
  /** The session of the shop a request names; of the only one there is when it names none. */
  of: (request: FastifyRequest, shop: string | undefined) => SessionCookies | null
  set: (reply: FastifyReply, tokens: AuthTokens) => void
}

/** Over https the pages live in a third-party iframe: partitioned, and bound to this very host. */
export function cookieJar(appOrigin: string): CookieJar {
  const isSecure = appOrigin.startsWith('https:')
  const prefix = isSecure ? '__Host-ts_' : 'ts_'
  const suffix = '_refresh'
  const shared = { path: '/', httpOnly: true, ...(isSecure ? { secure: true, sameSite: 'none', partitioned: true } as const : { sameSite: 'lax' } as const) }
  return {
    of: ({ cookies }, shop) => {
      const names = shop ? [shopName(shop)] : [...new Set(Object.keys(cookies).filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length).replace(suffix, '')))]
      const [name] = names
      if (!name || names.length > 1) return null
      const token = cookies[prefix + name], refreshToken = cookies[prefix + name + suffix]
      return token || refreshToken ? { shop: name, token, refreshToken } : null
    },
    set: (reply, { shop, token, expiresAt, refreshToken, refreshExpiresAt }) => {
      const name = prefix + shopName(shop)
      reply.setCookie(name, token, { ...shared, expires: new Date(expiresAt) })
      reply.setCookie(name + suffix, refreshToken, { ...shared, expires: new Date(refreshExpiresAt) })
    },
  }
}
