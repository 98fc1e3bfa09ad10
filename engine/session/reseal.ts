import type { Db } from '../db/connection.ts'
import { rows, run } from '../db/raw.ts'
import type { KeyPurpose, KeyRing } from './key-ring.ts'
import { sealOf } from './seal.ts'

/** All sealed columns, and the column with the id of the owner that each is bound to. */
const sealedColumns: readonly {
  table: string
  owner: string
  column: string
  purpose: KeyPurpose
}[] = [
  { table: 'stores', owner: 'store_id', column: 'erasure_key', purpose: 'erasedOrders' },
  ...['refresh_token', 'access_token', 'api_secret'].map(column => ({
    table: 'analytics_settings',
    owner: 'store_id',
    column,
    purpose: 'platformTokens' as const,
  })),
  ...['access_token', 'refresh_token'].map(column => ({
    table: 'platform_tokens',
    owner: 'store_id',
    column,
    purpose: 'platformTokens' as const,
  })),
  { table: 'staff_users', owner: 'user_id', column: 'totp_secret', purpose: 'secondFactors' },
]

/**
 * Runs at each start: seals everything again with the newest secret, so that operators can remove
 * an old secret.
 */
export async function resealAll({ kysely }: Pick<Db, 'kysely'>, ring: KeyRing): Promise<void> {
  for (const { table, owner, column, purpose } of sealedColumns) {
    const seal = sealOf(ring, purpose)
    const kept = await rows<{ id: string; sealed: Uint8Array }>(
      kysely,
      `select ${owner}::text as id, ${column} as sealed from ${table} where ${column} is not null`,
      [],
    )
    for (const { id, sealed } of kept) {
      const renewed = seal.renew(id, sealed)
      // The condition on the old value skips rows that were just written, or sealed by another
      // engine.
      if (renewed)
        await run(
          kysely,
          `update ${table} set ${column} = $3 where ${owner} = $1 and ${column} = $2`,
          [id, Buffer.from(sealed), renewed],
        )
    }
  }
}
