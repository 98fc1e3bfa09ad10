import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'
import { HttpProblem } from '../domain/problem.ts'
import type { EngineContext } from './context.ts'
import type { Google } from './google.ts'
import type { GoogleTokens } from './google-tokens.ts'
import { limitable } from './limits.ts'

/** Reading accounts and streams, and making the secret that events are sent with. */
const scopes = ['https://www.googleapis.com/auth/analytics.readonly', 'https://www.googleapis.com/auth/analytics.edit']
const issuer = 'twinshelf', audience = 'twinshelf:ga-connect'
const minutes = 10
export const callbackPath = '/ga/callback'

type Options = Pick<EngineContext, 'db' | 'clock' | 'config' | 'log'> & { google: Google; tokens: GoogleTokens }

/** The address at Google's where the merchant lets us in. What it needs to come back is signed in `state`, so nothing is stored. */
export async function consentUrl({ google, config, clock }: Options, storeId: string): Promise<string> {
  if (!google.client) throw new HttpProblem(503, 'Google Analytics is not set up on this installation: its operator has to name a client of Google’s.')
  const nonce = randomUUID(), now = clock()
  const state = await new SignJWT({ nonce }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setIssuer(issuer).setAudience(audience)
    .setSubject(storeId).setExpirationTime(new Date(now.getTime() + minutes * 60_000)).sign(keyOf(config.SESSION_SECRET))
  return google.consentUrl({
    client_id: google.client.id, redirect_uri: config.PUBLIC_ORIGIN + callbackPath, response_type: 'code', scope: scopes.join(' '),
    access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true', state,
    code_challenge: createHash('sha256').update(verifierOf(config.SESSION_SECRET, nonce)).digest('base64url'), code_challenge_method: 'S256',
  })
}

/** Where Google sends the merchant back to. Ends on the app's page of integrations, which is told how it went. */
export async function googleCallback(app: FastifyInstance, options: Options): Promise<void> {
  const { db, google, tokens, config, clock, log } = options
  await limitable(app)
  app.get(callbackPath, { config: { rateLimit: { max: config.AUTH_PER_ADDRESS } } }, async (request, reply) => {
    const query = request.query as Record<string, unknown>
    const known = await stateOf(text(query['state']))
    const store = known && await db.kysely.selectFrom('stores').select(['store_id', 'shop']).where('store_id', '=', known.storeId).executeTakeFirst()
    if (!known || !store) throw new HttpProblem(400, 'This link is older than ten minutes, or not one of ours. Begin again under Settings, Integrations.')
    const back = (outcome: 'connected' | 'denied' | 'failed') =>
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(`${config.PUBLIC_ORIGIN}/settings/integrations?${new URLSearchParams({ shop: store.shop, ga: outcome })}`, 303)
    const code = text(query['code'])
    if (!code || query['error'] !== undefined) return back('denied')
    try {
      return back(await exchange(store.store_id, code, verifierOf(config.SESSION_SECRET, known.nonce)))
    } catch (error) {
      log.warn({ err: error }, 'Google not connected')
      return back('failed')
    }
  })

  async function exchange(storeId: string, code: string, verifier: string): Promise<'connected' | 'denied' | 'failed'> {
    if (!google.client) return 'failed'
    const answer = await google.token({
      grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: config.PUBLIC_ORIGIN + callbackPath, client_id: google.client.id, client_secret: google.client.secret,
    })
    if ('refused' in answer) return 'failed'
    const { refresh_token, scope = '' } = answer.tokens
    if (!refresh_token) return 'failed'
    // People may untick a part of what is asked for.
    if (!scopes.every(wanted => scope.split(' ').includes(wanted))) {
      await google.revoke(refresh_token)
      return 'denied'
    }
    await tokens.keep(storeId, { ...answer.tokens, refresh_token })
    return 'connected'
  }

  async function stateOf(state: string): Promise<{ storeId: string; nonce: string } | null> {
    try {
      const { payload } = await jwtVerify(state, keyOf(config.SESSION_SECRET), { algorithms: ['HS256'], issuer, audience, requiredClaims: ['exp', 'sub', 'nonce'], currentDate: clock() })
      return { storeId: payload.sub!, nonce: String(payload['nonce']) }
    } catch {
      return null
    }
  }
}

const keyOf = (secret: string) => new TextEncoder().encode(secret)
/** PKCE's secret half: ours alone, though nothing of it is stored. */
const verifierOf = (secret: string, nonce: string): string => createHmac('sha256', secret).update(`google verifier ${nonce}`).digest('base64url')
const text = (value: unknown): string => (typeof value === 'string' && value.length <= 4096 ? value : '')
