import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { day, hour, minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import type { Trx } from '../db/types.ts'
import { type VendorCalls, vendorCalls } from '../http/vendor-calls.ts'
import type { PlatformAdapter } from '../platform/adapter.ts'
import {
  GrantRefused,
  type IssuedTokens,
  SignInNeeded,
  type TokenSource,
} from '../platform/tokens.ts'
import type { KeyRing } from './key-ring.ts'
import {
  endLease,
  markRefused,
  readTokens,
  type StoreTokens,
  storeRenewed,
  storeSignedIn,
  takeLease,
} from './platform-token-rows.ts'
import { sealOf } from './seal.ts'

/** `version`: how often tokens had been stored for the store when the exchange began. */
export type ExchangedTokens = IssuedTokens & { version: number }

/** The tokens that platforms have issued to us for their shops. */
export type PlatformTokens = {
  /** For adapters: the token of a shop, renewed in time. */
  source: TokenSource
  /** Whether a known store's tokens are good, so that a sign-in need not exchange its own. */
  areGood: (shop: string) => Promise<boolean>
  /** For a sign-in: exchanges the merchant's token for tokens of its shop. */
  exchange: (store: { shop: string; platform: string }, idToken: string) => Promise<ExchangedTokens>
  /**
   * Stores what was exchanged, in the transaction of the sign-in. False, and nothing is stored, if
   * others were stored since the exchange began. With each exchange a platform may end all earlier
   * tokens, and nobody knows which of the two came first: the caller must exchange again.
   */
  keep: (trx: Trx, storeId: string, exchanged: ExchangedTokens) => Promise<boolean>
}

/** A token is renewed this long before it expires, in milliseconds. */
const refreshEarly = 5 * minute
/** A sign-in replaces a refresh token that ends sooner than this, in milliseconds. */
const refreshTokenEnds = 7 * day
/**
 * A platform that has refused our tokens is asked again after this time, in milliseconds. It may
 * have refused by mistake, or because of wrong credentials of ours that were put right since.
 */
const askAgainAfter = hour
/**
 * Longest wait for another process that renews the tokens, and between looks, in milliseconds. A
 * call of the API waits for a shorter time (http/vendor-calls.ts).
 */
const longestWait = 20_000,
  lookEvery = 50

export function platformTokens({
  db,
  clock,
  log,
  ring,
  platformOf,
}: {
  db: Db
  clock: () => Date
  log: FastifyBaseLogger
  ring: KeyRing
  platformOf: (store: { platform: string }) => PlatformAdapter
}): PlatformTokens {
  const seal = sealOf(ring, 'platformTokens')
  // Opened tokens by shop. A shop has one before its store's row exists: while it is installed.
  const known = new Map<string, { token: string; until: number }>()
  const flights = new Map<string, Promise<string>>()
  // For each shop, because a silent one gets less time for a while.
  const calls = new Map<string, VendorCalls>()
  const within = (shop: string): VendorCalls => {
    const own = calls.get(shop) ?? vendorCalls('shop')
    calls.set(shop, own)
    return own
  }
  const now = () => clock().getTime()
  const opened = ({ storeId }: StoreTokens, sealed: Uint8Array | null) =>
    sealed ? seal.open(storeId, sealed) : null

  function remember(shop: string, token: string, expiresAt: Date | null): string {
    known.set(shop, { token, until: (expiresAt?.getTime() ?? Infinity) - refreshEarly })
    return token
  }

  const source: TokenSource = async (shop, refused = []) => {
    for (;;) {
      const held = known.get(shop)
      if (held && now() < held.until && !refused.includes(held.token)) return held.token
      let flight = flights.get(shop)
      if (!flight) {
        flight = within(shop)(longestWait, signal => find(shop, refused, signal)).finally(() =>
          flights.delete(shop),
        )
        flights.set(shop, flight)
      }
      // A flight that began for another call may bring the token that was refused to this one.
      const token = await flight
      if (!refused.includes(token)) return token
    }
  }

  /** The stored token, or a new one. Never one of the refused. */
  async function find(
    shop: string,
    refused: readonly string[],
    signal: AbortSignal,
  ): Promise<string> {
    if (refused.length > 0) known.delete(shop)
    for (;;) {
      const row = await readTokens(db, shop)
      if (!row) throw new SignInNeeded()
      if (row.status === 'uninstalled') throw new SignInNeeded(true)
      if (row.needsSignInAt && now() - row.needsSignInAt.getTime() < askAgainAfter)
        throw new SignInNeeded(row.isRemoved)
      const access = row.needsSignInAt ? null : opened(row, row.accessToken)
      const left = (row.accessExpiresAt?.getTime() ?? Infinity) - now()
      const isUsable = access !== null && !refused.includes(access)
      if (isUsable && left > refreshEarly) return remember(shop, access, row.accessExpiresAt)
      if (refused.length >= 2) return refuse(row)
      // Until it expires, the token serves this call when it cannot be renewed now.
      const spare = isUsable && left > 0 ? access : null
      const lease = await takeLease(db, row)
      if (lease) {
        const renewed = await renew(row, shop, lease, spare)
        if (renewed !== null) return renewed
      } else if (spare) return spare
      await setTimeout(lookEvery, undefined, { signal })
    }
  }

  /** Renews under the lease. Null when the row has changed meanwhile. */
  async function renew(
    row: StoreTokens,
    shop: string,
    lease: string,
    spare: string | null,
  ): Promise<string | null> {
    let issued
    try {
      issued = await ask(row, shop)
    } catch (error) {
      if (error instanceof GrantRefused) return refuse(row, error.isUninstalled)
      await endLease(db, row.storeId, lease)
      if (!spare) throw error
      log.warn({ err: error, storeId: row.storeId }, 'the shop’s tokens could not be renewed yet')
      return spare
    }
    if (!issued) return refuse(row)
    const pair = sealed(row.storeId, issued)
    return (await storeRenewed(db, row.storeId, lease, pair))
      ? remember(shop, issued.accessToken, pair.access_expires_at)
      : null
  }

  /** Asks the platform for new tokens; null when there is nothing to ask with. */
  async function ask(row: StoreTokens, shop: string): Promise<IssuedTokens | null> {
    const adapter = platformOf(row)
    const refreshToken = opened(row, row.refreshToken)
    if (refreshToken !== null) return adapter.refresh(shop, refreshToken)
    // Tokens that were refused once are not replaced without the merchant.
    return row.version === 0 && adapter.ownGrant ? adapter.ownGrant(shop) : null
  }

  async function refuse(row: StoreTokens, isUninstalled = false): Promise<never> {
    if ((await markRefused(db, row, clock(), isUninstalled)) && !row.needsSignInAt)
      log.warn(
        { storeId: row.storeId },
        'the shop refuses our tokens: its merchant must sign in again',
      )
    throw new SignInNeeded(isUninstalled)
  }

  const after = (seconds: number | null) =>
    seconds === null ? null : new Date(now() + seconds * 1_000)
  const sealed = (storeId: string, issued: IssuedTokens) => ({
    access_token: seal.close(storeId, issued.accessToken),
    access_expires_at: after(issued.accessSeconds),
    refresh_token: issued.refreshToken === null ? null : seal.close(storeId, issued.refreshToken),
    refresh_expires_at: after(issued.refreshSeconds),
    updated_at: clock(),
  })

  return {
    source,
    areGood: async shop => {
      const row = await readTokens(db, shop)
      return (
        row !== null &&
        row.needsSignInAt === null &&
        opened(row, row.accessToken) !== null &&
        (row.refreshExpiresAt?.getTime() ?? Infinity) > now() + refreshTokenEnds
      )
    },
    exchange: async ({ shop, platform }, idToken) => {
      const version = (await readTokens(db, shop))?.version ?? 0
      const issued = await platformOf({ platform }).exchange(shop, idToken)
      remember(shop, issued.accessToken, after(issued.accessSeconds))
      return { ...issued, version }
    },
    keep: (trx, storeId, exchanged) =>
      storeSignedIn(trx, storeId, sealed(storeId, exchanged), exchanged.version),
  }
}
