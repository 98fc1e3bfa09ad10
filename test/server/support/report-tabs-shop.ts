import type { StoreFeature } from '../../../domain/stores/store.ts'
import {
  beacon,
  browser,
  collect,
  deliver,
  event,
  order,
  phone,
  visitorIn,
} from '../../engine/support/traffic.ts'
import { startMerchant, textOf } from './merchant.ts'
import { launchTest, visit } from './shoppers.ts'

const hour = 3_600_000
type Person = {
  arm: 0 | 1
  agent?: string
  country?: string
  acts?: [kind: 'view' | 'cart', product: string][]
  lines?: object[]
  referrer?: string
  landing?: string
  isNew?: boolean
  buys?: ['one_time' | 'subscription' | 'renewal', price: string]
}

const line = (product_id: string, title: string, quantity: number, price: string) => ({
  product_id,
  variant_id: 1,
  title,
  quantity,
  price,
  selling_plan: null,
})

/**
 * A merchant with a running test that has no visitors yet. `meet` sends shoppers from several
 * countries and channels.
 */
export async function startReportTabs(t: { teardown: (end: () => Promise<void>) => void }) {
  const merchant = await startMerchant({ engine: { COUNTRY_HEADER: 'cf-ipcountry' } })
  const {
    engine: { engine, shop, db, now },
    call,
    get,
    close,
  } = merchant
  t.teardown(close)
  const { id: storeId } = await call('storeInfo', {})
  const pass = (time: number) => {
    now.at = new Date(now.at.getTime() + time)
  }
  const pageOf = async (path: string) => {
    const { statusCode, body, headers } = await get(path)
    return {
      statusCode,
      body,
      headers,
      text: textOf(body),
      rows: [...body.matchAll(/<tbody>[\s\S]*?<\/tbody>/g)].map(m => textOf(m[0]).trim()),
    }
  }

  /** Sets the store's plan and feature flags, and moves the clock past the app's cache. */
  async function may(plan: string, ...flags: StoreFeature[]): Promise<void> {
    await db.kysely
      .updateTable('stores')
      .set({ plan_id: plan, feature_flags: JSON.stringify(flags) })
      .where('store_id', '=', storeId)
      .execute()
    pass(11_000)
  }

  /** Sends one shopper, who may buy something. */
  async function send(
    testId: string,
    name: string,
    {
      arm,
      agent = browser,
      country,
      acts = [],
      lines = [],
      referrer = '',
      landing = '/products/mug',
      isNew = true,
      buys,
    }: Person,
  ): Promise<void> {
    const at = now.at.getTime(),
      person = visitorIn(testId, arm, name)
    await collect(
      engine.app,
      beacon(
        person,
        { [testId]: [arm, 7] },
        [
          event('exposure', at, [testId]),
          event('view', at),
          ...acts.map(([kind, product], i) => ({ ...event(kind, at + i), product })),
        ],
        { sent: at + 9, isNew, referrer, landing },
      ),
      { origin: shop.origin, 'user-agent': agent, ...(country && { 'cf-ipcountry': country }) },
    )
    if (buys)
      await deliver(
        engine.app,
        JSON.stringify({
          ...order(`order-${person}`, person, at + 10, buys[1]),
          order_type: buys[0],
          line_items: lines,
        }),
      )
  }

  const id = await launchTest(merchant, 'Ships today')
  const tab = (name: string, query = '') => `/tests/${id}/${name}${query}`

  const meet = async () => {
    pass(hour)
    await visit(merchant, id, [
      { arm: 0, visitors: 120, clickers: 60, adders: 30, buyers: 20, price: '10.00' },
      { arm: 1, visitors: 110, clickers: 66, adders: 44, buyers: 30, price: '12.00' },
    ])
    await send(id, 'anna', {
      arm: 0,
      agent: phone,
      country: 'de',
      referrer: 'https://www.google.com/',
      buys: ['subscription', '25.00'],
      acts: [
        ['view', '11'],
        ['cart', '11'],
      ],
      lines: [line('11', 'Jug & “bowl”', 2, '10.00'), line('12', 'Plate', 1, '5.00')],
    })
    await send(id, 'bea', {
      arm: 1,
      agent: phone,
      referrer: 'https://blog.example/mugs',
      isNew: false,
      country: 'FR',
      buys: ['renewal', '25.00'],
      acts: [
        ['view', '11'],
        ['view', '12'],
      ],
    })
    await send(id, 'cid', {
      arm: 1,
      landing: '/products/mug?utm_source=newsletter&utm_medium=email',
      isNew: false,
      country: 'FR',
    })
    await engine.rollUp()
  }
  return { get, db, now, storeId, id, tab, pageOf, may, meet }
}
