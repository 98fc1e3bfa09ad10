import { idleAfter } from '../../domain/idle.ts'
import { showToast } from './toasts.ts'

/** What counts as somebody being there. */
const signs = [
  'pointerdown',
  'pointermove',
  'keydown',
  'wheel',
  'touchstart',
  'focus',
  'visibilitychange',
] as const

/** Flags the page after an hour without anybody (`data-idle` on its root), and loads it again when they are back, unless that would lose what they typed. */
export function watchIdle(): void {
  const root = document.documentElement
  const typedIn = new Set<HTMLFormElement>()
  let lastAt = Date.now()

  const look = () => {
    const left = lastAt + idleAfter - Date.now()
    if (left <= 0) root.dataset.idle = ''
    else setTimeout(look, left)
  }
  look()

  const isBack = () => {
    if (document.visibilityState === 'hidden') return
    // A machine that slept has run no timer.
    const wasAway = 'idle' in root.dataset || Date.now() - lastAt >= idleAfter
    lastAt = Date.now()
    if (!wasAway) return
    if (!mayLose()) return location.reload()
    const wasFlagged = 'idle' in root.dataset
    delete root.dataset.idle
    showToast(
      'This page stood open for over an hour and may be out of date. It was not reloaded, so that nothing you typed is lost.',
      'plain',
    )
    if (wasFlagged) look()
  }
  for (const sign of signs) addEventListener(sign, isBack, { capture: true, passive: true })

  // A search leaves what was typed in the address. A form that is sent leaves the page, or htmx takes it away.
  document.addEventListener(
    'input',
    ({ target }) => {
      const form = (target as HTMLInputElement).form
      if (form && form.method !== 'get') typedIn.add(form)
    },
    true,
  )
  // The answer to a form would be asked for by sending the form again.
  const mayLose = () => 'posted' in root.dataset || [...typedIn].some(form => form.isConnected)
}
