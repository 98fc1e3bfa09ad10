import { isAtPath, takeAlong } from '../domain/tests/redirect-url.ts'
import type { ScriptTest } from '../domain/script/script-config.ts'
import { isRefused } from './consent.ts'
import { isTested, pathOf, type Rules } from './core.ts'
import { cover, guarded, on } from './guard.ts'
import { previewToken } from './preview/preview-link.ts'

/** Everybody is sent on, and is in no test here. */
export const sentPlace: NonNullable<Rules['place']> = (test, here) => {
  if (!test.sent) return
  const other = otherOf(test, here)
  return other ? { arm: 0, other, isForced: true } : null
}

/**
 * Applied winners of redirect tests: every visitor is sent on for good, and counted for none of
 * them. Visitors of the tests are sent on like visitors of a redirect test, so that their referrer
 * is kept and no circle forms. This sends on those that the tests leave out at once, and stores
 * nothing for it: visitors who refuse, and those whose browser keeps nothing. A page in a frame of
 * another site, for example the theme editor, and a preview stay where they are.
 */
export const sendOn = (tests: ScriptTest[]): NonNullable<Rules['place']> => {
  guarded(() => {
    const here = new URL(location.href)
    const other = tests.map(test => otherOf(test, here)).find(Boolean)
    if (
      !other ||
      window.twinshelf ||
      previewToken() ||
      (top !== self && !frameElement) ||
      !(isRefused() || !navigator.cookieEnabled) ||
      isSent(tests, here)
    )
      return
    // The runtime leaves the page alone.
    window.twinshelf = { version: '1' }
    cover()
    // Whatever the shop's own policy: the next page has to know that it was led to.
    const policy = document.createElement('meta')
    policy.name = 'referrer'
    policy.content = 'same-origin'
    document.head.append(policy)
    const leave = (): void => location.replace(other)
    // A page that is prerendered may never be seen.
    if (document.prerendering) on('prerenderingchange', leave)
    else leave()
  })()
  return sentPlace
}

/** Where an applied redirect leads from this page; undefined when nowhere. */
function otherOf(test: ScriptTest, here: URL): URL | undefined {
  if (!test.sent || !isTested(test, pathOf(here.href))) return
  const target = new URL(test.sent, here)
  // Whatever was applied, nobody is sent to another host, and no page is sent to itself.
  if (target.origin !== here.origin || isAtPath(target, here)) return
  takeAlong(target, here)
  return isAtPath(target, here) ? undefined : target
}

/**
 * Whether this visitor was sent on a moment ago, so that the shop's own redirects must have led
 * here: visitors see a page that sends them on only then. Where the page before is not known, a
 * redirect of the shop is taken for that.
 */
function isSent(tests: ScriptTest[], { origin }: URL): boolean {
  const from = document.referrer && new URL(document.referrer)
  if (from) return from.origin === origin && tests.some(test => isTested(test, pathOf(from.href)))
  return performance
    .getEntriesByType('navigation')
    .some(entry => (entry as PerformanceNavigationTiming).redirectCount > 0)
}
