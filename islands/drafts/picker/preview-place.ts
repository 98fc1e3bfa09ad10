import type { Place } from '../../../domain/drafts/picker-message.ts'
import type { Session } from './picker-session.ts'

/**
 * Where the shop's page is scrolled to. Pages beside each other scroll together, and a page that is
 * loaded again returns to this place.
 */
export type SharedPlace = {
  now: () => Place | null
  /** Adds a session. Returns a function that removes it. */
  join: (session: Session) => () => void
  /** The page of this session was scrolled. */
  moved: (from: Session, to: Place) => void
}

export function sharedPlace(): SharedPlace {
  let at: Place | null = null
  const sessions = new Set<Session>()
  return {
    now: () => at,
    join: session => {
      sessions.add(session)
      return () => {
        sessions.delete(session)
      }
    },
    moved: (from, to) => {
      at = to
      for (const session of sessions) if (session !== from) session.send({ type: 'scroll', to })
    },
  }
}
