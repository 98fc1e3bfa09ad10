import { rows as query } from '../../db/raw.ts'
import { joined, type Statement, together } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'
import {
  type FoldedSessions,
  type Sessions,
  type SessionSpan,
  visitorKey,
} from '../fold/sessions.ts'

type Row = {
  store_id: string
  visitor_id: string
  session_id: string
  part: number
  first: number
  last: number
  views: number
}
const columns = `s.store_id, s.visitor_id, s.session_id, s.part::float8 as part, round(extract(epoch from s.first_at) * 1000)::float8 as first, round(extract(epoch from s.last_at) * 1000)::float8 as last, s.views`
/** Adds each part of a session once, even if the query returns its row several times. */
function addSpan(sessions: Sessions, row: Row): void {
  const parts = sessions.get(row.session_id)
  if (!parts) sessions.set(row.session_id, [spanOfRow(row)])
  else if (!parts.some(({ part }) => part === row.part)) parts.push(spanOfRow(row))
}
const spanOfRow = ({ part, first, last, views }: Row): SessionSpan => ({ part, first, last, views })

/**
 * Stores the batch's sessions, and with them what `besides` writes. Returns the same sessions as
 * they were stored before, by visitor.
 */
export async function addSessions(
  trx: Trx,
  folded: FoldedSessions,
  besides: Statement[] = [],
): Promise<Map<string, Sessions>> {
  const known = new Map<string, Sessions>()
  const added = [...folded.values()].flatMap(({ storeId, visitor, spans }) =>
    [...spans].flatMap(([session, parts]) =>
      parts.map(span => ({ storeId, visitor, session, ...span })),
    ),
  )
  if (added.length === 0) {
    await together(trx, besides)
    return known
  }
  const others = joined(besides, 7)
  // Both parts see the table as it was before the statement, so the select returns what was stored
  // before, with all parts of each session.
  const old = await query<Row>(
    trx,
    `
    with ${besides.length > 0 ? `${others.ctes}, ` : ''}added as (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::int[], $7::float8[]) a(store_id, visitor_id, session_id, first, last, views, part)),
    written as (
      insert into visitor_sessions as s (store_id, visitor_id, session_id, part, first_at, last_at, views)
      select store_id, visitor_id, session_id, part, to_timestamp(first / 1000), to_timestamp(last / 1000), views from added
      on conflict (store_id, visitor_id, session_id, part) do update
        set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at), views = s.views + excluded.views)
    select ${columns} from added a,
      lateral (select * from visitor_sessions s where s.store_id = a.store_id and s.visitor_id = a.visitor_id and s.session_id = a.session_id offset 0) s`,
    [
      added.map(a => a.storeId),
      added.map(a => a.visitor),
      added.map(a => a.session),
      added.map(a => a.first),
      added.map(a => a.last),
      added.map(a => a.views),
      added.map(a => a.part),
      ...others.values,
    ],
  )
  // The query returns a session twice if two of its parts change.
  for (const row of old) {
    const key = visitorKey(row.store_id, row.visitor_id)
    let own = known.get(key)
    if (!own) known.set(key, (own = new Map()))
    addSpan(own, row)
  }
  return known
}

/** All stored sessions of these visitors. */
export async function readSessions(
  trx: Trx,
  visitors: { storeId: string; visitor: string }[],
): Promise<Map<string, Sessions>> {
  // A visitor in several tests is given once for each.
  const single = [...new Map(visitors.map(v => [visitorKey(v.storeId, v.visitor), v])).values()]
  const found = new Map<string, Sessions>(
    single.map(v => [visitorKey(v.storeId, v.visitor), new Map()]),
  )
  if (found.size === 0) return found
  const stored = await query<Row>(
    trx,
    `
    select ${columns} from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from visitor_sessions s where s.store_id = k.store_id and s.visitor_id = k.visitor_id offset 0) s`,
    [single.map(v => v.storeId), single.map(v => v.visitor)],
  )
  for (const row of stored) addSpan(found.get(visitorKey(row.store_id, row.visitor_id))!, row)
  return found
}
