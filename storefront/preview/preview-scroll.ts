import type { Place } from '../../domain/drafts/picker-message.ts'
import { on } from '../guard.ts'

export type Scroll = {
  /** Scrolls to a place on this page; a place on another page is ignored. */
  to: (place: Place) => void
  /** Does the same, and again while the page grows, until something else scrolls the page. */
  back: (place: Place) => void
}

/**
 * Reports where a person scrolls this page to, and scrolls it for the editor without reporting
 * that.
 */
export function followScroll(tell: (place: Place) => void): Scroll {
  const path = location.pathname
  let x = scrollX,
    y = scrollY,
    isDue = false
  let watch: ResizeObserver | null = null
  const isMoved = (): boolean => x !== scrollX || y !== scrollY
  const to = (place: Place): void => {
    if (place.path !== path) return
    scrollTo({ left: place.x, top: place.y, behavior: 'instant' })
    x = scrollX
    y = scrollY
  }
  // The editor knows how far this page was scrolled. The browser would restore that before the page
  // is long enough.
  history.scrollRestoration = 'manual'
  on('scroll', () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      if (!isMoved()) return
      x = scrollX
      y = scrollY
      watch?.disconnect()
      tell({ path, x: Math.round(x), y: Math.round(y) })
    })
  })
  return {
    to: place => {
      watch?.disconnect()
      to(place)
    },
    back: place => {
      to(place)
      watch = new ResizeObserver(() => (isMoved() ? watch?.disconnect() : to(place)))
      watch.observe(document.documentElement)
      watch.observe(document.body)
    },
  }
}
