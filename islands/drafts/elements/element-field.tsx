/** @jsxImportSource react */
import { useId, useState, type ReactNode } from 'react'
import {
  type StyleField,
  shownStyle,
  styleWords,
  typedStyle,
} from '../../../domain/drafts/element-style.ts'
import { Icon } from '../../icon.tsx'

export type Bound = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}
type ElementFieldProps = {
  label: string
  /** The control's value in words; null while both arms have the same value. */
  was: string | null
  problem?: string | null
  warning?: string | null
  onReset: () => void
  control: (bound: Bound) => ReactNode
}

/**
 * A field for one value of the element. When the variant has another value, it shows the control's
 * value and a button that restores it.
 */
export function ElementField({
  label,
  was,
  problem,
  warning,
  onReset,
  control,
}: ElementFieldProps) {
  const id = useId()
  const words = [problem || warning ? `${id}-problem` : '', was === null ? '' : `${id}-was`]
    .filter(Boolean)
    .join(' ')
  return (
    <div className="field element-field" data-changed={was === null ? undefined : ''}>
      <label htmlFor={id}>{label}</label>
      {control({
        id: id,
        'aria-describedby': words || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {problem && (
        <span className="field-error" id={`${id}-problem`}>
          <Icon name="warning" />
          {problem}
        </span>
      )}
      {!problem && warning && (
        <span className="field-help element-warning" id={`${id}-problem`} role="status">
          <Icon name="warning" />
          {warning}
        </span>
      )}
      {was !== null && (
        <span className="element-was">
          <span id={`${id}-was`}>Control: {was}</span>
          <button
            type="button"
            className="quiet small icon-only"
            aria-label={`Reset ${label.toLowerCase()}`}
            title="Reset to the control"
            onClick={onReset}
            // Otherwise the field would lose the focus first, its message would go, and the button
            // would move away from the pointer.
            onMouseDown={event => event.preventDefault()}
          >
            <Icon name="undo" />
          </button>
        </span>
      )}
    </div>
  )
}

export type StyleFieldProps = {
  field: StyleField
  /** The value that the browser computed in the control; '' when the page has not reported it. */
  standing: string
  /** The variant's own value; null when it has none. */
  value: string | null
  onSet: (css: string) => void
  onReset: () => void
}

/** Keeps a text as it is typed until the field is left. Only a valid value becomes a change. */
export function useTyped({ field, standing, value, onSet, onReset }: StyleFieldProps) {
  const [typing, setTyping] = useState<string | null>(null)
  const before = shownStyle(field, standing)
  const now = value === null ? before : shownStyle(field, value)
  const problem =
    typing === null || typing.trim() === '' ? null : typedStyle(field, typing, standing).problem
  const write = (text: string): void => {
    setTyping(text)
    const { css } = typedStyle(field, text, standing)
    if (text.trim() === '') return onReset()
    if (css === null) return
    if (shownStyle(field, css) === before) onReset()
    else onSet(css)
  }
  const was = value === null ? null : styleWords(field, before)
  const leave = (): void => setTyping(null)
  const reset = (): void => {
    leave()
    onReset()
  }
  return { shown: typing ?? now, now, problem, was, write, leave, reset }
}

export function LengthField(props: StyleFieldProps) {
  const { shown, problem, was, write, leave, reset } = useTyped(props)
  const isPixels = /^-?[\d.]*$/.test(shown)
  return (
    <ElementField
      label={props.field.label}
      was={was}
      problem={problem}
      onReset={reset}
      control={bound => (
        <span className="element-length">
          <input
            {...bound}
            inputMode="decimal"
            autoComplete="off"
            spellCheck={false}
            value={shown}
            onChange={e => write(e.currentTarget.value)}
            onBlur={leave}
            onKeyDown={e => {
              const step = e.key === 'ArrowUp' ? 1 : e.key === 'ArrowDown' ? -1 : 0
              if (!step || !isPixels || shown === '') return
              e.preventDefault()
              const next = Number(shown) + step * (e.shiftKey ? 10 : 1)
              write(String(props.field.signed ? next : Math.max(0, next)))
            }}
          />
          {isPixels && <span aria-hidden="true">px</span>}
        </span>
      )}
    />
  )
}

export function ChoiceField({
  choices,
  ...props
}: StyleFieldProps & { choices: readonly { value: string; label: string }[] }) {
  const { now, was, write, leave } = useTyped(props)
  const isListed = choices.some(({ value }) => value === now)
  return (
    <ElementField
      label={props.field.label}
      was={was}
      onReset={props.onReset}
      control={bound => (
        <select
          {...bound}
          value={now}
          onChange={e => {
            write(e.currentTarget.value)
            leave()
          }}
        >
          {!isListed && <option value={now}>{now || 'Not known'}</option>}
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    />
  )
}
