/** @jsxImportSource react */
import { useEffect, useReducer, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { BrandPalette } from '../../domain/brand/brand-palette.ts'
import { changeField, emptyChange } from '../../domain/drafts/change-kind.ts'
import type { FormChange } from '../../domain/drafts/draft-form-posted.ts'
import {
  type PieceKind,
  type PieceLook,
  pieceMarkup,
  startOf,
} from '../../domain/drafts/page-piece.ts'
import { type ChangesAct, changesState, reduceChanges, selectorOf } from './changes-state.ts'
import { Palette } from './elements/element-insert.tsx'
import { ElementGroup } from './elements/element-group.tsx'
import { type CheckedPage, PagesCheck } from './elements/element-pages.tsx'
import { Icon } from '../icon.tsx'
import { type Uploads, UploadsOf } from './picture-upload.tsx'
import { edited, pickedAgain } from './picker/picker-row.ts'
import { forgetPage, picker, usePicker } from './picker/picker-store.ts'

export type ChangesEditorProps = {
  changes: FormChange[]
  /** Pages by group, when there are several groups. */
  groups?: string[][]
  /** Messages by field: `changes`, `changes.2.selector`, or the engine's name of the field. */
  problems: Record<string, string>
  /** Index of the change to show unfolded: the first with a problem, or one just added. */
  open: number | null
  /**
   * The store's brand style: colours and fonts that are offered first, and the look of inserted
   * pieces.
   */
  brand?: BrandPalette
  look?: PieceLook | null
  /** Pages that the test is about. */
  pages?: CheckedPage[]
  /** Where pictures are uploaded to. */
  uploads?: Uploads
}
const limit = 50
const noBrand: BrandPalette = { colours: [], fonts: [] }

/**
 * The changes of a draft, grouped by element. Their fields are named `changes.N.selector` and so
 * on, and belong to the page's form. Without a script the add and remove buttons submit the form;
 * with it they need no request. The frame beside this list (preview-frame.tsx) shows the changes as
 * they are edited, and reports what the merchant picks there.
 */
export function ChangesEditor({
  changes,
  groups = [],
  problems,
  open,
  brand = noBrand,
  look = null,
  pages = [],
  uploads,
}: ChangesEditorProps) {
  const [told, setTold] = useState(() =>
    Object.fromEntries(
      Object.entries(problems).map(([field, message]) => [changeField(field), message]),
    ),
  )
  const [state, dispatch] = useReducer(reduceChanges, null, () =>
    changesState(changes, open ?? firstBroken(told)),
  )
  const [isAlive, setAlive] = useState(false)
  const { known } = usePicker()
  const list = useRef<HTMLUListElement>(null)
  /** Selector, within the list, of the control that gets the focus once it is drawn. */
  const focus = useRef<string | null>(null)
  const isFirst = useRef(true)
  const { rows, bare } = state
  const marked = state.open === null ? '' : (selectorOf(state, state.open) ?? '')

  useEffect(() => setAlive(true), [])
  useEffect(() => {
    picker.set({
      changes: rows.map(({ selector, kind, value, name, group = 0 }) => ({
        selector,
        kind,
        value,
        name,
        ...(groups[1] && groups[group] && { pages: groups[group] }),
      })),
    })
    // Autosave learns about changes from the form's events, and this change was not typed.
    if (!isFirst.current) list.current?.dispatchEvent(new Event('input', { bubbles: true }))
    isFirst.current = false
  }, [rows])
  useEffect(() => picker.set({ marked }), [marked])
  useEffect(() => {
    const found = focus.current && list.current?.querySelector<HTMLElement>(focus.current)
    focus.current = null
    if (found) found.focus()
  }, [state])
  useEffect(() => forgetPage, [])

  /** Messages are about the list that was sent, so they go when the list changes. */
  const act = (given: ChangesAct): void => {
    if (given.do !== 'open') setTold({})
    dispatch(given)
  }
  const edit = (at: number, part: Partial<FormChange>): void => {
    const row = rows[at]!
    dispatch({ do: 'edit', key: row.key, part: edited(row, part, known.get(row.selector)) })
    // The message of a field goes once that field is edited.
    const { [`changes.${at}.${Object.keys(part)[0]}`]: _, ...rest } = told
    setTold(rest)
  }
  const addByHand = (): void => {
    focus.current = '.change:last-child .change-row input'
    act({ do: 'add', change: emptyChange })
  }
  useEffect(() => {
    // For undo and redo: they read the fields right after this event, so the fields must be drawn
    // by then.
    const load = (event: Event): void =>
      flushSync(() => act({ do: 'load', changes: (event as CustomEvent<FormChange[]>).detail }))
    document.addEventListener('draft:changes', load)
    return () => document.removeEventListener('draft:changes', load)
  }, [])
  useEffect(() =>
    picker.taker({
      onPick: (picked, { key, part, piece }) => {
        const row = rows.find(each => each.key === key)
        if (row) {
          focus.current = `[name="changes.${rows.indexOf(row)}.${part}"]`
          return act({
            do: 'edit',
            key: row.key,
            part:
              part === 'value'
                ? { value: picked.selector }
                : pickedAgain(row, known.get(row.selector), picked),
          })
        }
        focus.current = firstControl
        act({ do: 'pick', selector: picked.selector })
        if (piece)
          act({
            do: 'beside',
            selector: picked.selector,
            value: pieceMarkup(piece, startOf(piece), look),
          })
      },
      onMove: (selector, to, isPicked) => {
        // The bar of the picker had the focus, and is gone now.
        if (isPicked) focus.current = firstControl
        act({ do: 'pick', selector })
        act({ do: 'move', selector, ...to })
      },
    }),
  )

  const elements = [
    ...new Set([...rows.map(({ element }) => element), ...(bare ? [bare.element] : [])]),
  ]
  const isFull = rows.length >= limit
  return (
    <section className="panel" aria-labelledby="changes-heading">
      <h2 id="changes-heading">Changes</h2>
      <div className="row">
        <button
          type="button"
          className="small needs-script"
          disabled={isFull}
          onClick={() => picker.start({ key: null, part: 'selector' })}
        >
          <Icon name="pick" />
          Pick an element
        </button>
        <Palette
          disabled={isFull}
          onChoose={(piece: PieceKind) => picker.start({ key: null, part: 'selector', piece })}
        />
      </div>
      {told.changes && (
        <p className="field-error" id="changes-problem">
          <Icon name="warning" />
          {told.changes}
        </p>
      )}
      {isFull && <p className="note">A test can have at most {limit} changes.</p>}
      {elements.length === 0 && (
        <p className="note">
          No changes yet. Pick an element in the preview, or insert something new.
        </p>
      )}
      <UploadsOf value={uploads ?? null}>
        <ul className="changes" ref={list}>
          {elements.map(element => (
            <ElementGroup
              key={element}
              element={element}
              selector={selectorOf(state, element) ?? ''}
              rows={rows.flatMap((row, at) => (row.element === element ? [{ row, at }] : []))}
              groups={groups}
              open={element === state.open}
              brand={brand}
              look={look}
              problems={told}
              isFull={isFull}
              isAlive={isAlive}
              valueOf={(selector, kind, name) =>
                rows.find(
                  row => row.selector === selector && row.kind === kind && row.name.trim() === name,
                )?.value ?? null
              }
              act={act}
              onEdit={edit}
              onRemove={keys => act({ do: 'remove', keys })}
            />
          ))}
        </ul>
      </UploadsOf>
      <PagesCheck pages={pages} />
      <button
        className="quiet small"
        name="act"
        value="add"
        disabled={isFull}
        onClick={e => {
          e.preventDefault()
          addByHand()
        }}
      >
        <Icon name="code" />
        Add by CSS selector
      </button>
      {/* Tells the server that the list was in this form, even when it is empty. */}
      <input type="hidden" name="changes" value={rows.length} />
    </section>
  )
}

/** Selector of the first field of the open element. */
const firstControl =
  '.change > details[open] :is(.inserted, .element-controls) :is(input, textarea, select)'

function firstBroken(problems: Record<string, string>): number | null {
  const at = Object.keys(problems)
    .map(field => /^changes\.(\d+)\./.exec(field)?.[1])
    .find(found => found !== undefined)
  return at === undefined ? null : Number(at)
}
