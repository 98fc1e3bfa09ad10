import { timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { jwtVerify } from 'jose'
import type { AppTokens } from './app-tokens.ts'
import { fieldsOf, text } from '../forms.ts'
import { shop } from '../shop.ts'

export type TokenEndpointOptions = {
  appKey: string
  appSecret: string
  tokens: AppTokens
  isInstalled: () => boolean
}

export const tokenPath = '/admin/api/oauth/token'
/** The grants of this endpoint. `own`: the app for itself, which only this demo shop allows. */
export const grants = {
  exchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
  refresh: 'refresh_token',
  own: 'client_credentials',
} as const

/**
 * Gives the app its tokens for calls about this shop: for a merchant's one-minute sign-in token
 * (which it verifies itself), for a refresh token, and for nothing but the app's credentials. The
 * last one is this demo's own: it lets a shop whose merchant has never signed in since tokens exist
 * go on as before.
 */
export const tokenEndpoint: FastifyPluginAsync<TokenEndpointOptions> = async (
  app,
  { appKey, appSecret, tokens, isInstalled },
) => {
  const key = new TextEncoder().encode(appSecret)
  const isOurs = async (idToken: string): Promise<boolean> => {
    try {
      const issuer = `https://${shop.shop}`
      const { payload } = await jwtVerify(idToken, key, {
        algorithms: ['HS256'],
        audience: appKey,
        issuer,
        requiredClaims: ['dest', 'sub', 'exp', 'jti'],
        clockTolerance: 10,
      })
      return payload['dest'] === issuer
    } catch {
      return false
    }
  }
  app.post(tokenPath, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const refuse = (status: number, error: string, message: string) =>
      reply.code(status).send({ error, message })
    const fields = fieldsOf(request)
    if (text(fields['client_id']) !== appKey || !isSame(text(fields['client_secret']), appSecret))
      return refuse(401, 'invalid_client', 'These are not the app’s credentials.')
    if (text(fields['shop']) !== shop.shop)
      return refuse(404, 'unknown_shop', 'There is no such shop here.')
    if (!isInstalled())
      return refuse(400, 'not_installed', 'The app is not installed in this shop.')
    switch (text(fields['grant_type'])) {
      case grants.exchange:
        return (await isOurs(text(fields['subject_token'])))
          ? tokens.issue()
          : refuse(400, 'invalid_subject_token', 'The sign-in token is not valid.')
      case grants.refresh:
        return (
          tokens.refresh(text(fields['refresh_token'])) ??
          refuse(400, 'invalid_grant', 'The refresh token is not valid.')
        )
      case grants.own:
        return tokens.issue()
      default:
        return refuse(400, 'unsupported_grant_type', 'This grant does not exist.')
    }
  })
}

function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
