import type { PageApis } from '../../domain/script/page-apis.ts'
import { guarded, on } from '../guard.ts'
import { readCookie } from '../storage.ts'

/**
 * For shops whose platform has a privacy API or events of the cart. What the visitor said earlier
 * is read at once, from the platform's own cookie, so that a visitor who refused is not counted
 * while the API is still loading. Everything else waits in a file of its own, which is loaded after
 * the page is painted.
 */
export const loadPart = guarded((apis: PageApis) => {
  const { privacy, part } = apis
  if (privacy && !window.shopPrivacy) {
    const { cookie, yes, no } = privacy.stored
    const said = readCookie(cookie)
    const isNo = said?.includes(no)
    // Computed, because the build writes literal booleans as numbers.
    if (isNo || said?.includes(yes)) window.shopPrivacy = { analyticsAllowed: !isNo }
  }
  on('load', () =>
    requestAnimationFrame(() =>
      setTimeout(() => {
        const script = document.createElement('script')
        script.src = part
        script.dataset['apis'] = JSON.stringify(apis)
        document.head.append(script)
      }),
    ),
  )
})
