import type { PublishedChange } from '../domain/script-config.ts'
import type { ChangeActs } from './change-acts.ts'
import { guarded } from './guard.ts'
import { observe } from './observe.ts'

/**
 * Applies changes as their elements come into being, before they are painted. Each element is changed once per change;
 * what we add ourselves is not looked at again. A test is added to `applied` when a change of it was applied.
 * Answers with a function that looks again for a while, for code that redraws parts of a page after a click.
 */
export function applyChanges(acts: Partial<ChangeActs>, tests: { id: string; changes?: PublishedChange[] }[], applied: string[]): (() => void) | undefined {
  const pending = tests.flatMap(({ id, changes = [] }) => changes.map(change => [
    // true: done with it. Inside of an element that is still open the parser goes on adding the control's content, after a mark.
    id, new WeakMap<Element, Comment | true>(), ...change,
  ] as const))
  if (!pending[0]) return undefined
  return observe(() => pending.forEach(guarded(([id, seen, selector, kind, value, name]: typeof pending[0]) => {
    let isChanged = false
    const find = (act: (element: Element) => unknown): void => document.querySelectorAll(selector).forEach(act)
    const isSettled = (element: Element): unknown => isClosed(element) || !/text|html/.test(kind)
    find(element => {
      const end = seen.get(element)
      if (end === true) return
      if (end) while (end.nextSibling) end.nextSibling.remove()
      // What is to be moved waits for where it is to go.
      else if (acts[kind]!(element as HTMLElement, value, name!) === false) return
      else {
        applied.push(id)
        isChanged = true
      }
      if (isSettled(element)) {
        end?.remove()
        seen.set(element, true)
      } else if (!end) seen.set(element, element.appendChild(new Comment))
    })
    // What the change itself brought is never its own target, or it would grow for ever.
    if (isChanged) find(element => isSettled(element) && seen.set(element, true))
  })))
}

/** The parser has left an element once anything follows it or an element around it. */
const isClosed = (node: Node | null): unknown => document.readyState !== 'loading' || (node && (node.nextSibling || isClosed(node.parentNode)))
