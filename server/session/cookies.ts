import type { FastifyReply, FastifyRequest } from 'fastify'
import { fastifyCookie, type SerializeOptions } from '@fastify/cookie'
import type { AuthTokens } from '../../domain/calls/session.ts'
import { shopName } from '../../domain/startup.ts'
import { bearerOf, isByBearer } from '../embedding/bearer.ts'
import { claimsOf } from '../upstream/token-owner.ts'

/** The session of one shop in a browser: the short-lived token, and the token that renews it. */
export type SessionCookies = {
  shop: string
  /**
   * The shop's whole name, when the request has it. Shops of two platforms may share the part that
   * names the cookies.
   */
  asked?: string
  token: string | undefined
  refreshToken: string | undefined
}
export type CookieJar = {
  /**
   * The session of the shop that a request names, from its cookies or from the header of a page
   * that holds its session itself. Without a name: the only session that there is;
   * null when there are several.
   */
  of: (request: FastifyRequest, shop: string | undefined) => SessionCookies | null
  set: (reply: FastifyReply, tokens: AuthTokens) => void
  /**
   * The values of the `Set-Cookie` headers that `set` adds, for an answer that Fastify does not
   * send.
   */
  lines: (tokens: AuthTokens) => string[]
}

/**
 * The attributes of every cookie of the app. Over https the pages are in a third-party iframe, so
 * the cookies are partitioned. They are bound to this host.
 */
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
    of: (request, shop) => {
      if (isByBearer(request)) return heldByPage(bearerOf(request), shop)
      const { cookies } = request
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
      return token || refreshToken
        ? { shop: name, token, refreshToken, ...(shop?.includes('.') && { asked: shop }) }
        : null
    },
    set: (reply, tokens) => {
      for (const [name, value, options] of cookiesFor(tokens)) reply.setCookie(name, value, options)
    },
    lines: tokens => cookiesFor(tokens).map(each => fastifyCookie.serialize(...each)),
  }
}

/** The session of a page that holds it itself. It has no token that renews it (decision 075). */
function heldByPage(token: string | null, shop: string | undefined): SessionCookies | null {
  const own = token && claimsOf(token).shop
  if (!own || (shop && shopName(shop) !== shopName(own))) return null
  return { shop: shopName(own), token, refreshToken: undefined }
}

/**
 * Drops what cannot be a token, because a browser can send any cookie and the token goes into a
 * header.
 */
const plain = (value: string | undefined): string | undefined =>
  value && /^[\w.-]+$/.test(value) ? value : undefined
