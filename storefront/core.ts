import { assign } from '../domain/assignment.ts'
import { sessionSilence, stage, type Beacon, type EventKind, type ShopperEvent } from '../domain/event.ts'
import type { ScriptChange, ScriptConfig, ScriptTest } from '../domain/script-config.ts'
import { matchesPattern } from '../domain/url-pattern.ts'
import { isAt, takeAlong, targetOf } from './redirect-url.ts'

/**
 * What a visit to a shop's page comes to: the rules of the storefront script without browser, clock or chance, so
 * that simulated shoppers run the very same ones. `VisitorMemory` is changed in place; the caller keeps it.
 */
export type Session = Pick<Beacon, 'session' | 'isNew' | 'landing' | 'referrer'>
export type VisitorMemory = {
  visitor: string
  /** First visit, milliseconds. The id ends a year after it, whatever happens in between. */
  born: number
  session?: Session
  /** Instant of the last act in that session, milliseconds. */
  last?: number
  tests: Beacon['tests']
  /** The redirect under way, until the page it leads to has taken it up. */
  left?: Departure
  /** The cart that already carries the visitor's id. */
  cart?: string
}
export type Departure = { test: string; at: number; referrer: string }
export type Page = {
  /** Whole address, with query and hash. */
  url: string
  referrer: string
  now: number
  newId: () => string
  /** Asked before a redirect test is met. false where nothing can be stored: an arrival could not be told from a first visit then. */
  canRedirect?: () => boolean
}
export type Visit = {
  /** Go there at once, in place of this page. Nothing of this page is shown or counted then, except the exposure. */
  redirect?: string
  /** A redirect led here: the referrer of the page it left, which is the shopper's own. */
  referrer?: string
  /** Changes of the variant, by test. */
  changes: { test: string; changes: ScriptChange[] }[]
  events: ShopperEvent[]
  /** Tests the visitor is in whose tested page this is: a click here counts for them. */
  tested: string[]
}

export const visitorLife = 365 * 86_400_000
const pathLength = 512
const originLength = 1024
/** A redirect that has not arrived after this has failed. Milliseconds. */
const redirectLasts = 30_000

/** The visitor of this page: the one remembered, or a new one when there is none or their year is over. */
export const recogniseVisitor = (memory: VisitorMemory | null, { now, newId }: Page): VisitorMemory =>
  memory && now - memory.born < visitorLife ? memory : { visitor: newId(), born: now, tests: {} }

/** What this page load means for the running tests. */
export function visitPage({ tests }: Pick<ScriptConfig, 'tests'>, memory: VisitorMemory, page: Page): Visit {
  const visit: Visit = { changes: [], events: [], tested: [] }
  const path = pathOf(page.url)
  const { left } = memory
  const held = memory.tests
  /** True in the variant. */
  const enter = ({ id, weights }: ScriptTest): boolean => {
    const state = (held[id] = held[id] || [assign(id, memory.visitor, weights), stage.assigned])
    if (!state[0]) state[1] |= stage.applied
    if (!(state[1] & stage.exposed)) {
      state[1] |= stage.exposed
      visit.events.push(act(memory, page, 'exposure', [id]))
    }
    return state[0] > 0
  }
  continueSession(memory, page)
  for (const test of tests) {
    const { id, to } = test
    const isMetHere = isTested(test, path)
    // Most pages are neither end of a redirect: those are not taken apart.
    if (!to || !(isMetHere || held[id])) continue
    const here = new URL(page.url)
    const target = targetOf(to, here)
    if (!target) continue
    const isArrived = isAt(target, here)
    takeAlong(target, here)
    // A page cannot be its own variant: where the visitor's query would undo the target's, the test is not met at all.
    const isMet = isMetHere && !isAt(target, here)
    if (left?.test === id && (isArrived || isMet)) {
      delete memory.left
      if (page.now - left.at < redirectLasts) visit.referrer = left.referrer
      if (isArrived) markApplied(memory, id)
    }
    // Where a redirect has led, none leads on: two tests, or the shop's own redirects, can make no circle.
    if (isMet && visit.referrer === undefined && (page.canRedirect?.() ?? true) && enter(test)) {
      memory.left = { test: id, at: page.now, referrer: page.referrer }
      visit.redirect = target.href
      return visit
    }
    if (held[id] && (held[id][0] ? isArrived : isMet)) visit.tested.push(id)
  }
  for (const test of tests) {
    if (test.to || !isTested(test, path)) continue
    visit.tested.push(test.id)
    if (enter(test)) visit.changes.push({ test: test.id, changes: test.changes ?? [] })
  }
  visit.events.push(act(memory, page, 'view'))
  return visit
}

/** Something the visitor did, as an event; it keeps the session going or begins the next one. */
export function act(memory: VisitorMemory, page: Page, kind: EventKind, tests?: string[]): ShopperEvent {
  continueSession(memory, page)
  return { id: page.newId(), at: page.now, kind, path: pathOf(page.url).slice(0, pathLength), ...(tests && { tests }) }
}

/** The variant's difference is on the page now. */
export function markApplied(memory: VisitorMemory, test: string): void {
  const held = memory.tests[test]
  if (held) held[1] |= stage.applied
}

/** Whether a test runs on this page, however either address is encoded (`/pages/über`). */
export const isTested = ({ pages }: Pick<ScriptTest, 'pages'>, path: string): boolean =>
  pages.some(pattern => matchesPattern(decoded(pattern), decoded(path)))

function continueSession(memory: VisitorMemory, { url, referrer, now, newId }: Page): void {
  if (!memory.session || now - memory.last! > sessionSilence) {
    memory.session = {
      session: newId(),
      // A memory rebuilt from the cookie alone has no session either, but an older visitor.
      isNew: !memory.session && now - memory.born < sessionSilence,
      landing: pathOf(url).slice(0, originLength), referrer: referrer.slice(0, originLength),
    }
  }
  memory.last = now
}

/** Path and query of an address. */
export const pathOf = (url: string): string => url.replace(/^\w+:\/\/[^/]+|#.*/g, '')

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
