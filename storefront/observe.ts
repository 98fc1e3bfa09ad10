import { guarded, on } from './guard.ts'

/** How long after the page is there, and after each act of the visitor, new elements are still looked for. Milliseconds. */
const lateness = 5000
/** Looks in that time. A page that changes more often, or answers each change of ours with one of its own, is given way. */
const looksAtMost = 300

/**
 * Calls `look` when something has come onto the page, before it is painted: until the page is there, and for a while
 * after that and after each act of the visitor. Answers with a function that looks again for a while.
 */
export function observe(look: () => void): () => void {
  let looks = 0
  let until = 0
  const observer = new MutationObserver(guarded(() => {
    // Until the page is there, the parser brings what it brings.
    if (until && (looks++ > looksAtMost || Date.now() > until)) return observer.disconnect()
    look()
    observer.takeRecords()
  }))
  const watch = (): void => {
    looks = 0
    if (document.readyState !== 'loading') until = Date.now() + lateness
    look()
    observer.observe(document, { childList: true, subtree: true })
  }
  on('DOMContentLoaded', watch)
  watch()
  return watch
}
