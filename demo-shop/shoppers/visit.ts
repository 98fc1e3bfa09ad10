import { bucket } from '../../domain/tests/assignment.ts'
import type { Beacon, ShopperEvent } from '../../domain/events/event.ts'
import type { ScriptConfig, ScriptTest } from '../../domain/script/script-config.ts'
import { day } from '../../domain/time-units.ts'
import { buildBeacons, type Waiting } from '../../storefront/beacon.ts'
import {
  act,
  markApplied,
  recogniseVisitor,
  visitPage,
  type Page,
  type VisitorMemory,
} from '../../storefront/core.ts'
import { allRules } from '../../storefront/all-rules.ts'
import { pageOf, themeAt } from './page-of.ts'
import { findProduct, findVariant } from '../catalogue/collections.ts'
import type { Product } from '../catalogue/product.ts'
import type { Chance } from './chance.ts'
import { entryPage, nextPage, popularProduct } from './journey.ts'
import { returnBy, type Person } from './people.ts'
import { vitalsOf } from './vitals.ts'

/** `selling_plan`: bought as a subscription. */
export type BasketLine = { id: number; quantity: number; selling_plan?: number }
/**
 * A finished visit: what the script sends about it, and the order at its end. Instants in
 * milliseconds.
 */
export type Visit = {
  beacons: Beacon[]
  events: ShopperEvent[]
  purchase: { lines: BasketLine[]; at: number } | null
  endedAt: number
}

/**
 * How shoppers behave when nothing is tested; a variant multiplies these probabilities. Each is per
 * visitor who gets that far.
 */
const habits = {
  goesOn: 0.6,
  goesOnFromList: 0.48,
  clicks: 0.68,
  adds: 0.15,
  buys: 0.085,
  subscribes: 0.5,
  pages: 9,
}
/**
 * Which part of the change in buying shows in adding and clicking. Where people go stays the same,
 * so that the change in buying is exactly the requested one.
 */
const follows = { adds: 0.7, clicks: 0.5 }

/** How long ago a regular customer first came. Milliseconds. */
const regularSince = 60 * day

export type Shopper = {
  person: Person
  /** As the script stores it; null for a shopper who may not be counted. */
  memory: VisitorMemory | null
  chance: Chance
  /**
   * Draws what does not change what a shopper does: how fast pages were, and the ids of some
   * events.
   */
  aside: Chance
  /**
   * Decides whether a shopper adds and buys, as a number in [0, 1): lower for a keener shopper.
   * Called once, when it first matters.
   */
  resolve: (memory: VisitorMemory | null) => number
  resolved?: number
}
export type World = {
  config: ScriptConfig
  origin: string
  /** The tests that run at an instant. */
  running: (at: number) => ScriptTest[]
  /** True relative change of the probability to buy in a test's variant. */
  lift: (test: string) => number
  /**
   * Share of a test's variant visitors whose browser its changes break; they leave, and nothing is
   * recorded for them.
   */
  loses?: (test: string) => number
  /** The theme that draws the shop's pages. */
  liveTheme: string
  /** Pages where most visits begin; empty for the usual mix. */
  preferred: readonly string[]
  /** Whether the product of this page is on sale. */
  sells: (path: string) => boolean
  /** How many milliseconds a page is looked at: less than 100 where everything happens now. */
  dwell: (chance: Chance) => number
}

/**
 * One visit from its first page on. It runs the storefront script's own rules on every page.
 * `mayBuy`: this is the visit on which the shopper decides.
 */
export function makeVisit(world: World, shopper: Shopper, beganAt: number, mayBuy: boolean): Visit {
  const { person, chance, aside } = shopper
  const waits: Waiting[] = []
  let at = beganAt
  const isBack = shopper.memory?.session !== undefined
  const from = isBack && !person.isBot ? returnBy(chance) : person
  let referrer = from.referrer
  let path = entryPage(chance, world.preferred)
  let query = from.query
  let purchase: Visit['purchase'] = null
  let theme = ''
  const rules = allRules(() => person.userAgent, new URL(world.origin).hostname)

  for (let seen = 0; seen < habits.pages; seen++) {
    const page = (): Page =>
      pageOf(
        world,
        theme,
        {
          url: `${world.origin}${path}${query && `?${query}`}`,
          referrer,
          now: at,
          newId: chance.id,
        },
        person.country,
      )
    const { tested, url } = load(page)
    at += world.dwell(chance)
    // The variant may have led to another page; the visit continues there.
    path = new URL(url).pathname
    measure(page, tested)
    // A list without what the shopper looks for is left more often than any other page.
    const staying = path.startsWith('/collections/') ? habits.goesOnFromList : habits.goesOn
    const goesOn = chance.happens(staying)
    const product = findProduct(path.split('/products/')[1] ?? '')
    if (mayBuy && product && world.sells(product.url) && !person.isBot) {
      const resolve = (shopper.resolved ??= shopper.resolve(shopper.memory))
      const met = Object.keys(shopper.memory?.tests ?? {})
      const adds = resolve < habits.adds * effect(met, follows.adds)
      const buys = resolve < habits.buys * effect(met, 1)
      if (adds) {
        click(page, tested)
        record(page, 'cart')
        const added = waits.at(-1)?.event
        if (buys) {
          at += world.dwell(chance)
          path = '/cart'
          query = ''
          const cart = load(page)
          at += world.dwell(chance)
          measure(page, cart.tested)
          record(page, 'checkout')
          at += world.dwell(chance)
          purchase = { lines: basket(product, chance, world.sells), at }
          // Other products that went into the cart, recorded at the same moment.
          const others = new Set(
            purchase.lines
              .map(({ id }) => String(findVariant(id)!.product.id))
              .filter(id => id !== added?.product),
          )
          if (added) keep([...others].map(id => ({ ...added, id: aside.id(), product: id })))
        }
        break
      }
    }
    // Some shoppers click on something and leave all the same.
    const clicks = Math.min(1, habits.clicks * effect(tested, follows.clicks))
    if (goesOn || chance.happens((clicks - staying) / (1 - staying))) click(page, tested)
    if (!goesOn) break
    referrer = url
    query = ''
    path = nextPage(path, chance)
  }
  const { memory } = shopper
  if (memory && isLost(memory)) return { beacons: [], events: [], purchase: null, endedAt: at + 1 }
  const events = waits.map(({ event }) => event)
  // The last page's beacon is sent when the page is left.
  return {
    beacons: memory
      ? buildBeacons(world.config, memory, waits, at + 1, person.isConsenting || undefined)
      : [],
    events,
    purchase,
    endedAt: at + 1,
  }

  /**
   * Loads a page as a browser does, through a redirect if a test asks for one. Returns the address
   * where that ends, and the tests of that page.
   */
  function load(page: () => Page): { tested: string[]; url: string } {
    if (!shopper.memory && !person.isRefusing) {
      shopper.memory = recogniseVisitor(null, page())
      // The shop knew this shopper before the simulation began.
      if (person.isRegular) shopper.memory.born -= regularSince
    }
    const { memory } = shopper
    let here = page()
    if (!memory) return { tested: [], url: here.url }
    const tests = world.running(here.now)
    let visit = visitPage({ tests }, memory, here, rules)
    keep(visit.events)
    if (visit.redirect) {
      theme = themeAt(visit.redirect, theme)
      here = pageOf(
        world,
        theme,
        { ...here, url: visit.redirect, referrer: here.url, now: here.now + 1 },
        person.country,
      )
      visit = visitPage({ tests }, memory, here, rules)
      keep(visit.events)
    }
    for (const { id } of visit.shown) markApplied(memory, id)
    return { tested: visit.tested, url: here.url }
  }
  function record(page: () => Page, kind: 'cart' | 'checkout' | 'click', tests?: string[]): void {
    if (shopper.memory) keep([act(shopper.memory, page(), kind, tests)])
  }
  /** Records what the browser measured on a tested page, when the page is left. */
  function measure(page: () => Page, tested: string[]): void {
    const { memory } = shopper
    if (!memory || tested.length === 0) return
    const shown = world.config.tests.filter(
      ({ id }) => tested.includes(id) && memory.tests[id]?.[0] === 1,
    )
    const vitals = vitalsOf(person.userAgent, shown, aside)
    if (vitals)
      keep([act(memory, { ...page(), newId: aside.id }, 'vitals', tested, undefined, vitals)])
  }
  function click(page: () => Page, tested: string[]): void {
    if (tested.length > 0) record(page, 'click', tested)
  }
  function keep(events: ShopperEvent[]): void {
    for (const event of events) waits.push({ ...shopper.memory!.session!, event })
  }
  /**
   * Whether a test breaks this visitor's browser. The visitor's id decides, so that a browser that
   * breaks once breaks each time.
   */
  function isLost({ visitor, tests }: VisitorMemory): boolean {
    return Object.entries(tests).some(
      ([id, [arm]]) => arm === 1 && bucket(`broken ${id}`, visitor) < (world.loses?.(id) ?? 0),
    )
  }
  /** The factor by which the variants among `tests` change a probability. */
  function effect(tests: string[], part: number): number {
    return tests.reduce(
      (product, test) =>
        product * (shopper.memory?.tests[test]?.[0] === 1 ? 1 + world.lift(test) * part : 1),
      1,
    )
  }
}

/** The product that the shopper looked at, and now and then others. */
function basket(wanted: Product, chance: Chance, sells: World['sells']): BasketLine[] {
  const lines = new Map<number, number>()
  const add = (product: Product) => {
    const { id } = chance.pick(product.variants)
    const quantity = (lines.get(id) ?? 0) + (chance.happens(0.2) ? 2 : 1)
    // Drawn all the same, so that a product that is not sold changes nothing else about the
    // shopper.
    if (sells(product.url)) lines.set(id, quantity)
  }
  add(wanted)
  while (lines.size < 5 && chance.happens(0.35)) add(popularProduct(chance))
  return [...lines].map(([id, quantity]) => {
    const [plan] = findVariant(id)!.product.sellingPlans
    return {
      id,
      quantity,
      ...(plan && chance.happens(habits.subscribes) && { selling_plan: plan.id }),
    }
  })
}
