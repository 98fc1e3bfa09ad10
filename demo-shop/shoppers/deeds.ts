import type { PerArm } from '../../domain/arm.ts'
import type { ShopperEvent } from '../../domain/events/event.ts'
import type { VisitorMemory } from '../../storefront/core.ts'
import type { PlacedOrder } from './sender.ts'

/**
 * What the shoppers of an arm did after their exposure, to be compared with the report. Money in
 * minor units.
 */
export type ArmDeeds = {
  exposed: number
  clickers: number
  adders: number
  buyers: number
  orders: number
  revenue: number
}
export type TestDeeds = { id: string; arms: PerArm<ArmDeeds> }
export type Deeds = {
  visitors: number
  bots: number
  refusing: number
  sessions: number
  events: number
  /** Every order of these shoppers, in a test or not. */
  orders: number
  revenue: number
  tests: TestDeeds[]
  /** How often something had to be sent again. */
  retries: number
}

const nothing = (): ArmDeeds => ({
  exposed: 0,
  clickers: 0,
  adders: 0,
  buyers: 0,
  orders: 0,
  revenue: 0,
})

export const noDeeds = (tests: readonly string[]): Deeds => ({
  visitors: 0,
  bots: 0,
  refusing: 0,
  sessions: 0,
  events: 0,
  orders: 0,
  revenue: 0,
  retries: 0,
  tests: tests.map(id => ({ id, arms: [nothing(), nothing()] })),
})

/**
 * Adds one visitor's whole life to the tests that they met. It follows the rules of the report, but
 * uses what the shopper knows.
 */
export function addVisitor(
  deeds: Deeds,
  memory: VisitorMemory,
  events: readonly ShopperEvent[],
  orders: readonly PlacedOrder[],
): void {
  for (const { id, arms } of deeds.tests) {
    const met = events.find(event => event.kind === 'exposure' && event.tests?.includes(id))
    const arm = memory.tests[id]?.[0]
    if (!met || arm === undefined) continue
    const after = events.filter(event => event.at >= met.at)
    const bought = orders.filter(order => Date.parse(order.created_at) >= met.at)
    const sum = arms[arm]
    sum.exposed++
    sum.clickers += Number(after.some(event => event.kind === 'click' && event.tests?.includes(id)))
    sum.adders += Number(after.some(event => event.kind === 'cart'))
    sum.buyers += Number(bought.length > 0)
    sum.orders += bought.length
    sum.revenue += bought.reduce((total, order) => total + minorUnits(order.subtotal_price), 0)
  }
}

/** "12.34" → 1234. */
export const minorUnits = (amount: string): number => Number(amount.replace('.', ''))
