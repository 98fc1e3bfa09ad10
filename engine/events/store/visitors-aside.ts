import { visitorKey } from '../fold/sessions.ts'
import { rows as query } from '../../db/raw.ts'
import type { Trx } from '../../db/types.ts'

/** Returns which of these visitors are set aside, as keys (`visitorKey`). */
export async function asideAmong(
  trx: Trx,
  visitors: readonly { storeId: string; visitor: string }[],
): Promise<Set<string>> {
  if (visitors.length === 0) return new Set()
  const found = await query<{ store_id: string; visitor_id: string }>(
    trx,
    `
    select a.store_id, a.visitor_id from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from visitors_aside a where a.store_id = k.store_id and a.visitor_id = k.visitor_id offset 0) a`,
    [visitors.map(v => v.storeId), visitors.map(v => v.visitor)],
  )
  return new Set(found.map(row => visitorKey(row.store_id, row.visitor_id)))
}

/**
 * A condition in SQL: the visitor of this row of events is not set aside. `row`: the name or alias
 * of the table.
 */
export const notAside = (row = 'events'): string =>
  `not exists (select from visitors_aside a where a.store_id = ${row}.store_id and a.visitor_id = ${row}.visitor_id)`
