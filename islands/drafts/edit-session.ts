import type { Direction } from '../../domain/drafts/undo-keys.ts'
import {
  type Edit,
  type EditHistory,
  type Fields,
  fieldChange,
  noHistory,
  record,
} from './edit-history.ts'

/** What a tab keeps of a draft from one of its pages to the next. */
export type Session = {
  history: EditHistory
  /** The draft’s version, as far as this tab knows it. */
  version: number
  /** Pages of this tab that saved the draft, by the names that they saved it under. */
  pages: string[]
  /** The page that was open last: its place, its fields, and what its step had stored besides them. */
  at: string
  fields: Fields
  kept: string | null
  /** What this tab has sent on its way to the next page. */
  going: Going | null
}
/** A form that was submitted by a button, or an edit that is undone on its own page. */
export type Going = { act: string; label: string } | { edit: Direction }

/** A page of the editor as it came. */
export type Arrived = {
  at: string
  version: number
  fields: Fields
  kept: string | null
  /** The page that made this version of the draft, where the server knows it. */
  by: string | null
  /** The server stored nothing, as somebody else had saved the draft. */
  isConflict: boolean
  /** The page says that something is wrong: what was asked for may not be done. */
  isRefused: boolean
}
export type Arrival = {
  history: EditHistory
  /** The draft was changed by somebody else: its history is gone. */
  isElsewhere: boolean
  /** An edit that is to be undone or done again on this page. */
  edit: Direction | null
  /** An edit that the server has undone or done again. */
  done: Direction | null
}

/** What becomes of the history on a page that has just come. */
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

/** Acts whose outcome stands on the page that follows. What a save alone changes was recorded as it was typed. */
const ownAct = /^(\w+)\.\w+:/
/** Acts that show something and change nothing. What was typed before them is stored with them, as an edit of its own. */
const shows =
  /^(products\.(open|page|variants|preview|check)|page\.find|template\.look|theme\.check|split\.audience):/
/** What an act of a step did is the difference between two pages of it. */
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

const keyOf = (draft: string): string => `edits.${draft}`

/** A browser that keeps nothing says so by throwing: then the history lasts as long as the page. */
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
      // Other drafts of this tab go first.
      for (const name of Object.keys(sessionStorage))
        if (name.startsWith(keyOf(''))) sessionStorage.removeItem(name)
      sessionStorage.setItem(keyOf(draft), text)
    } catch {
      /* nothing is kept */
    }
  }
}
