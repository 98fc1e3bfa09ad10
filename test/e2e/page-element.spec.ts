import { expect, test } from '@playwright/test'
import {
  addToCart,
  buy,
  expectedOf,
  expectOnly,
  plansFor,
  sendShoppers,
  visitorOf,
} from './browser-shoppers.ts'
import {
  addTextChange,
  createDraft,
  endAndApply,
  goTo,
  launch,
  openApp,
  readReport,
} from './merchant.ts'
import { openPages } from './open-report.ts'
import { startProduct, type Product } from './product.ts'
import { slowness } from '../slowness.ts'

const button = '.product-form__submit'
const control = 'Add to cart',
  variant = 'Add to basket – ships tomorrow'
const products = [
  'ash-glaze-mug',
  'linen-apron',
  'walnut-board',
  'moon-vase',
  'kiln-candle',
  'pasta-bowl',
]

let product: Product
test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(() => product.stop())

test('a merchant tests a button, 12 shoppers see it, and the report shows what they did', async ({
  page,
  browser,
}) => {
  test.setTimeout(420_000 * slowness)
  const app = await openApp(page, product),
    title = 'Say when it ships'
  await createDraft(app, 'page element', title)
  await app
    .getByRole('textbox', { name: 'Hypothesis' })
    .fill('If the button says when we ship, more visitors buy.')
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill('/products/*')
  await addTextChange(app, button, variant)
  const testId = await launch(page, app),
    open = await openPages(page, product, { id: testId, title })

  const deeds = await sendShoppers(
    plansFor(12, testId),
    async (shopper, plan) => {
      const handle = products[plan.index % products.length]!
      await shopper.goto(`${product.shop}/products/${handle}`)
      const { visitor, arm } = await visitorOf(shopper, testId, [0.5, 0.5])
      const shown = arm === 0 ? control : variant
      await expect(shopper.locator(button)).toHaveText(shown)
      await expectOnly(shopper, shown)
      if (plan.index % 4 === 3) await shopper.locator('.product-form .pill').first().click()
      const orders: number[] = []
      if (plan.adds) {
        await addToCart(shopper)
        if (plan.buys) orders.push(await buy(shopper))
      }
      // The arm stays the same on every page and after the order.
      for (const next of [products[(plan.index + 1) % products.length]!, handle]) {
        await shopper.goto(`${product.shop}/products/${next}`)
        await expect(shopper.locator(button)).toHaveText(shown)
        await expectOnly(shopper, shown)
        expect((await visitorOf(shopper, testId, [0.5, 0.5])).visitor).toBe(visitor)
      }
      return { visitor, arm, clicked: plan.adds || plan.index % 4 === 3, added: plan.adds, orders }
    },
    button,
  )

  const expected = expectedOf(deeds)
  expect(new Set(deeds.map(d => d.visitor)).size).toBe(12)
  expect(
    Math.min(...expected.map(arm => arm.orders)),
    'both arms have buyers, otherwise this compares nothing',
  ).toBeGreaterThan(0)
  await expect
    .poll(() => readReport(page, product, testId), { timeout: 90_000 * slowness })
    .toEqual(expected)
  await open.expectVisitors([expected[0]!.visitors, expected[1]!.visitors])

  await endAndApply(
    page,
    product,
    { id: testId, title },
    'The script shows the variant’s change to everyone, and counts nobody for it.',
  )
  await open.expectEnded()
  for (let i = 0; i < 2; i++) {
    const anybody = await browser.newPage()
    await anybody.goto(`${product.shop}/products/${products[i]!}`)
    await expect(anybody.locator(button)).toHaveText(variant)
    await anybody.close()
  }
})
