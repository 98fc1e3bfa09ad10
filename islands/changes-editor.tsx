import { useEffect, useId, useRef, useState } from 'react'
import { changeKindWords, describeChange, emptyChange } from '../domain/change-kind.ts'
import { changeKinds, type ChangeKind, type ScriptChange } from '../domain/script-config.ts'
import { Icon, type IconName } from './icon.tsx'

export type ChangesEditorProps = {
  changes: ScriptChange[]
  /** Messages by field: `changes`, or `changes.2.selector`. */
  problems: Record<string, string>
  /** The change to show unfolded: the first at fault, or one just added. */
  open: number | null
}
type Row = ScriptChange & { key: number }
const limit = 50

const icons: Record<ChangeKind, IconName> = {
  text: 'text', html: 'code', style: 'style', attribute: 'code', class: 'style', image: 'picture',
  insertBefore: 'plus', insertAfter: 'plus', move: 'undo', hide: 'hide', remove: 'trash',
}

/**
 * The list of changes. Fields are named `changes.N.selector` and so on and belong to the page's form; the add and
 * remove buttons submit it when no script runs, and here save that round trip.
 */
export function ChangesEditor({ changes, problems, open }: ChangesEditorProps) {
  const [rows, setRows] = useState<Row[]>(() => changes.map((c, key) => ({ ...c, key })))
  const [told, setTold] = useState(problems)
  const [unfolded, setUnfolded] = useState(open)
  const [removed, setRemoved] = useState<{ row: Row; at: number } | null>(null)
  const next = useRef(changes.length)
  const list = useRef<HTMLUListElement>(null)
  const fresh = useRef(false)

  useEffect(() => {
    if (!fresh.current) return
    fresh.current = false
    list.current?.querySelector<HTMLInputElement>('.change:last-child input')?.focus()
  }, [rows.length])

  const edit = (at: number, part: Partial<ScriptChange>) => {
    setRows(rows.map((row, i) => (i === at ? { ...row, ...part } : row)))
    // A message is about what was sent; it goes once its own field is touched.
    const { [`changes.${at}.${Object.keys(part)[0]}`]: _, ...rest } = told
    setTold(rest)
  }
  const replace = (to: Row[], unfold: number | null) => { setRows(to); setUnfolded(unfold); setTold({}) }
  const add = () => {
    fresh.current = true
    setRemoved(null)
    replace([...rows, { ...emptyChange, key: next.current++ }], rows.length)
  }
  const remove = (at: number) => {
    setRemoved({ row: rows[at]!, at })
    replace(rows.filter((_, i) => i !== at), null)
  }
  const undo = () => {
    if (!removed) return
    replace(rows.toSpliced(removed.at, 0, removed.row), removed.at)
    setRemoved(null)
  }
  return (
    <section className="panel" aria-labelledby="changes-heading">
      <div className="panel-head">
        <h2 id="changes-heading">Changes</h2>
        <button className="secondary small" name="act" value="add" disabled={rows.length >= limit} onClick={e => { e.preventDefault(); add() }}>
          <Icon name="plus" />Add a change
        </button>
      </div>
      {told.changes && <p className="field-error" id="changes-problem"><Icon name="warning" />{told.changes}</p>}
      {rows.length === 0 && !removed && <p className="note">Nothing is changed yet. Add a change, say which element it is about, and what it becomes.</p>}
      <ul className="changes" ref={list}>
        {rows.map((row, at) => (
          <ChangeRow key={row.key} row={row} at={at} open={at === unfolded} problems={told}
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

type ChangeRowProps = {
  row: Row; at: number; open: boolean; problems: Record<string, string>
  onEdit: (part: Partial<ScriptChange>) => void; onFold: (open: boolean) => void; onRemove: () => void
}
function ChangeRow({ row, at, open, problems, onEdit, onFold, onRemove }: ChangeRowProps) {
  const words = changeKindWords[row.kind]
  const field = (part: string) => `changes.${at}.${part}`
  const hints = useHints(row)
  const broken = ['selector', 'name', 'value'].some(part => problems[field(part)])
  return (
    <li className="change">
      <details open={open} onToggle={e => onFold(e.currentTarget.open)}>
        <summary>
          <Icon name={broken ? 'warning' : icons[row.kind]} />
          <span>{describeChange(row)}<code>{row.selector || 'No element yet'}</code></span>
        </summary>
        <div className="change-fields">
          <Field label="Element (CSS selector)" name={field('selector')} value={row.selector} problem={problems[field('selector')]} hint={hints.selector} max={1000} code onInput={selector => onEdit({ selector })} />
          <label className="field">What to do
            <select name={field('kind')} value={row.kind} onChange={e => onEdit({ kind: e.currentTarget.value as ChangeKind })}>
              {changeKinds.map(kind => <option key={kind} value={kind}>{changeKindWords[kind].label}</option>)}
            </select>
          </label>
          {/* Hidden parts keep their text, so switching the kind back and forth loses nothing. */}
          {words.name
            ? <Field label={words.name} name={field('name')} value={row.name} problem={problems[field('name')]} hint={hints.name} max={100} code onInput={name => onEdit({ name })} />
            : <input type="hidden" name={field('name')} value={row.name} />}
          {words.value
            ? <Field label={words.value} name={field('value')} value={row.value} problem={problems[field('value')]} hint={hints.value} max={20_000} area={['html', 'insertBefore', 'insertAfter'].includes(row.kind)} onInput={value => onEdit({ value })} />
            : <input type="hidden" name={field('value')} value={row.value} />}
          <button className="danger small" name="act" value={`remove:${at}`} onClick={e => { e.preventDefault(); onRemove() }}><Icon name="trash" />Remove this change</button>
        </div>
      </details>
    </li>
  )
}

type FieldProps = { label: string; name: string; value: string; problem: string | undefined; hint: string; max: number; code?: boolean; area?: boolean; onInput: (value: string) => void }
function Field({ label, name, value, problem, hint, max, code, area, onInput }: FieldProps) {
  const id = useId()
  const words = problem ?? hint
  const shared = {
    id, name, value, maxLength: max, spellCheck: !code, className: code ? 'code' : undefined,
    'aria-invalid': problem ? true as const : undefined, 'aria-describedby': words ? `${id}-words` : undefined,
    onChange: (e: { currentTarget: { value: string } }) => onInput(e.currentTarget.value),
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {area ? <textarea rows={4} {...shared} /> : <input {...shared} />}
      {words && <span id={`${id}-words`} className={problem ? 'field-error' : 'field-help'}>{problem && <Icon name="warning" />}{words}</span>}
    </div>
  )
}

/** What the browser itself can tell of a row as it is typed; after the first paint, as the server has no CSS parser. */
function useHints({ selector, kind, name, value }: ScriptChange): Record<'selector' | 'name' | 'value', string> {
  const [hints, setHints] = useState({ selector: '', name: '', value: '' })
  useEffect(() => {
    const style = kind === 'style' && name.trim() !== ''
    setHints({
      selector: selector.trim() && !isSelector(selector) ? 'This is not a CSS selector yet.' : '',
      name: style && !CSS.supports(name.trim(), 'inherit') ? 'No CSS property has this name.' : '',
      value: style && value.trim() && CSS.supports(name.trim(), 'inherit') && !CSS.supports(name.trim(), value.trim()) ? 'This property does not take this value.' : '',
    })
  }, [selector, kind, name, value])
  return hints
}

function isSelector(text: string): boolean {
  try { document.createDocumentFragment().querySelector(text); return true } catch { return false }
}
