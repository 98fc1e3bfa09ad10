import { twinOf } from './picker-before.ts'
import { boxOf, childrenOf, isPickable, parentOf } from './picker-document.ts'

/** Where an element will move: beside one of its siblings. */
export type Spot = { target: Element; name: 'before' | 'after' }

const siblingsOf = (element: Element): Element[] => {
  const parent = parentOf(element)
  return parent ? childrenOf(parent).filter(isPickable) : []
}

/** The place one step up or down among the element's siblings; null at either end. */
export function placeBeside(element: Element, to: 'up' | 'down'): Spot | null {
  const row = siblingsOf(element)
  const target = row[row.indexOf(element) + (to === 'up' ? -1 : 1)]
  return target ? { target, name: to === 'up' ? 'before' : 'after' } : null
}

/** Whether the element, once moved to this spot, is at the same place as in the control. */
export function isHome(element: Element, { target, name }: Spot): boolean {
  const twin = twinOf(element),
    parent = parentOf(twin),
    seen = new Set(siblingsOf(target).map(twinOf))
  const row = parent ? childrenOf(parent).filter(each => seen.has(each)) : []
  return (
    row.includes(twin) && row[row.indexOf(twin) + (name === 'before' ? 1 : -1)] === twinOf(target)
  )
}

/**
 * The place among the element's siblings that is nearest to a point; null when the element would
 * not move.
 */
export function placeAt(element: Element, x: number, y: number): Spot | null {
  const row = siblingsOf(element),
    at = row.indexOf(element)
  const others = row.filter(sibling => sibling !== element)
  const near = others
    .map(target => ({ target, far: distance(boxOf(target), x, y) }))
    .toSorted((a, b) => a.far - b.far)[0]
  if (!near) return null
  const { left, top, width, height } = boxOf(near.target)
  const isBefore = liesAcross(row) ? x < left + width / 2 : y < top + height / 2
  const to = row.indexOf(near.target)
  if (isBefore ? to === at + 1 : to === at - 1) return null
  return { target: near.target, name: isBefore ? 'before' : 'after' }
}

/** The edge of the target where the element would be inserted, to be drawn as a line. */
export function edgeOf({ target, name }: Spot): {
  left: number
  top: number
  width: number
  height: number
} {
  const { left, top, width, height } = boxOf(target)
  if (liesAcross(siblingsOf(target)))
    return { left: name === 'before' ? left - 2 : left + width - 2, top, width: 4, height }
  return { left, top: name === 'before' ? top - 2 : top + height - 2, width, height: 4 }
}

/**
 * Whether siblings are side by side: each of the first two begins above the middle of the other.
 */
function liesAcross([one, other]: Element[]): boolean {
  if (!one || !other) return false
  const first = boxOf(one),
    second = boxOf(other)
  return second.top < first.top + first.height / 2 && first.top < second.top + second.height / 2
}

function distance({ left, top, width, height }: DOMRect, x: number, y: number): number {
  const across = Math.max(left - x, 0, x - left - width),
    down = Math.max(top - y, 0, y - top - height)
  return Math.hypot(across, down)
}
