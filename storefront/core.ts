import type { ArmIndex } from '../domain/arm.ts'
import { assign } from '../domain/assignment.ts'
import { sessionSilence, stage, type Beacon, type EventKind, type ShopperEvent } from '../domain/event.ts'
import type { ScriptChange, ScriptConfig, ScriptTest } from '../domain/script-config.ts'
import { matchesPattern } from '../domain/url-pattern.ts'
import { isAt, redirectTarget } from './redirect-url.ts'

/**
 * What a visit to a shop's page comes to: the rules of the storefront script without browser, clock or chance, so
 * that simulated shoppers run the very same ones. `VisitorMemory` is changed in place; the caller keeps it.
 */
export type Session = {
  id: string
  /** Instant of the last act, milliseconds. */
  last: number
  landing: string
  referrer: string
  isNew: boolean
}
export type VisitorMemory = {
  visitor: string
  /** First visit, milliseconds. The id ends a year after it, whatever happens in between. */
  born: number
  session?: Session
  tests: Beacon['tests']
  /** The cart that already carries the visitor's id. */
  cart?: string
}
export type Page = {
  /** Whole address, with query and hash. */
  url: string
  referrer: string
  now: number
  newId: () => string
  /** Test whose redirect led to this very page load. */
  redirectedBy?: string
  /** False where nothing can be stored: a redirect could then not be told from an arrival. */
  canRedirect?: boolean
}
export type Visit = {
  /** Go there at once, in place of this page. Nothing of this page is shown or counted then, except the exposure. */
  redirect?: { test: string; url: string }
  /** Changes of the variant, by test. */
  changes: { test: string; changes: ScriptChange[] }[]
  events: ShopperEvent[]
  /** Tests the visitor is in whose tested page this is: a click here counts for them. */
  tested: string[]
}

export const visitorLife = 365 * 86_400_000
const lengths = { path: 512, origin: 1024 }

/** The visitor of this page: the one remembered, or a new one when there is none or their year is over. */
export function recogniseVisitor(memory: VisitorMemory | null, { now, newId }: Page): VisitorMemory {
  return memory && now - memory.born < visitorLife ? memory : { visitor: newId(), born: now, tests: {} }
}

/** What this page load means for the running tests. */
export function visitPage({ tests }: Pick<ScriptConfig, 'tests'>, memory: VisitorMemory, page: Page): Visit {
  const visit: Visit = { changes: [], events: [], tested: [] }
  const here = new URL(page.url)
  continueSession(memory, page)
  const enter = (test: ScriptTest): ArmIndex => {
    const held = (memory.tests[test.id] ??= [assign(test.id, memory.visitor, test.weights), stage.assigned])
    if (held[0] === 0) held[1] |= stage.applied
    if (!(held[1] & stage.exposed)) {
      held[1] |= stage.exposed
      visit.events.push(act(memory, page, 'exposure', [test.id]))
    }
    return held[0]
  }
  for (const test of tests) {
    if (test.to === undefined) continue
    const arrived = isAt(test.to, here)
    const target = redirectTarget(test.to, here)
    // A page cannot be its own variant: where the visitor's query would undo the target's, the test is not met at all.
    const isMet = !arrived && target && !isAt(target.href, here) && isTested(test, here)
    if (isMet && page.canRedirect !== false && !page.redirectedBy && enter(test)) {
      return { redirect: { test: test.id, url: target.href }, changes: [], events: visit.events, tested: [] }
    }
    const arm = memory.tests[test.id]?.[0]
    if (arrived && page.redirectedBy === test.id) markApplied(memory, test.id)
    if ((isMet && arm === 0) || (arrived && arm === 1)) visit.tested.push(test.id)
  }
  for (const test of tests) {
    if (test.to !== undefined || !isTested(test, here)) continue
    visit.tested.push(test.id)
    if (enter(test)) visit.changes.push({ test: test.id, changes: test.changes ?? [] })
  }
  visit.events.push(act(memory, page, 'view'))
  return visit
}

/** Something the visitor did, as an event; it keeps the session going or begins the next one. */
export function act(memory: VisitorMemory, page: Page, kind: EventKind, tests?: string[]): ShopperEvent {
  continueSession(memory, page)
  return { id: page.newId(), at: page.now, kind, path: pathOf(page).slice(0, lengths.path), ...(tests && { tests }) }
}

function continueSession(memory: VisitorMemory, page: Page): void {
  const { now, newId, referrer } = page
  const { session, born } = memory
  if (session && now - session.last <= sessionSilence) session.last = now
  else {
    memory.session = {
      id: newId(), last: now, landing: pathOf(page).slice(0, lengths.origin), referrer: referrer.slice(0, lengths.origin),
      // A memory rebuilt from the cookie alone has no session either, but an older visitor.
      isNew: !session && now - born < sessionSilence,
    }
  }
}

function pathOf({ url }: Page): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** The variant's difference is on the page now. */
export function markApplied(memory: VisitorMemory, test: string): void {
  const held = memory.tests[test]
  if (held) held[1] |= stage.applied
}

/** Whether a test runs on this page. Addresses are compared as they are written and as they are read (`/pages/über`). */
export function isTested(test: Pick<ScriptTest, 'pages'>, { pathname, search }: URL): boolean {
  const paths = [pathname + search]
  try {
    paths.push(decodeURI(paths[0]!))
  } catch { /* not encoded as a URL should be: as written it is */ }
  return test.pages.some(pattern => paths.some(path => matchesPattern(pattern, path)))
}
