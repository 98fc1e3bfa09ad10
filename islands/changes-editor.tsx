/** @jsxImportSource react */
import { useEffect, useReducer, useRef, useState } from 'react'
import { changeField, describeChange, emptyChange } from '../domain/change-kind.ts'
import type { FormChange } from '../domain/draft-form.ts'
import { ChangeRow } from './change-row.tsx'
import { changesState, reduceChanges, type Row } from './changes-state.ts'
import { Icon } from './icon.tsx'
import { changeOf, edited, pickedAgain } from './picker-row.ts'
import { picker, usePicker } from './picker-store.ts'

export type ChangesEditorProps = {
  changes: FormChange[]
  /** Pages by group, where there are several. */
  groups?: string[][]
  /** Messages by field: `changes`, `changes.2.selector`, or as the engine calls it. */
  problems: Record<string, string>
  /** The change to show unfolded: the first at fault, or one just added. */
  open: number | null
}
const limit = 50

/**
 * The list of changes. Fields are named `changes.N.selector` and so on and belong to the page's form; the add and
 * remove buttons submit it when no script runs, and here save that round trip. The frame beside it (preview-frame.tsx)
 * shows them as they are edited and brings what is picked there.
 */
export function ChangesEditor({ changes, groups = [], problems, open }: ChangesEditorProps) {
  const [state, act] = useReducer(reduceChanges, null, () => changesState(changes, open ?? firstBroken(changeProblems(problems))))
  const { rows } = state
  const [told, setTold] = useState(() => changeProblems(problems))
  const [unfolded, setUnfolded] = useState(() => open ?? firstBroken(told))
  const [removed, setRemoved] = useState<{ row: Row; at: number } | null>(null)
  const { known } = usePicker()
  const list = useRef<HTMLUListElement>(null)
  /** What gets the focus once it is drawn, as found in the list. */
  const focus = useRef<string | null>(null)
  const isFirst = useRef(true)

  useEffect(() => {
    if (focus.current) list.current?.querySelector<HTMLElement>(focus.current)?.focus()
    focus.current = null
    picker.set({ changes: rows.map(({ selector, kind, value, name, group = 0 }) => ({ selector, kind, value, name, ...(groups[1] && groups[group] && { pages: groups[group] }) })) })
    // Whoever saves the form by itself hears of changes by its events, and these were not typed.
    if (!isFirst.current) list.current?.dispatchEvent(new Event('input', { bubbles: true }))
    isFirst.current = false
  }, [rows])
  useEffect(() => () => picker.set({ changes: null, found: new Map(), known: new Map() }), [])

  const edit = (at: number, part: Partial<FormChange>) => {
    const row = rows[at]!
    act({ do: 'edit', key: row.key, part: edited(row, part, known.get(row.selector)) })
    // A message is about what was sent; it goes once its own field is touched.
    const { [`changes.${at}.${Object.keys(part)[0]}`]: _, ...rest } = told
    setTold(rest)
  }
  const append = (change: FormChange, focusOn: string) => {
    focus.current = `.change:last-child ${focusOn}`
    setRemoved(null)
    setUnfolded(rows.length)
    setTold({})
    act({ do: 'add', change })
  }
  const remove = (at: number) => {
    setRemoved({ row: rows[at]!, at })
    setUnfolded(null)
    setTold({})
    act({ do: 'remove', keys: [rows[at]!.key] })
  }
  const undo = () => {
    if (!removed) return
    act({ do: 'restore', rows: [removed] })
    setUnfolded(removed.at)
    setTold({})
    setRemoved(null)
  }
  useEffect(() => picker.taker((element, { key, part }) => {
    if (key === null) return append(changeOf(element), 'select')
    const at = rows.findIndex(row => row.key === key)
    if (at < 0) return
    focus.current = `.change:nth-child(${at + 1}) ${part === 'value' ? '[name$=".value"]' : 'select'}`
    const row = rows[at]!
    act({ do: 'edit', key, part: part === 'value' ? { value: element.selector } : pickedAgain(row, known.get(row.selector), element) })
    setUnfolded(at)
    setTold({})
  }))
  return (
    <section className="panel" aria-labelledby="changes-heading">
      <h2 id="changes-heading">Changes</h2>
      <div className="row">
        <button type="button" className="small needs-script" disabled={rows.length >= limit} onClick={() => picker.start({ key: null, part: 'selector' })}><Icon name="pick" />Pick an element</button>
        <button className="secondary small" name="act" value="add" disabled={rows.length >= limit} onClick={e => { e.preventDefault(); append(emptyChange, 'input') }}>
          <Icon name="plus" />Add a change
        </button>
      </div>
      {told.changes && <p className="field-error" id="changes-problem"><Icon name="warning" />{told.changes}</p>}
      {rows.length === 0 && !removed && <p className="note">Nothing is changed yet. Pick an element on the page, or add a change and say which element it is about.</p>}
      <ul className="changes" ref={list}>
        {rows.map((row, at) => (
          <ChangeRow key={row.key} row={row} groups={groups} at={at} open={at === unfolded} problems={told}
            onEdit={part => edit(at, part)} onFold={now => { if (now) setUnfolded(at); else if (at === unfolded) setUnfolded(null) }} onRemove={() => remove(at)} />
        ))}
      </ul>
      {removed && (
        <p className="row note" role="status">Removed: {describeChange(removed.row)}
          <button type="button" className="secondary small" onClick={undo}><Icon name="undo" />Undo</button>
        </p>
      )}
      {/* Tells the server that the list was in this form, even when it is empty. */}
      <input type="hidden" name="changes" value={rows.length} />
    </section>
  )
}

/** Messages by the name of their field here. */
const changeProblems = (problems: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(problems).map(([field, message]) => [changeField(field), message]))

function firstBroken(problems: Record<string, string>): number | null {
  const at = Object.keys(problems).map(field => /^changes\.(\d+)\./.exec(field)?.[1]).find(found => found !== undefined)
  return at === undefined ? null : Number(at)
}
