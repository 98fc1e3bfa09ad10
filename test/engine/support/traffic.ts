import { setTimeout } from 'node:timers/promises'
import { createHmac } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { ArmIndex } from '../../../domain/arm.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import { type Beacon, cartAttribute, type ShopperEvent } from '../../../domain/events/event.ts'
import { collectTokens } from '../../../engine/events/collect-tokens.ts'
import { collector, type CollectorOptions } from '../../../engine/events/collector.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { orderEvents } from '../../../engine/orders/orders.ts'
import { smallPlatforms } from './small-platforms.ts'
import { problems } from '../../../engine/http/problems.ts'
import { validate } from '../../../engine/http/validation.ts'
import { webhooks } from '../../../engine/orders/webhooks.ts'
import { appSecret, firstShop as shop } from './small-shop.ts'

/**
 * A moment at which the seeded test runs: Tuesday 10 November 2026, 09:00 in the store's time zone.
 */
export const noon = Date.parse('2026-11-10T14:00:00Z')

/** A visitor id that the hash assigns to this arm of the test. */
export function visitorIn(
  testId: string,
  arm: ArmIndex,
  name: string,
  weights: [number, number] = [0.5, 0.5],
): string {
  for (let n = 0; ; n++) {
    const id = `visitor-${name}-${n}`
    if (assign(testId, id, weights) === arm) return id
  }
}

let made = 0
export const event = (kind: ShopperEvent['kind'], at: number, tests?: string[]): ShopperEvent => ({
  id: `event-${String(made++).padStart(6, '0')}`,
  at,
  kind,
  path: '/products/mug',
  ...(tests && { tests }),
})

export const beacon = (
  visitor: string,
  tests: Beacon['tests'],
  events: ShopperEvent[],
  over: Partial<Beacon> = {},
): Beacon => ({
  v: 1,
  shop,
  visitor,
  session: `session-${visitor}`,
  sent: noon,
  isNew: true,
  landing: '/',
  referrer: '',
  tests,
  events,
  ...over,
})

/** All stored aggregates of the database, sorted, without the counters of their changes. */
export async function aggregatesOf(db: Db): Promise<unknown> {
  const tables = {
    visitors:
      'select test_id, visitor_id, arm, stages, seen, is_bot, is_aside, is_new, device, session_id, channel, referrer, country, consented, first_exposed_at, last_click_at, last_cart_at from test_visitors order by 1, 2',
    days: 'select test_id, day, arm, dimension, value, visitors, clickers, adders, bounces, sessions from test_days where visitors <> 0 or sessions <> 0 order by 1, 2, 3, 4, 5',
    cube: 'select test_id, country, referrer, arm, device, channel, is_new, visitors, clickers, adders, bounces, sessions from test_cube where visitors <> 0 or sessions <> 0 order by 1, 2, 3, 4, 5, 6, 7',
    sessions:
      'select visitor_id, session_id, part, first_at, last_at, views from visitor_sessions order by 1, 2, 3',
    arms: 'select test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside, consented, bot_visitors, bot_clickers, bot_adders, aside from test_arms where assigned + applied + exposed + recorded + bots + both_arms + set_aside + aside <> 0 order by 1, 2',
    speed: 'select test_id, arm, metric, place, pages from test_speed order by 1, 2, 3, 4',
    products:
      'select test_id, visitor_id, product_id, last_view_at, last_add_at from test_visitor_products order by 1, 2, 3',
    productVisitors:
      'select test_id, product_id, arm, viewers, adders from test_product_visitors where viewers <> 0 or adders <> 0 order by 1, 2, 3',
    periods: 'select period, visitors from store_periods order by 1',
  }
  const found: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(tables))
    found[name] = (await sql.raw(text).execute(db.kysely)).rows
  return found
}

/** The shop tokens of the collectors in these tests. */
export const shopTokens = collectTokens([Buffer.from('a secret of sixteen')])

/** Collector and order webhook as the engine serves them, on this database and clock. */
export async function collectingApp(
  db: Db,
  clock: () => Date,
  limits: Partial<CollectorOptions> = {},
): Promise<FastifyInstance> {
  const app = Fastify()
  app.setValidatorCompiler(validate)
  problems(app)
  app.register(collector, {
    db,
    clock,
    replayKey: appSecret,
    tokens: shopTokens,
    perAddress: 100_000,
    eventsPerAddress: 1_000_000,
    eventsPerShop: 1_000_000,
    ...limits,
  })
  app.register(webhooks, { platforms: smallPlatforms().all, handlers: orderEvents({ db, clock }) })
  await app.ready()
  return app
}

export const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
export const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

/** Sends a body as a page of the shop does. */
export const collect = (
  app: FastifyInstance,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  app.inject({
    method: 'POST',
    url: '/collect',
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      'user-agent': browser,
      origin: 'http://localhost:3002',
      ...headers,
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })

export type OrderBody = {
  id: string
  created_at: string
  currency: string
  subtotal_price: string
  refunded: string
  test: boolean
  note_attributes: { name: string; value: string }[]
  line_items: unknown[]
}
let delivered = 0
export const order = (
  id: string,
  visitor: string | null,
  at: number,
  price: string,
  over: Partial<OrderBody> = {},
): OrderBody => ({
  id,
  created_at: new Date(at).toISOString(),
  currency: 'USD',
  subtotal_price: price,
  refunded: '0.00',
  test: false,
  note_attributes: visitor === null ? [] : [{ name: cartAttribute, value: visitor }],
  line_items: [],
  ...over,
})

/** Delivers an order as the shop's webhook does. `headers` replace the correct ones. */
export function deliver(
  app: FastifyInstance,
  body: OrderBody | string,
  headers: Record<string, string> = {},
) {
  const request = webhook(typeof body === 'string' ? body : JSON.stringify(body), headers)
  return app.inject({
    method: 'POST',
    url: `/webhooks/demo/${headers['x-demo-topic'] === 'orders/updated' ? 'orders-updated' : 'orders-create'}`,
    ...request,
  })
}

/** Delivers as platforms do: again and again while the engine is busy (503). */
export async function deliverAtLast(...asked: Parameters<typeof deliver>) {
  for (;;) {
    const answer = await deliver(...asked)
    if (answer.statusCode !== 503) return answer
    await setTimeout(100)
  }
}

/**
 * A delivery as the shop sends it: the signed body repeats the facts in the headers, and the rest
 * of `body` is unchanged.
 */
export function webhook(
  body: string,
  over: Record<string, string> = {},
  secret = appSecret,
): { payload: string; headers: Record<string, string> } {
  const facts = {
    'x-demo-topic': 'orders/create',
    'x-demo-shop': shop,
    'x-demo-delivery-id': `delivery-${delivered++}`,
    'x-demo-triggered-at': new Date(noon).toISOString(),
    ...over,
  }
  const delivery = {
    id: facts['x-demo-delivery-id'],
    topic: facts['x-demo-topic'],
    shop: facts['x-demo-shop'],
    triggered_at: facts['x-demo-triggered-at'],
  }
  const payload = body.replace(
    /^\{(?=(\s*\})?)/,
    (_, isEmpty) => `{"delivery":${JSON.stringify(delivery)}${isEmpty ? '' : ','}`,
  )
  return {
    payload,
    headers: {
      'content-type': 'application/json',
      'x-demo-hmac-sha256': createHmac('sha256', secret).update(payload).digest('base64'),
      ...facts,
    },
  }
}

export async function countOf(
  db: Db,
  table: 'events' | 'orders' | 'test_visitors' | 'webhook_deliveries' | 'visitor_sessions',
): Promise<number> {
  return (
    await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(db.kysely)
  ).rows[0]!.n
}
