import { guarded, on } from './guard.ts'

/** How long after the page is there, and after each act of the visitor, new elements are still looked for. Milliseconds. */
const lateness = 5000
/** Looks in that time. A page that changes more often, or answers each change of ours with one of its own, is given way. */
const looksAtMost = 300

/**
 * Calls `look` when something has come onto the page, before it is painted, with what has changed; with nothing when all
 * is to be looked at: at first, when the page is there, and after each act of the visitor. Answers with a function that
 * looks again for a while.
 */
export function observe(look: (records?: MutationRecord[]) => void): () => void {
  let looks = 0
  let until = 0
  const observer = new MutationObserver(guarded((records?: MutationRecord[]) => {
    // Until the page is there, the parser brings what it brings.
    if (until && (looks++ > looksAtMost || Date.now() > until)) return observer.disconnect()
    look(records)
    observer.takeRecords()
  }))
  const watch = (): void => {
    looks = 0
    if (document.readyState !== 'loading') until = Date.now() + lateness
    look()
    observer.observe(document, { childList: true, characterData: true, subtree: true })
  }
  on('DOMContentLoaded', watch)
  watch()
  return watch
}
export type Observe = typeof observe
