import type { PerArm } from '../../../domain/arm.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import type { Beacon } from '../../../domain/events/event.ts'
import { measured, speedPlace } from '../../../domain/reports/speed.ts'

/**
 * The figures as docs/statistics.md and decision 025 define them, counted slowly over all data in
 * memory. Tests compare the engine with them. `active`: the times when the test was Active, in
 * order. The last one ends with the test, unless it was paused then.
 */
export type ReferenceTest = {
  id: string
  weights: PerArm<number>
  active: [from: number, to: number][]
  start: number
  end: number
}
/**
 * `channel` and `host` are the right results for landing and referrer; the scenario that makes the
 * visit sets them.
 */
export type ReferenceVisit = {
  beacon: Beacon
  received: number
  device: number
  isBot: boolean
  channel: number
  host: string
  country: string | null
}
export type ReferenceOrder = {
  id: string
  visitor: string | null
  at: number
  amount: number
  refunded: number
  test: boolean
  type: 'oneTime' | 'subscription' | 'renewal'
  units: number
}

const hour = 3_600_000,
  twoMinutes = 120_000
const other = { desktop: 0, phone: 1, tablet: 2 }
const newYorkDay = (at: number) => new Date(at - 5 * hour).toISOString().slice(0, 10) // in November, after the change from summer time

/**
 * The start of the pause that contains this moment, as pages of the shop know it (two minutes
 * late); undefined when there is none.
 */
function stillAt({ active, end }: ReferenceTest, at: number): number | undefined {
  const still = active
    .filter(([, to]) => to < end)
    .map(([, to], i) => [to + twoMinutes, (active[i + 1]?.[0] ?? Infinity) + twoMinutes] as const)
  return still.find(([from, to]) => at >= from && at < to)?.[0]
}

type Met = {
  at: number
  device: number
  isNew: boolean
  channel: number
  host: string
  session: string
  country: string | null
  hasConsented: boolean
}
type Person = {
  arm: 0 | 1
  stages: number
  arms: Set<number>
  isBot: boolean
  exposures: Met[]
  clicks: number[]
  carts: number[]
  seen: [product: string, at: number][]
  added: [product: string, at: number][]
}

export function reference(
  test: ReferenceTest,
  all: ReferenceTest[],
  visits: ReferenceVisit[],
  orders: ReferenceOrder[],
) {
  const people = new Map<string, Person>()
  const setAside = [0, 0],
    speed: Record<string, number> = {}
  const acts: { visitor: string; session: string; at: number; isView: boolean }[] = []
  for (const { beacon, received, device, isBot, channel, host, country } of visits) {
    const arm = assign(test.id, beacon.visitor, test.weights)
    const claim = received < test.end + 48 * hour ? beacon.tests[test.id] : undefined
    const lag = received - beacon.sent
    let isKnown = false
    for (const event of beacon.events) {
      const at = event.at + (Math.abs(lag) > 30_000 ? lag : 0)
      const settled = Math.min(at, received)
      const isNamed = event.tests?.includes(test.id) ?? false
      const isFar = at < received - 48 * hour || at > received + hour / 6
      const runs = (one: ReferenceTest) =>
        one.active.some(([from, to]) => settled >= from - 30_000 && settled < to + twoMinutes)
      const counts =
        settled >= test.start - 30_000 &&
        settled < test.end + twoMinutes &&
        stillAt(test, settled) === undefined
      const person = () => {
        if (!people.has(beacon.visitor))
          people.set(beacon.visitor, {
            arm,
            stages: 0,
            arms: new Set(),
            isBot: false,
            exposures: [],
            clicks: [],
            carts: [],
            seen: [],
            added: [],
          })
        return people.get(beacon.visitor)!
      }
      if (isFar) {
        if (isNamed || (!event.tests && claim)) setAside[arm]!++
        continue
      }
      if (!isBot && event.kind !== 'vitals')
        acts.push({
          visitor: beacon.visitor,
          session: beacon.session,
          at: settled,
          isView: event.kind === 'view',
        })
      if (claim) isKnown = true
      if (event.kind === 'exposure' && isNamed) {
        if (!runs(test)) setAside[arm]!++
        else if (claim?.[0] !== arm) {
          setAside[arm]!++
          if (claim) person().arms.add(claim[0])
        } else {
          isKnown = true
          person().arms.add(arm)
          person().exposures.push({
            at: settled,
            device,
            isNew: beacon.isNew,
            channel,
            host,
            session: beacon.session,
            country,
            hasConsented: beacon.consent === true,
          })
        }
      }
      if (event.kind === 'click' && isNamed) {
        // A click for several tests is set aside only when no test counts it.
        if (!all.some(one => event.tests?.includes(one.id) && runs(one))) setAside[arm]!++
        else if (runs(test)) {
          isKnown = true
          person().clicks.push(settled)
        }
      }
      if (event.kind === 'vitals' && isNamed && !isBot && claim?.[0] === arm && runs(test))
        for (const [metric, value] of measured(event.vitals!))
          speed[`${arm} ${metric} ${speedPlace(value)}`] =
            (speed[`${arm} ${metric} ${speedPlace(value)}`] ?? 0) + 1
      if (event.product && !isBot && claim && counts)
        person()[event.kind === 'view' ? 'seen' : 'added'].push([event.product, settled])
      if (event.kind === 'cart' && claim && counts) person().carts.push(settled)
      if (isKnown) {
        if (claim) person().stages |= claim[1]
        if (claim && claim[1] & 6) person().arms.add(claim[0])
        if (isBot) person().isBot = true
      }
    }
  }

  const counted = (p: Person | undefined): p is Person =>
    p !== undefined && p.exposures.length > 0 && !p.isBot && !p.arms.has(1 - p.arm)
  // Of several exposures at the same instant, the one that sorts first by these fields.
  const firstMet = (p: Person) =>
    p.exposures.toSorted(
      (a, b) =>
        a.at - b.at ||
        a.device - b.device ||
        Number(a.isNew) - Number(b.isNew) ||
        a.channel - b.channel ||
        order(a.host, b.host) ||
        order(a.session, b.session) ||
        order(a.country ?? '', b.country ?? '') ||
        Number(a.hasConsented) - Number(b.hasConsented),
    )[0]!
  const first = (p: Person) => firstMet(p).at
  const sessionsOf = (visitor: string) =>
    Map.groupBy(
      acts.filter(act => act.visitor === visitor),
      act => act.session,
    )
  const inArm = (arm: number) => [...people.values()].filter(p => p.arm === arm)

  const days: Record<string, number[]> = {},
    cube: Record<string, number[]> = {}
  for (const [visitor, p] of [...people].filter(([, p]) => counted(p))) {
    const met = firstMet(p)
    const device = Object.entries(other).find(([, i]) => i === met.device)![0]
    const count = (day: string, figure: number) => {
      for (const key of [`${day} ${p.arm} all`, `${day} ${p.arm} ${device}`])
        (days[key] ??= [0, 0, 0, 0, 0])[figure]!++
      for (const key of cellsOf(p)) (cube[key] ??= [0, 0, 0, 0, 0])[figure]!++
    }
    const entry = newYorkDay(met.at)
    count(entry, 0)
    if (p.clicks.some(at => at >= met.at)) count(entry, 1)
    if (p.carts.some(at => at >= met.at)) count(entry, 2)
    for (const [session, all] of sessionsOf(visitor)) {
      // Actions during a pause do not count. For pages a pause lasts two minutes longer; actions
      // then count if the visitor met the test in these minutes.
      const done = all.filter(
        ({ at }) => stillAt(test, at) === undefined || stillAt(test, at) === stillAt(test, met.at),
      )
      if (session === met.session && done.filter(act => act.isView).length <= 1) count(entry, 3)
      const begin = Math.max(met.at, Math.min(...done.map(act => act.at)))
      if (done.some(act => act.at >= met.at) && begin < test.end + twoMinutes)
        count(newYorkDay(begin), 4)
    }
  }
  const products: Record<string, [viewers: number, adders: number]> = {}
  for (const p of people.values()) {
    if (!counted(p)) continue
    for (const [i, acts] of [p.seen, p.added].entries())
      for (const product of new Set(
        acts.filter(([, at]) => at >= first(p)).map(([product]) => product),
      ))
        (products[`${product} ${p.arm}`] ??= [0, 0])[i as 0 | 1]++
  }
  const arms = [0, 1].map(arm => {
    const humans = inArm(arm).filter(p => !p.isBot),
      bots = inArm(arm).filter(p => isOnlyBot(p))
    return {
      assigned: humans.filter(p => p.stages & 1).length,
      applied: humans.filter(p => p.stages & 2).length,
      exposed: humans.filter(p => p.stages & 4).length,
      recorded: humans.filter(counted).length,
      bots: inArm(arm).filter(p => p.isBot && p.exposures.length > 0).length,
      both_arms: humans.filter(p => p.exposures.length > 0 && p.arms.has(1 - arm)).length,
      set_aside: setAside[arm]!,
      consented: humans.filter(p => counted(p) && firstMet(p).hasConsented).length,
      bot_visitors: bots.length,
      bot_clickers: bots.filter(p => p.clicks.some(at => at >= first(p))).length,
      bot_adders: bots.filter(p => p.carts.some(at => at >= first(p))).length,
    }
  })
  return {
    days,
    cube,
    arms,
    speed,
    products,
    ...referenceOrders(test, orders, people, counted, first, cellsOf),
  }

  function cellsOf(p: Person): string[] {
    const { device, channel, isNew, host, country } = firstMet(p)
    return ['*', host].flatMap(referrer =>
      ['*', ...(country === null ? [] : [country])].map(
        place => `${p.arm} ${device} ${channel} ${isNew} ${referrer} ${place}`,
      ),
    )
  }
}
/** Whether the visitor is left out only because of the bot flag. */
const isOnlyBot = (p: Person | undefined): p is Person =>
  p !== undefined && p.isBot && p.exposures.length > 0 && !p.arms.has(1 - p.arm)
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

type Sums = {
  buyers: number
  orders: number
  revenue: number
  capped: number
  squares: number
  orderSquares: number
  products: number
}
const noSums = (): Sums => ({
  buyers: 0,
  orders: 0,
  revenue: 0,
  capped: 0,
  squares: 0,
  orderSquares: 0,
  products: 0,
})
/** Adds the orders of one visitor. `total` is their capped sum, in hundredths of a minor unit. */
function addBuyer(sums: Sums, own: readonly ReferenceOrder[], total: number): void {
  sums.buyers++
  sums.orders += own.length
  sums.revenue += own.reduce((sum, o) => sum + o.amount, 0)
  sums.capped += total
  sums.squares += total ** 2
  sums.orderSquares += own.length ** 2
  sums.products += total * own.length
}

function referenceOrders(
  test: ReferenceTest,
  orders: ReferenceOrder[],
  people: Map<string, Person>,
  counted: (p: Person | undefined) => p is Person,
  first: (p: Person) => number,
  cellsOf: (p: Person) => string[],
) {
  const within = orders.filter(o => o.at >= test.start && o.at < test.end)
  const reasonOf = (o: ReferenceOrder): string | null =>
    o.test ? 'testOrder' : o.type === 'renewal' ? 'renewal' : against(o)
  const against = (o: ReferenceOrder): string | null => {
    const p = o.visitor === null ? undefined : people.get(o.visitor)
    if (o.visitor === null) return 'noConsent'
    if (!p || p.exposures.length === 0) return 'noExposure'
    if (p.isBot) return 'bot'
    if (!counted(p)) return 'bothArms'
    if (o.at < Math.floor(first(p) / 1000) * 1000) return 'beforeExposure'
    return test.active.some(([from, to]) => o.at >= from && o.at < to) ? null : 'paused'
  }
  const mine = within
    .filter(o => reasonOf(o) === null)
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const sorted = mine.map(o => o.amount).sort((a, b) => a - b)
  const place = (sorted.length - 1) * 99
  const low = Math.floor(place / 100)
  // In hundredths of a minor unit every value is an integer.
  const cap =
    sorted.length >= 100
      ? sorted[low]! * 100 +
        (place - low * 100) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!)
      : null
  const running = new Map<string, { total: number; orders: number }>()
  const days: Record<string, Sums> = {}
  for (const o of mine) {
    const before = running.get(o.visitor!) ?? { total: 0, orders: 0 }
    const after = {
      total: before.total + Math.min(o.amount * 100, cap ?? Infinity),
      orders: before.orders + 1,
    }
    running.set(o.visitor!, after)
    const cell = (days[`${newYorkDay(o.at)} ${people.get(o.visitor!)!.arm}`] ??= noSums())
    cell.buyers += before.orders === 0 ? 1 : 0
    cell.orders++
    cell.revenue += o.amount
    cell.capped += after.total - before.total
    cell.squares += after.total ** 2 - before.total ** 2
    cell.orderSquares += after.orders ** 2 - before.orders ** 2
    cell.products += after.total * after.orders - before.total * before.orders
  }
  // Renewals with a known visitor count only in the cells, uncapped.
  const cells: Record<string, Sums & { units: number }> = {}
  const told = [
    ...mine.map(o => ({
      ...o,
      value: Math.min(o.amount * 100, cap ?? Infinity),
      types: ['', o.type],
    })),
    ...within
      .filter(o => reasonOf(o) === 'renewal' && against(o) === null)
      .map(o => ({ ...o, value: o.amount * 100, types: ['renewal'] })),
  ]
  for (const [visitor, theirs] of Map.groupBy(told, o => o.visitor!))
    for (const type of ['', 'oneTime', 'subscription', 'renewal']) {
      const some = theirs.filter(o => o.types.includes(type))
      if (some.length === 0) continue
      const total = some.reduce((sum, o) => sum + o.value, 0)
      for (const key of cellsOf(people.get(visitor)!)) {
        const cell = (cells[`${key} ${type}`] ??= { ...noSums(), units: 0 })
        addBuyer(cell, some, total)
        cell.units += some.reduce((sum, o) => sum + o.units, 0)
      }
    }
  // Orders of flagged bots after they met the test, with the cap of the shoppers.
  const bots = [noSums(), noSums()] as const
  const theirs = within.filter(
    o =>
      !o.test &&
      o.type !== 'renewal' &&
      o.visitor !== null &&
      isOnlyBot(people.get(o.visitor)) &&
      o.at >= Math.floor(first(people.get(o.visitor)!) / 1000) * 1000 &&
      test.active.some(([from, to]) => o.at >= from && o.at < to),
  )
  for (const [visitor, own] of Map.groupBy(theirs, o => o.visitor!)) {
    const total = own.reduce((sum, o) => sum + Math.min(o.amount * 100, cap ?? Infinity), 0)
    addBuyer(bots[people.get(visitor)!.arm], own, total)
  }
  for (const cell of [...Object.values(days), ...Object.values(cells), ...bots]) {
    cell.capped /= 100
    cell.squares /= 10_000
    cell.products /= 100
  }
  const ledger: Record<string, [orders: number, amount: number, refunds: number]> = {}
  for (const o of within) {
    const line = (ledger[reasonOf(o) ?? `arm ${people.get(o.visitor!)!.arm}`] ??= [0, 0, 0])
    line[0]++
    line[1] += o.amount
    line[2] += o.refunded
  }
  return {
    orderDays: days,
    cells,
    bots: [...bots],
    ledger,
    orderCap: cap === null ? null : cap / 100,
    cappedOrders: cap === null ? 0 : mine.filter(o => o.amount * 100 > cap).length,
  }
}
