import t from 'tap'
import { collectTokens } from '../../../engine/events/collect-tokens.ts'
import { chargesOf } from '../../../engine/prices/charge-counts.ts'
import { priceRules } from '../../../engine/prices/price-rules.ts'
import { engineConfig } from '../../../engine/config.ts'
import { keyRing, keysFor } from '../../../engine/session/key-ring.ts'
import { launchedFrom } from '../support/launched.ts'
import { meet } from '../support/price-shoppers.ts'
import { appKey, appSecret, firstShop, sessionSecret } from '../support/small-shop.ts'
import { visitorIn } from '../support/traffic.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

const { call, db, now, engine, shop, platform, close } = await startWithShop({}, {}, withTestPrices)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const config = engineConfig({
  ENGINE_PORT: '0',
  SESSION_SECRET: sessionSecret,
  DEMO_APP_KEY: appKey,
  DEMO_APP_SECRET: appSecret,
})
const tokens = collectTokens(keysFor(keyRing(config), 'collecting'))

/** An order of "Buy it now", as the shop's page and its checkout send it. */
async function buyNow(id: number): Promise<{ id: string; name: string }> {
  const begun = await shop.app.inject({
    method: 'POST',
    url: '/checkout/express',
    payload: { id: String(id) },
  })
  t.equal(begun.headers.location, '/checkout?express=1')
  const { value } = begun.cookies.find(({ name }) => name === 'express_cart')!
  const placed = await shop.app.inject({
    method: 'POST',
    url: '/checkout',
    cookies: { express_cart: value },
    payload: {
      express: '1',
      email: 'ada@example.com',
      name: 'Ada',
      address: '1 Lane',
      city: 'Portland',
      postcode: '97201',
      country: 'United States',
    },
  })
  t.equal(placed.statusCode, 201, placed.body)
  await shop.delivered()
  return placed.json()
}

t.test(
  'an express order of the variant paid the base price: the check says so once the pixel names the visitor',
  async t => {
    shop.capabilities.set({ expressAttributes: false })
    const { items } = await call('searchProducts', {
      params: { id: storeId },
      query: { query: 'mug', pageSize: 40 },
    })
    const mug = items.find(({ handle }) => handle === 'ash-glaze-mug')!
    const draft = (await call('createDraft', { body: { kind: 'Price', title: 'Cheaper' } })).id
    await call('createTestProduct', {
      body: { testDraftId: draft, productId: mug.id, rule: { kind: 'percent', value: -15 } },
    })
    const test = await launchedFrom(db, storeId, draft, {
      start_at: new Date(now.at.getTime() - 3_600_000),
    })
    await platform.setPriceRules(firstShop, await priceRules(db, storeId))
    const visitor = visitorIn(test, 1, 'in-a-hurry')
    await meet(engine, visitor, { [test]: 1 }, now.at.getTime() - 60_000)

    const order = await buyNow(Number(mug.variants[0]!.id))
    const counts = () => chargesOf(db.kysely, storeId, test)
    t.same(await counts(), { judged: 0, wrong: 0, unmarked: 1, latest: null })

    const { statusCode, body } = await engine.app.inject({
      method: 'POST',
      url: `/collect/order?${tokens.ofPixel(firstShop)}`,
      headers: { 'content-type': 'text/plain', origin: 'null' },
      payload: JSON.stringify({
        v: 1,
        shop: firstShop,
        visitor,
        order: order.id,
        consent: true,
        tests: { [test]: 1 },
      }),
    })
    t.equal(statusCode, 204, body)
    t.match(await counts(), {
      judged: 0,
      wrong: 0,
      unmarked: 1,
      latest: `Order ${order.name} was charged $34.00 for Ash glaze mug – 250 ml / Ash, but visitors of the variant should pay $28.90. The order carries no cart attributes.`,
    })
    const { status } = await db.kysely
      .selectFrom('tests')
      .select('status')
      .where('test_id', '=', test)
      .executeTakeFirstOrThrow()
    t.equal(status, 'Active', 'express orders hold no test')
  },
)

t.test('an express cart carries the attributes where the shop can do that', async t => {
  const bought = async (expressAttributes: boolean) => {
    shop.capabilities.set({ expressAttributes })
    const added = await shop.app.inject({
      method: 'POST',
      url: '/cart/add.js',
      payload: { id: 10100, attributes: { color: 'blue' } },
    })
    const cart = added.cookies.find(({ name }) => name === 'cart')!.value
    const begun = await shop.app.inject({
      method: 'POST',
      url: '/checkout/express',
      cookies: { cart },
      payload: {},
    })
    const express_cart = begun.cookies.find(({ name }) => name === 'express_cart')!.value
    const placed = await shop.app.inject({
      method: 'POST',
      url: '/checkout',
      cookies: { cart, express_cart },
      payload: {
        express: '1',
        email: 'a@b.example',
        name: 'A',
        address: 'B',
        city: 'C',
        postcode: 'D',
        country: 'E',
      },
    })
    t.ok(
      placed.cookies.some(({ name, value }) => name === 'cart' && value === ''),
      'the whole cart is bought, so it is done with',
    )
    return placed.json() as { express_checkout: boolean; note_attributes: unknown[] }
  }
  t.match(await bought(false), { express_checkout: true, note_attributes: [] })
  t.match(await bought(true), {
    express_checkout: true,
    note_attributes: [{ name: 'color', value: 'blue' }],
  })
})
