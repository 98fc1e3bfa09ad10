import type { Db } from '../db/connection.ts'
import { rows, run } from '../db/raw.ts'
import type { KeyPurpose, KeyRing } from './key-ring.ts'
import { sealOf } from './seal.ts'

/** Everything that is kept sealed: where, and by whose id. */
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
  { table: 'staff_users', owner: 'user_id', column: 'totp_secret', purpose: 'secondFactors' },
]

/** At a start: seals what older secrets have sealed by the newest, so that an old one may be taken out. */
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
      // Unless it was written, or sealed by another engine, just now.
      if (renewed)
        await run(
          kysely,
          `update ${table} set ${column} = $3 where ${owner} = $1 and ${column} = $2`,
          [id, Buffer.from(sealed), renewed],
        )
    }
  }
}
