import { sql } from 'kysely'
import type { ArmIndex } from '../../domain/arm.ts'
import { assign } from '../../domain/assignment.ts'
import type { Beacon, ShopperEvent } from '../../domain/event.ts'
import type { Db } from '../../engine/db/connection.ts'

export const shop = 'fern-and-kiln.demo-shop.test'
/** A moment at which the seeded test runs (its store's day: Tuesday 10 November 2026, 09:00). */
export const noon = Date.parse('2026-11-10T14:00:00Z')

/** A visitor's id that the hash puts into this arm of the test. */
export function visitorIn(testId: string, arm: ArmIndex, name: string, weights: [number, number] = [0.5, 0.5]): string {
  for (let n = 0; ; n++) {
    const id = `visitor-${name}-${n}`
    if (assign(testId, id, weights) === arm) return id
  }
}

let made = 0
export const event = (kind: ShopperEvent['kind'], at: number, tests?: string[]): ShopperEvent =>
  ({ id: `event-${String(made++).padStart(6, '0')}`, at, kind, path: '/products/mug', ...(tests && { tests }) })

export const beacon = (visitor: string, tests: Beacon['tests'], events: ShopperEvent[], over: Partial<Beacon> = {}): Beacon =>
  ({ v: 1, shop, visitor, session: `session-${visitor}`, sent: noon, isNew: true, landing: '/', referrer: '', tests, events, ...over })

/** All stored aggregates of the database, in one order, without what only says how often they changed. */
export async function aggregatesOf(db: Db): Promise<unknown> {
  const tables = {
    visitors: 'select test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, first_exposed_at, last_click_at, last_cart_at from test_visitors order by 1, 2',
    days: 'select test_id, day, arm, dimension, value, visitors, clickers, adders from test_days where visitors <> 0 order by 1, 2, 3, 4, 5',
    arms: 'select test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside from test_arms where assigned + exposed + bots + set_aside <> 0 order by 1, 2',
    periods: 'select period, visitors from store_periods order by 1',
  }
  const found: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(tables)) found[name] = (await sql.raw(text).execute(db.kysely)).rows
  return found
}
