import t from 'tap'
import { chargesOf } from '../../../engine/prices/charge-counts.ts'
import { priceRules } from '../../../engine/prices/price-rules.ts'
import { launchedFrom } from '../support/launched.ts'
import { meet, shopperAt } from '../support/price-shoppers.ts'
import { firstShop } from '../support/small-shop.ts'
import { visitorIn } from '../support/traffic.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

const { call, db, now, engine, shop, shopOrigin, platform, close } = await startWithShop(
  {},
  { CHROMIUM_PATH: 'off' },
  withTestPrices,
)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const setPrices = (prices_EUR: string) =>
  shop.app.inject({
    method: 'POST',
    url: '/admin/settings/markets',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ step_EUR: '1', ending_EUR: '0.95', prices_EUR }).toString(),
  })
const spoon = 30100

t.test(
  'a market with a price list is named before launch; its orders pay the list and are not compared',
  async t => {
    const { items } = await call('searchProducts', {
      params: { id: storeId },
      query: { query: 'oak spoon', pageSize: 1 },
    })
    const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Cheaper' } })
    await call('createTestProduct', {
      body: { testDraftId: id, productId: items[0]!.id, rule: { kind: 'percent', value: -50 } },
    })
    const warnings = async () =>
      (await call('draftChecks', { params: { id } })).checks.filter(
        ({ name, tone }) => name === 'products' && tone === 'warn',
      )
    t.same(await warnings(), [])
    t.equal((await setPrices('oak-spoon 20.00')).statusCode, 303)
    t.same(await platform.priceListMarkets(firstShop), ['EUR'])
    t.match(await warnings(), [
      {
        message: 'Your price list for EUR sets the prices there. The test does not change them.',
        remedy: /audience/,
      },
    ])

    const test = await launchedFrom(db, storeId, id, {
      start_at: new Date(now.at.getTime() - 3_600_000),
    })
    await platform.setPriceRules(firstShop, await priceRules(db, storeId))
    const buy = async (currency: string) => {
      const visitor = visitorIn(test, 1, `buyer-in-${currency}`)
      await meet(engine, visitor, { [test]: 1 }, now.at.getTime() - 20_000)
      const shopper = shopperAt(shopOrigin, visitor)
      shopper.payIn(currency)
      await shopper.stamp([test])
      await shopper.add({ id: spoon })
      const { line_items } = await shopper.order()
      await shop.delivered()
      return line_items[0]!.presentment.price
    }
    t.equal(await buy('EUR'), '20.00')
    t.match(await chargesOf(db.kysely, storeId, test), { judged: 0, wrong: 0 })
    t.equal(await buy('CHF'), '7.95', 'half the price, rounded up to 5 centimes')
    t.match(await chargesOf(db.kysely, storeId, test), { judged: 1, wrong: 0 })
  },
)
