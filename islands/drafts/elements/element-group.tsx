/** @jsxImportSource react */
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { countChanges, emptyChange } from '../../../domain/drafts/change-kind.ts'
import type { BrandPalette } from '../../../domain/brand/brand-palette.ts'
import type { FormChange } from '../../../domain/drafts/draft-form-posted.ts'
import type { PieceLook } from '../../../domain/drafts/page-piece.ts'
import type { ChangeKind } from '../../../domain/script/script-config.ts'
import { ChangeRow } from '../change-row.tsx'
import type { ChangesAct, Row } from '../changes-state.ts'
import { ElementControls } from './element-controls.tsx'
import { iconOf } from './element-icon.ts'
import { Inserted } from './element-insert.tsx'
import { MissingOn } from './element-pages.tsx'
import { Position } from './element-position.tsx'
import { Icon } from '../../icon.tsx'
import { usePicker } from '../picker/picker-store.ts'

type ElementGroupProps = {
  element: number
  selector: string
  /** The element's changes, each with its index in the whole list. */
  rows: { row: Row; at: number }[]
  groups: string[][]
  open: boolean
  brand: BrandPalette
  look: PieceLook | null
  problems: Record<string, string>
  isFull: boolean
  /** Whether a script runs: what needs one is not drawn before. */
  isAlive: boolean
  /** The variant's value of another element, from the whole list. */
  valueOf: (selector: string, kind: ChangeKind, name: string) => string | null
  act: (act: ChangesAct) => void
  onEdit: (at: number, part: Partial<FormChange>) => void
  onRemove: (keys: number[]) => void
}

/** All changes of one element, under its own name. */
export function ElementGroup(props: ElementGroupProps) {
  const {
    element,
    selector,
    rows,
    groups,
    open,
    brand,
    look,
    problems,
    isFull,
    isAlive,
    valueOf,
    act,
    onEdit,
    onRemove,
  } = props
  const { known, found } = usePicker()
  const picked = known.get(selector)
  const label = picked?.label ?? (selector.trim() || 'No element yet')
  const isBroken = rows.some(({ at }) =>
    Object.keys(problems).some(field => field.startsWith(`changes.${at}.`)),
  )
  const inserted = rows.filter(
    ({ row }) => row.kind === 'insertBefore' || row.kind === 'insertAfter',
  )
  const nowhere = found.get(selector)?.count === 0
  return (
    <li className="change">
      <details
        open={open}
        onToggle={e => {
          if (e.currentTarget.open !== open)
            act({ do: 'open', element: e.currentTarget.open ? element : null })
        }}
      >
        <summary>
          <Icon name={isBroken || nowhere ? 'warning' : iconOf(rows)} />
          <span>
            {label}
            <small>{countChanges(rows.map(({ row }) => row))}</small>
          </span>
        </summary>
        <div className="change-fields">
          {nowhere && (
            <p className="field-help element-warning">
              <Icon name="warning" />
              Not found on the page in the preview.
            </p>
          )}
          <MissingOn selectors={[selector]} />
          {isAlive && open && picked && (
            <>
              {picked.alike && (
                <label className="alike">
                  <input
                    type="checkbox"
                    checked={selector === picked.alike}
                    onChange={e =>
                      act({
                        do: 'aim',
                        element,
                        selector: e.currentTarget.checked ? picked.alike : picked.selector,
                      })
                    }
                  />
                  Apply to all {picked.alikeCount} like this
                </label>
              )}
              {inserted.map(({ row, at }) => (
                <Inserted
                  key={row.key}
                  row={row}
                  look={look}
                  onEdit={part => onEdit(at, part)}
                  onRemove={() => onRemove([row.key])}
                />
              ))}
              <ElementControls
                picked={picked}
                rows={rows.map(({ row }) => row)}
                brand={brand}
                beside={{
                  valueOf,
                  set: (at, kind, name, value) =>
                    act(
                      value === null
                        ? { do: 'resetBeside', selector: at, kind, name }
                        : {
                            do: 'setBeside',
                            element,
                            selector: at,
                            setting: { kind, name, value },
                          },
                    ),
                }}
                onSet={setting => act({ do: 'set', element, setting })}
                onReset={(kind, name) =>
                  act({ do: 'reset', element, kind, ...(name !== undefined && { name }) })
                }
              />
              <Position
                selector={selector}
                move={rows.find(({ row }) => row.kind === 'move')?.row}
                onReset={() => act({ do: 'reset', element, kind: 'move' })}
              />
            </>
          )}
          {isAlive && !picked && selector.trim() !== '' && (
            <p className="field-help">
              The preview shows this element’s values here once it finds it on the page.
            </p>
          )}
          <Advanced
            isAlive={isAlive}
            isWanted={
              isBroken || 'changes' in problems || rows.some(({ row }) => !row.selector.trim())
            }
          >
            <ul className="element-rows">
              {rows.map(({ row, at }) => (
                <ChangeRow
                  key={row.key}
                  row={row}
                  groups={groups}
                  at={at}
                  problems={problems}
                  onEdit={part => onEdit(at, part)}
                  onRemove={() => onRemove([row.key])}
                />
              ))}
            </ul>
            {isAlive && selector.trim() !== '' && (
              <button
                type="button"
                className="secondary small"
                disabled={isFull}
                onClick={() =>
                  act({ do: 'add', element, change: { ...emptyChange, kind: 'style', selector } })
                }
              >
                <Icon name="plus" />
                Add a CSS change
              </button>
            )}
          </Advanced>
          {isAlive && rows.length > 0 && (
            <button
              type="button"
              className="danger small"
              onClick={() => onRemove(rows.map(({ row }) => row.key))}
            >
              <Icon name="trash" />
              Remove changes
            </button>
          )}
        </div>
      </details>
    </li>
  )
}

/**
 * The changes in terms of CSS. Without a script this is all there is; once the visual controls
 * work, it is folded.
 */
function Advanced({
  isAlive,
  isWanted,
  children,
}: {
  isAlive: boolean
  isWanted: boolean
  children: ReactNode
}) {
  const [open, setOpen] = useState(true)
  const part = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (isAlive && !isWanted && !part.current?.contains(document.activeElement)) setOpen(false)
  }, [isAlive])
  return (
    <details
      ref={part}
      className="element-part"
      open={open}
      onToggle={e => setOpen(e.currentTarget.open)}
    >
      <summary>Advanced</summary>
      <div className="element-advanced">{children}</div>
    </details>
  )
}
