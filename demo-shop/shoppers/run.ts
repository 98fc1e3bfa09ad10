import type { ScriptConfig } from '../../domain/script/script-config.ts'
import { matchesPattern } from '../../domain/tests/url-pattern.ts'
import { day, minute } from '../../domain/time-units.ts'
import type { VisitorMemory } from '../../storefront/core.ts'
import { shopPages } from '../catalogue/search.ts'
import { shop } from '../shop.ts'
import { chanceOf } from './chance.ts'
import { addVisitor, minorUnits, noDeeds, type Deeds } from './deeds.ts'
import { arrivals, meetPerson } from './people.ts'
import { publishedConfig, soldPaths } from './published-config.ts'
import { type CartOwner, openSender, type PlacedOrder, type Sender } from './sender.ts'
import { makeVisit, type Shopper, type Visit, type World } from './visit.ts'

export type ShoppersOptions = {
  shopOrigin: string
  /** Signs events of the past, and lets the checkout accept a date in the past. */
  appSecret: string
  visitors: number
  /**
   * True relative change of the probability to buy in the variant: of every test, or by test id.
   * Adding and clicking follow.
   */
  lift: number | Record<string, number>
  /**
   * Share of the variant's visitors that a test loses, by test id: its changes break their browser.
   */
  loses?: Record<string, number>
  seed: string
  /** Half-open span of the past in which they come. Without it they come now. */
  span?: { from: Date; to: Date }
  /**
   * The one test that this run is about: `lift` applies only to this test, and most visits begin on
   * its pages.
   */
  test?: string
  /** Returns since when the tests of the script run. Without it they have always run. */
  runningSince?: (tests: string[]) => Promise<Record<string, Date>>
  /** Collector to use instead of the one that the script names. */
  collect?: string
  /**
   * Spreads buyers evenly instead of by pure chance, so that few shoppers show the true lift. For
   * demo data.
   */
  isEven?: boolean
  /** How many shoppers are simulated at a time. */
  atOnce?: number
  /** How long to continue trying while no server answers. Milliseconds. */
  longestOutage?: number
}
/** `at`: when the latest shopper came, in simulated time. */
export type ShoppersProgress = { done: number; total: number; at: Date }

const visitTakes = 25 * minute
/** Share of orders from which something is returned. */
const sendsBack = 0.06

/**
 * Sends simulated shoppers through shop and collector, and returns what they did. Everything goes
 * over HTTP and is repeated until it is acknowledged. The same seed and span give the same
 * shoppers.
 */
export async function runShoppers(
  options: ShoppersOptions,
  onProgress: (progress: ShoppersProgress) => void = () => {},
): Promise<Deeds> {
  const {
    shopOrigin,
    appSecret,
    visitors,
    seed,
    span,
    atOnce = 128,
    longestOutage = 300_000,
  } = options
  const isPast = span !== undefined
  const probe = openSender({
    shopOrigin,
    collect: '',
    appSecret,
    isPast,
    connections: 1,
    longestOutage,
  })
  const [config, sold] = await Promise.all([
    publishedConfig(shopOrigin, probe.dispatcher, options.test),
    soldPaths(shopOrigin, probe.dispatcher),
  ]).finally(() => probe.close())
  if (options.test && !config.tests.some(test => test.id === options.test))
    throw new Error(`No test ${options.test} is running on the shop.`)
  // The engine takes signed shoppers from the demo's own platform alone.
  const isLive = config.shop !== shop.shop
  if (isLive && isPast)
    throw new Error('Shoppers of the past come only to the shop of the demo’s own platform.')
  const sender = openSender({
    shopOrigin,
    collect: options.collect ?? config.collect,
    appSecret,
    isPast,
    isLive,
    connections: atOnce,
    longestOutage,
  })

  const began = Date.now()
  const from = span?.from.getTime() ?? began,
    to = span ? Math.max(from + 1, span.to.getTime() - visitTakes) : began + 1
  const times = arrivals(visitors, from, to, shop.timeZone, chanceOf(`${seed} arrivals`))
  const world = worldOf(
    options,
    config,
    (await options.runningSince?.(config.tests.map(test => test.id))) ?? {},
    sold,
  )
  const priceTests = config.tests.filter(({ prices }) => prices).map(({ id }) => id)
  const resolve = options.isEven ? evenly() : null
  const deeds = noDeeds(config.tests.map(test => test.id))
  let next = 0,
    done = 0

  const work = async (): Promise<void> => {
    while (next < visitors) {
      const index = next++
      const chance = chanceOf(`${seed} ${index}`)
      const aside = chanceOf(`${seed} ${index} aside`)
      const shopper: Shopper = {
        person: meetPerson(chance, aside),
        memory: null,
        chance,
        aside,
        resolve: memory => resolve?.(memory) ?? chance.next(),
      }
      const visits = span
        ? lifeOf(world, shopper, times[index]!, to)
        : [makeVisit(world, shopper, Date.now() - 1_000, true)]
      await live(sender, shopper, visits, deeds, priceTests)
      onProgress({ done: ++done, total: visitors, at: new Date(times[index]!) })
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, visitors) }, work))
  } finally {
    await sender.close()
  }
  return { ...deeds, retries: sender.retries() }
}

function worldOf(
  { lift, loses = {}, test, shopOrigin, span }: ShoppersOptions,
  config: ScriptConfig,
  since: Record<string, Date>,
  sold: Set<string>,
): World {
  const about = config.tests.find(({ id }) => id === test)
  return {
    config,
    origin: shopOrigin,
    liveTheme: config.tests.find(({ theme }) => theme?.[0])?.theme?.[0] ?? 'live',
    running: at => config.tests.filter(({ id }) => !since[id] || since[id].getTime() <= at),
    lift: id => (typeof lift === 'number' ? (test && id !== test ? 0 : lift) : (lift[id] ?? 0)),
    loses: id => loses[id] ?? 0,
    preferred: about
      ? shopPages
          .map(page => page.path)
          .filter(path => about.pages.some(pattern => matchesPattern(pattern, path)))
      : [],
    sells: path => sold.has(path),
    dwell: chance => Math.floor(span ? chance.between(6_000, 75_000) : chance.between(20, 60)),
  }
}

/**
 * All visits of one shopper within the span: some come back in the following days, and may buy only
 * on the last visit.
 */
function lifeOf(world: World, shopper: Shopper, firstAt: number, to: number): Visit[] {
  const { chance } = shopper
  const starts = [firstAt]
  while (starts.length < 4 && chance.happens(0.22)) {
    const again = Math.floor(starts.at(-1)! + chance.between(0.1, 3) * day)
    if (again >= to) break
    starts.push(again)
  }
  return starts.map((at, i) => makeVisit(world, shopper, at, i === starts.length - 1))
}

/**
 * Sends the visits in their order. An order is placed after the events that led to it were sent.
 */
async function live(
  sender: Sender,
  { person, ...shopper }: Shopper,
  visits: Visit[],
  deeds: Deeds,
  priceTests: readonly string[],
): Promise<void> {
  const orders: PlacedOrder[] = []
  for (const { beacons, purchase } of visits) {
    for (const beacon of beacons) await sender.beacon(beacon, person)
    if (!purchase) continue
    const order = await sender.buy(
      purchase.lines,
      cartOf(shopper.memory, priceTests),
      person,
      purchase.at,
    )
    orders.push(order)
    // Returns the whole order or one line of it. Drawn last, so that it changes nothing else about
    // the shopper.
    if (shopper.chance.happens(sendsBack))
      await sender.sendBack(
        order,
        shopper.chance.happens(0.5)
          ? order.subtotal_price
          : shopper.chance.pick(order.line_items).amount,
      )
  }
  deeds.visitors++
  deeds.bots += Number(person.isBot)
  deeds.refusing += Number(person.isRefusing)
  deeds.sessions += visits.length
  deeds.events += visits.reduce((sum, visit) => sum + visit.events.length, 0)
  deeds.orders += orders.length
  deeds.revenue += orders.reduce((sum, order) => sum + minorUnits(order.subtotal_price), 0)
  if (shopper.memory && !person.isBot)
    addVisitor(
      deeds,
      shopper.memory,
      visits.flatMap(visit => visit.events),
      orders,
    )
}

/** What the script writes into the cart; null for a shopper who may not be counted. */
const cartOf = (memory: VisitorMemory | null, priceTests: readonly string[]): CartOwner | null =>
  memory && { visitor: memory.visitor, priceTests: priceTests.filter(id => memory.tests[id]) }

/**
 * Numbers in [0, 1) that are evenly spread for each set of arms: the golden ratio's multiples
 * (Weyl's sequence).
 */
function evenly(): (memory: VisitorMemory | null) => number {
  const given = new Map<string, number>()
  return memory => {
    const arms = JSON.stringify(
      Object.entries(memory?.tests ?? {})
        .map(([id, [arm]]) => [id, arm])
        .sort(),
    )
    const count = (given.get(arms) ?? 0) + 1
    given.set(arms, count)
    return (count * 0.6180339887498949) % 1
  }
}
