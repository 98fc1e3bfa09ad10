import { visitorKey } from './aggregates-sessions.ts'
import { rows as query } from '../../db/raw.ts'
import type { Trx } from '../../db/types.ts'

type Has = (storeId: string, visitor: string) => boolean

/** Who of a store is set aside with their network, whenever that was decided. */
export async function visitorsAside(trx: Trx, storeId: string): Promise<Has> {
  const found = await query<{ visitor_id: string }>(
    trx,
    'select visitor_id from visitors_aside where store_id = $1',
    [storeId],
  )
  const visitors = new Set(found.map(row => row.visitor_id))
  return (_, visitor) => visitors.has(visitor)
}

/** Of these visitors those who are set aside, as keys. */
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

/** In SQL: the visitor of this row of events is not set aside. */
export const notAside = (row = 'events'): string =>
  `not exists (select from visitors_aside a where a.store_id = ${row}.store_id and a.visitor_id = ${row}.visitor_id)`
