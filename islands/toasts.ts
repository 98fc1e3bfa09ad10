import { toastsShown, type Toast } from '../domain/toast.ts'

/** Dispatched on `document` by whoever has something short to say; `detail` is the toast. */
export const toastEvent = 'toast'

/** Says something short at the foot of the page. For islands too: it needs no script of its own there. */
export const showToast = (text: string, tone: Toast['tone'] = 'good'): void => {
  document.dispatchEvent(new CustomEvent<Toast>(toastEvent, { detail: { text, tone } }))
}

const shapes: Record<Toast['tone'], string> = {
  good: 'm3 8.5 3.2 3L13 4.5', bad: 'M8 2.2 14.3 13.2H1.7ZM8 6.5v3M8 11.4v.1', plain: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 7.5v3.2M8 5.2v.1',
}

/** Closes toasts by their button, adds what the browser says, and keeps to the most there may be. */
export function watchToasts(): void {
  const region = () => document.getElementById('toasts')
  document.addEventListener('click', ({ target }) => {
    const toast = target instanceof Element && target.closest('.toast button') ? target.closest('.toast') : null
    if (!toast) return
    // The focus goes on to the next one, not back to the top of the page.
    const next = (toast.nextElementSibling ?? toast.previousElementSibling)?.querySelector('button')
    if (toast.contains(document.activeElement)) next?.focus()
    toast.remove()
  })
  document.addEventListener(toastEvent, event => {
    const { text, tone } = (event as CustomEvent<Toast>).detail
    const toast = document.createElement('div')
    toast.className = 'toast'
    toast.dataset.tone = tone
    const close = document.createElement('button')
    close.type = 'button'
    close.className = 'icon-only small'
    close.setAttribute('aria-label', 'Close')
    close.append(icon('m4 4 8 8M12 4l-8 8'))
    const words = document.createElement('span')
    words.textContent = text
    toast.append(icon(shapes[tone]), words, close)
    region()?.append(toast)
    trim()
  })
  document.addEventListener('htmx:after:swap', trim)
  function trim() {
    const there = region()?.children ?? []
    for (let extra = there.length - toastsShown; extra > 0; extra--) there[0]!.remove()
  }
}

function icon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  svg.innerHTML = `<path d="${path}"/>`
  return svg
}
