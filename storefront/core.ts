import { assign } from '../domain/tests/assignment.ts'
import {
  sessionSilence,
  stage,
  type Beacon,
  type EventKind,
  type ShopperEvent,
  type Vitals,
} from '../domain/events/event.ts'
import type { PageFacts } from '../domain/events/page-facts.ts'
import type { ScriptConfig, ScriptTest } from '../domain/script/script-config.ts'
import { matchesPattern } from '../domain/tests/url-pattern.ts'
import { guarded } from './guard.ts'

/**
 * What one page view means: the rules of the storefront script without browser, clock or chance, so
 * that simulated shoppers run the same code. `VisitorMemory` is changed in place; the caller stores
 * it.
 */
export type Session = Pick<Beacon, 'session' | 'isNew' | 'landing' | 'referrer'>
export type VisitorMemory = {
  visitor: string
  /**
   * Instant of the first visit, milliseconds. The id expires a year later, whatever happens in
   * between.
   */
  born: number
  session?: Session
  /** Instant of the last act in that session, milliseconds. */
  last?: number
  tests: Beacon['tests']
  /** The redirect that is running, until the page that it leads to has handled it. */
  way?: Departure
  /** The cart (value of its cookie) that carries the visitor's id already. */
  cart?: string
  /** The theme that a test has put on this browser. */
  theme?: string
}
/**
 * `paths`: of the page that was left and of the page that the redirect leads to, because other tabs
 * may have redirects of their own.
 */
export type Departure = { paths: string[]; at: number; referrer: string }
/** What the page says about itself in the attributes of the script's tag (page-facts.ts). */
export type TagFacts = { readonly [fact in keyof PageFacts]?: string | undefined }
/** What an event is made of. */
export type Moment = {
  /** Whole address, with query and hash. */
  url: string
  referrer: string
  now: number
  newId: () => string
}
export type Acting = Moment & { facts: TagFacts }
export type Page = Acting & {
  /**
   * Called before a visitor is sent to another address. Falsy when nothing can be stored: the next
   * page would then take the arrival for a first visit.
   */
  canRedirect: () => unknown
}
/** What an address means for a test that shows its arms at different addresses. */
export type Place = {
  /** The arm that this page shows. */
  arm: 0 | 1
  /**
   * Where a visitor of the other arm, who meets the test here, is sent. Without it, nobody enters
   * the test on this page.
   */
  other?: URL | undefined
  /** Everybody is sent to `other`, and nobody enters the test. */
  isForced?: boolean
}
/**
 * Rules that only some kinds of test need; a shop's script carries those that its tests ask for.
 */
export type Rules = {
  /**
   * null when the test has nothing to do with the page, undefined when the test is of another kind.
   */
  place?: (
    test: ScriptTest,
    here: URL,
    memory: VisitorMemory,
    facts: TagFacts,
    isMetHere: boolean,
    config: Pick<ScriptConfig, 'ignoresView'>,
  ) => Place | null | undefined
  /**
   * Whether the visitor may be in a test. Also called for a visitor who is in it already, because
   * tests of one layer share their visitors.
   */
  mayEnter?: (
    test: ScriptTest,
    tests: ScriptTest[],
    memory: VisitorMemory,
    facts: TagFacts,
  ) => boolean
}
export type Visit = {
  /**
   * Go to this address at once instead of showing this page. Nothing of this page is shown or
   * counted then, except the exposure.
   */
  redirect?: string
  /**
   * Set when a redirect led here: the referrer of the page that the visitor left, so where the
   * shopper really came from.
   */
  referrer?: string
  /** Tests whose variant is shown on this page. */
  shown: ScriptTest[]
  events: ShopperEvent[]
  /** Tests of this page that the visitor is in: a click here counts for them. */
  tested: string[]
}

export const visitorLife = 365 * 86_400_000
const addressLength = 1024
/** A redirect that has not arrived after this time has failed. Milliseconds. */
const redirectLasts = 30_000

/**
 * The visitor of this page: the remembered one, or a new one when there is none or when their year
 * is over.
 */
export const recogniseVisitor = (
  memory: VisitorMemory | null | undefined,
  { now, newId }: Moment,
): VisitorMemory =>
  memory && now - memory.born < visitorLife ? memory : { visitor: newId(), born: now, tests: {} }

/**
 * Computes what this page load means for the running tests. Tests that show their arms at other
 * addresses come first in the list (engine/script/compose.ts), so a visitor who is redirected
 * enters none of the others here.
 */
export function visitPage(
  config: Pick<ScriptConfig, 'tests' | 'ignoresView'>,
  memory: VisitorMemory,
  page: Page,
  { place, mayEnter }: Rules,
): Visit {
  const visit: Visit = { shown: [], events: [], tested: [] }
  const path = pathOf(page.url)
  const here = new URL(page.url)
  const { way, tests: held } = memory
  const { tests } = config
  /** Puts the visitor into the test and returns their arm; undefined when they may not be in it. */
  const enter = (test: ScriptTest): number | undefined => {
    const { id, weights } = test
    if (mayEnter && !mayEnter(test, tests, memory, page.facts)) return
    const state = (held[id] = held[id] || [assign(id, memory.visitor, weights), stage.assigned])
    if (!state[0]) state[1] |= stage.applied
    if (!(state[1] & stage.exposed)) {
      state[1] |= stage.exposed
      visit.events.push(act(memory, page, 'exposure', [id]))
    }
    return state[0]
  }
  continueSession(memory, page)
  // Set before any test is asked, so that a test that comes earlier in the list than the one that
  // led here does not redirect again.
  if (way?.paths.some(path => matchesPattern(path, here.pathname))) {
    delete memory.way
    if (page.now - way.at < redirectLasts) visit.referrer = way.referrer
  }
  for (const test of tests) {
    const { id, changes } = test
    const isMetHere = isTested(test, path)
    const found = place?.(test, here, memory, page.facts, isMetHere, config)
    if (found) {
      const { arm, other, isForced } = found
      // A page that a redirect led to never redirects again: two tests, or the shop's own
      // redirects, must not form a circle.
      const mayLeave = other && visit.referrer === undefined && page.canRedirect()
      const own = mayLeave && !isForced ? enter(test) : held[id]?.[0]
      if (mayLeave && (isForced || own === 1 - arm)) {
        memory.way = {
          paths: [here.pathname, other.pathname],
          at: page.now,
          referrer: page.referrer,
        }
        visit.redirect = other.href
        return visit
      }
      if (own === arm) {
        if (arm) markApplied(memory, id)
        visit.tested.push(id)
      }
    } else if (found !== null && isMetHere) {
      const arm = enter(test)
      if (arm! >= 0) visit.tested.push(id)
      if (arm) {
        // Changes count as applied only when they have found their elements.
        if (!changes) markApplied(memory, id)
        visit.shown.push(test)
      }
    }
  }
  visit.events.push(act(memory, page, 'view'))
  return visit
}

/**
 * Makes an event of something the visitor did. It continues the session or starts the next one. A
 * measurement (`vitals`) is not an act of the visitor and does not continue a session.
 */
export function act(
  memory: VisitorMemory,
  page: Acting,
  kind: EventKind,
  tests?: string[],
  product = productOf(page.facts, kind),
  vitals?: Vitals,
): ShopperEvent {
  if (!vitals || !memory.session) continueSession(memory, page)
  return {
    id: page.newId(),
    at: page.now,
    kind,
    path: pathOf(page.url),
    tests: tests!,
    product: product!,
    vitals: vitals!,
  }
}

/** The product that this page is about, for the kinds of event that name a product. */
const productOf = ({ template, resource }: TagFacts, kind: EventKind): string | undefined =>
  (/(ew|rt) product\b/.test(`${kind} ${template}`) && resource) || undefined

/** Records that the variant's difference is on the page now. */
export function markApplied(memory: VisitorMemory, test: string): void {
  if (memory.tests[test]) memory.tests[test]![1] |= stage.applied
}

/** Whether a test runs on this page, however either address is encoded (`/pages/über`). */
export const isTested = ({ pages }: Pick<ScriptTest, 'pages'>, path: string): boolean =>
  pages.some(pattern => matchesPattern(pattern, decoded(path)))

function continueSession(memory: VisitorMemory, { url, referrer, now, newId }: Moment): void {
  if (!memory.session || now - memory.last! > sessionSilence) {
    memory.session = {
      session: newId(),
      // A memory that was rebuilt from the cookie alone has no session either, but its visitor is
      // not new.
      isNew: !memory.session && now - memory.born < sessionSilence,
      landing: pathOf(url),
      referrer: referrer.slice(0, addressLength),
    }
  }
  memory.last = now
}

/** Path and query of an address, cut to the length that is sent. */
export const pathOf = (url: string): string =>
  url.replace(/^\w+:\/\/[^/]+|#.*/g, '').slice(0, addressLength)

const decoded = (path: string): string => guarded(decodeURI)(path) ?? path
