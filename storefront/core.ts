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
  way?: Departure
  /** What the cart already carries, and whose cart it is. */
  cart?: string
  /** The theme we have put on this browser. */
  theme?: string
}
/** `paths`: of the page that was left and of the one that it leads to; other tabs may be on other ways. */
export type Departure = { paths: string[]; at: number; referrer: string }
/** What the page says of itself, as it stands in the script's tag (page-facts.ts). */
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
  /** Asked before a visitor is sent to another address. false where nothing can be stored: an arrival could not be told from a first visit then. */
  canRedirect: () => unknown
}
/** What an address is to a test that shows its arms at addresses of their own. */
export type Place = {
  /** Whose page this is. */
  arm: 0 | 1
  /** Where a visitor of the other arm, who meets the test here, is sent. Without it, being here is no meeting. */
  other?: URL | undefined
  /** `other` is where everybody is sent, and nobody meets anything. */
  isForced?: boolean
}
/** Rules that only some kinds of test need; a shop's script carries those that its tests ask for. */
export type Rules = {
  /** null where the test has nothing to do with the page, undefined where it is of another kind. */
  place?: (
    test: ScriptTest,
    here: URL,
    memory: VisitorMemory,
    facts: TagFacts,
    isMetHere: boolean,
    config: Pick<ScriptConfig, 'ignoresView'>,
  ) => Place | null | undefined
  /** Whether somebody may be in a test: who is not in it yet, or is but shares its visitors with others. */
  mayEnter?: (
    test: ScriptTest,
    tests: ScriptTest[],
    memory: VisitorMemory,
    facts: TagFacts,
  ) => boolean
}
export type Visit = {
  /** Go there at once, in place of this page. Nothing of this page is shown or counted then, except the exposure. */
  redirect?: string
  /** A redirect led here: the referrer of the page it left, which is the shopper's own. */
  referrer?: string
  /** Tests whose variant is to be put on this very page. */
  shown: ScriptTest[]
  events: ShopperEvent[]
  /** Tests the visitor is in whose tested page this is: a click here counts for them. */
  tested: string[]
}

export const visitorLife = 365 * 86_400_000
const addressLength = 1024
/** A redirect that has not arrived after this has failed. Milliseconds. */
const redirectLasts = 30_000

/** The visitor of this page: the one remembered, or a new one when there is none or their year is over. */
export const recogniseVisitor = (
  memory: VisitorMemory | null | undefined,
  { now, newId }: Moment,
): VisitorMemory =>
  memory && now - memory.born < visitorLife ? memory : { visitor: newId(), born: now, tests: {} }

/** What this page load means for the running tests. Those that show their arms at other addresses come first among them (engine/script/compose.ts): who is sent on meets nothing here. */
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
  /** The arm, once the visitor is in the test; undefined where they are not to be. */
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
  // Known before any test is asked: one that comes before the one that led here must not lead on.
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
      // Where a redirect has led, none leads on: two tests, or the shop's own redirects, can make no circle.
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
      if (arm !== undefined) visit.tested.push(id)
      if (arm) {
        // Changes are applied when they have found their elements.
        if (!changes) markApplied(memory, id)
        visit.shown.push(test)
      }
    }
  }
  visit.events.push(act(memory, page, 'view'))
  return visit
}

/** Something the visitor did, as an event; it keeps the session going or begins the next one. What is only measured (`vitals`) is nothing they did. */
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

/** Whose page this is, for what is told with a product. */
const productOf = ({ template, resource }: TagFacts, kind: EventKind): string | undefined =>
  (/^(view|cart) product\b/.test(`${kind} ${template}`) && resource) || undefined

/** The variant's difference is on the page now. */
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
      // A memory rebuilt from the cookie alone has no session either, but an older visitor.
      isNew: !memory.session && now - memory.born < sessionSilence,
      landing: pathOf(url),
      referrer: referrer.slice(0, addressLength),
    }
  }
  memory.last = now
}

/** Path and query of an address, as far as it is told. */
export const pathOf = (url: string): string =>
  url.replace(/^\w+:\/\/[^/]+|#.*/g, '').slice(0, addressLength)

const decoded = (path: string): string => guarded(decodeURI)(path) ?? path
