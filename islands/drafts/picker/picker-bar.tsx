/** @jsxImportSource react */
import { useEffect, useRef, type KeyboardEvent } from 'react'
import type { PickStep } from '../../../domain/drafts/picker-message.ts'

type PickerBarProps = {
  isAlive: boolean
  label: string
  onStep: (to: PickStep) => void
  onStop: () => void
}

const keys: Record<string, PickStep> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
}
const moves: Record<string, PickStep> = { ArrowUp: 'moveUp', ArrowDown: 'moveDown' }
const steps: [PickStep, string][] = [
  ['parent', 'Around it'],
  ['child', 'Inside it'],
  ['previous', 'Previous'],
  ['next', 'Next'],
]

/**
 * The toolbar over the frame while an element is being picked. It names the outlined element and
 * handles the keys, so that nobody needs a mouse.
 */
export function PickerBar({ isAlive, label, onStep, onStop }: PickerBarProps) {
  const pick = useRef<HTMLButtonElement>(null)
  useEffect(() => pick.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    const to = (event.altKey ? moves : keys)[event.key]
    if (!to && event.key !== 'Escape') return
    event.preventDefault()
    if (to) onStep(to)
    else onStop()
  }
  return (
    <div className="picker-bar" role="toolbar" aria-label="Pick an element" onKeyDown={onKeyDown}>
      <span className="picker-label">
        <b role="status">
          {isAlive ? label || 'Point at an element of the page' : 'Waiting for the page'}
        </b>
        <small>
          Click to pick, drag to move. Or use the arrow keys and Enter; Alt with up or down moves
          it. Escape ends.
        </small>
      </span>
      <button type="button" className="small" ref={pick} onClick={() => onStep('pick')}>
        Pick this
      </button>
      {steps.map(([to, words]) => (
        <button key={to} type="button" className="secondary small" onClick={() => onStep(to)}>
          {words}
        </button>
      ))}
      <button type="button" className="secondary small" onClick={onStop}>
        Stop
      </button>
    </div>
  )
}
