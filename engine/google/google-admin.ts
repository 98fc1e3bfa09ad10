import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { GaAccount, GaStream } from '../../domain/google/analytics.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Google } from './google.ts'
import type { GoogleTokens } from './google-tokens.ts'

/** A web stream. `resource` is its name at Google: properties/1/dataStreams/2. */
export type Stream = GaStream & { resource: string }
/**
 * What we read and create in the merchant's own Google Analytics. Throws HttpProblem 401 when we
 * have no access, 403 when the merchant's Google account lacks the permission.
 */
export type GoogleAdmin = {
  accounts: (storeId: string) => Promise<GaAccount[]>
  streams: (storeId: string, propertyId: string) => Promise<Stream[]>
  /** The secret that events are sent with: the one we made before, or a new one. */
  secret: (storeId: string, stream: Stream) => Promise<string>
}

/** How many pages of a list we read. Entries beyond 4,000 are left out. */
const maxPages = 20,
  pageSize = 200
const ourSecret = 'Twinshelf'

const Next = Type.Optional(Type.String())
const Summaries = Type.Object({
  accountSummaries: Type.Optional(
    Type.Array(
      Type.Object({
        account: Type.String(),
        displayName: Type.Optional(Type.String()),
        propertySummaries: Type.Optional(
          Type.Array(
            Type.Object({ property: Type.String(), displayName: Type.Optional(Type.String()) }),
          ),
        ),
      }),
    ),
  ),
  nextPageToken: Next,
})
const Streams = Type.Object({
  dataStreams: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.String(),
        displayName: Type.Optional(Type.String()),
        webStreamData: Type.Optional(
          Type.Object({ measurementId: Type.String(), defaultUri: Type.Optional(Type.String()) }),
        ),
      }),
    ),
  ),
  nextPageToken: Next,
})
const Secret = Type.Object({
  displayName: Type.String(),
  secretValue: Type.String({ minLength: 1 }),
})
const Secrets = Type.Object({
  measurementProtocolSecrets: Type.Optional(Type.Array(Secret)),
  nextPageToken: Next,
})
const checks = {
  summaries: Compile(Summaries),
  streams: Compile(Streams),
  secret: Compile(Secret),
  secrets: Compile(Secrets),
}

export function googleAdmin(google: Google, tokens: GoogleTokens): GoogleAdmin {
  async function call(
    storeId: string,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<unknown> {
    const token = await tokens.access(storeId)
    if (!token) throw new HttpProblem(401, 'Google Analytics is not connected.')
    try {
      return await google.admin(token, method, path, body)
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status !== 401) throw error
      // A token may end early. One renewal shows whether we still have access.
      const renewed = await tokens.access(storeId, 'renew')
      if (!renewed) throw new HttpProblem(401, 'Google Analytics is no longer connected.')
      return google.admin(renewed, method, path, body)
    }
  }

  async function* pages<T extends { nextPageToken?: string }>(
    storeId: string,
    path: string,
    isPage: { Check: (value: unknown) => value is T },
  ): AsyncGenerator<T> {
    for (let token = '', page = 0; page < maxPages; page++) {
      const answer = await call(
        storeId,
        'GET',
        `${path}?${new URLSearchParams({ pageSize: String(pageSize), ...(token && { pageToken: token }) })}`,
      )
      if (!isPage.Check(answer)) throw unexpected()
      yield answer
      if (!(token = answer.nextPageToken ?? '')) return
    }
  }

  return {
    accounts: async storeId => {
      const all: GaAccount[] = []
      for await (const { accountSummaries = [] } of pages(
        storeId,
        '/v1beta/accountSummaries',
        checks.summaries,
      ))
        for (const { account, displayName = '', propertySummaries = [] } of accountSummaries)
          all.push({
            accountId: idOf(account),
            name: displayName,
            properties: propertySummaries.map(({ property, displayName: name = '' }) => ({
              propertyId: idOf(property),
              name,
            })),
          })
      return all
    },
    streams: async (storeId, propertyId) => {
      const all: Stream[] = []
      for await (const { dataStreams = [] } of pages(
        storeId,
        `/v1beta/properties/${propertyId}/dataStreams`,
        checks.streams,
      ))
        for (const { name, displayName = '', webStreamData: web } of dataStreams)
          if (web)
            all.push({
              resource: name,
              measurementId: web.measurementId,
              name: displayName,
              url: web.defaultUri ?? '',
            })
      return all
    },
    secret: async (storeId, { resource }) => {
      if (!/^properties\/\d+\/dataStreams\/\d+$/.test(resource)) throw unexpected()
      const path = `/v1beta/${resource}/measurementProtocolSecrets`
      for await (const { measurementProtocolSecrets = [] } of pages(
        storeId,
        path,
        checks.secrets,
      )) {
        const known = measurementProtocolSecrets.find(
          ({ displayName }) => displayName === ourSecret,
        )
        if (known) return known.secretValue
      }
      const made = await call(storeId, 'POST', path, { displayName: ourSecret })
      if (!checks.secret.Check(made)) throw unexpected()
      return made.secretValue
    },
  }
}

/** "accounts/1000" → "1000". */
const idOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
const unexpected = () =>
  new HttpProblem(502, 'Google answered in a form that is not the documented one.')
