import { createHash, randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { ArmIndex } from '../../domain/arm.ts'
import { day, minute } from '../../domain/time-units.ts'
import { type KeyRing, verifyingKeys } from './key-ring.ts'
import type { Caller } from '../http/routes.ts'

export const accessMinutes = 10
export const refreshDays = 30
/** A rotated refresh token is good for this long still: two windows may refresh at one moment. */
export const rotationGrace = minute
const previewDays = 7
const issuer = 'twinshelf'

export type Preview = { storeId: string; of: 'draft' | 'test'; id: string; arm: ArmIndex }
/** `sessionNumber`: of its store when the token was made. `isLeaving`: the store has been uninstalled since. */
export type Bearer = Caller & { sessionNumber: number; isLeaving?: true }
export type AuthTokens = {
  access: (
    caller: Caller,
    now: Date,
    sessionNumber?: number,
  ) => Promise<{ token: string; expiresAt: Date }>
  /** Null for anything but an access token of ours that is still good. */
  readAccess: (token: string) => Promise<Bearer | null>
  preview: (preview: Preview) => Promise<string>
  readPreview: (token: string) => Promise<Preview | null>
}

/** Tokens signed with keys of the engine's ring, HS256 and nothing else; key and audience tell their kind, so that none passes for another. */
export function authTokens(ring: KeyRing, clock: () => Date): AuthTokens {
  const keys = { access: verifyingKeys(ring, 'sessions'), preview: verifyingKeys(ring, 'previews') }
  type Kind = keyof typeof keys
  const sign = (
    kind: Kind,
    claims: Record<string, unknown>,
    storeId: string,
    now: Date,
    expiresAt: Date,
  ) =>
    new SignJWT({ ...claims, kind })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(`${issuer}:${kind}`)
      .setSubject(storeId)
      .setIssuedAt(now)
      .setExpirationTime(expiresAt)
      .sign(keys[kind][0]!)
  const read = async (kind: Kind, token: string) => {
    for (const key of keys[kind]) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer,
          audience: `${issuer}:${kind}`,
          requiredClaims: ['exp', 'sub'],
          currentDate: clock(),
        })
        return payload['kind'] === kind ? payload : null
      } catch {
        /* signed with another key of the ring, or not by us */
      }
    }
    return null
  }
  // A page asks with the same token many times in its ten minutes; its signature is checked once.
  const checked = new Map<string, { caller: Bearer; until: number }>()
  return {
    access: async ({ storeId, shop }, now, sessionNumber = 0) => {
      const expiresAt = new Date(now.getTime() + accessMinutes * minute)
      return {
        token: await sign('access', { shop, session: sessionNumber }, storeId, now, expiresAt),
        expiresAt,
      }
    },
    readAccess: async token => {
      const known = checked.get(token)
      if (known && clock().getTime() < known.until) return known.caller
      const claims = await read('access', token)
      if (!claims) return null
      const caller = {
        storeId: claims.sub!,
        shop: String(claims['shop']),
        sessionNumber: Number(claims['session'] ?? 0),
      }
      if (checked.size >= 1_000) checked.clear()
      checked.set(token, { caller, until: claims.exp! * 1000 })
      return caller
    },
    preview: ({ storeId, of, id, arm }) => {
      const now = clock()
      return sign(
        'preview',
        { of, id, arm },
        storeId,
        now,
        new Date(now.getTime() + previewDays * day),
      )
    },
    readPreview: async token => {
      const claims = await read('preview', token)
      return (
        claims && {
          storeId: claims.sub!,
          of: claims['of'] === 'test' ? 'test' : 'draft',
          id: String(claims['id']),
          arm: claims['arm'] === 1 ? 1 : 0,
        }
      )
    },
  }
}

/** 256 random bits with the store in front, so that the row is found by its key, and the sign-in that it comes of. Only the hash is stored. */
export const newRefreshToken = (storeId: string, familyId: string): string =>
  `${storeId}.${familyId}.${randomBytes(32).toString('base64url')}`
export const hashOf = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')
