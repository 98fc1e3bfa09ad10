import {
  readEditorMessage,
  sealed,
  type Found,
  type PageMessage,
  type Place,
} from '../../domain/drafts/picker-message.ts'
import type { ScriptChange } from '../../domain/script/script-config.ts'
import { undoKeys } from '../../domain/drafts/undo-keys.ts'
import { guarded, on } from '../guard.ts'
import { keepPage, twinOf } from './picker-before.ts'
import { bodyOf, findAll } from './picker-document.ts'
import { isHome, placeBeside, type Spot } from './picker-move.ts'
import { markElement } from './picker-overlay.ts'
import { selectorOf } from './picker-selector.ts'
import { startPicking, type Picker } from './picker.ts'
import { labelOf, pickedOf } from './picker-words.ts'
import { followScroll } from '../preview/preview-scroll.ts'

/**
 * How often (milliseconds) and how many times the page says that it is ready: for two minutes. The
 * page may be there long before the editor's script.
 */
const readyEvery = 250,
  readyTimes = 480

const waiting: (() => void)[] = []
/**
 * Calls `act` now, or as soon as the whole page is parsed. What waits keeps its order, also with
 * what is asked for while the page still waits for its deferred scripts.
 */
export const whenThere = (act: () => void): void => {
  if (document.readyState !== 'loading' && waiting.length === 0) return act()
  if (waiting.push(guarded(act)) > 1) return
  on('DOMContentLoaded', () => waiting.splice(0).forEach(waited => waited()))
}

/**
 * The window that may hold the editor: the one around this frame, or the one that opened this
 * window. null when there is neither.
 */
export const editorWindow = (): Window | null =>
  window.parent !== window ? window.parent : (window.opener as Window | null)

/**
 * Does what the editor asks. It accepts messages only from the one window that may hold the editor,
 * only from the origin that the signed configuration names, and only with the nonce that this
 * window has given. `onBegin` is called once, with the changes as they are in the editor (null: use
 * the saved ones), and with a function that scrolls the page back to where it was.
 */
export function serveEditor(
  editor: Window,
  origin: string,
  onBegin: (changes: ScriptChange[] | null, comeBack: () => void) => void,
): { remember: (selectors: string[]) => void } {
  let nonce = ''
  let picker: Picker | null = null
  /**
   * What each selector found before the changes were made, so that a removed element is still
   * found.
   */
  const before = new Map<string, Found>()
  /** The first element that each selector found, even if a change has moved it since. */
  const firsts = new Map<string, Element>()
  let unmark = (): void => {}
  const say = (message: PageMessage): void => editor.postMessage(sealed(message, nonce), origin)
  const found = (selector: string): Found => {
    const elements = findAll(selector)
    return {
      selector,
      count: elements?.length ?? -1,
      whole:
        elements?.some(
          element => element === document.documentElement || element === bodyOf(document),
        ) ?? false,
    }
  }
  const elementOf = (selector: string): Element | undefined =>
    firsts.get(selector) ?? findAll(selector)?.[0]
  let asked: string[] = []
  /** Selectors whose element the editor has been told about. */
  const described = new Set<string>()
  const tell = (): void => {
    say({
      type: 'counted',
      found: asked.map(selector => {
        const then = before.get(selector)
        return then && then.count > 0 ? then : found(selector)
      }),
    })
    for (const selector of asked) {
      const element = described.has(selector) ? undefined : elementOf(selector)
      if (!element) continue
      described.add(selector)
      say({ type: 'described', selector, picked: pickedOf(element) })
    }
  }
  const sayMoved = (selector: string, element: Element, spot: Spot): void =>
    say({
      type: 'moved',
      selector,
      picked: pickedOf(element),
      to: {
        name: spot.name,
        target: selectorOf(twinOf(spot.target)),
        isHome: isHome(element, spot),
      },
    })
  const mark = (selector: string, seek = false): void => {
    unmark()
    const element = selector ? elementOf(selector) : undefined
    unmark = element?.isConnected ? markElement(element, labelOf(element)) : () => {}
    if (seek && element?.isConnected)
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const shift = (selector: string, to: 'up' | 'down'): void => {
    const element = elementOf(selector),
      place = element?.isConnected ? placeBeside(element, to) : null
    if (element && place) sayMoved(selector, element, place)
  }
  const scroll = followScroll((at: Place) => {
    if (nonce) say({ type: 'scrolled', at })
  })
  const stopPicking = (): void => {
    picker?.stop()
    picker = null
  }
  const pick = (): void => {
    stopPicking()
    mark('')
    picker = startPicking({
      onOutline: label => say({ type: 'outlined', label }),
      onPick: element => {
        picker = null
        say({ type: 'picked', picked: pickedOf(element) })
      },
      onMove: (element, place) => {
        picker = null
        sayMoved('', element, place)
      },
      onEnd: () => {
        picker = null
        say({ type: 'ended' })
      },
    })
  }

  on<MessageEvent>('message', event => {
    if (event.origin !== origin || event.source !== editor) return
    const message = readEditorMessage(event.data)
    if (!message) return
    if (message.type === 'begin') {
      if (!message.nonce) return
      // The editor may send this twice, when the page had to say twice that it is ready.
      const isFirst = !nonce
      nonce = message.nonce
      const { changes, at } = message
      return isFirst
        ? onBegin(changes, () => {
            if (at) scroll.back(at)
          })
        : undefined
    }
    if (!nonce || message.nonce !== nonce) return
    switch (message.type) {
      case 'apply':
        return location.reload()
      case 'picking':
        return whenThere(() => (message.on ? pick() : stopPicking()))
      case 'step':
        return whenThere(() => picker?.step(message.to))
      case 'scroll':
        return scroll.to(message.to)
      case 'count':
        asked = message.selectors
        return whenThere(tell)
      case 'mark':
        return whenThere(() => mark(message.selector, message.seek))
      case 'shift':
        return whenThere(() => shift(message.selector, message.to))
    }
  })
  on<KeyboardEvent>('keydown', event => {
    const keys = undoKeys(event),
      field = event.target as HTMLElement | null
    if (!nonce || !keys || field?.closest?.('input, textarea, select') || field?.isContentEditable)
      return
    event.preventDefault()
    say({ type: 'pressed', keys })
  })
  // Parts that the shop's own code draws exist by then.
  on('load', () => {
    if (nonce && asked.length > 0) tell()
  })
  let times = 0
  const page = String(Math.random())
  const ready = guarded((): void => {
    if (nonce || times++ >= readyTimes) return clearInterval(timer)
    say({ type: 'ready', page })
  })
  const timer = setInterval(ready, readyEvery)
  ready()
  return {
    remember: selectors => {
      for (const selector of selectors) {
        before.set(selector, found(selector))
        const [first] = findAll(selector) ?? []
        if (first) firsts.set(selector, first)
      }
      if (selectors.length > 0) keepPage(selectors.flatMap(selector => findAll(selector) ?? []))
    },
  }
}
