import type { Input } from '../../../../domain/api/contract.ts'
import { authTokens } from '../../../../engine/session/auth-tokens.ts'
import { startEngine } from '../engine.ts'
import { seedTest } from '../seeds.ts'
import { firstShop, sessionSecret } from '../small-shop.ts'
import {
  beacon,
  browser,
  collect,
  deliverAtLast,
  event,
  noon,
  order,
  phone,
  visitorIn,
} from '../traffic.ts'

const minute = 60_000,
  hour = 60 * minute

export type BreakdownQuery = Input<'referrers'>['query']
type Visit = {
  arm: 0 | 1
  landing?: string
  referrer?: string
  isNew?: boolean
  agent?: string
  session?: string
  pages?: number
  click?: boolean
  cart?: boolean
  ago?: number
  country?: string
}

/**
 * An engine with a running test. Six visitors from several countries and channels met it, and three
 * of them bought.
 */
export async function startBreakdownShop(t: { teardown: (end: () => Promise<void>) => void }) {
  const engine = await startEngine({}, { COUNTRY_HEADER: 'cf-ipcountry' })
  t.teardown(engine.close)
  const { db, call, now, shop } = engine
  const { id: storeId } = await call('storeInfo', {})
  now.at = new Date(noon)
  const { token } = await authTokens([sessionSecret], () => now.at).access(
    { storeId, shop: firstShop },
    now.at,
  )
  const testId = await seedTest(db, storeId)
  const by = (
    name: 'byChannel' | 'byOrderType' | 'byDevice' | 'byVisitors' | 'byCountry' | 'referrers',
    query: BreakdownQuery = {},
    id = testId,
  ) => call(name, { params: { id }, query }, token)
  const ids: Record<string, string> = {}
  async function visit(
    name: string,
    {
      arm,
      landing = '/',
      referrer = '',
      isNew = true,
      agent = browser,
      session = 'first-session',
      pages = 1,
      click = false,
      cart = false,
      ago = hour,
      country,
    }: Visit,
  ): Promise<void> {
    ids[name] ??= visitorIn(testId, arm, name)
    const at = noon - ago
    const events = [
      event('exposure', at, [testId]),
      ...Array.from({ length: pages }, (_, i) => event('view', at + i * 1000)),
      ...(click ? [event('click', at + 500, [testId])] : []),
      ...(cart ? [event('cart', at + 600)] : []),
    ]
    const { statusCode } = await collect(
      engine.engine.app,
      beacon(ids[name], { [testId]: [arm, 7] }, events, { session, isNew, landing, referrer }),
      { origin: shop.origin, 'user-agent': agent, ...(country && { 'cf-ipcountry': country }) },
    )
    if (statusCode !== 204) throw new Error(`The collector answered ${statusCode}.`)
  }
  const buy = async (
    id: string,
    name: string,
    price: string,
    type: 'one_time' | 'subscription' | 'renewal' = 'one_time',
    pieces = 1,
  ) => {
    const { statusCode } = await deliverAtLast(
      engine.engine.app,
      JSON.stringify({
        ...order(id, ids[name]!, noon - minute, price),
        order_type: type,
        line_items: [
          { product_id: 7, variant_id: 71, title: 'Mug', quantity: pieces, price, amount: price },
        ],
      }),
    )
    if (statusCode !== 200) throw new Error(`The webhook answered ${statusCode}.`)
  }

  await visit('anna', {
    arm: 0,
    country: 'DE',
    agent: phone,
    referrer: 'https://www.google.com/',
    pages: 3,
    click: true,
    cart: true,
  })
  await visit('bea', { arm: 0, country: 'FR', referrer: 'https://blog.example/mugs', isNew: false })
  await visit('cid', {
    arm: 0,
    landing: '/?utm_source=newsletter&utm_medium=email',
    isNew: false,
    pages: 2,
  })
  await visit('dora', {
    arm: 1,
    country: 'DE',
    agent: phone,
    referrer: 'https://www.google.de/search',
    cart: true,
  })
  // Eve comes back later from another site. That is one more session, but her referrer and "new"
  // stay those of her first visit.
  await visit('eve', { arm: 1, referrer: 'https://blog.example/', ago: 3 * hour })
  await visit('eve', {
    arm: 1,
    referrer: 'https://www.bing.com/',
    session: 'second-session',
    isNew: false,
    pages: 4,
  })
  await visit('fred', { arm: 1, referrer: `${shop.origin}/cart`, click: true })
  await buy('1', 'anna', '30.00', 'one_time', 3)
  await buy('2', 'anna', '10.00', 'subscription')
  await buy('3', 'dora', '25.00', 'subscription')
  await buy('4', 'dora', '25.00', 'renewal')
  await buy('5', 'eve', '40.00')
  await engine.engine.rollUp()

  const short = (rows: Awaited<ReturnType<typeof by>>) =>
    Object.fromEntries(
      rows!.rows.map(({ value, arms }) => [
        value,
        arms.map(a => [a.visitors, a.sessions, a.conversions, a.orders, a.revenue]),
      ]),
    )
  return { db, call, storeId, token, testId, by, short }
}
