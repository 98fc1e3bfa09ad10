import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ArmIndex } from '../domain/arm.ts'
import { goalNames } from '../domain/reports/goal.ts'
import { day as dayLength, minute } from '../domain/time-units.ts'
import type { Db } from '../engine/db/connection.ts'
import type { OrderDay } from '../engine/db/order-figures.ts'
import { rollUpTest } from '../engine/reports/rollup-test.ts'
import { commitTime } from '../engine/tests/test-statuses.ts'
import { keepOrders } from './kept-orders.ts'

const names = [
  'Reviews above the fold',
  'Sticky add to cart on phones',
  'Free shipping bar at $50',
  'Collection grid, 4 columns',
  'Gift guide landing page',
  'Delivery promise by the button',
  'Search ranking by margin',
  'Product story first',
  'Shorter checkout note',
  'Bundle offer in the cart',
]
/** Lift, visitors per arm, and age in days. Together they give every kind of verdict. */
const results: [lift: number, visitors: number, days: number][] = [
  [0.16, 29_000, 17],
  [0.08, 16_800, 11],
  [0.066, 15_400, 9],
  [0.012, 9_700, 8],
  [0.144, 4_100, 6],
  [-0.167, 31_800, 13],
  [-0.087, 3_100, 4],
  [0.02, 82, 1],
  [0.033, 6_000, 5],
  [-0.31, 2_400, 9],
]

/**
 * Creates launched tests of one store from invented counts, which the engine itself sums up. For
 * measuring and viewing the list.
 */
export async function listedTests(
  db: Db,
  storeId: string,
  count: number,
  now: Date,
  status: 'Active' | 'Ended' = 'Active',
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const [lift, visitors, age] = results[i % results.length]!
    const startAt = new Date(now.getTime() - age * dayLength + (i + 1) * minute),
      endsAt = new Date(startAt.getTime() + (14 + 7 * (i % 3)) * dayLength)
    const test_id = randomUUID(),
      isRedirect = i % 4 === 3,
      of = { store_id: storeId, test_id }
    await db.kysely
      .insertInto('tests')
      .values({
        ...of,
        draft_id: randomUUID(),
        kind: isRedirect ? 'UrlRedirect' : 'PageElement',
        title: `${names[i % names.length]}${i < names.length ? '' : `, round ${Math.floor(i / names.length) + 1}`}`,
        hypothesis_description: '',
        control_title: 'Control',
        variant_title: 'Variant',
        goal: goalNames[i % goalNames.length]!,
        weights: '[0.5,0.5]',
        minimum_effect: 0.1,
        control_url: '',
        redirect_url: '',
        dom_selectors: '[]',
        control_hypothesis_id: randomUUID(),
        variant_hypothesis_id: randomUUID(),
        launch_at: null,
        automatically_end_at: null,
        created_at: startAt,
        updated_at: startAt,
        status,
        pages: JSON.stringify(isRedirect ? ['/pages/gift-guide'] : ['/products/*']),
        start_at: startAt,
        ends_at: endsAt,
        ended_at: status === 'Ended' ? now : null,
        applied_at: null,
        planned_visitors: 2 * visitors,
        verdict_kind: null,
        verdict_at: null,
        verdict_lift: null,
        verdict_chance: null,
      })
      .execute()
    const history = [
      { ...of, status: 'Active' as const, applied_on: startAt },
      ...(status === 'Ended' ? [{ ...of, status, applied_on: now }] : []),
    ]
    await db.kysely.insertInto('test_history').values(history).execute()
    const day = startAt.toISOString().slice(0, 10),
      shares: [ArmIndex, number][] = [
        [0, 0],
        [1, lift],
      ]
    for (const [arm, by] of shares) await countVisitors(db, of, day, arm, visitors, by)
    await keepOrders(
      db,
      of,
      shares.map(([arm, by]) => ordersOf(day, arm, visitors, by)),
      new Date(startAt.getTime() + 2 * commitTime),
    )
    await rollUpTest(db, storeId, test_id, now)
  }
}

type Of = { store_id: string; test_id: string }
const rate = (visitors: number, base: number, lift: number) =>
  Math.round(visitors * base * (1 + lift))

async function countVisitors(
  db: Db,
  { store_id, test_id }: Of,
  day: string,
  arm: ArmIndex,
  visitors: number,
  lift: number,
): Promise<void> {
  await sql`insert into test_days (store_id, test_id, day, arm, dimension, value, visitors, clickers, adders)
    values (${store_id}, ${test_id}, ${day}, ${arm}, 'all', '', ${visitors}, ${rate(visitors, 0.31, lift)}, ${rate(visitors, 0.11, lift)})`.execute(
    db.kysely,
  )
  await sql`insert into test_arms (store_id, test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside)
    values (${store_id}, ${test_id}, ${arm}, ${visitors}, ${visitors}, ${visitors}, ${visitors}, 0, 0, 0)`.execute(
    db.kysely,
  )
}

/**
 * Orders average $63 with a standard deviation of $28. A buyer's second order is independent of the
 * first.
 */
function ordersOf(day: string, arm: ArmIndex, visitors: number, lift: number): OrderDay {
  const buyers = rate(visitors, 0.042, lift),
    orders = Math.round(buyers * 1.08),
    revenue = Math.round(orders * 6_300 * (1 + lift / 4))
  return {
    day,
    arm,
    buyers,
    orders,
    revenue,
    cappedRevenue: revenue,
    cappedRevenueSquares: orders * (6_300 ** 2 + 2_800 ** 2) * 1.1,
    orderSquares: orders * 1.1,
    cappedRevenueOrders: revenue * 1.1,
  }
}
