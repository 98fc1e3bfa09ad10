import type { PickStep } from '../../domain/drafts/picker-message.ts'
import { bodyOf, childrenOf, isPickable, parentOf } from './picker-document.ts'
import { placeAt, placeBeside, type Spot } from './picker-move.ts'
import { overlay } from './picker-overlay.ts'
import { labelOf } from './picker-words.ts'

export type Picker = { step: (to: PickStep) => void; stop: () => void }
type Heard = {
  onOutline: (label: string) => void
  onPick: (element: Element) => void
  onMove: (element: Element, place: Spot) => void
  onEnd: () => void
}

const steps: Record<string, PickStep> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
  Enter: 'pick',
}
const moves: Record<string, PickStep> = { ArrowUp: 'moveUp', ArrowDown: 'moveDown' }
/** A press that moves further than this is a drag, not a click by a trembling hand. Pixels. */
const dragBegins = 6
/** Events that the page must not receive while an element is being picked. */
const presses = [
  'pointerdown',
  'pointerup',
  'pointercancel',
  'mousedown',
  'mouseup',
  'click',
  'dblclick',
  'auxclick',
  'contextmenu',
] as const

/**
 * Lets the merchant point at an element of the page, with the mouse or the keys, until one is
 * picked or `stop` is called. An element that is dragged, or moved with the keys, goes to another
 * place among its siblings.
 */
export function startPicking({ onOutline, onPick, onMove, onEnd }: Heard): Picker {
  const { at, glass, outline, line, remove } = overlay()
  let current: Element | null = null
  let held: {
    element: Element
    x: number
    y: number
    isDragged: boolean
    place: Spot | null
  } | null = null

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
  const move = (element: Element, place: Spot | null): void => {
    if (!place) return
    stop()
    onMove(element, place)
  }
  const step = (to: PickStep): void => {
    if (to === 'pick') pick()
    else if (to === 'moveUp' || to === 'moveDown') {
      if (current) move(current, placeBeside(current, to === 'moveUp' ? 'up' : 'down'))
    }
    // The element that the keys begin at is on the screen, so the page does not scroll to it.
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
  const onPoint = ({ clientX: x, clientY: y }: PointerEvent): void => {
    if (!held) return show(pointed(x, y))
    held.isDragged ||= Math.hypot(x - held.x, y - held.y) > dragBegins
    if (!held.isDragged) return
    held.place = placeAt(held.element, x, y)
    line(held.place)
  }
  const onPress = (event: Event): void => {
    // Events that code makes are not the merchant's.
    if (!event.isTrusted) return
    hush(event)
    const { clientX: x, clientY: y } = event as MouseEvent
    if (event.type === 'pointerdown') {
      show(pointed(x, y))
      held = current && { element: current, x, y, isDragged: false, place: null }
    }
    // The browser has taken over the pointer for a gesture, so nothing was dropped.
    if (event.type === 'pointercancel') {
      held = null
      line(null)
    }
    // A finger that has dragged causes no click event.
    const isDropped =
      event.type === 'pointerup' &&
      held?.isDragged &&
      (event as PointerEvent).pointerType !== 'mouse'
    if (event.type !== 'click' && !isDropped) return
    const drop = held
    held = null
    line(null)
    if (drop?.isDragged) return move(drop.element, drop.place)
    show(pointed(x, y))
    pick()
  }
  const onKey = (event: KeyboardEvent): void => {
    const to = event.altKey ? moves[event.key] : steps[event.key]
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
  glass.addEventListener('pointermove', onPoint)
  for (const press of presses) addEventListener(press, onPress, { capture: true, passive: false })
  addEventListener('keydown', onKey, true)
  return { step, stop }
}

/**
 * Where the keys begin: the element in the middle of the window, or the first element of the page.
 */
function firstOf(at: (x: number, y: number) => Element | null): Element | null {
  const middle = at(innerWidth / 2, innerHeight / 2)
  return middle && isPickable(middle) ? middle : (within(bodyOf(document))[0] ?? null)
}

function neighbour(
  element: Element,
  to: Exclude<PickStep, 'pick' | 'moveUp' | 'moveDown'>,
): Element | null {
  if (to === 'child') return within(element)[0] ?? null
  let above = parentOf(element)
  while (above && above !== bodyOf(document) && !isPickable(above)) above = parentOf(above)
  if (to === 'parent') return above && isPickable(above) ? above : null
  const row = above ? within(above) : []
  return row[row.indexOf(element) + (to === 'next' ? 1 : -1)] ?? null
}

/** Children that can be pointed at. A child without a box is replaced by its own children. */
function within(element: Element, depth = 0): Element[] {
  return childrenOf(element).flatMap(child =>
    isPickable(child) ? [child] : depth < 8 ? within(child, depth + 1).filter(isPickable) : [],
  )
}
