import { devices, expect, test, type Page } from '@playwright/test'
import type { DemoShop } from '../../../demo-shop/app.ts'
import { marketId } from '../../../demo-shop/shopify-web/embed/embed-page.ts'
import { gid } from '../../../demo-shop/shopify/api/gid.ts'
import { installationId } from '../../../demo-shop/shopify/app/app-answers.ts'
import { shopifyShop } from '../../../demo-shop/shopify/shop-names.ts'
import { formatMoney } from '../../../domain/money.ts'
import {
  functionFields,
  functionNamespace,
  priceKey,
  switchKey,
} from '../../../domain/prices/function-rules.ts'
import { shownAmount } from '../../../domain/prices/price-test.ts'
import { embedFields, embedNamespace } from '../../../domain/script/embed-fields.ts'
import type { ScriptTest } from '../../../domain/script/script-config.ts'
import { chromiumArgs, storyBrowser } from '../../../scripts/chromium.ts'
import { address } from '../../demo-shop/support/demo-shop.ts'
import { openCollector, openStandIn, ownField } from './stand-in.ts'

/**
 * The built extensions on the stand-in: its Liquid draws the script, and its functions charge what
 * the script has shown, in every market.
 */
let standIn: Awaited<ReturnType<typeof openStandIn>>,
  collector: Awaited<ReturnType<typeof openCollector>>
let shop: DemoShop, origin: string, collect: string
const handle = 'oak-spoon',
  variantId = '30100'
const heading: ScriptTest = {
  id: 'test-heading',
  weights: [0, 1],
  pages: ['*'],
  changes: [{ selector: 'h1', kind: 'text', value: 'Our </script> spoon', name: '' }],
}

// A headless browser's own user agent counts as a bot.
test.use({
  launchOptions: {
    executablePath: storyBrowser(),
    args: [...chromiumArgs, `--user-agent=${devices['Desktop Chrome'].userAgent}`],
  },
})

test.beforeAll(async () => {
  collector = await openCollector()
  collect = `${collector.origin}/`
  standIn = await openStandIn()
  ;({ shop, origin } = standIn)
  await shop.web!.switches.set('160001', 'twinshelf', true)
})
test.afterAll(async () => {
  await standIn.close()
  await collector.close()
})

/** Writes what the app would write for these tests. */
function publish(tests: ScriptTest[], price?: number): void {
  const markets = {
    [marketId('EUR')]: [100, 95],
    [marketId('CHF')]: [5, 0],
    [marketId('JPY')]: [100, 0],
  } as Record<string, [number, number]>
  const script = embedFields(
    { shop: shopifyShop.domain, collect, preview: collect, tests },
    { markets },
  )
  const rules = functionFields(
    price === undefined
      ? []
      : [{ id: 'test-price', weights: [0, 1], prices: { [variantId]: price } }],
    { currency: 'USD', markets },
  )
  if (script.problem !== undefined || rules.problem !== undefined) throw new Error('too large')
  const written = shop.shopify!.metafields.set([
    ...script.fields.map(({ key, value }) => ownField(installationId, embedNamespace, key, value)),
    ownField(gid('Shop', shopifyShop.id), functionNamespace, switchKey, rules.switch),
    ...Object.entries(rules.prices).map(([id, value]) =>
      ownField(gid('ProductVariant', id), functionNamespace, priceKey, value),
    ),
  ])
  if ('problems' in written) throw new Error(JSON.stringify(written.problems))
}
const priceTest = (variant: number): ScriptTest => ({
  id: 'test-price',
  weights: [0, 1],
  pages: ['*'],
  prices: { [handle]: [[variantId, 1800, variant]] },
})

test('the extension’s Liquid brings the script, with texts that could end it', async ({ page }) => {
  publish([heading])
  await page.goto(`${origin}/products/${handle}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Our </script> spoon')
})

/** Shows the price in a market, buys there, and returns what both said. */
async function buyIn(page: Page, currency: string) {
  await page.context().clearCookies()
  await page.request.post(`${origin}/localization`, { form: { currency } })
  await page.goto(`${origin}/products/${handle}`)
  const shown = page.locator('main')
  const text = await shown.innerText()
  await page.locator('form[action="/cart/add"] button').first().click()
  await page.waitForURL(`${origin}/cart`)
  await expect
    .poll(async () => {
      const cart = (await (await page.request.get(`${origin}/cart.js`)).json()) as {
        attributes: Record<string, string>
      }
      return cart.attributes['_ts_prices'] ?? ''
    })
    .toContain('test-price')
  const cart = (await (await page.request.get(`${origin}/cart.js`)).json()) as {
    items: { price: number }[]
  }
  const order = (await (
    await page.request.post(`${origin}/checkout`, { data: address })
  ).json()) as {
    presentment: { currency: string; subtotal_price: string }
    line_items: { unit_price: string; price: string }[]
  }
  return { text, price: cart.items[0]!.price, order }
}
const markets = () => {
  const all = ['USD', 'EUR', 'GBP', 'CHF', 'CAD', 'JPY']
  return all.map(code => ({ code, rate: rates[code]! }))
}
const rates: Record<string, { rate: number; step: number; ending: number }> = {
  USD: { rate: 1, step: 1, ending: 0 },
  EUR: { rate: 0.92, step: 100, ending: 95 },
  GBP: { rate: 0.79, step: 1, ending: 0 },
  CHF: { rate: 0.88, step: 5, ending: 0 },
  CAD: { rate: 1.37, step: 1, ending: 0 },
  JPY: { rate: 1.49, step: 100, ending: 0 },
}

test('what the page shows in each market, the transform charges to the minor unit', async ({
  page,
}) => {
  shop.web!.installs.add('transform', {
    functionHandle: 'twinshelf-cart-transform',
    blockOnFailure: false,
  })
  publish([priceTest(2345)], 2345)
  for (const { code, rate } of markets()) {
    const { text, price, order } = await buyIn(page, code)
    const expected = shownAmount(2345, rate)
    expect(text, code).toContain(formatMoney(expected, code))
    expect(price, code).toBe(expected)
    expect(order.presentment.currency).toBe(code)
    expect(order.line_items[0]!.unit_price, code).toBe(order.line_items[0]!.price)
  }
})

test('elsewhere the discount charges a lower price, and the order keeps both', async ({ page }) => {
  shop.shopify!.settings.set({ plan: 'standard' })
  shop.web!.installs.add('discount', {
    functionHandle: 'twinshelf-discount',
    title: 'Price',
    startsAt: '2020-01-01T00:00:00.000Z',
    endsAt: null,
    given: {},
  })
  publish([priceTest(1499)], 1499)
  for (const { code, rate } of markets()) {
    const { text, price, order } = await buyIn(page, code)
    expect(text, code).toContain(formatMoney(shownAmount(1499, rate), code))
    expect(price, code).toBe(shownAmount(1499, rate))
    expect(Number(order.line_items[0]!.unit_price)).toBeGreaterThan(
      Number(order.line_items[0]!.price),
    )
  }
})
