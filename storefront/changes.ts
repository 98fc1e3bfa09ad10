import { untouchable } from '../domain/drafts/safe-html.ts'
import type { PublishedChange } from '../domain/script/script-config.ts'
import type { ChangeActs, Reads } from './change-acts.ts'
import { guarded, on } from './guard.ts'

/** How long after the page is there, and after each act of the visitor, new elements are still looked for. Milliseconds. */
const lateness = 5000
/**
 * What may be spent on looking, until the page is there and then in that time. A look costs the square of the milliseconds
 * that it takes, with 10 added: 500 quick ones, or two of a fifth of a second. A page that changes more often, or answers
 * each change of ours with one of its own, is given way; a selector that takes long is not looked for again and again. One
 * look is always left when the page is there and after an act: a phone that stood still during the first must not be without the change.
 */
const looking = 5e4,
  aLook = 10
/** How often a change is made to one element. After that the page's own code, which writes over it each time, has its way. */
const timesAtMost = 6

/**
 * Applies changes as their elements come into being, before they are painted, and again where the page's own code has
 * written over them; what we add ourselves is not looked at again. Looks when something has come onto the page or was
 * changed: until the page is there, and for a while after that and after each act of the visitor. A test is added to
 * `applied` when a change of it was applied. Answers with a function that looks again for a while, for code that redraws
 * parts of a page after a click.
 */
export function applyChanges(
  acts: Partial<ChangeActs>,
  tests: { id: string; changes?: PublishedChange[] }[],
  applied: string[],
): (() => void) | undefined {
  let left = 0,
    until = Infinity
  let made: (() => void)[]
  const pending = tests.flatMap(({ id, changes = [] }) =>
    changes.map(([selector, kind, value, name]) => {
      const seen = new WeakMap<Element, (() => void) | undefined>()
      const find = (act: (element: Element) => unknown): void =>
        document.querySelectorAll(selector).forEach(act)
      return guarded(() => {
        find(element => {
          let times = timesAtMost,
            read: Reads | void,
            stood: unknown
          if (!seen.has(element) && !element.matches(untouchable))
            seen.set(element, () => {
              // What is switched off, a button of what is sold out, says why in words of its own.
              if (
                !times ||
                (read && (read(isClosed(element)) === stood || element.closest(':disabled')))
              )
                return
              const reads = acts[kind]!(element as HTMLElement, value, name!)
              // What is to be moved waits for where it is to go.
              if (reads === false) return
              // What the parser adds to an element that is still open is not the page's own code.
              times = reads ? times - +!!isClosed(element) : 0
              // One change may lie over another of the same element: what counts is what they leave.
              made.push(() => {
                stood = (read = reads)?.(isClosed(element))
              })
              observer.observe(element, { attributes: true })
              applied.push(id)
            })
          seen.get(element)?.()
        })
        // What a change itself brought is never its own target, or it would grow endlessly.
        if (made[0]) find(element => seen.has(element) || seen.set(element, undefined))
      })
    }),
  )
  if (!pending[0]) return undefined
  const here = location.pathname
  /** The parser has left an element once anything follows it or an element around it. */
  const isClosed = (node: Node | null): unknown =>
    Infinity > until || (node && (node.nextSibling || isClosed(node.parentNode)))
  const see = (): void => {
    const began = Date.now()
    if (left < 0 || began > until) return
    // A theme that changes pages by script shows another page by now.
    if (location.pathname !== here) return
    made = []
    pending.forEach(act => act())
    made.forEach(act => act())
    observer.takeRecords()
    left -= (Date.now() - began + aLook) ** 2
  }
  const observer = new MutationObserver(see)
  const watch = (): void => {
    left = looking
    if (document.readyState !== 'loading') until = Date.now() + lateness
    see()
  }
  observer.observe(document, { childList: true, characterData: true, subtree: true })
  on('DOMContentLoaded', watch)
  watch()
  return watch
}
