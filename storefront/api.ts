import { assign } from '../domain/tests/assignment.ts'
import { stage, type EventKind } from '../domain/events/event.ts'
import type { ScriptTest } from '../domain/script/script-config.ts'
import { isRefused } from './consent.ts'
import type { Rules, TagFacts, VisitorMemory } from './core.ts'
import { keep } from './memory.ts'

export type VisitorData = {
  id: string
  isNew: boolean
  landing: string
  referrer: string
  tests: Record<string, 'control' | 'variant'>
}
/** Documented for the shops' developers in domain/script/shop-api.ts. */
export type ShopApi = {
  version: string
  /**
   * Whether this visitor is shown this hypothesis. For a manual test, the first call puts the
   * visitor into the test. false when the test of the hypothesis does not run.
   */
  isActive?: (hypothesisId: string) => boolean
  /** What the script knows about the visitor. */
  visitor?: () => VisitorData
  /** Says whether the visitor may be counted. Visitors who refuse see the control. */
  setConsent?: (isAllowed: boolean) => void
}
declare global {
  interface Window {
    /**
     * The API for the shop's own code. Every function may be missing: when no test runs, or when
     * the visitor refused.
     */
    twinshelf?: ShopApi
  }
}

/**
 * A manual test has nothing to do with any page until the shop's code has put the visitor into it.
 */
export const manualPlace: NonNullable<Rules['place']> = ({ isManual, id }, _, { tests }) =>
  isManual && !tests[id] ? null : undefined

/**
 * Gives the shop's code its API, `window.twinshelf`, and puts a visitor into a manual test when the
 * code first asks about it. `latest` reads the stored memory again. `tested` are the tests of this
 * page that the visitor is in; manual tests are added to it.
 */
export function answerShop(
  tests: ScriptTest[],
  memory: VisitorMemory,
  latest: () => VisitorMemory,
  facts: TagFacts,
  tested: string[],
  record: (kind: EventKind, tests?: string[]) => void,
  { mayEnter }: Pick<Rules, 'mayEnter'>,
): void {
  const api = window.twinshelf!
  const armOf = (test: ScriptTest): number | undefined => {
    const { id, isManual, weights } = test
    const { tests: held, visitor } = memory
    // The code may ask before anything is stored, and another tab may have put the visitor into the
    // test since. A prerendered page may never be seen, so nobody enters a test on it.
    if (
      isManual &&
      !document.prerendering &&
      !isRefused() &&
      (held[id] || !mayEnter || mayEnter(test, tests, memory, facts))
    ) {
      const state = (held[id] ??= latest().tests[id] ?? [
        assign(id, visitor, weights),
        stage.assigned,
      ])
      if (!tested.includes(id)) tested.push(id)
      if (!(state[1] & stage.exposed)) {
        state[1] |= stage.applied | stage.exposed
        keep({ ...latest(), tests: { ...latest().tests, ...held } })
        record('exposure', [id])
      }
    }
    return held[id]?.[0]
  }
  api.isActive = id =>
    tests.some(test => {
      const arm = test.api?.indexOf(id) ?? -1
      return arm > -1 && armOf(test) === arm
    })
  api.visitor = () => {
    const { visitor, session, tests: held } = memory
    const { isNew, landing, referrer } = session!
    return {
      id: visitor,
      isNew,
      landing,
      referrer,
      tests: Object.fromEntries(
        tests
          .filter(({ id }) => held[id])
          .map(({ id }) => [id, held[id]![0] ? 'variant' : 'control']),
      ),
    }
  }
  api.setConsent = analyticsAllowed => {
    window.shopPrivacy = { ...window.shopPrivacy, analyticsAllowed }
    dispatchEvent(new Event('shopprivacychange'))
  }
}
