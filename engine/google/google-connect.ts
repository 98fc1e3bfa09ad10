import { createHash, createHmac, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { Google } from './google.ts'
import type { GoogleTokens } from './google-tokens.ts'
import { keyRing, keysFor, verifyingKeys } from '../session/key-ring.ts'

/** To read accounts and streams, and to create the secret that events are sent with. */
const scopes = [
  'https://www.googleapis.com/auth/analytics.readonly',
  'https://www.googleapis.com/auth/analytics.edit',
]
const issuer = 'twinshelf',
  audience = 'twinshelf:ga-connect'
const minutes = 10
/**
 * A page of the app. It passes Google's answer to `finishConsent`, in the merchant's own session.
 */
export const callbackPath = '/ga/callback'

type Options = Pick<EngineContext, 'clock' | 'config'> & { google: Google; tokens: GoogleTokens }
type Store = { storeId: string; shop: string }

/**
 * The address at Google where the merchant gives us access. The signed `state` holds all that we
 * need when the merchant returns, so nothing is stored. Throws HttpProblem 404 when no Google
 * client is configured.
 */
export async function consentUrl(
  { google, config, clock }: Options,
  { storeId, shop }: Store,
): Promise<string> {
  if (!google.client)
    throw new HttpProblem(
      404,
      'Google Analytics is not set up on this installation. Its operator must set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
    )
  const nonce = randomUUID(),
    now = clock(),
    [key] = keysFor(keyRing(config), 'consents')
  // The app reads the shop from the state, to find the right session when the merchant returns.
  const state = await new SignJWT({ nonce, shop })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(storeId)
    .setExpirationTime(new Date(now.getTime() + minutes * minute))
    .sign(key)
  return google.consentUrl({
    client_id: google.client.id,
    redirect_uri: config.PUBLIC_ORIGIN + callbackPath,
    response_type: 'code',
    scope: scopes.join(' '),
    access_type: 'offline',
    prompt: 'consent',
    include_granted_scopes: 'true',
    state,
    code_challenge: createHash('sha256').update(verifierOf(key, nonce)).digest('base64url'),
    code_challenge_method: 'S256',
  })
}

/**
 * Connects a store with the code that Google gave its merchant. The caller is signed in to that
 * store, and `state` must have been made for the same store. So a consent link sent to another
 * person connects nothing: the code arrives only in the browser of the person who gave consent.
 */
export async function finishConsent(
  { google, tokens, config, clock }: Options,
  storeId: string,
  { code, state }: { code: string; state: string },
): Promise<void> {
  const begun = await begunBy(state, storeId, verifyingKeys(keyRing(config), 'consents'), clock())
  if (!begun || !google.client)
    throw new HttpProblem(
      400,
      'This consent is older than ten minutes, or was not begun in this store. Begin again under Settings, Integrations.',
    )
  const answer = await google.token({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifierOf(begun.key, begun.nonce),
    redirect_uri: config.PUBLIC_ORIGIN + callbackPath,
    client_id: google.client.id,
    client_secret: google.client.secret,
  })
  if ('refused' in answer)
    throw new HttpProblem(
      400,
      'Google does not know this consent, or it was used already. Begin again under Settings, Integrations.',
    )
  const { refresh_token, scope = '' } = answer.tokens
  if (!refresh_token)
    throw new HttpProblem(
      502,
      'Google gave us no permanent access. Begin again under Settings, Integrations.',
    )
  // People can untick some of the permissions that we ask for.
  if (!scopes.every(wanted => scope.split(' ').includes(wanted))) {
    await google.revoke(refresh_token)
    throw new HttpProblem(
      409,
      'You did not give access to everything that we need, so Google Analytics is not connected. Connect again and leave every box ticked.',
    )
  }
  await tokens.keep(storeId, { ...answer.tokens, refresh_token })
}

/** Checks `state`. Returns null when it is forged, expired, or made for another store. */
async function begunBy(
  state: string,
  storeId: string,
  keys: readonly Uint8Array[],
  now: Date,
): Promise<{ key: Uint8Array; nonce: string } | null> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(state, key, {
        algorithms: ['HS256'],
        issuer,
        audience,
        subject: storeId,
        requiredClaims: ['exp', 'sub', 'nonce'],
        currentDate: now,
      })
      return { key, nonce: String(payload['nonce']) }
    } catch {
      /* signed with another key of the ring, or not by us */
    }
  }
  return null
}

/**
 * The code verifier of PKCE. It is computed from our own key, so it is secret and need not be
 * stored.
 */
const verifierOf = (key: Uint8Array, nonce: string): string =>
  createHmac('sha256', key).update(`google verifier ${nonce}`).digest('base64url')
