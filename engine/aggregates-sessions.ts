import type { Trx } from './aggregates.ts'
import { rows as query } from './db/raw.ts'
import type { EventRow } from './ingest-rows.ts'

/** A session as far as it is known: first and last act (milliseconds), pages seen. Min, max and a count of single events: any order gives the same. */
export type SessionSpan = { first: number; last: number; views: number }
/** One visitor's sessions by id; null where there is none of that id. */
export type Sessions = Map<string, SessionSpan | null>
/** Those that a batch has touched, as they were and as they are. */
export type SessionChanges = { before: Sessions; after: Sessions }
export type FoldedSessions = Map<string, { storeId: string; visitor: string; spans: Map<string, SessionSpan> }>

export const visitorKey = (storeId: string, visitor: string): string => `${storeId} ${visitor}`

/** The span of a visit's session, made when there is none yet. */
export function spanOf(sessions: FoldedSessions, { storeId, visitor, session }: EventRow['visit']): SessionSpan {
  const key = visitorKey(storeId, visitor)
  let own = sessions.get(key)
  if (!own) sessions.set(key, own = { storeId, visitor, spans: new Map() })
  let span = own.spans.get(session)
  if (!span) own.spans.set(session, span = { first: Infinity, last: -Infinity, views: 0 })
  return span
}

export function widen(span: SessionSpan, { at, kind }: EventRow): void {
  if (at < span.first) span.first = at
  if (at > span.last) span.last = at
  if (kind === 'view') span.views++
}

type Row = { store_id: string; visitor_id: string; session_id: string; first: number; last: number; views: number }
const columns = `s.store_id, s.visitor_id, s.session_id, round(extract(epoch from s.first_at) * 1000)::float8 as first, round(extract(epoch from s.last_at) * 1000)::float8 as last, s.views`
const spanOfRow = ({ first, last, views }: Row): SessionSpan => ({ first, last, views })

/** Adds what is new to the stored sessions; answers both sides of each visitor's. */
export async function writeSessions(trx: Trx, folded: FoldedSessions): Promise<Map<string, SessionChanges>> {
  const changes = new Map<string, SessionChanges>()
  const added = [...folded.values()].flatMap(({ storeId, visitor, spans }) => [...spans].map(([session, span]) => ({ storeId, visitor, session, ...span })))
  if (added.length === 0) return changes
  // Both parts see the table as it was before the statement: what is read is what stood there.
  const old = await query<Row>(trx, `
    with added as (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::int[]) a(store_id, visitor_id, session_id, first, last, views)),
    written as (
      insert into visitor_sessions as s (store_id, visitor_id, session_id, first_at, last_at, views)
      select store_id, visitor_id, session_id, to_timestamp(first / 1000), to_timestamp(last / 1000), views from added
      on conflict (store_id, visitor_id, session_id) do update
        set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at), views = s.views + excluded.views)
    select ${columns} from added a,
      lateral (select * from visitor_sessions s where s.store_id = a.store_id and s.visitor_id = a.visitor_id and s.session_id = a.session_id offset 0) s`,
  [added.map(a => a.storeId), added.map(a => a.visitor), added.map(a => a.session), added.map(a => a.first), added.map(a => a.last), added.map(a => a.views)])
  const known = new Map(old.map(row => [`${visitorKey(row.store_id, row.visitor_id)} ${row.session_id}`, spanOfRow(row)]))
  for (const [key, { spans }] of folded) {
    const change: SessionChanges = { before: new Map(), after: new Map() }
    for (const [session, span] of spans) {
      const before = known.get(`${key} ${session}`) ?? null
      change.before.set(session, before)
      change.after.set(session, before ? { first: Math.min(before.first, span.first), last: Math.max(before.last, span.last), views: before.views + span.views } : span)
    }
    changes.set(key, change)
  }
  return changes
}

/** Every session of these visitors as it stands now. */
export async function readSessions(trx: Trx, visitors: { storeId: string; visitor: string }[]): Promise<Map<string, Sessions>> {
  const found = new Map<string, Sessions>(visitors.map(v => [visitorKey(v.storeId, v.visitor), new Map()]))
  if (found.size === 0) return found
  const stored = await query<Row>(trx, `
    select ${columns} from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from visitor_sessions s where s.store_id = k.store_id and s.visitor_id = k.visitor_id offset 0) s`,
  [visitors.map(v => v.storeId), visitors.map(v => v.visitor)])
  for (const row of stored) found.get(visitorKey(row.store_id, row.visitor_id))!.set(row.session_id, spanOfRow(row))
  return found
}
