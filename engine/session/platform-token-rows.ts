import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { Reader, Trx } from '../db/types.ts'

/** A store and its tokens, still sealed. */
export type StoreTokens = {
  storeId: string
  platform: string
  status: string
  accessToken: Uint8Array | null
  accessExpiresAt: Date | null
  refreshToken: Uint8Array | null
  refreshExpiresAt: Date | null
  /** How often tokens were stored. */
  version: number
  needsSignInAt: Date | null
  /** The platform has said that the app is not installed any more. */
  isRemoved: boolean
}
/** The columns that a new pair of tokens sets. */
export type NewTokens = {
  access_token: Uint8Array
  access_expires_at: Date | null
  refresh_token: Uint8Array | null
  refresh_expires_at: Date | null
  updated_at: Date
}

/** Longer than the timeout of a request to the shop. Seconds, by the database's clock. */
const leaseSeconds = 15
const released = {
  needs_sign_in_at: null,
  is_removed: false,
  lease_id: null,
  leased_until: sql<Date>`'-infinity'`,
}

export async function readTokens({ kysely }: Db, shop: string): Promise<StoreTokens | null> {
  const row = await kysely
    .selectFrom('stores as s')
    .leftJoin('platform_tokens as t', 't.store_id', 's.store_id')
    .select([
      's.store_id as storeId',
      's.platform',
      's.status',
      't.access_token as accessToken',
      't.access_expires_at as accessExpiresAt',
      't.refresh_token as refreshToken',
      't.refresh_expires_at as refreshExpiresAt',
      't.version',
      't.needs_sign_in_at as needsSignInAt',
      't.is_removed as isRemoved',
    ])
    .where('s.shop', '=', shop)
    .executeTakeFirst()
  return row ? { ...row, version: row.version ?? 0, isRemoved: row.isRemoved ?? false } : null
}

/**
 * Takes the right to renew a store's tokens. Null when another process has it, or has renewed them
 * since `row` was read. No connection is held meanwhile: the lease is a time in the row.
 */
export async function takeLease(
  { kysely }: Db,
  { storeId, version }: StoreTokens,
): Promise<string | null> {
  const lease = randomUUID()
  // The row of a store that never had tokens is made here, unless the store is gone.
  if (version === 0)
    await sql`insert into platform_tokens (store_id, updated_at) select store_id, now() from stores where store_id = ${storeId} and status = 'installed' on conflict do nothing`.execute(
      kysely,
    )
  const taken = await kysely
    .updateTable('platform_tokens')
    .set({
      lease_id: lease,
      leased_until: sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`,
    })
    .where('store_id', '=', storeId)
    .where('version', '=', version)
    .where('leased_until', '<', sql<Date>`clock_timestamp()`)
    .returning('store_id')
    .executeTakeFirst()
  return taken ? lease : null
}

export async function endLease({ kysely }: Db, storeId: string, lease: string): Promise<void> {
  await kysely
    .updateTable('platform_tokens')
    .set({ lease_id: null, leased_until: sql<Date>`'-infinity'` })
    .where('store_id', '=', storeId)
    .where('lease_id', '=', lease)
    .execute()
}

/**
 * Stores a renewed pair. False, and nothing is stored, when the lease is not ours any more: a
 * sign-in or another process has stored a newer pair, or the app was uninstalled.
 */
export async function storeRenewed(
  { kysely }: Db,
  storeId: string,
  lease: string,
  tokens: NewTokens,
): Promise<boolean> {
  const stored = await kysely
    .updateTable('platform_tokens')
    .set({ ...tokens, ...released, version: sql<number>`version + 1` })
    .where('store_id', '=', storeId)
    .where('lease_id', '=', lease)
    .returning('store_id')
    .executeTakeFirst()
  return stored !== undefined
}

/**
 * Stores the pair of a sign-in. A renewal under way loses its lease. False, and nothing is stored,
 * when other tokens were stored after `version`.
 */
export async function storeSignedIn(
  trx: Trx,
  storeId: string,
  tokens: NewTokens,
  version: number,
): Promise<boolean> {
  const next = version + 1
  const stored = await trx
    .insertInto('platform_tokens')
    .values({ store_id: storeId, version: next, ...tokens })
    .onConflict(oc =>
      oc
        .column('store_id')
        .doUpdateSet({ ...tokens, ...released, version: next })
        .where('platform_tokens.version', '=', version),
    )
    .returning('store_id')
    .executeTakeFirst()
  return stored !== undefined
}

/** Whether the platform refuses our tokens for the store until its merchant signs in. */
export const isSignInNeeded = async (on: Reader, storeId: string): Promise<boolean> =>
  (await on
    .selectFrom('platform_tokens')
    .select('store_id')
    .where('store_id', '=', storeId)
    .where('needs_sign_in_at', 'is not', null)
    .executeTakeFirst()) !== undefined

/** Marks that the platform refuses the tokens of `row`. False when they were replaced meanwhile. */
export async function markRefused(
  { kysely }: Db,
  { storeId, version }: StoreTokens,
  at: Date,
  isRemoved: boolean,
): Promise<boolean> {
  const marked = await kysely
    .updateTable('platform_tokens')
    .set({
      needs_sign_in_at: at,
      is_removed: isRemoved,
      lease_id: null,
      leased_until: sql<Date>`'-infinity'`,
    })
    .where('store_id', '=', storeId)
    .where('version', '=', version)
    .returning('store_id')
    .executeTakeFirst()
  return marked !== undefined
}
