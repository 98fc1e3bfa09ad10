/** @jsxImportSource react */
import { useEffect, useId, useState } from 'react'
import { changeKindWords } from '../../domain/drafts/change-kind.ts'
import { foundWords } from '../../domain/drafts/selector.ts'
import {
  changeKinds,
  type ChangeKind,
  type ScriptChange,
} from '../../domain/script/script-config.ts'
import { refusedParts, type Refused } from './change-refused.ts'
import { Icon } from '../icon.tsx'
import type { Row } from './changes-state.ts'
import { picker, usePicker } from './picker/picker-store.ts'

type ChangeRowProps = {
  row: Row
  groups: string[][]
  at: number
  problems: Record<string, string>
  onEdit: (part: Partial<Row>) => void
  onRemove: () => void
}
/** One change in terms of CSS: which element, what is done to it, and what it becomes. */
export function ChangeRow({ row, groups, at, problems, onEdit, onRemove }: ChangeRowProps) {
  const words = changeKindWords[row.kind]
  const field = (part: string) => `changes.${at}.${part}`
  const { hints, refused } = useHints(row)
  const selectorWords = useFound(row.selector),
    targetWords = useFound(row.kind === 'move' ? row.value : '')
  const wrong = (part: keyof Refused) => problems[field(part)] ?? refused[part]
  const attributes = useId(),
    picked = usePicker().known.get(row.selector)
  return (
    <li className="change-row">
      <Field
        label="Element (CSS selector)"
        name={field('selector')}
        value={row.selector}
        problem={wrong('selector')}
        hint={hints.selector}
        found={selectorWords}
        max={1000}
        code
        onInput={selector => onEdit({ selector })}
      />
      <div className="row">
        <PickButton
          purpose={{ key: row.key, part: 'selector' }}
          words={row.selector ? 'Pick another' : 'Pick it'}
        />
      </div>
      <label className="field">
        What to do
        <select
          name={field('kind')}
          value={row.kind}
          onChange={e => onEdit({ kind: e.currentTarget.value as ChangeKind })}
        >
          {changeKinds.map(kind => (
            <option key={kind} value={kind}>
              {changeKindWords[kind].label}
            </option>
          ))}
        </select>
      </label>
      {/* Hidden parts keep their text, so switching the kind back and forth loses nothing. */}
      {row.kind === 'move' && (
        <label className="field">
          {words.name}
          <select
            name={field('name')}
            value={row.name === 'after' ? 'after' : 'before'}
            onChange={e => onEdit({ name: e.currentTarget.value })}
          >
            <option value="before">Before that element</option>
            <option value="after">After that element</option>
          </select>
        </label>
      )}
      {row.kind !== 'move' && words.name && (
        <>
          <Field
            label={words.name}
            name={field('name')}
            value={row.name}
            problem={wrong('name')}
            hint={hints.name}
            max={100}
            code
            list={row.kind === 'attribute' && picked ? attributes : undefined}
            onInput={name => onEdit({ name })}
          />
          {picked && (
            <datalist id={attributes}>
              {picked.attributes.map(({ name }) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          )}
        </>
      )}
      {!words.name && <input type="hidden" name={field('name')} value={row.name} />}
      {words.value ? (
        <Field
          label={words.value}
          name={field('value')}
          value={row.value}
          problem={wrong('value')}
          hint={hints.value}
          found={targetWords}
          max={20_000}
          code={row.kind === 'move'}
          area={['html', 'insertBefore', 'insertAfter'].includes(row.kind)}
          onInput={value => onEdit({ value })}
        />
      ) : (
        <input type="hidden" name={field('value')} value={row.value} />
      )}
      {row.kind === 'move' && (
        <div className="row">
          <PickButton purpose={{ key: row.key, part: 'value' }} words="Pick where it goes" />
        </div>
      )}
      {groups[1] && (
        <label className="field">
          Pages
          <select
            name={field('group')}
            value={row.group ?? 0}
            onChange={e => onEdit({ group: Number(e.currentTarget.value) })}
          >
            {groups.map((pages, i) => (
              <option key={i} value={i}>
                {pages.join(', ')}
              </option>
            ))}
          </select>
        </label>
      )}
      <button
        className="danger small"
        name="act"
        value={`remove:${at}`}
        onClick={e => {
          e.preventDefault()
          onRemove()
        }}
      >
        <Icon name="trash" />
        Remove this change
      </button>
    </li>
  )
}

/** Picking needs a script. Without one, the merchant fills in the fields. */
function PickButton({
  purpose,
  words,
}: {
  purpose: { key: number; part: 'selector' | 'value' }
  words: string
}) {
  return (
    <button
      type="button"
      className="secondary small needs-script"
      onClick={() => picker.start(purpose)}
    >
      <Icon name="pick" />
      {words}
    </button>
  )
}

type Words = { tone: 'good' | 'warn' | 'bad'; text: string } | null
/** What the selector finds on the page in the frame; null until it has been counted there. */
function useFound(selector: string): Words {
  const found = usePicker().found.get(selector)
  return found && selector.trim() ? foundWords(found) : null
}

type FieldProps = {
  label: string
  name: string
  value: string
  problem: string | undefined
  hint: string
  found?: Words
  max: number
  code?: boolean
  area?: boolean
  list?: string | undefined
  onInput: (value: string) => void
}
function Field({
  label,
  name,
  value,
  problem,
  hint,
  found,
  max,
  code,
  area,
  list,
  onInput,
}: FieldProps) {
  const id = useId()
  const words = problem ?? (hint || found?.text)
  const shared = {
    id,
    name,
    value,
    maxLength: max,
    list,
    spellCheck: !code,
    className: code ? 'code' : undefined,
    'aria-invalid': problem ? (true as const) : undefined,
    'aria-describedby': words ? `${id}-words` : undefined,
    onChange: (e: { currentTarget: { value: string } }) => onInput(e.currentTarget.value),
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {area ? <textarea rows={4} {...shared} /> : <input {...shared} />}
      {words && (
        <span id={`${id}-words`} className={problem ? 'field-error' : 'field-help'}>
          {(problem || (!hint && found?.tone === 'warn')) && <Icon name="warning" />}
          {words}
        </span>
      )}
    </div>
  )
}

type Hints = { hints: Record<'selector' | 'name' | 'value', string>; refused: Refused }
/**
 * What the browser itself can tell about a row while it is typed. It does so after the first paint,
 * because the server has no CSS parser.
 */
function useHints({ selector, kind, name, value }: ScriptChange): Hints {
  const [told, setTold] = useState<Hints>({
    hints: { selector: '', name: '', value: '' },
    refused: {},
  })
  const { found } = usePicker()
  useEffect(() => {
    const style = kind === 'style' && name.trim() !== ''
    const hints = {
      selector: selector.trim() && !isSelector(selector) ? 'This is not a CSS selector yet.' : '',
      name: style && !CSS.supports(name.trim(), 'inherit') ? 'No CSS property has this name.' : '',
      value:
        style &&
        value.trim() &&
        CSS.supports(name.trim(), 'inherit') &&
        !CSS.supports(name.trim(), value.trim())
          ? 'This value is not valid for this property.'
          : '',
    }
    setTold({ hints, refused: refusedParts({ selector, kind, name, value }, found) })
  }, [selector, kind, name, value, found])
  return told
}

function isSelector(text: string): boolean {
  try {
    document.createDocumentFragment().querySelector(text)
    return true
  } catch {
    return false
  }
}
