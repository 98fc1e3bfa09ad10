import type { Place } from '../../domain/drafts/picker-message.ts'
import { on } from '../guard.ts'

export type Scroll = {
  /** To a place on this page; one on another page is ignored. */
  to: (place: Place) => void
  /** The same, and again while the page grows, until it is scrolled by somebody else. */
  back: (place: Place) => void
}

/** Tells where a person scrolls this page to, and scrolls it for the editor without telling. */
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
  // The editor knows where this page was; the browser would put it back before there is anything to scroll.
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
