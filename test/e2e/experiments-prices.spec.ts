import { expect, test } from '@playwright/test'
import {
  addToCart,
  buy,
  evenly,
  expectedOf,
  expectOnly,
  plansOfBothArms,
  sendShoppers,
  visitorOf,
} from './browser-shoppers.ts'
import { createDraft, endAndApply, goTo, launch, openApp, readReport } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { slowness } from '../slowness.ts'

let product: Product
test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(() => product.stop())

const mug = '/products/ash-glaze-mug',
  title = 'A tenth off'
const prices = [
  { mug: 3400, apron: '$58.00' },
  { mug: 3060, apron: '$52.20' },
] as const
/**
 * The shop's rate is 0.92 euros to the dollar, and its prices in euros end in .95. The shop
 * receives what was paid, at that rate.
 */
const inEuros = 2895,
  receivedForEuros = 3147
const dollars = (minor: number): string => `$${(minor / 100).toFixed(2)}`

test('a price test: a rule sets the price, every place shows and charges it, also in another currency, and it becomes the shop’s price', async ({
  page,
}) => {
  test.setTimeout(300_000 * slowness)
  const app = await openApp(page, product)
  await createDraft(app, 'price', title)
  await goTo(app, 'Products and prices')
  await app.getByRole('button', { name: 'Add products' }).click()
  const dialog = app.getByRole('dialog', { name: 'Add products' })
  for (const name of ['Ash glaze mug', 'Linen apron']) {
    await dialog.getByRole('searchbox').fill(name)
    await dialog.getByRole('checkbox', { name, exact: true }).check()
  }
  await dialog.getByRole('button', { name: 'Add 2 products' }).click()
  await app.locator('[name="rule.all.way"]').selectOption('percentLess')
  await app.locator('[name="rule.all.value"]').fill('10')
  await app
    .getByRole('group', { name: 'Price rule for all products' })
    .getByRole('button', { name: 'Preview' })
    .click()
  await expect(app.locator('#price-preview')).toContainText('Linen apron')
  await app.getByRole('button', { name: 'Apply to all 2 products' }).click()
  await expect(app.getByText('The rule is applied to all 2 products.')).toBeVisible()
  await goTo(app, 'Review')
  const id = await launch(page, app)

  const deeds = await sendShoppers(
    plansOfBothArms(id),
    async (shopper, plan) => {
      const wanted = (plan.index % 2) as 0 | 1,
        paysEuros = plan.index === 3
      const shown = paysEuros ? `€${inEuros / 100}` : dollars(prices[wanted].mug)
      if (paysEuros) {
        await shopper.goto(`${product.shop}/pages/faq`)
        await shopper.getByLabel('Currency').selectOption('EUR')
        await shopper.getByRole('button', { name: 'Change' }).click()
        await expect(shopper.getByLabel('Currency')).toHaveValue('EUR')
      }
      const meetIt = async (): Promise<void> => {
        await shopper.goto(product.shop + mug)
        await expect(shopper.locator('.product__price')).toHaveText(shown)
        await expectOnly(shopper, shown)
      }
      await meetIt()
      const { visitor, arm } = await visitorOf(shopper, id, evenly)
      expect([visitor, arm]).toEqual([plan.visitor, wanted])
      expect(
        await shopper.locator('script[type="application/ld+json"]').textContent(),
        'structured data has control’s price',
      ).toContain(paysEuros ? '31.95' : '34.00')
      const orders: number[] = []
      if (plan.clicks) await shopper.locator('.product-form .pill').first().click()
      if (plan.adds) {
        await addToCart(shopper)
        await expectOnly(shopper, shown)
        if (plan.buys) {
          const charged = await buy(shopper, () =>
            expect(shopper.locator('.checkout-sum .lines')).toContainText(shown),
          )
          expect(charged).toBe(paysEuros ? inEuros : prices[arm].mug)
          orders.push(paysEuros ? receivedForEuros : prices[arm].mug)
        }
        await meetIt()
      } else {
        await shopper.goto(`${product.shop}/collections/all`)
        await expect(shopper.locator('a[href="/products/linen-apron"] .card__price')).toHaveText(
          prices[arm].apron,
        )
      }
      return { visitor, arm, clicked: plan.clicks === true || plan.adds, added: plan.adds, orders }
    },
    '.product__price, .cart__total',
  )
  const expected = expectedOf(deeds)
  expect(expected.map(arm => [arm.visitors, arm.adders, arm.orders, arm.revenue])).toEqual([
    [3, 2, 1, 3400],
    [3, 2, 2, 3060 + receivedForEuros],
  ])
  await expect
    .poll(() => readReport(page, product, id), { timeout: 90_000 * slowness })
    .toEqual(expected)

  await endAndApply(
    page,
    product,
    { id, title },
    'The prices of 2 products are set to the variant’s in the shop itself, for everyone.',
  )
  const own = await (await page.request.get(product.shop + mug)).text()
  expect(own).toContain(`<p class="product__price price">${dollars(prices[1].mug)}</p>`)
  expect(own).toContain('"price":"$34.20"')
  expect(own).not.toContain('$34.00')
})
