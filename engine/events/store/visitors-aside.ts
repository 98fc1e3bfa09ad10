import { visitorKey } from '../fold/sessions.ts'
import { rows as query } from '../../db/raw.ts'
import type { Statement } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'

type Visitors = readonly { storeId: string; visitor: string }[]
export type AsideRow = { store_id: string; visitor_id: string }

/** Returns which of these visitors are set aside, as keys (`visitorKey`). */
export async function asideAmong(trx: Trx, visitors: Visitors): Promise<Set<string>> {
  if (visitors.length === 0) return new Set()
  const { text, values } = asideOf(visitors)
  return asideIn(await query<AsideRow>(trx, text, values))
}

export const asideIn = (found: readonly AsideRow[]): Set<string> =>
  new Set(found.map(row => visitorKey(row.store_id, row.visitor_id)))

/** Finds which of these visitors are set aside. */
export const asideOf = (visitors: Visitors): Statement => ({
  name: 'aside',
  text: `
    select a.store_id, a.visitor_id from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from visitors_aside a where a.store_id = k.store_id and a.visitor_id = k.visitor_id offset 0) a`,
  values: [visitors.map(v => v.storeId), visitors.map(v => v.visitor)],
})

/**
 * A condition in SQL: the visitor of this row of events is not set aside. `row`: the name or alias
 * of the table.
 */
export const notAside = (row = 'events'): string =>
  `not exists (select from visitors_aside a where a.store_id = ${row}.store_id and a.visitor_id = ${row}.visitor_id)`
