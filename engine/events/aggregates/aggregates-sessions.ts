import { rows as query } from '../../db/raw.ts'
import type { EventRow } from '../ingest-rows.ts'
import type { Trx } from '../../db/types.ts'

/**
 * A part of a session (stand-still.ts `partAt`) as far as it is known: first and last act (milliseconds), pages seen. Min, max
 * and a count of single events, so the order in which they come does not matter.
 */
export type SessionSpan = { part: number; first: number; last: number; views: number }
/** One visitor's sessions by id, in their parts; empty where there is none of that id. */
export type Sessions = Map<string, SessionSpan[]>
/** Those that a batch has touched, as they were and as they are. */
export type SessionChanges = { before: Sessions; after: Sessions }
export type FoldedSessions = Map<
  string,
  { storeId: string; visitor: string; spans: Map<string, SessionSpan[]> }
>

export const visitorKey = (storeId: string, visitor: string): string => `${storeId} ${visitor}`

/** The span of a part of a visit's session, made when there is none yet. */
export function spanOf(
  sessions: FoldedSessions,
  { storeId, visitor, session }: EventRow['visit'],
  part: number,
): SessionSpan {
  const key = visitorKey(storeId, visitor)
  let own = sessions.get(key)
  if (!own) sessions.set(key, (own = { storeId, visitor, spans: new Map() }))
  let parts = own.spans.get(session)
  if (!parts) own.spans.set(session, (parts = []))
  let span = parts.find(one => one.part === part)
  if (!span) parts.push((span = { part, first: Infinity, last: -Infinity, views: 0 }))
  return span
}

export function widen(span: SessionSpan, { at, kind }: EventRow): void {
  if (at < span.first) span.first = at
  if (at > span.last) span.last = at
  if (kind === 'view') span.views++
}

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
const spanOfRow = ({ part, first, last, views }: Row): SessionSpan => ({ part, first, last, views })

/** Adds what is new to the stored sessions; answers both sides of each visitor's. */
export async function writeSessions(
  trx: Trx,
  folded: FoldedSessions,
): Promise<Map<string, SessionChanges>> {
  const changes = new Map<string, SessionChanges>()
  const added = [...folded.values()].flatMap(({ storeId, visitor, spans }) =>
    [...spans].flatMap(([session, parts]) =>
      parts.map(span => ({ storeId, visitor, session, ...span })),
    ),
  )
  if (added.length === 0) return changes
  // Both halves see the table as it was before the statement: what is read is what stood there, all parts of each session.
  const old = await query<Row>(
    trx,
    `
    with added as (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::int[], $7::float8[]) a(store_id, visitor_id, session_id, first, last, views, part)),
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
    ],
  )
  const known = new Map<string, SessionSpan[]>()
  for (const row of old) {
    const key = `${visitorKey(row.store_id, row.visitor_id)} ${row.session_id}`,
      parts = known.get(key)
    if (!parts) known.set(key, [spanOfRow(row)])
    // A session that gains in two parts is answered twice.
    else if (!parts.some(({ part }) => part === row.part)) parts.push(spanOfRow(row))
  }
  for (const [key, { spans }] of folded) {
    const change: SessionChanges = { before: new Map(), after: new Map() }
    for (const [session, added] of spans) {
      const before = known.get(`${key} ${session}`) ?? []
      change.before.set(session, before)
      change.after.set(session, joined(before, added))
    }
    changes.set(key, change)
  }
  return changes
}

function joined(known: SessionSpan[], added: SessionSpan[]): SessionSpan[] {
  if (known.length === 0) return added
  const after = added.map(b => {
    const a = known.find(({ part }) => part === b.part)
    return a
      ? {
          part: a.part,
          first: Math.min(a.first, b.first),
          last: Math.max(a.last, b.last),
          views: a.views + b.views,
        }
      : b
  })
  return [...known.filter(a => !added.some(({ part }) => part === a.part)), ...after]
}

/** Every session of these visitors as it stands now. */
export async function readSessions(
  trx: Trx,
  visitors: { storeId: string; visitor: string }[],
): Promise<Map<string, Sessions>> {
  // Who is in several tests is asked for in each.
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
  for (const row of stored) {
    const own = found.get(visitorKey(row.store_id, row.visitor_id))!,
      parts = own.get(row.session_id)
    if (parts) parts.push(spanOfRow(row))
    else own.set(row.session_id, [spanOfRow(row)])
  }
  return found
}
