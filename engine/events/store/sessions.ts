import { rows as query } from '../../db/raw.ts'
import type { Statement } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'
import { type FoldedSessions, type Sessions, visitorKey } from '../fold/sessions.ts'

export type SessionRow = {
  store_id: string
  visitor_id: string
  session_id: string
  part: number
  first: number
  last: number
  views: number
}
const columns = `s.store_id, s.visitor_id, s.session_id, s.part::float8 as part, round(extract(epoch from s.first_at) * 1000)::float8 as first, round(extract(epoch from s.last_at) * 1000)::float8 as last, s.views`
type Visitors = readonly { storeId: string; visitor: string }[]

/** Maximum number of a visitor's sessions that `someSessionsOf` finds. Most visitors have fewer. */
const fewSessions = 9

/** Finds the sessions of these visitors, up to `fewSessions` of each. */
export const someSessionsOf = (visitors: Visitors): Statement => ({
  name: 'sessions',
  text: `
    select ${columns} from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from visitor_sessions s where s.store_id = k.store_id and s.visitor_id = k.visitor_id limit ${fewSessions}) s`,
  values: [visitors.map(v => v.storeId), visitors.map(v => v.visitor)],
})

/** By visitor, all their sessions; without visitors who may have more than were found. */
export function allSessionsIn(
  visitors: Visitors,
  found: readonly SessionRow[],
): Map<string, Sessions> {
  const counts = new Map<string, number>()
  for (const row of found) {
    const key = visitorKey(row.store_id, row.visitor_id)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const all = byVisitor(found)
  return new Map(
    visitors
      .map(({ storeId, visitor }) => visitorKey(storeId, visitor))
      .filter(key => (counts.get(key) ?? 0) < fewSessions)
      .map(key => [key, all.get(key) ?? new Map()]),
  )
}

/**
 * These sessions as they are stored, with all their parts, by visitor. `known`: visitors whose
 * sessions are all known.
 */
export async function storedSessions(
  trx: Trx,
  folded: FoldedSessions,
  known: ReadonlyMap<string, Sessions>,
): Promise<Map<string, Sessions>> {
  const asked = [...folded].flatMap(([key, { storeId, visitor, spans }]) =>
    known.has(key) ? [] : [...spans.keys()].map(session => ({ storeId, visitor, session })),
  )
  if (asked.length === 0) return new Map(known)
  const found = await query<SessionRow>(
    trx,
    `
    select ${columns} from unnest($1::uuid[], $2::text[], $3::text[]) a(store_id, visitor_id, session_id),
      lateral (select * from visitor_sessions s where s.store_id = a.store_id and s.visitor_id = a.visitor_id and s.session_id = a.session_id offset 0) s`,
    [asked.map(a => a.storeId), asked.map(a => a.visitor), asked.map(a => a.session)],
  )
  return new Map([...known, ...byVisitor(found)])
}

/** Stores the batch's sessions. */
export function writeSessions(folded: FoldedSessions): Statement[] {
  const added = [...folded.values()].flatMap(({ storeId, visitor, spans }) =>
    [...spans].flatMap(([session, parts]) =>
      parts.map(span => ({ storeId, visitor, session, ...span })),
    ),
  )
  if (added.length === 0) return []
  return [
    {
      name: 'sessions',
      text: `
      insert into visitor_sessions as s (store_id, visitor_id, session_id, part, first_at, last_at, views)
      select store_id, visitor_id, session_id, part, to_timestamp(first / 1000), to_timestamp(last / 1000), views
      from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::int[], $7::float8[]) a(store_id, visitor_id, session_id, first, last, views, part)
      on conflict (store_id, visitor_id, session_id, part) do update
        set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at), views = s.views + excluded.views`,
      values: [
        added.map(a => a.storeId),
        added.map(a => a.visitor),
        added.map(a => a.session),
        added.map(a => a.first),
        added.map(a => a.last),
        added.map(a => a.views),
        added.map(a => a.part),
      ],
    },
  ]
}

/** All stored sessions of these visitors. `known`: those that were read already. */
export async function readSessions(
  trx: Trx,
  visitors: Visitors,
  known: ReadonlyMap<string, Sessions> = new Map(),
): Promise<Map<string, Sessions>> {
  // A visitor in several tests is given once for each.
  const single = new Map(visitors.map(v => [visitorKey(v.storeId, v.visitor), v])),
    asked = [...single].filter(([key]) => !known.has(key)).map(([, visitor]) => visitor)
  const found =
    asked.length === 0
      ? new Map<string, Sessions>()
      : byVisitor(
          await query<SessionRow>(
            trx,
            `
    select ${columns} from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from visitor_sessions s where s.store_id = k.store_id and s.visitor_id = k.visitor_id offset 0) s`,
            [asked.map(v => v.storeId), asked.map(v => v.visitor)],
          ),
        )
  return new Map(
    [...single.keys()].map(key => [key, known.get(key) ?? found.get(key) ?? new Map()]),
  )
}

function byVisitor(found: readonly SessionRow[]): Map<string, Sessions> {
  const known = new Map<string, Sessions>()
  for (const row of found) {
    const key = visitorKey(row.store_id, row.visitor_id)
    let own = known.get(key)
    if (!own) known.set(key, (own = new Map()))
    const { session_id: session, store_id: _store, visitor_id: _visitor, ...span } = row,
      parts = own.get(session)
    if (parts) parts.push(span)
    else own.set(session, [span])
  }
  return known
}
