import type { PickStep } from '../domain/picker-message.ts'
import { childrenOf, isPickable, parentOf } from './picker-document.ts'
import { overlay } from './picker-overlay.ts'
import { labelOf } from './picker-words.ts'

export type Picker = { step: (to: PickStep) => void; stop: () => void }
type Heard = { onOutline: (label: string) => void; onPick: (element: Element) => void; onEnd: () => void }

const steps: Record<string, PickStep> = { ArrowUp: 'parent', ArrowDown: 'child', ArrowLeft: 'previous', ArrowRight: 'next', Enter: 'pick' }
/** Presses that the page must not hear of while an element is being picked. */
const presses = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'] as const

/** Lets the merchant point at an element of the page, with the mouse or with the keys, until one is picked or `stop`. */
export function startPicking({ onOutline, onPick, onEnd }: Heard): Picker {
  const { at, glass, outline, remove } = overlay()
  let current: Element | null = null

  const show = (element: Element | null, byKey = false): void => {
    if (!element || element === current) return
    current = element
    const label = labelOf(element)
    if (byKey) element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    outline(element, label)
    onOutline(label)
  }
  const pick = (): void => {
    if (!current) return
    const picked = current
    stop()
    onPick(picked)
  }
  const step = (to: PickStep): void => {
    if (to === 'pick') pick()
    // What the keys begin at is on the screen: the page stays where it is.
    else show(current ? neighbour(current, to) : firstOf(at), current !== null)
  }
  const pointed = (x: number, y: number): Element | null => {
    let element = at(x, y)
    while (element && !isPickable(element)) element = parentOf(element)
    return element
  }
  const hush = (event: Event): void => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const onMove = ({ clientX, clientY }: PointerEvent): void => show(pointed(clientX, clientY))
  const onPress = (event: Event): void => {
    // Keys that end up as clicks come from elsewhere, and code's own clicks are nobody's.
    if (!event.isTrusted) return
    hush(event)
    if (event.type !== 'click') return
    const { clientX, clientY } = event as MouseEvent
    show(pointed(clientX, clientY))
    pick()
  }
  const onKey = (event: KeyboardEvent): void => {
    const to = steps[event.key]
    if (event.key !== 'Escape' && !to) return
    hush(event)
    if (to) return step(to)
    stop()
    onEnd()
  }
  const stop = (): void => {
    for (const press of presses) removeEventListener(press, onPress, true)
    removeEventListener('keydown', onKey, true)
    remove()
  }
  glass.addEventListener('pointermove', onMove)
  for (const press of presses) addEventListener(press, onPress, { capture: true, passive: false })
  addEventListener('keydown', onKey, true)
  return { step, stop }
}

/** Where the keys begin: what is in the middle of the window, or the first thing of the page. */
function firstOf(at: (x: number, y: number) => Element | null): Element | null {
  const middle = at(innerWidth / 2, innerHeight / 2)
  return middle && isPickable(middle) ? middle : within(document.body)[0] ?? null
}

function neighbour(element: Element, to: Exclude<PickStep, 'pick'>): Element | null {
  if (to === 'child') return within(element)[0] ?? null
  let above = parentOf(element)
  while (above && above !== document.body && !isPickable(above)) above = parentOf(above)
  if (to === 'parent') return above && isPickable(above) ? above : null
  const row = above ? within(above) : []
  return row[row.indexOf(element) + (to === 'next' ? 1 : -1)] ?? null
}

/** Children that can be pointed at; of one without a box of its own, its children. */
function within(element: Element, depth = 0): Element[] {
  return childrenOf(element).flatMap(child => isPickable(child) ? [child] : depth < 8 ? within(child, depth + 1).filter(isPickable) : [])
}
