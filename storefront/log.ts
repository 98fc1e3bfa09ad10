import type { Visit, VisitorMemory } from './core.ts'

/** Writes to the console what the script knows about the visitor, and what it shows them. */
export const logVisit = (memory: VisitorMemory, { events, tested, shown, redirect }: Visit): void =>
  console.debug(
    'twinshelf',
    memory,
    'events',
    events,
    'tested',
    tested,
    'shown',
    shown,
    'redirect',
    redirect,
  )
