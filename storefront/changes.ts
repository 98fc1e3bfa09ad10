import type { PublishedChange } from '../domain/script-config.ts'
import type { ChangeActs, Reads } from './change-acts.ts'
import { guarded, on } from './guard.ts'

/** How long after the page is there, and after each act of the visitor, new elements are still looked for. Milliseconds. */
const lateness = 5000
/** Looks until the page is there, and then in that time. A page that changes more often, or answers each change of ours with one of its own, is given way. */
const looksAtMost = 500
/** How often a change is made to one element. After that the page's own code, which writes over it each time, has its way. */
const timesAtMost = 6

/**
 * Applies changes as their elements come into being, before they are painted, and again where the page's own code has
 * written over them; what we add ourselves is not looked at again. Looks when something has come onto the page or was
 * changed: until the page is there, and for a while after that and after each act of the visitor. A test is added to
 * `applied` when a change of it was applied. Answers with a function that looks again for a while, for code that redraws
 * parts of a page after a click.
 */
export function applyChanges(acts: Partial<ChangeActs>, tests: { id: string; changes?: PublishedChange[] }[], applied: string[]): (() => void) | undefined {
  let looks: number, until = Infinity
  let made: (() => void)[]
  const pending = tests.flatMap(({ id, changes = [] }) => changes.map(([selector, kind, value, name]) => {
    const seen = new WeakMap<Element, (() => void) | undefined>()
    const find = (act: (element: Element) => unknown): void => document.querySelectorAll(selector).forEach(act)
    return guarded(() => {
      find(element => {
        let left = timesAtMost, read: Reads | void, stood: unknown
        if (!seen.has(element)) seen.set(element, () => {
          // What is switched off, a button of what is sold out, says why in words of its own.
          if (!left || (read && (read(isClosed(element)) === stood || element.closest(':disabled')))) return
          const reads = acts[kind]!(element as HTMLElement, value, name!)
          // What is to be moved waits for where it is to go.
          if (reads === false) return
          // What the parser adds to an element that is still open is not the page's own code.
          left = reads ? left - +!!isClosed(element) : 0
          // One change may lie over another of the same element: what counts is what they leave.
          made.push(() => { stood = (read = reads)?.(isClosed(element)) })
          observer.observe(element, { attributes: true })
          applied.push(id)
        })
        seen.get(element)?.()
      })
      // What a change itself brought is never its own target, or it would grow for ever.
      if (made[0]) find(element => seen.has(element) || seen.set(element, undefined))
    })
  }))
  if (!pending[0]) return undefined
  /** The parser has left an element once anything follows it or an element around it. */
  const isClosed = (node: Node | null): unknown => Infinity > until || (node && (node.nextSibling || isClosed(node.parentNode)))
  const see = (): void => {
    made = []
    pending.forEach(act => act())
    made.forEach(act => act())
    observer.takeRecords()
  }
  const observer = new MutationObserver(() => {
    if (looks-- > 0 && Date.now() < until) see()
  })
  const watch = (): void => {
    looks = looksAtMost
    if (document.readyState !== 'loading') until = Date.now() + lateness
    see()
  }
  observer.observe(document, { childList: true, characterData: true, subtree: true })
  on('DOMContentLoaded', watch)
  watch()
  return watch
}
