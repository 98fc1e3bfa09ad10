import type { ElementStyles } from '../../domain/drafts/element-style.ts'
import { bodyOf, childrenOf, findAll } from './picker-document.ts'
import { stylesOf } from './picker-style.ts'

/**
 * Styles are kept for at most this many elements: the changed ones and the elements inside them.
 */
const keptAtMost = 3000

const twins = new WeakMap<Element, Element>()
const styles = new WeakMap<Element, ElementStyles>()

/**
 * Keeps a copy of the page before any change is made. What an element says, how it is found and how
 * it looks in the control is read from what is kept here. The copy is a separate document, where no
 * picture is loaded and no code runs.
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

/**
 * The element's counterpart in the page before the changes; the element itself when nothing was
 * changed, or when a change inserted it.
 */
export const twinOf = (element: Element): Element => twins.get(element) ?? element

/** How the element looked before any change. */
export const stylesBefore = (element: Element): ElementStyles =>
  styles.get(element) ?? stylesOf(element)
