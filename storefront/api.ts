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
/** Told to shops' developers by domain/script/shop-api.ts. */
export type ShopApi = {
  version: string
  /** Whether this visitor is shown this hypothesis. Of a manual test, the first asking puts them into it. false for what does not run. */
  isActive?: (hypothesisId: string) => boolean
  /** Who the script takes the visitor for. */
  visitor?: () => VisitorData
  /** Tells that the visitor has refused to be counted, or has not. The original is shown to those who refuse. */
  setConsent?: (isAllowed: boolean) => void
}
declare global {
  interface Window {
    /** What a shop's own code may ask of the script. Every part may be missing: nothing runs, or the visitor refused. */
    twinshelf?: ShopApi
  }
}

/** Of a manual test no page is met before the shop's code has asked. */
export const manualPlace: NonNullable<Rules['place']> = ({ isManual, id }, _, { tests }) =>
  isManual && !tests[id] ? null : undefined

/**
 * Answers the shop's code, and puts visitors into manual tests when it first asks for them. `latest` is what is known by
 * now, read again; `tested` are the tests whose tested page this is.
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
    // Asked before anything is stored, and again in a tab whose neighbour has asked meanwhile.
    // A page drawn ahead may never be seen: nobody enters a test on it.
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
