import { untouchable } from '../domain/drafts/safe-html.ts'
import type { PublishedChange } from '../domain/script/script-config.ts'
import type { ChangeActs, Reads } from './change-acts.ts'
import { guarded, on } from './guard.ts'

/**
 * How long new elements are still looked for after the page is parsed, and after each act of the
 * visitor. Milliseconds.
 */
const lateness = 5000
/**
 * The budget for looking: one until the page is parsed, then one for each period of `lateness`. A
 * look costs the square of its milliseconds plus 10, so the budget pays for 500 quick looks, or for
 * two looks of 200 ms. When it is spent we stop: on a page that changes very often, on one that
 * answers each of our changes with a change of its own, and for a selector that is slow. The budget
 * is filled again when the page is parsed and after an act, so one look always happens then: a
 * phone that froze during the first look must still get the change.
 */
const looking = 5e4,
  aLook = 10
/**
 * How often a change is made to one element. After that, the page's own code, which overwrites it
 * each time, wins.
 */
const timesAtMost = 6

/**
 * Applies changes as soon as their elements exist, before they are painted, and again where the
 * page's own code has overwritten them. What we add ourselves is not looked at again. It looks when
 * something was added to the page or changed: until the page is parsed, and for `lateness` after
 * that and after each act of the visitor. When a change is applied, the id of its test is added to
 * `applied`. Returns a function that starts another period of looking, for code that redraws parts
 * of a page after a click; undefined when there are no changes.
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
              // A disabled element keeps the text of the page's code: the button of a sold-out
              // product says there why it is disabled.
              if (
                !times ||
                (read && (read(isClosed(element)) === stood || element.closest(':disabled')))
              )
                return
              const reads = acts[kind]!(element as HTMLElement, value, name!)
              // A move waits until its target exists.
              if (reads === false) return
              // What the parser adds to an element that is still open does not come from the page's
              // own code, so it does not count.
              times = reads ? times - +!!isClosed(element) : 0
              // Several changes may be about the same element, so the value to compare is read
              // after all of them were made.
              made.push(() => {
                stood = (read = reads)?.(isClosed(element))
              })
              observer.observe(element, { attributes: true })
              applied.push(id)
            })
          seen.get(element)?.()
        })
        // A change must not apply to elements that it inserted itself, or the page would grow
        // endlessly.
        if (made[0]) find(element => seen.has(element) || seen.set(element, undefined))
      })
    }),
  )
  if (!pending[0]) return undefined
  const here = location.pathname
  /**
   * Whether the parser has left an element: it has when anything follows the element or an element
   * around it.
   */
  const isClosed = (node: Node | null): unknown =>
    Infinity > until || (node && (node.nextSibling || isClosed(node.parentNode)))
  const see = (): void => {
    const began = Date.now()
    if (left < 0 || began > until) return
    // A theme that navigates by script shows another page now.
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
  watch()
  observer.observe(document, { childList: true, characterData: true, subtree: true })
  on('DOMContentLoaded', watch)
  return watch
}
