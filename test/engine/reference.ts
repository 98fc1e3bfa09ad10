import type { PerArm } from '../../domain/arm.ts'
import { assign } from '../../domain/assignment.ts'
import type { Beacon } from '../../domain/event.ts'

/** The figures as statistics.md and field.md define them, counted the slow way over everything in memory: what the engine is held against. */
export type ReferenceTest = { id: string; weights: PerArm<number>; active: [from: number, to: number][]; start: number; end: number }
/** `channel` and `host` are what its landing and referrer come to, said by whoever made the visit up. */
export type ReferenceVisit = { beacon: Beacon; received: number; device: number; isBot: boolean; channel: number; host: string; country: string | null }
export type ReferenceOrder = { id: string; visitor: string | null; at: number; amount: number; refunded: number; test: boolean; type: 'oneTime' | 'subscription' | 'renewal' }

const hour = 3_600_000
const other = { desktop: 0, phone: 1, tablet: 2 }
const newYorkDay = (at: number) => new Date(at - 5 * hour).toISOString().slice(0, 10) // November, after the change of clocks

type Met = { at: number; device: number; isNew: boolean; channel: number; host: string; session: string; country: string | null }
type Person = { arm: 0 | 1; stages: number; arms: Set<number>; isBot: boolean; exposures: Met[]; clicks: number[]; carts: number[] }

export function reference(test: ReferenceTest, all: ReferenceTest[], visits: ReferenceVisit[], orders: ReferenceOrder[]) {
  const people = new Map<string, Person>()
  const setAside = [0, 0]
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
      const runs = test.active.some(([from, to]) => settled >= from - 30_000 && settled < to + 120_000)
      const lives = (one: { start: number; end: number }) => settled >= one.start - 30_000 && settled < one.end + 120_000
      const person = () => {
        if (!people.has(beacon.visitor)) people.set(beacon.visitor, { arm, stages: 0, arms: new Set(), isBot: false, exposures: [], clicks: [], carts: [] })
        return people.get(beacon.visitor)!
      }
      if (isFar) {
        if (isNamed || (!event.tests && claim)) setAside[arm]!++
        continue
      }
      if (!isBot) acts.push({ visitor: beacon.visitor, session: beacon.session, at: settled, isView: event.kind === 'view' })
      if (claim) isKnown = true
      if (event.kind === 'exposure' && isNamed) {
        if (!runs) setAside[arm]!++
        else if (claim?.[0] !== arm) {
          setAside[arm]!++
          if (claim) person().arms.add(claim[0])
        } else {
          isKnown = true
          person().arms.add(arm)
          person().exposures.push({ at: settled, device, isNew: beacon.isNew, channel, host, session: beacon.session, country })
        }
      }
      if (event.kind === 'click' && isNamed) {
        // A click for several tests is set aside only when none of them takes it.
        if (!all.some(one => event.tests?.includes(one.id) && lives(one))) setAside[arm]!++
        else if (lives(test)) { isKnown = true; person().clicks.push(settled) }
      }
      if (event.kind === 'cart' && claim && lives(test)) person().carts.push(settled)
      if (isKnown) {
        if (claim) person().stages |= claim[1]
        if (claim && claim[1] & 6) person().arms.add(claim[0])
        if (isBot) person().isBot = true
      }
    }
  }

  const counted = (p: Person | undefined): p is Person => p !== undefined && p.exposures.length > 0 && !p.isBot && !p.arms.has(1 - p.arm)
  // Of several at the same instant the smaller in each respect, one after the other.
  const firstMet = (p: Person) => p.exposures.toSorted((a, b) => a.at - b.at || a.device - b.device || Number(a.isNew) - Number(b.isNew) || a.channel - b.channel || order(a.host, b.host) || order(a.session, b.session))[0]!
  const first = (p: Person) => firstMet(p).at
  const sessionsOf = (visitor: string) => Map.groupBy(acts.filter(act => act.visitor === visitor), act => act.session)
  const inArm = (arm: number) => [...people.values()].filter(p => p.arm === arm)

  const days: Record<string, number[]> = {}, cube: Record<string, number[]> = {}
  for (const [visitor, p] of [...people].filter(([, p]) => counted(p))) {
    const met = firstMet(p)
    const device = Object.entries(other).find(([, i]) => i === met.device)![0]
    const count = (day: string, figure: number) => {
      for (const key of [`${day} ${p.arm} all`, `${day} ${p.arm} ${device}`]) (days[key] ??= [0, 0, 0, 0, 0])[figure]!++
      for (const key of cellsOf(p)) (cube[key] ??= [0, 0, 0, 0, 0])[figure]!++
    }
    const entry = newYorkDay(met.at)
    count(entry, 0)
    if (p.clicks.some(at => at >= met.at)) count(entry, 1)
    if (p.carts.some(at => at >= met.at)) count(entry, 2)
    for (const [session, done] of sessionsOf(visitor)) {
      if (session === met.session && done.filter(act => act.isView).length <= 1) count(entry, 3)
      const begin = Math.max(met.at, Math.min(...done.map(act => act.at)))
      if (done.some(act => act.at >= met.at) && begin < test.end + 120_000) count(newYorkDay(begin), 4)
    }
  }
  const arms = [0, 1].map(arm => {
    const humans = inArm(arm).filter(p => !p.isBot)
    return {
      assigned: humans.filter(p => p.stages & 1).length, applied: humans.filter(p => p.stages & 2).length, exposed: humans.filter(p => p.stages & 4).length,
      recorded: humans.filter(counted).length, bots: inArm(arm).filter(p => p.isBot && p.exposures.length > 0).length,
      both_arms: humans.filter(p => p.exposures.length > 0 && p.arms.has(1 - arm)).length, set_aside: setAside[arm]!,
    }
  })
  return { days, cube, arms, ...referenceOrders(test, orders, people, counted, first, cellsOf) }

  function cellsOf(p: Person): string[] {
    const { device, channel, isNew, host } = firstMet(p)
    return ['*', host].map(referrer => `${p.arm} ${device} ${channel} ${isNew} ${referrer}`)
  }
}
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function referenceOrders(test: ReferenceTest, orders: ReferenceOrder[], people: Map<string, Person>, counted: (p: Person | undefined) => p is Person, first: (p: Person) => number, cellsOf: (p: Person) => string[]) {
  const within = orders.filter(o => o.at >= test.start && o.at < test.end)
  const reasonOf = (o: ReferenceOrder): string | null => (o.test ? 'testOrder' : o.type === 'renewal' ? 'renewal' : against(o))
  const against = (o: ReferenceOrder): string | null => {
    const p = o.visitor === null ? undefined : people.get(o.visitor)
    if (o.visitor === null) return 'noConsent'
    if (!p || p.exposures.length === 0) return 'noExposure'
    if (p.isBot) return 'bot'
    if (!counted(p)) return 'bothArms'
    return o.at < Math.floor(first(p) / 1000) * 1000 ? 'beforeExposure' : null
  }
  const mine = within.filter(o => reasonOf(o) === null).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const sorted = mine.map(o => o.amount).sort((a, b) => a - b)
  const place = (sorted.length - 1) * 99
  const low = Math.floor(place / 100)
  // In hundredths of a minor unit all is whole.
  const cap = sorted.length >= 100 ? sorted[low]! * 100 + (place - low * 100) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!) : null
  const running = new Map<string, { total: number; orders: number }>()
  const days: Record<string, { buyers: number; orders: number; revenue: number; capped: number; squares: number; orderSquares: number; products: number }> = {}
  for (const o of mine) {
    const before = running.get(o.visitor!) ?? { total: 0, orders: 0 }
    const after = { total: before.total + Math.min(o.amount * 100, cap ?? Infinity), orders: before.orders + 1 }
    running.set(o.visitor!, after)
    const cell = (days[`${newYorkDay(o.at)} ${people.get(o.visitor!)!.arm}`] ??= { buyers: 0, orders: 0, revenue: 0, capped: 0, squares: 0, orderSquares: 0, products: 0 })
    cell.buyers += before.orders === 0 ? 1 : 0
    cell.orders++
    cell.revenue += o.amount
    cell.capped += after.total - before.total
    cell.squares += after.total ** 2 - before.total ** 2
    cell.orderSquares += after.orders ** 2 - before.orders ** 2
    cell.products += after.total * after.orders - before.total * before.orders
  }
  // Renewals that can be told a visitor stand among the cells alone, uncapped.
  const cells: Record<string, { buyers: number; orders: number; revenue: number; capped: number; squares: number; orderSquares: number; products: number }> = {}
  const told = [...mine.map(o => ({ ...o, value: Math.min(o.amount * 100, cap ?? Infinity), types: ['', o.type] })),
    ...within.filter(o => reasonOf(o) === 'renewal' && against(o) === null).map(o => ({ ...o, value: o.amount * 100, types: ['renewal'] }))]
  for (const [visitor, theirs] of Map.groupBy(told, o => o.visitor!))
    for (const type of ['', 'oneTime', 'subscription', 'renewal']) {
      const some = theirs.filter(o => o.types.includes(type))
      if (some.length === 0) continue
      const total = some.reduce((sum, o) => sum + o.value, 0)
      for (const key of cellsOf(people.get(visitor)!)) {
        const cell = (cells[`${key} ${type}`] ??= { buyers: 0, orders: 0, revenue: 0, capped: 0, squares: 0, orderSquares: 0, products: 0 })
        cell.buyers++
        cell.orders += some.length
        cell.revenue += some.reduce((sum, o) => sum + o.amount, 0)
        cell.capped += total
        cell.squares += total ** 2
        cell.orderSquares += some.length ** 2
        cell.products += total * some.length
      }
    }
  for (const cell of [...Object.values(days), ...Object.values(cells)]) {
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
  return { orderDays: days, cells, ledger, orderCap: cap === null ? null : cap / 100, cappedOrders: cap === null ? 0 : mine.filter(o => o.amount * 100 > cap).length }
}
