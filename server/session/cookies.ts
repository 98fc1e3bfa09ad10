import type { FastifyReply, FastifyRequest } from 'fastify'
import { fastifyCookie, type SerializeOptions } from '@fastify/cookie'
import type { AuthTokens } from '../../domain/calls/session.ts'
import { shopName } from '../../domain/startup.ts'

/** What a browser holds of one shop's session: the short-lived token, and the one it is renewed with. */
export type SessionCookies = {
  shop: string
  token: string | undefined
  refreshToken: string | undefined
}
export type CookieJar = {
  /** The session of the shop a request names; of the only one there is when it names none. */
  of: (request: FastifyRequest, shop: string | undefined) => SessionCookies | null
  set: (reply: FastifyReply, tokens: AuthTokens) => void
  /** What `set` sets, as header lines: for an answer that is no reply. */
  lines: (tokens: AuthTokens) => string[]
}

/** How every cookie of ours is set. Over https the pages live in a third-party iframe: partitioned, and bound to this very host. */
export const cookieManners = (appOrigin: string) => ({
  path: '/',
  httpOnly: true,
  ...(appOrigin.startsWith('https:')
    ? ({ secure: true, sameSite: 'none', partitioned: true } as const)
    : ({ sameSite: 'lax' } as const)),
})

export function cookieJar(appOrigin: string): CookieJar {
  const isSecure = appOrigin.startsWith('https:')
  const prefix = isSecure ? '__Host-ts_' : 'ts_'
  const suffix = '_refresh'
  const shared = cookieManners(appOrigin)
  const cookiesFor = ({
    shop,
    token,
    expiresAt,
    refreshToken,
    refreshExpiresAt,
  }: AuthTokens): [name: string, value: string, options: SerializeOptions][] => {
    const name = prefix + shopName(shop)
    return [
      [name, token, { ...shared, expires: new Date(expiresAt) }],
      [name + suffix, refreshToken, { ...shared, expires: new Date(refreshExpiresAt) }],
    ]
  }
  return {
    of: ({ cookies }, shop) => {
      const names = shop
        ? [shopName(shop)]
        : [
            ...new Set(
              Object.keys(cookies)
                .filter(name => name.startsWith(prefix))
                .map(name => name.slice(prefix.length).replace(suffix, '')),
            ),
          ]
      const [name] = names
      if (!name || names.length > 1) return null
      const [token, refreshToken] = [cookies[prefix + name], cookies[prefix + name + suffix]].map(
        plain,
      )
      return token || refreshToken ? { shop: name, token, refreshToken } : null
    },
    set: (reply, tokens) => {
      for (const [name, value, options] of cookiesFor(tokens)) reply.setCookie(name, value, options)
    },
    lines: tokens => cookiesFor(tokens).map(each => fastifyCookie.serialize(...each)),
  }
}

/** A browser can send any cookie; only what could be a token goes into a header. */
const plain = (value: string | undefined): string | undefined =>
  value && /^[\w.-]+$/.test(value) ? value : undefined
