import type { PageApis } from '../../domain/script/page-apis.ts'
import type { PublishedConfig } from '../../domain/script/published-config.ts'
import type { Parts } from '../parts.ts'
import {
  always,
  api,
  audience,
  type Changing,
  channel,
  elements,
  entry,
  leave,
  log,
  type MakeChanges,
  manual,
  pageApis,
  pages,
  prices,
  redirect,
  restore,
  sent,
  speed,
  view,
} from './loaded-parts.ts'

/**
 * Joins the parts that a page has loaded, where a platform delivers our files and the page names
 * the ones it needs. It does what engine/script/compose.ts does for a script that is one file.
 */
export function assemble({
  tests,
  always: changes,
  pageApis: apis,
}: Pick<PublishedConfig, 'tests' | 'always' | 'pageApis'>): Parts {
  // Applied changes and tested changes are one list, so that neither takes the other for the page's
  // own code.
  const change = (shown: Changing[], applied: string[]): ReturnType<MakeChanges> => {
    const all = changes ? [{ id: '', changes }, ...shown] : shown
    return elements?.(pages ? pages(all) : all, applied)
  }
  if (changes) always?.(() => change([], []))
  // This part has a listener of its own and must come before the runtime's, which knows nothing
  // about themes.
  leave?.()
  const part = document.currentScript!.dataset['apis']
  if (part) pageApis?.({ ...apis, part } as PageApis)
  const sentPlace = sent?.(tests.filter(test => test.sent))
  return {
    place: (...about) => {
      for (const place of [sentPlace, redirect, view, restore, manual]) {
        // undefined means that the part does not know this kind of test, and null is an answer.
        const found = place?.(...about)
        if (found !== undefined) return found
      }
      return undefined
    },
    // Without this part everybody may enter every test.
    ...(entry && { mayEnter: entry(() => navigator.userAgent, audience?.(channel)) }),
    showArms: (visit, applied, facts, memory) => {
      const { shown } = visit
      return [
        change(shown, applied),
        prices?.(shown, facts, memory.visitor),
        log?.(memory, visit) as undefined,
      ]
    },
    answerShop: api!,
    watchSpeed: speed!,
  }
}
