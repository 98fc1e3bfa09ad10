import type { Direction } from '../../domain/drafts/undo-keys.ts'

/** The fields of the editor's form: each name with all of its values, in order. */
export type Fields = Record<string, string[]>
/** What was changed in fields. null: the field was not there. */
export type FieldChange = Record<string, { before: string[] | null; after: string[] | null }>

/** One step of the merchant's work on a draft, which can be undone and redone. */
export type Edit = {
  /** What was changed, in words: "Hypothesis", "Text of Add to cart". */
  label: string
  /** Where in the editor its fields are: the query of the page's address. */
  at: string
  fields: FieldChange
  /**
   * What the editor's step had stored besides its fields, before and after. Only the server can
   * restore it.
   */
  kept?: { before: string; after: string }
}
/** The newest edit is the last in `past`. The edit that is redone first is the last in `future`. */
export type EditHistory = { past: Edit[]; future: Edit[] }

export const noHistory: EditHistory = { past: [], future: [] }

/** A tab keeps at most this many edits of a draft, and this many characters of JSON. */
export const maxEdits = 100,
  maxCharacters = 400_000

/** What differs between two readings of the form; null when nothing does. */
export function fieldChange(before: Fields, after: Fields): FieldChange | null {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter(name => !isSame(before[name], after[name]))
  if (changed.length === 0) return null
  return Object.fromEntries(
    changed.map(name => [name, { before: before[name] ?? null, after: after[name] ?? null }]),
  )
}

/**
 * Adds an edit. Edits that were undone before it can no longer be redone. `isTyping`: letters that
 * are typed one after another are one edit, as long as they go into the fields of the edit before.
 */
export function record({ past }: EditHistory, edit: Edit, isTyping = false): EditHistory {
  const last = past.at(-1)
  if (!isTyping || !last || !continues(last, edit)) return bounded([...past, edit])
  const fields = Object.fromEntries(
    Object.entries({ ...last.fields, ...edit.fields }).flatMap(([name, change]) => {
      const before = name in last.fields ? last.fields[name]!.before : change.before
      const { after } = edit.fields[name] ?? change
      return isSame(before, after) ? [] : [[name, { before, after }]]
    }),
  )
  // The text was typed and then removed by the browser's own undo: nothing is left of the edit.
  if (Object.keys(fields).length === 0) return { past: past.slice(0, -1), future: [] }
  return bounded([...past.slice(0, -1), { ...last, fields }])
}

/** The edit that is undone or redone next; undefined when there is none. */
export const nextEdit = ({ past, future }: EditHistory, direction: Direction): Edit | undefined =>
  (direction === 'undo' ? past : future).at(-1)

/** The history after its next edit is undone or redone. */
export function moved({ past, future }: EditHistory, direction: Direction): EditHistory {
  if (direction === 'undo')
    return { past: past.slice(0, -1), future: [...future, ...past.slice(-1)] }
  return { past: [...past, ...future.slice(-1)], future: future.slice(0, -1) }
}

/** The values of an edit's fields after it is undone or redone. */
export const valuesOf = ({ fields }: Edit, direction: Direction): Record<string, string[] | null> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { before, after }]) => [
      name,
      direction === 'undo' ? before : after,
    ]),
  )

const isSame = (
  a: readonly string[] | null | undefined,
  b: readonly string[] | null | undefined,
): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

const continues = (last: Edit, edit: Edit): boolean =>
  !last.kept &&
  !edit.kept &&
  last.at === edit.at &&
  Object.keys(edit.fields).every(name => name in last.fields)

/**
 * Keeps the history within its limits; the oldest edits go first. An edit that alone is too long
 * cannot be undone, nor can any edit before it.
 */
function bounded(past: Edit[]): EditHistory {
  let characters = 0
  const kept = past
    .slice(-maxEdits)
    .toReversed()
    .map(edit => (characters += JSON.stringify(edit).length))
    .filter(sum => sum <= maxCharacters).length
  return { past: kept === 0 ? [] : past.slice(-kept), future: [] }
}
