import { boxOf } from './picker-document.ts'

const css = `
  * { box-sizing: border-box; }
  .glass { position: fixed; inset: 0; z-index: 2147483646; cursor: crosshair; touch-action: none; }
  .box { position: fixed; left: 0; top: 0; z-index: 2147483647; pointer-events: none; border-radius: 2px; outline: 2px solid #0b5f7a; outline-offset: 1px; background: rgb(11 95 122 / 12%); }
  .box[hidden], .name[hidden] { display: none; }
  .name { position: fixed; left: 0; top: 0; z-index: 2147483647; max-width: min(320px, 90vw); overflow: hidden; padding: 3px 8px; border-radius: 4px; background: #0b3d4f; color: #fff;
    font: 12px/1.4 -apple-system, "Segoe UI", Inter, Roboto, sans-serif; text-overflow: ellipsis; white-space: nowrap; pointer-events: none; }
  @media (forced-colors: active) { .box { outline-color: Highlight; } }`

/**
 * A pane of glass over the page: it takes every press of the mouse, so that nothing of the page hears of one, and shows
 * which element is meant. Its style is a constructed sheet and CSSOM: a strict policy of the shop stops neither.
 */
export type Overlay = {
  /** What the mouse is over, below the glass. */
  at: (x: number, y: number) => Element | null
  outline: (element: Element | null, label: string) => void
  glass: HTMLElement
  remove: () => void
}

export function overlay(): Overlay {
  const host = document.createElement('twinshelf-picker')
  const shadow = host.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  shadow.adoptedStyleSheets = [sheet]
  const part = (className: string): HTMLElement => {
    const element = document.createElement('div')
    element.className = className
    shadow.append(element)
    return element
  }
  const glass = part('glass'), box = part('box'), name = part('name')
  box.hidden = name.hidden = true
  // Told aloud by the editor, which stands beside.
  host.setAttribute('aria-hidden', 'true')
  document.body.append(host)

  let shown: Element | null = null
  const place = (): void => {
    if (!shown) return
    const { left, top, width, height } = boxOf(shown)
    Object.assign(box.style, { transform: `translate(${left}px, ${top}px)`, width: `${width}px`, height: `${height}px` })
    const below = top < 28
    name.style.transform = `translate(${Math.max(2, Math.min(left, innerWidth - name.offsetWidth - 2))}px, ${below ? Math.min(top + height + 4, innerHeight - 26) : top - 27}px)`
  }
  addEventListener('scroll', place, { capture: true, passive: true })
  addEventListener('resize', place)
  return {
    glass,
    at: (x, y) => document.elementsFromPoint(x, y).find(element => element !== host) ?? null,
    outline: (element, label) => {
      shown = element
      box.hidden = name.hidden = !element
      name.textContent = label
      place()
    },
    remove: () => {
      removeEventListener('scroll', place, { capture: true })
      removeEventListener('resize', place)
      host.remove()
    },
  }
}
