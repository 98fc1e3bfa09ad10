import type { ElementStyles } from '../../domain/drafts/element-style.ts'
import { bodyOf, childrenOf, findAll } from './picker-document.ts'
import { stylesOf } from './picker-style.ts'

/** Elements whose styles are kept: the changed ones and what is in them, at most this many. */
const keptAtMost = 3000

const twins = new WeakMap<Element, Element>()
const styles = new WeakMap<Element, ElementStyles>()

/**
 * Keeps the page as it is before any change is made: what an element says, how it is found and how it looks in the
 * control is read from here. The copy lies in a document of its own, where no picture is loaded and no code runs.
 */
export function keepPage(changed: readonly Element[]): void {
  const copy = document.implementation.createHTMLDocument()
  const body = copy.importNode(bodyOf(document), true)
  copy.documentElement.replaceChild(body, copy.body)
  pair(bodyOf(document), body)
  const affected = new Set(changed.flatMap(element => [element, ...(findAll('*', element) ?? [])]))
  for (const element of [...affected].slice(0, keptAtMost)) styles.set(element, stylesOf(element))
}

function pair(element: Element, twin: Element): void {
  twins.set(element, twin)
  const copies = childrenOf(twin)
  childrenOf(element).forEach((child, i) => {
    if (copies[i]) pair(child, copies[i])
  })
}

/** The element in the page as it was; the element itself where nothing was changed, or where a change brought it. */
export const twinOf = (element: Element): Element => twins.get(element) ?? element

/** How the element looked before any change. */
export const stylesBefore = (element: Element): ElementStyles =>
  styles.get(element) ?? stylesOf(element)
