import { idleAfter } from '../../domain/idle.ts'
import { showToast } from './toasts.ts'

/** Events that show that somebody is there. */
const signs = [
  'pointerdown',
  'pointermove',
  'keydown',
  'wheel',
  'touchstart',
  'focus',
  'visibilitychange',
] as const

/**
 * Marks the page after an hour without these events (`data-idle` on its root). When the person
 * comes back, it loads the page again, unless that would lose what they typed.
 */
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
    // While a machine sleeps, its timers do not run.
    const wasAway = 'idle' in root.dataset || Date.now() - lastAt >= idleAfter
    lastAt = Date.now()
    if (!wasAway) return
    if (!mayLose()) return location.reload()
    const wasFlagged = 'idle' in root.dataset
    delete root.dataset.idle
    showToast(
      'This page was open for over an hour and may be out of date. We did not reload it, so that nothing you typed is lost. Save your work, then reload the page.',
      'plain',
    )
    if (wasFlagged) look()
  }
  for (const sign of signs) addEventListener(sign, isBack, { capture: true, passive: true })

  // A search form keeps what was typed in the address. A form that is sent leaves the page, or htmx
  // removes it.
  document.addEventListener(
    'input',
    ({ target }) => {
      const form = (target as HTMLInputElement).form
      if (form && form.method !== 'get') typedIn.add(form)
    },
    true,
  )
  // To load the answer to a form again would send the form again.
  const mayLose = () => 'posted' in root.dataset || [...typedIn].some(form => form.isConnected)
}
