import { toastsShown, type Toast } from '../../domain/toast.ts'
import { withPart } from './preload-error.ts'

/** Dispatched on `document` to show a short message; `detail` is the toast. */
export const toastEvent = 'toast'

/**
 * Shows a short message at the foot of the page. Islands can use it too: it loads no further script
 * for them.
 */
export const showToast = (text: string, tone: Toast['tone'] = 'good'): void => {
  document.dispatchEvent(new CustomEvent<Toast>(toastEvent, { detail: { text, tone } }))
}

/**
 * Closes toasts by their button, adds the browser's own messages, and limits how many there are.
 */
export function watchToasts(): void {
  const region = () => document.getElementById('toasts')
  document.addEventListener('click', ({ target }) => {
    const toast =
      target instanceof Element && target.closest('.toast button') ? target.closest('.toast') : null
    if (!toast) return
    // The focus moves to the next toast, not back to the top of the page.
    const next = (toast.nextElementSibling ?? toast.previousElementSibling)?.querySelector('button')
    if (toast.contains(document.activeElement)) next?.focus()
    toast.remove()
  })
  document.addEventListener(toastEvent, event =>
    withPart('toast', import('./toast.ts'), ({ toastOf }) => {
      region()?.append(toastOf((event as CustomEvent<Toast>).detail))
      trim()
    }),
  )
  document.addEventListener('htmx:after:swap', trim)
  function trim() {
    const there = region()?.children ?? []
    for (let extra = there.length - toastsShown; extra > 0; extra--) there[0]!.remove()
  }
}
