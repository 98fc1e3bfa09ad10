import * as Type from 'typebox'
import { type Call, closed } from '../api/call.ts'

export const AuthInput = Type.Union([
  Type.Object({ idToken: Type.String({ maxLength: 4096 }) }, closed),
  Type.Object({ refreshToken: Type.String({ maxLength: 512 }) }, closed),
])
export const AuthTokens = Type.Object({
  token: Type.String(),
  expiresAt: Type.String(),
  refreshToken: Type.String(),
  refreshExpiresAt: Type.String(),
  shop: Type.String(),
})
export type AuthTokens = Type.Static<typeof AuthTokens>

/** Path of a page, with its query, as the app's own links have it. */
const Path = Type.String({ minLength: 1, maxLength: 1024, pattern: '^/($|[^/\\\\])' })
/** What a download link has in its address. */
const Link = Type.String({ maxLength: 128, pattern: '^[0-9a-f-]{36}\\.[\\w-]{43}$' })

export const sessionCalls = {
  auth: {
    method: 'POST',
    path: '/auth',
    about: 'Signs a merchant in by the platform’s token, or renews a session.',
    body: AuthInput,
    response: AuthTokens,
    token: false,
  },
  makeDownloadLink: {
    method: 'POST',
    path: '/api/v0/download-links',
    about: 'Makes a link that downloads one file of the app, once, within a minute.',
    body: Type.Object({ path: Path }, closed),
    response: Type.Object({ link: Type.String(), expiresAt: Type.String() }),
  },
  useDownloadLink: {
    method: 'POST',
    path: '/api/v0/download-links/use',
    about: 'Uses a download link up. Answers the access token of the session that made it.',
    body: Type.Object({ link: Link, path: Path }, closed),
    response: Type.Object({ token: Type.String() }),
    token: false,
    errors: { 410: 'the link was used, has expired, or is for another file' },
  },
  about: {
    method: 'GET',
    path: '/api/v0/about',
    about: 'The product’s version and its analytics settings.',
    token: false,
    response: Type.Object({
      google: Type.Object({
        analytics: Type.Object({ gtm: Type.Union([Type.String(), Type.Null()]) }),
      }),
      segment: Type.Object({ writeKey: Type.Union([Type.String(), Type.Null()]) }),
      version: Type.String(),
    }),
  },
} as const satisfies Record<string, Call>
