/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import type { Direction } from '../../domain/drafts/undo-keys.ts'
import { Icon } from '../icon.tsx'
import { withPart } from '../page/preload-error.ts'

export type UndoRedoProps = {
  /** Id of the form whose fields are the draft's. */
  form: string
  draft: string
  /** The page that made the draft's present version; null when it is not known. */
  by: string | null
  /**
   * The page was refused: because somebody else had saved the draft, or because something in it is
   * wrong.
   */
  isConflict: boolean
  isRefused: boolean
}
type Watch = { step: (direction: Direction) => void; end: () => void }
const nothing = { undo: null, redo: null } as Record<Direction, string | null>

/**
 * Undo and redo buttons of the editor. The code behind them (edit-watch.ts) is loaded after the
 * page.
 */
export function UndoRedo({ form: id, draft, by, isConflict, isRefused }: UndoRedoProps) {
  const [next, setNext] = useState(nothing)
  const [said, setSaid] = useState('')
  const [keys, setKeys] = useState({ undo: 'Ctrl+Z', redo: 'Shift+Ctrl+Z' })
  const [isWatching, setIsWatching] = useState(false)
  const watch = useRef<Watch>(null)

  useEffect(() => {
    if (/Mac|iPhone|iPad/.test(navigator.platform)) setKeys({ undo: '⌘Z', redo: '⇧⌘Z' })
    const form = document.getElementById(id)
    let isGone = false
    withPart('edit-watch', import('./edit-watch.ts'), ({ watchEdits }) => {
      if (isGone || !(form instanceof HTMLFormElement)) return
      watch.current = watchEdits({
        form,
        draft,
        by,
        isConflict,
        isRefused,
        tell: (to, words = '') => {
          setNext(to)
          setSaid(words)
        },
      })
      setIsWatching(true)
    })
    return () => {
      isGone = true
      watch.current?.end()
    }
  }, [id, draft])

  const button = (direction: Direction, word: string) => (
    <button
      type="button"
      className="button quiet small icon-only"
      aria-disabled={next[direction] === null}
      aria-label={word}
      title={`${word}${next[direction] === null ? '' : `: ${next[direction]}`} (${keys[direction]})`}
      onClick={() => watch.current?.step(direction)}
    >
      <Icon name={direction} />
    </button>
  )
  return (
    <span className="undo-redo needs-script" data-undo={isWatching ? 'watching' : ''}>
      {button('undo', 'Undo')}
      {button('redo', 'Redo')}
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </span>
  )
}
