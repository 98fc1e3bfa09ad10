import type { Kysely } from 'kysely'
import type { StaffStorePage } from '../../domain/staff/staff-overview.ts'
import type { Schema } from '../db/schema.ts'

const maxListed = 20

/** What we changed in the store's shop and the shop refused to put back, newest first. */
export async function notUndoneIn(
  kysely: Kysely<Schema>,
  storeId: string,
): Promise<StaffStorePage['notUndone']> {
  const rows = await kysely
    .selectFrom('journal')
    .select(['what', 'refusal', 'created_at'])
    .where('store_id', '=', storeId)
    .where('state', '=', 'left')
    .where('refusal', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(maxListed)
    .execute()
  return rows.map(({ what, refusal, created_at }) => ({
    what,
    why: refusal ?? '',
    at: created_at.toISOString(),
  }))
}
