import { bodyOf, boxOf, ownTags, tagOf } from './picker-document.ts'
import { edgeOf, type Spot } from './picker-move.ts'

const css = `
  * { box-sizing: border-box; }
  .glass { position: fixed; inset: 0; z-index: 2147483646; cursor: crosshair; touch-action: none; }
  .box { position: fixed; left: 0; top: 0; z-index: 2147483647; pointer-events: none; border-radius: 2px; outline: 2px solid #0b5f7a; outline-offset: 1px; background: rgb(11 95 122 / 12%); }
  .box[hidden], .name[hidden], .line[hidden] { display: none; }
  .line { position: fixed; left: 0; top: 0; z-index: 2147483647; pointer-events: none; border-radius: 2px; background: #c2410c; }
  .kept { background: none; }
  .moving { cursor: grabbing; }
  .name { position: fixed; left: 0; top: 0; z-index: 2147483647; max-width: min(420px, 90vw); overflow: hidden; padding: 3px 8px; border-radius: 4px; background: #0b3d4f; color: #fff;
    font: 15px/1.4 -apple-system, "Segoe UI", Inter, Roboto, sans-serif; text-overflow: ellipsis; white-space: nowrap; pointer-events: none; }
  @media (forced-colors: active) { .box { outline-color: Highlight; } .line { background: Highlight; forced-color-adjust: none; } }`

/**
 * Adds a layer of ours over the page, with its own boxes. Its style is a constructed sheet and
 * CSSOM, because a strict content security policy of the shop blocks neither.
 */
function layer(): { host: HTMLElement; part: (className: string) => HTMLElement } {
  const host = document.createElement('twinshelf-picker')
  const shadow = host.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  shadow.adoptedStyleSheets = [sheet]
  // The editor beside the page announces these labels to screen readers.
  host.setAttribute('aria-hidden', 'true')
  bodyOf(document).append(host)
  return {
    host,
    part: className => {
      const element = document.createElement('div')
      element.className = className
      shadow.append(element)
      return element
    },
  }
}

type Outline = { show: (element: Element | null, label: string) => void; stop: () => void }
/**
 * A box around an element, and a label with its name. Both follow the element as the page scrolls.
 */
function outliner(box: HTMLElement, name: HTMLElement): Outline {
  let shown: Element | null = null
  box.hidden = name.hidden = true
  const place = (): void => {
    if (!shown) return
    const { left, top, width, height } = boxOf(shown)
    Object.assign(box.style, {
      transform: `translate(${left}px, ${top}px)`,
      width: `${width}px`,
      height: `${height}px`,
    })
    const below = top < 32
    name.style.transform = `translate(${Math.max(2, Math.min(left, innerWidth - name.offsetWidth - 2))}px, ${below ? Math.min(top + height + 4, innerHeight - 30) : top - 31}px)`
  }
  addEventListener('scroll', place, { capture: true, passive: true })
  addEventListener('resize', place)
  return {
    show: (element, label) => {
      shown = element
      box.hidden = name.hidden = !element
      name.textContent = label
      place()
    },
    stop: () => {
      removeEventListener('scroll', place, { capture: true })
      removeEventListener('resize', place)
    },
  }
}

/**
 * A transparent layer over the page. It catches every press of the mouse, so that the page does not
 * receive it, and shows which element would be picked.
 */
export type Overlay = {
  /** The element of the page that is under the mouse, below the layer. */
  at: (x: number, y: number) => Element | null
  outline: (element: Element | null, label: string) => void
  /** Draws a line where a dragged element would be inserted; null hides it. */
  line: (place: Spot | null) => void
  glass: HTMLElement
  remove: () => void
}

export function overlay(): Overlay {
  const { host, part } = layer()
  const glass = part('glass'),
    line = part('line')
  const { show, stop } = outliner(part('box'), part('name'))
  line.hidden = true
  return {
    glass,
    at: (x, y) =>
      document.elementsFromPoint(x, y).find(element => !ownTags.includes(tagOf(element))) ?? null,
    outline: show,
    line: place => {
      line.hidden = !place
      glass.classList.toggle('moving', !!place)
      if (!place) return
      const { left, top, width, height } = edgeOf(place)
      Object.assign(line.style, {
        transform: `translate(${left}px, ${top}px)`,
        width: `${width}px`,
        height: `${height}px`,
      })
    },
    remove: () => {
      stop()
      host.remove()
    },
  }
}

/**
 * Outlines the element whose changes are open in the editor. Returns a function that removes the
 * outline.
 */
export function markElement(element: Element, label: string): () => void {
  const { host, part } = layer()
  const { show, stop } = outliner(part('box kept'), part('name'))
  show(element, label)
  return () => {
    stop()
    host.remove()
  }
}
