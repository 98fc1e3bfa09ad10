import type { Direction } from '../../domain/drafts/undo-keys.ts'
import {
  type Edit,
  type EditHistory,
  type Fields,
  fieldChange,
  noHistory,
  record,
} from './edit-history.ts'

/** What a tab remembers about a draft from one page of the editor to the next. */
export type Session = {
  history: EditHistory
  /** The draft’s version, as far as this tab knows it. */
  version: number
  /** The latest pages of this tab that saved the draft, by the names that they sent. */
  pages: string[]
  /**
   * The page that was open last: its place, its fields, and what its step had stored besides them.
   */
  at: string
  fields: Fields
  kept: string | null
  /** What this tab sent when it left for the next page. */
  going: Going | null
}
/**
 * A form that was submitted by a button, or an edit that is undone or redone on the page where it
 * was made.
 */
export type Going = { act: string; label: string } | { edit: Direction }

/** A page of the editor as it was loaded. */
export type Arrived = {
  at: string
  version: number
  fields: Fields
  kept: string | null
  /** The page that made this version of the draft; null when the server does not know it. */
  by: string | null
  /** The server stored nothing, because somebody else had saved the draft. */
  isConflict: boolean
  /** The page shows a problem: what was requested may not have been done. */
  isRefused: boolean
}
export type Arrival = {
  history: EditHistory
  /** Somebody else changed the draft, so its history is lost. */
  isElsewhere: boolean
  /** Set when an edit must be undone or redone on this page. */
  edit: Direction | null
  /** Set when the server has undone or redone an edit. */
  done: Direction | null
}

/** Decides what happens to the history on a page that has just been loaded. */
export function arrive(session: Session | null, page: Arrived): Arrival {
  const nothing: Arrival = { history: noHistory, isElsewhere: false, edit: null, done: null }
  if (!session) return nothing
  const { going, history } = session
  const isOwn =
    going !== null ||
    page.version === session.version ||
    (page.by !== null && session.pages.includes(page.by))
  if (page.isConflict || !isOwn)
    return { ...nothing, isElsewhere: history.past.length + history.future.length > 0 }
  const same: Arrival = { ...nothing, history }
  if (!going) return same
  if ('act' in going)
    return { ...same, history: page.isRefused ? history : acted(session, going, page) }
  const edit = (going.edit === 'undo' ? history.past : history.future).at(-1)
  if (!edit) return same
  return edit.kept
    ? { ...same, done: page.isRefused ? null : going.edit }
    : { ...same, edit: going.edit }
}

/**
 * Acts whose result shows on the next page. What only a save changes was recorded while it was
 * typed.
 */
const ownAct = /^(\w+)\.\w+:/
/**
 * Acts that show something and change nothing. What was typed before them is stored with them, as a
 * separate edit.
 */
const shows =
  /^(products\.(open|page|variants|preview|check)|page\.find|template\.look|theme\.check|split\.audience):/
/** Records an act of a step: it is the difference between the step's page before and after it. */
function acted(
  { history, at, fields, kept }: Session,
  { act, label }: { act: string; label: string },
  page: Arrived,
): EditHistory {
  const step = stepOf(page.at)
  if (stepOf(at) !== step || ownAct.exec(act)?.[1] !== step || shows.test(act)) return history
  const edit: Edit = { label, at: page.at, fields: {} }
  if (kept !== page.kept && kept !== null && page.kept !== null)
    return record(history, { ...edit, kept: { before: kept, after: page.kept } })
  const isShared = (name: string) => name in fields && name in page.fields
  const shared = (of: Fields): Fields =>
    Object.fromEntries(Object.entries(of).filter(([name]) => isShared(name)))
  const changed = fieldChange(shared(fields), shared(page.fields))
  return changed ? record(history, { ...edit, fields: changed }) : history
}
export const stepOf = (at: string): string => new URLSearchParams(at).get('step') ?? ''

/**
 * The address of a place (`at`) in the editor. All else that the form's own address says stays: the
 * host, shop and code of this browser's session.
 */
export function addressAt(at: string, action: string): string {
  const url = new URL(action)
  url.searchParams.delete('step')
  for (const [name, value] of new URLSearchParams(at)) url.searchParams.set(name, value)
  return url.href
}

const keyOf = (draft: string): string => `edits.${draft}`

/**
 * Returns null when nothing is stored, also when the browser throws because it stores nothing: the
 * history then lasts as long as the page.
 */
export function readSession(draft: string): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(draft)) ?? 'null') as Session | null
  } catch {
    return null
  }
}
export function keepSession(draft: string, session: Session): void {
  const text = JSON.stringify(session)
  try {
    sessionStorage.setItem(keyOf(draft), text)
  } catch {
    try {
      // Remove the histories of other drafts in this tab to make room.
      for (const name of Object.keys(sessionStorage))
        if (name.startsWith(keyOf(''))) sessionStorage.removeItem(name)
      sessionStorage.setItem(keyOf(draft), text)
    } catch {
      /* nothing is kept */
    }
  }
}
