/** @jsxImportSource react */
import type { Row } from '../changes-state.ts'
import { Icon } from '../../icon.tsx'
import { picker, usePicker } from '../picker/picker-store.ts'

/** Moves the element past its neighbours; the page in the preview knows which these are. */
export function Position({
  selector,
  move,
  onReset,
}: {
  selector: string
  move: Row | undefined
  onReset: () => void
}) {
  const { known, isAlive } = usePicker()
  const target = move && (known.get(move.value)?.label ?? move.value)
  return (
    <div
      className="field element-field"
      data-changed={move ? '' : undefined}
      role="group"
      aria-label="Position"
    >
      <span className="field-label">Position</span>
      <div className="row">
        <button
          type="button"
          className="secondary small"
          disabled={!isAlive}
          onClick={() => picker.set({ shift: { selector, to: 'up' } })}
        >
          Move up
        </button>
        <button
          type="button"
          className="secondary small"
          disabled={!isAlive}
          onClick={() => picker.set({ shift: { selector, to: 'down' } })}
        >
          Move down
        </button>
      </div>
      {move && (
        <span className="element-was">
          <span>
            Now {move.name === 'after' ? 'after' : 'before'} {target}
          </span>
          <button
            type="button"
            className="quiet small icon-only"
            aria-label="Reset position"
            title="Reset to the control"
            onClick={onReset}
          >
            <Icon name="undo" />
          </button>
        </span>
      )}
    </div>
  )
}
