import { AsyncLocalStorage } from 'node:async_hooks'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type Agent, request } from 'undici'
import { HttpProblem, VendorProblem } from '../../../domain/problem.ts'
import type { VendorCalls } from '../../http/vendor-calls.ts'
import { checked, shopTimeout } from './demo-admin.ts'
import {
  GrantRefused,
  type IssuedTokens,
  type PlatformGrants,
  SignInNeeded,
  type TokenSource,
} from '../tokens.ts'

const Seconds = Type.Integer({ minimum: 0 })
const checkPair = Compile(
  Type.Object({
    access_token: Type.String({ minLength: 1 }),
    expires_in: Seconds,
    refresh_token: Type.String({ minLength: 1 }),
    refresh_token_expires_in: Seconds,
  }),
)
const checkRefusal = Compile(Type.Object({ error: Type.String(), message: Type.String() }))

/**
 * The demo shop's token endpoint. Its tokens expire and are replaced in pairs, as those of hosted
 * platforms. `ownGrant` is the demo's own: other platforms want a merchant to sign in.
 */
export function demoGrants({
  shopOrigin,
  appKey,
  appSecret,
  agent,
  ask,
}: {
  shopOrigin: string
  appKey: string
  appSecret: string
  agent: Agent
  ask: VendorCalls
}): Required<PlatformGrants> {
  async function grant(shop: string, fields: Record<string, string>): Promise<IssuedTokens> {
    const { status, text } = await ask(shopTimeout, async signal => {
      const response = await request(`${shopOrigin}/admin/api/oauth/token`, {
        method: 'POST',
        dispatcher: agent,
        headersTimeout: shopTimeout,
        bodyTimeout: shopTimeout,
        signal,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: appKey, client_secret: appSecret, shop, ...fields }),
      })
      return { status: response.statusCode, text: await response.body.text() }
    })
    const said = jsonOf(text)
    if (status === 200) {
      const pair = checked(checkPair, said)
      return {
        accessToken: pair.access_token,
        accessSeconds: pair.expires_in,
        refreshToken: pair.refresh_token,
        refreshSeconds: pair.refresh_token_expires_in,
      }
    }
    if (!checkRefusal.Check(said) || status >= 500)
      throw new VendorProblem('shop', 502, `The shop answered ${status}.`)
    if (said.error === 'invalid_subject_token')
      throw new HttpProblem(401, 'The shop does not accept the sign-in token.')
    if (status === 404) throw new HttpProblem(404, said.message)
    throw new GrantRefused(said.error === 'not_installed')
  }
  return {
    exchange: (shop, idToken) =>
      grant(shop, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: idToken,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      }),
    refresh: (shop, refreshToken) =>
      grant(shop, { grant_type: 'refresh_token', refresh_token: refreshToken }),
    ownGrant: shop => grant(shop, { grant_type: 'client_credentials' }),
  }
}

/**
 * Tokens for a program that keeps nothing, such as a test: got without a merchant, and got again
 * when the shop refuses one.
 */
export function tokensInMemory({ ownGrant }: Required<PlatformGrants>): TokenSource {
  const known = new Map<string, string>()
  return async (shop, refused = []) => {
    const token = known.get(shop)
    if (token !== undefined && !refused.includes(token)) return token
    const { accessToken } = await ownGrant(shop).catch((error: unknown) => {
      throw error instanceof GrantRefused ? new SignInNeeded(error.isUninstalled) : error
    })
    known.set(shop, accessToken)
    return accessToken
  }
}

const shopOfCall = new AsyncLocalStorage<string>()
/** The shop that the running call is about. */
export function calledShop(): string {
  const shop = shopOfCall.getStore()
  if (shop === undefined) throw new Error('This call names no shop.')
  return shop
}

/**
 * Lets every call know its shop, the first argument, so that the client of the admin API can use
 * the shop's token.
 */
export function namingShop<T extends object>(calls: T): T {
  const named =
    (call: (...given: unknown[]) => unknown) =>
    (...given: unknown[]): unknown => {
      const [shop] = given
      return typeof shop === 'string' ? shopOfCall.run(shop, () => call(...given)) : call(...given)
    }
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      typeof call === 'function' ? named(call as Parameters<typeof named>[0]) : (call as unknown),
    ]),
  ) as T
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
