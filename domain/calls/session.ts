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

export const sessionCalls = {
  auth: {
    method: 'POST',
    path: '/auth',
    about: 'Signs a merchant in by the platform’s token, or renews a session.',
    body: AuthInput,
    response: AuthTokens,
    token: false,
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
