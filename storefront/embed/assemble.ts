import type { PageApis } from '../../domain/script/page-apis.ts'
import type { PublishedConfig, PublishedTest } from '../../domain/script/published-config.ts'
import type { scriptParts } from '../../domain/script/script-part.ts'
import type { answerShop, manualPlace } from '../api.ts'
import type { channelName } from '../channel.ts'
import type { audienceRule, entryRule } from '../entry.ts'
import type { leaveTheme } from '../leave.ts'
import type { logVisit } from '../log.ts'
import type { showToAll } from '../own-pages.ts'
import type { loadPart } from '../page-apis/load-part.ts'
import type { Parts } from '../parts.ts'
import type { showPrices } from '../prices.ts'
import type { sendOn } from '../sent.ts'
import type { watchSpeed } from '../speed.ts'
import type { redirectPlace, restorePlace, viewPlace } from '../travel.ts'

type Changing = { id: string; changes?: unknown }
/** The part for changes, which has the acts of all kinds of changes here. */
type MakeChanges = (tests: Changing[], applied: string[]) => (() => void) | undefined
type PartTypes = {
  elements: MakeChanges
  prices: typeof showPrices
  redirect: typeof redirectPlace
  view: typeof viewPlace
  restore: typeof restorePlace
  leave: typeof leaveTheme
  pages: (tests: Changing[]) => Changing[]
  always: typeof showToAll
  entry: typeof entryRule
  audience: typeof audienceRule
  channel: typeof channelName
  api: typeof answerShop
  manual: typeof manualPlace
  speed: typeof watchSpeed
  log: typeof logVisit
  pageApis: typeof loadPart
  sent: (tests: PublishedTest[]) => ReturnType<typeof sendOn>
}
type Loaded<Names extends readonly (keyof PartTypes)[]> = {
  [I in keyof Names]: PartTypes[Names[I]] | undefined
}
/** The parts that a page has loaded, in the order of `scriptParts`. */
export type LoadedParts = Loaded<typeof scriptParts>

/**
 * Joins the parts that a page has loaded, where a platform delivers our files and the page names
 * the ones it needs. It does what engine/script/compose.ts does for a script that is one file.
 */
export function assemble(
  [
    elements,
    prices,
    redirect,
    sent,
    view,
    restore,
    leave,
    pages,
    always,
    entry,
    audience,
    channel,
    api,
    manual,
    speed,
    log,
    pageApis,
  ]: LoadedParts,
  {
    tests,
    always: changes,
    pageApis: apis,
  }: Pick<PublishedConfig, 'tests' | 'always' | 'pageApis'>,
): Parts {
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
