import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type Agent, request } from 'undici'
import { HttpProblem } from '../../../../domain/problem.ts'
import { vendorCalls } from '../../../http/vendor-calls.ts'
import { Throttled } from '../../rate.ts'
import { GrantRefused, type IssuedTokens, type PlatformGrants } from '../../tokens.ts'
import { PassingFailure, problem, problemOfStatus } from '../client/problems.ts'
import { busyWords, shopifyTimeout } from '../client/shopify-client.ts'
import type { AppKeys } from './shopify-id-token.ts'

const Seconds = Type.Integer({ minimum: 0 })
const checkPair = Compile(
  Type.Object({
    access_token: Type.String({ minLength: 1 }),
    expires_in: Type.Optional(Seconds),
    refresh_token: Type.Optional(Type.String({ minLength: 1 })),
    refresh_token_expires_in: Type.Optional(Seconds),
  }),
)
const checkRefusal = Compile(Type.Object({ error: Type.String() }))

/**
 * Shopify's token endpoint: a merchant's one-minute token is exchanged for expiring tokens of the
 * app, which are replaced in pairs. There is no grant without a merchant.
 */
export function shopifyGrants({
  originOf,
  apiKey,
  secrets,
  agent,
}: AppKeys & {
  originOf: (shop: string) => string
  agent: Agent
}): PlatformGrants {
  const ask = vendorCalls('shop')

  async function grant(shop: string, fields: Record<string, string>): Promise<IssuedTokens> {
    const { status, retryAfter, text } = await ask(shopifyTimeout, async signal => {
      const response = await request(`${originOf(shop)}/admin/oauth/access_token`, {
        method: 'POST',
        dispatcher: agent,
        headersTimeout: shopifyTimeout,
        bodyTimeout: shopifyTimeout,
        signal,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: apiKey, client_secret: secrets[0], ...fields }),
      })
      return {
        status: response.statusCode,
        retryAfter: Number(response.headers['retry-after']) || 1,
        text: await response.body.text(),
      }
    })
    const said = jsonOf(text)
    if (status === 200) {
      if (!checkPair.Check(said)) throw problem('nonsense')
      return {
        accessToken: said.access_token,
        accessSeconds: said.expires_in ?? null,
        refreshToken: said.refresh_token ?? null,
        refreshSeconds: said.refresh_token_expires_in ?? null,
      }
    }
    if (status === 429) throw new Throttled(busyWords, retryAfter)
    if (status === 402 || status === 423) throw problem(problemOfStatus[status]!)
    if (status >= 500) throw new PassingFailure(status)
    // An answer that cannot be read is no refusal, which would make the merchant sign in.
    if (!checkRefusal.Check(said)) throw problem('nonsense')
    const { error } = said
    if (error === 'invalid_subject_token')
      throw new HttpProblem(401, 'Shopify does not accept the sign-in token. Reload the page.')
    throw new GrantRefused(isRemoved.test(error))
  }
  return {
    exchange: (shop, idToken) =>
      grant(shop, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: idToken,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        requested_token_type: 'urn:shopify:params:oauth:token-type:offline-access-token',
        expiring: '1',
      }),
    refresh: (shop, refreshToken) =>
      grant(shop, { grant_type: 'refresh_token', refresh_token: refreshToken }),
  }
}

/** What the endpoint calls an app that the shop has removed. */
const isRemoved = /^(application_not_installed|app_not_installed|not_installed)$/

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
