import { timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import type { AppTokens, TokenPair } from '../../apps/app-tokens.ts'
import { fieldsOf, text, type Fields } from '../../forms.ts'
import type { ShopifyInstallation } from './installation.ts'
import { faultyAnswer, type Faults, statusFault } from '../api/faults.ts'
import type { SettingsStore } from './face-settings.ts'
import { type AppKeys, isIdToken } from './id-token.ts'

export type TokenEndpointOptions = {
  keys: AppKeys
  tokens: AppTokens
  installation: ShopifyInstallation
  settings: SettingsStore
  faults: Faults
  clock: () => Date
}

export const tokenPath = '/admin/oauth/access_token'
const types = {
  exchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
  idToken: 'urn:ietf:params:oauth:token-type:id_token',
  offline: 'urn:shopify:params:oauth:token-type:offline-access-token',
} as const

/**
 * Gives the app its tokens for calls about this shop: for a merchant's one-minute sign-in token, or
 * for a refresh token. Only tokens that expire: a new app gets no others.
 */
export const tokenEndpoint: FastifyPluginAsync<TokenEndpointOptions> = async (
  app,
  { keys, tokens, installation, settings, faults, clock },
) => {
  type Answer = { status: number; body: object }
  const refuse = (status: number, error: string, description: string): Answer => ({
    status,
    body: { error, error_description: description },
  })
  const given = (pair: TokenPair): Answer => ({
    status: 200,
    body: { ...pair, scope: settings.current().scopes.join(',') },
  })
  async function answered(fields: Fields): Promise<Answer> {
    const field = (name: string) => text(fields[name])
    if (field('client_id') !== keys.apiKey || !isSame(field('client_secret'), keys.apiSecret))
      return refuse(401, 'invalid_client', 'These are not the app’s credentials.')
    if (!installation.isInstalled())
      return refuse(400, 'app_not_installed', 'The app is not installed in this shop.')
    switch (field('grant_type')) {
      case types.exchange:
        if (field('subject_token_type') !== types.idToken)
          return refuse(400, 'invalid_request', 'subject_token_type must be an id_token.')
        if (field('requested_token_type') !== types.offline || field('expiring') !== '1')
          return refuse(400, 'invalid_request', 'This app gets offline tokens that expire.')
        return (await isIdToken(keys, clock(), field('subject_token')))
          ? given(tokens.issue())
          : refuse(400, 'invalid_subject_token', 'The subject token is not valid.')
      case 'refresh_token': {
        const pair = tokens.refresh(field('refresh_token'))
        return pair ? given(pair) : refuse(400, 'invalid_grant', 'The refresh token is not valid.')
      }
      default:
        return refuse(400, 'unsupported_grant_type', 'This grant does not exist.')
    }
  }
  app.post(tokenPath, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const fields = fieldsOf(request)
    const fault = faults.next('token', text(fields['grant_type']))
    const refused = fault && statusFault(fault, reply)
    if (refused) return refused
    const { status, body } = await answered(fields)
    reply.code(status)
    return fault ? faultyAnswer(fault, reply, body) : reply.send(body)
  })
}

function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
