import { createHash, randomUUID } from 'node:crypto'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyInstance } from 'fastify'

export const clientId = 'our-client.apps.googleusercontent.example',
  clientSecret = 'our-client-secret'
const everyScope = [
  'https://www.googleapis.com/auth/analytics.readonly',
  'https://www.googleapis.com/auth/analytics.edit',
]

type Choice = { deny?: true; scopes?: string[] }
type Collected = {
  measurement_id: string
  api_secret: string
  body: {
    client_id: string
    consent: object
    events: { name: string; params: Record<string, string>; timestamp_micros: number }[]
  }
}
/**
 * A fake Google, which answers as the documentation of its OAuth 2.0, Admin API v1beta and
 * Measurement Protocol says.
 */
export type StandIn = {
  origin: string
  env: Record<string, string>
  /** Failures to answer instead, oldest first. Each is for requests whose path contains `path`. */
  instead: { path: string; status: number | 'hang up' | 'hang' }[]
  /** Holds the next request whose path contains `path`, until `release`. `isHeld`: it has come. */
  hold: (path: string) => { isHeld: Promise<void>; release: () => void }
  /** Valid refresh tokens. */
  grants: Set<string>
  revoked: string[]
  collected: Collected[]
  secrets: { displayName: string; secretValue: string }[]
  /** How long access tokens live, in seconds. */
  expiresIn: number
  calls: string[]
  /**
   * Answers the consent page as the merchant; returns the address to which Google redirects. A
   * browser that opens the page gives consent.
   */
  consent: (url: string, choice?: Choice) => string
  /** The same answer as the code and state that the app passes on. */
  granted: (url: string, choice?: Choice) => { code: string; state: string }
  close: () => Promise<void>
}

export async function googleStandIn(): Promise<StandIn> {
  const app: FastifyInstance = Fastify({ forceCloseConnections: true })
  await app.register(formbody)
  const codes = new Map<string, { challenge: string; redirect: string; scopes: string[] }>(),
    access = new Set<string>(),
    holds: { path: string; come: () => void; released: Promise<void> }[] = []
  const own: StandIn = {
    origin: '',
    env: {},
    instead: [],
    hold: path => {
      const [come, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      holds.push({ path, come: come.resolve, released: go.promise })
      return { isHeld: come.promise, release: go.resolve }
    },
    grants: new Set(),
    revoked: [],
    collected: [],
    secrets: [],
    expiresIn: 3599,
    calls: [],
    consent: (url, { deny, scopes = everyScope } = {}) => {
      const asked = new URL(url),
        get = (name: string) => asked.searchParams.get(name) ?? ''
      if (
        asked.origin + asked.pathname !== `${own.origin}/o/oauth2/v2/auth` ||
        get('client_id') !== clientId ||
        get('response_type') !== 'code' ||
        get('code_challenge_method') !== 'S256' ||
        get('access_type') !== 'offline' ||
        get('prompt') !== 'consent' ||
        !everyScope.every(scope => get('scope').split(' ').includes(scope))
      )
        throw new Error(`Google would refuse ${url}`)
      const back = new URL(get('redirect_uri'))
      back.searchParams.set('state', get('state'))
      if (deny) back.searchParams.set('error', 'access_denied')
      else {
        const code = `4/${randomUUID()}`
        codes.set(code, { challenge: get('code_challenge'), redirect: get('redirect_uri'), scopes })
        back.searchParams.set('code', code)
        back.searchParams.set('scope', scopes.join(' '))
      }
      return back.pathname + back.search
    },
    granted: (url, choice) => {
      const query = new URLSearchParams(own.consent(url, choice).split('?')[1])
      return { code: query.get('code') ?? '', state: query.get('state') ?? '' }
    },
    close: () => app.close(),
  }

  app.addHook('onRequest', async (request, reply) => {
    own.calls.push(`${request.method} ${request.url.split('?')[0]}`)
    const held = holds.findIndex(({ path }) => request.url.includes(path))
    if (held >= 0) {
      const [{ come, released }] = holds.splice(held, 1) as [(typeof holds)[number]]
      come()
      await released
    }
    const place = own.instead.findIndex(({ path }) => request.url.includes(path))
    if (place < 0) return
    const [{ status }] = own.instead.splice(place, 1) as [StandIn['instead'][number]]
    if (status === 'hang up') return request.raw.destroy()
    if (status === 'hang') return new Promise(() => {})
    return reply
      .code(status)
      .send({ error: { code: status, message: `As asked: ${status}`, status: 'SENTINEL' } })
  })
  const issued = (scopes: string[]) => {
    const token = `ya29.${randomUUID()}`
    access.add(token)
    return {
      access_token: token,
      expires_in: own.expiresIn,
      scope: scopes.join(' '),
      token_type: 'Bearer',
    }
  }
  app.get('/o/oauth2/v2/auth', ({ url }, reply) => {
    const asked = new URL(url, own.origin)
    return reply.redirect(
      new URL(own.consent(asked.href), asked.searchParams.get('redirect_uri')!).href,
      302,
    )
  })
  app.post('/token', (request, reply) => {
    const form = request.body as Record<string, string>
    if (form['client_id'] !== clientId || form['client_secret'] !== clientSecret)
      return reply.code(401).send({ error: 'invalid_client', error_description: 'Unauthorized' })
    if (form['grant_type'] === 'refresh_token')
      return own.grants.has(form['refresh_token']!)
        ? issued(everyScope)
        : reply.code(400).send({
            error: 'invalid_grant',
            error_description: 'Token has been expired or revoked.',
          })
    const code = codes.get(form['code']!)
    codes.delete(form['code']!)
    if (
      !code ||
      code.redirect !== form['redirect_uri'] ||
      createHash('sha256')
        .update(form['code_verifier'] ?? '')
        .digest('base64url') !== code.challenge
    )
      return reply.code(400).send({ error: 'invalid_grant', error_description: 'Bad Request' })
    const refresh = `1//${randomUUID()}`
    own.grants.add(refresh)
    return { ...issued(code.scopes), refresh_token: refresh }
  })
  app.post('/revoke', (request, reply) => {
    const { token = '' } = request.body as Record<string, string>
    if (!own.grants.delete(token))
      return reply
        .code(400)
        .send({ error: 'invalid_token', error_description: 'Token expired or revoked' })
    own.revoked.push(token)
    return {}
  })

  app.register(async api => {
    api.addHook('onRequest', async (request, reply) => {
      if (!access.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
        return reply.code(401).send({
          error: {
            code: 401,
            message: 'Request had invalid authentication credentials.',
            status: 'UNAUTHENTICATED',
          },
        })
    })
    // Google may return fewer accounts than the page size.
    api.get<{ Querystring: { pageToken?: string } }>('/v1beta/accountSummaries', ({ query }) =>
      query.pageToken === 'second'
        ? {
            accountSummaries: [
              {
                name: 'accountSummaries/1001',
                account: 'accounts/1001',
                displayName: 'No property yet',
              },
            ],
          }
        : {
            accountSummaries: [
              {
                name: 'accountSummaries/1000',
                account: 'accounts/1000',
                displayName: 'Fern & Kiln',
                propertySummaries: [
                  {
                    property: 'properties/2000',
                    displayName: 'Shop',
                    propertyType: 'PROPERTY_TYPE_ORDINARY',
                    parent: 'accounts/1000',
                  },
                  { property: 'properties/2001', displayName: 'App only' },
                ],
              },
            ],
            nextPageToken: 'second',
          },
    )
    api.get<{ Params: { id: string } }>(
      '/v1beta/properties/:id/dataStreams',
      ({ params: { id } }, reply) => {
        if (id === '2001') return {}
        if (id !== '2000')
          return reply.code(403).send({
            error: {
              code: 403,
              message: 'The caller does not have permission',
              status: 'PERMISSION_DENIED',
            },
          })
        return {
          dataStreams: [
            {
              name: 'properties/2000/dataStreams/1',
              type: 'ANDROID_APP_DATA_STREAM',
              displayName: 'App',
              androidAppStreamData: { packageName: 'a.b' },
            },
            {
              name: 'properties/2000/dataStreams/2',
              type: 'WEB_DATA_STREAM',
              displayName: 'Blog',
              webStreamData: { measurementId: 'G-BLOG', defaultUri: 'https://blog.example' },
            },
            {
              name: 'properties/2000/dataStreams/3',
              type: 'WEB_DATA_STREAM',
              displayName: 'Shop',
              webStreamData: {
                measurementId: 'G-SHOP',
                defaultUri: 'https://fern-and-kiln.demo-shop.test',
              },
            },
          ],
        }
      },
    )
    const path = '/v1beta/properties/2000/dataStreams/:stream/measurementProtocolSecrets'
    api.get(path, () =>
      own.secrets.length > 0
        ? {
            measurementProtocolSecrets: own.secrets.map((secret, i) => ({
              name: `${path.slice(8)}/${i}`,
              ...secret,
            })),
          }
        : {},
    )
    api.post(path, request => {
      const secret = {
        displayName: (request.body as { displayName: string }).displayName,
        secretValue: randomUUID(),
      }
      own.secrets.push(secret)
      return { name: `${path.slice(8)}/${own.secrets.length}`, ...secret }
    })
  })

  // Google answers malformed events with a 2xx too. This only stores them, so that a test can
  // compare their shape with the documentation.
  app.post<{ Querystring: { measurement_id: string; api_secret: string } }>(
    '/mp/collect',
    (request, reply) => {
      own.collected.push({ ...request.query, body: request.body as Collected['body'] })
      return reply.code(204).send()
    },
  )
  own.origin = await app.listen({ port: 0, host: '127.0.0.1' })
  own.env = {
    GOOGLE_CLIENT_ID: clientId,
    GOOGLE_CLIENT_SECRET: clientSecret,
    GOOGLE_ACCOUNTS_ORIGIN: own.origin,
    GOOGLE_OAUTH_ORIGIN: own.origin,
    GOOGLE_API_ORIGIN: own.origin,
    GOOGLE_COLLECT_ORIGIN: own.origin,
  }
  return own
}
