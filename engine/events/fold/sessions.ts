import type { EventRow } from './event-rows.ts'

/**
 * A part of a session (stand-still.ts `partAt`), as far as it is known: first and last act
 * (milliseconds), pages seen. These are a minimum, a maximum and a count of single events, so the
 * order of the events does not matter.
 */
export type SessionSpan = { part: number; first: number; last: number; views: number }
/**
 * One visitor's sessions: the list of parts by session id, empty if nothing is stored for that id.
 */
export type Sessions = Map<string, SessionSpan[]>
/** The sessions that a batch touched, as they were before it and as they are after it. */
export type SessionChanges = { before: Sessions; after: Sessions }
export type FoldedSessions = Map<
  string,
  { storeId: string; visitor: string; spans: Map<string, SessionSpan[]> }
>

export const visitorKey = (storeId: string, visitor: string): string => `${storeId} ${visitor}`

/** Returns the span of a part of the visit's session, and adds it if it is missing. */
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

/**
 * Each visitor's sessions before and after the batch. `known`: these sessions as they were stored
 * before.
 */
export function sessionChanges(
  folded: FoldedSessions,
  known: Map<string, Sessions>,
): Map<string, SessionChanges> {
  const changes = new Map<string, SessionChanges>()
  for (const [key, { spans }] of folded) {
    const change: SessionChanges = { before: new Map(), after: new Map() }
    for (const [session, added] of spans) {
      const before = known.get(key)?.get(session) ?? []
      change.before.set(session, before)
      change.after.set(session, joined(before, added))
    }
    changes.set(key, change)
  }
  return changes
}

/** Visitors' sessions after the batch, from all of their sessions before it. */
export const withChanges = (
  all: ReadonlyMap<string, Sessions>,
  changes: ReadonlyMap<string, SessionChanges>,
): Map<string, Sessions> =>
  new Map(
    [...all].map(([key, own]) => {
      const change = changes.get(key)
      return [key, change ? new Map([...own, ...change.after]) : own]
    }),
  )

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
