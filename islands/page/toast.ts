import type { Toast } from '../../domain/toast.ts'

const shapes: Record<Toast['tone'], string> = {
  good: 'm3 8.5 3.2 3L13 4.5',
  bad: 'M8 2.2 14.3 13.2H1.7ZM8 6.5v3M8 11.4v.1',
  plain: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 7.5v3.2M8 5.2v.1',
}

/**
 * Makes a toast for a message of the browser; it looks like the server's toasts. Loaded with the
 * first one.
 */
export function toastOf({ text, tone }: Toast): HTMLElement {
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
  return toast
}

function icon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  svg.innerHTML = `<path d="${path}"/>`
  return svg
}
