import type { PageApis } from '../../domain/script/page-apis.ts'
import { guarded, on } from '../guard.ts'
import { readCookie } from '../storage.ts'

/** How long the privacy API may take after the page has loaded. Milliseconds. */
const longest = 10_000
/** By then a page that has loaded is painted. Milliseconds. */
const paint = 100

/**
 * For shops whose platform has a privacy API or events of the cart. What the visitor said earlier
 * is read at once, from the platform's own cookie, so that a visitor who refused is not counted
 * while the API is still loading. Where they have said nothing yet, the API knows whether they must
 * be asked: null makes the runtime wait for its answer. Everything else waits in a file of its own,
 * which is loaded after the page is painted. When the API cannot be had, the store's rule decides.
 */
export const loadPart = guarded((apis: PageApis) => {
  const stored = apis.privacy?.stored
  const signal = (window.shopPrivacy ??= {})
  const stopWaiting = (): void => {
    signal.analyticsAllowed ??= undefined
  }
  if (stored) {
    const said = readCookie(stored.cookie)
    // Computed, because the build writes literal booleans as numbers.
    signal.analyticsAllowed ??=
      said?.includes(stored.yes) || (said?.includes(stored.no) ? !said : null)
  }
  on('load', () => {
    const script = document.createElement('script')
    script.src = apis.part
    script.dataset['apis'] = JSON.stringify(apis)
    script.onerror = stopWaiting
    setTimeout(stopWaiting, longest)
    // Not in the next frame: a page in the background has none, and would never hear the answer.
    setTimeout(() => document.head.append(script), paint)
  })
})
