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
import { createDraft, endAndApply, goTo, launch, openApp, readReport } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { slowness } from '../slowness.ts'

const control = '/pages/gift-guide',
  variant = '/pages/gift-guide-2026'
const headings = ['Gift guide', 'The 2026 gift guide'] as const

let product: Product
test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(() => product.stop())

test('a merchant tests one page against another, and the redirect loses no exposure', async ({
  page,
  browser,
}) => {
  test.setTimeout(420_000 * slowness)
  const app = await openApp(page, product),
    title = 'A shorter gift guide'
  await createDraft(app, 'URL redirect', title)
  await goTo(app, 'Pages')
  await app.getByLabel('Page to test (control)').fill(control)
  await app.getByLabel('Where the variant goes').fill(variant)
  await goTo(app, 'Audience and split')
  const testId = await launch(page, app)

  const deeds = await sendShoppers(
    plansFor(8, testId),
    async (shopper, plan) => {
      await shopper.goto(`${product.shop}${control}?utm_source=mail&n=${plan.index}#picks`, {
        waitUntil: 'commit',
      })
      const { visitor, arm } = await visitorOf(shopper, testId, [0.5, 0.5])
      await shopper.waitForURL(
        `${product.shop}${arm === 0 ? control : variant}?utm_source=mail&n=${plan.index}#picks`,
      )
      await expectOnly(shopper, headings[arm])
      const orders: number[] = []
      if (plan.adds) {
        await shopper.goto(`${product.shop}/products/ash-glaze-mug`)
        await addToCart(shopper)
        if (plan.buys) orders.push(await buy(shopper))
      }
      // On the tested page again the arm is the same, and a second visit is no second exposure.
      await shopper.goto(`${product.shop}${control}`, { waitUntil: 'commit' })
      await shopper.waitForURL(`${product.shop}${arm === 0 ? control : variant}`)
      await expectOnly(shopper, headings[arm])
      return { visitor, arm, clicked: false, added: plan.adds, orders }
    },
    '.template-page h1',
  )
  // A visitor who opens the variant's page directly is not in the test.
  const stranger = await browser.newPage()
  await stranger.goto(product.shop + variant)
  await expect(stranger).toHaveURL(product.shop + variant)
  await stranger.close()

  const expected = expectedOf(deeds)
  expect(expected[0]!.visitors + expected[1]!.visitors).toBe(8)
  expect(Math.min(...expected.map(arm => arm.orders))).toBeGreaterThan(0)
  const stages = page
    .frameLocator('iframe')
    .locator('.trust-check', { hasText: 'From assigned to recorded' })
    .locator('tbody tr')
  await expect(async () => {
    expect(await readReport(page, product, testId)).toEqual(expected)
    for (const arm of [0, 1] as const)
      expect(
        (await stages.nth(arm).locator('td').allInnerTexts())
          .slice(0, 4)
          .map(text => text.split('\n')[0]),
        'assigned, applied, exposed, recorded',
      ).toEqual(Array(4).fill(String(expected[arm]!.visitors)))
  }).toPass({ timeout: 90_000 * slowness })

  await endAndApply(
    page,
    product,
    { id: testId, title },
    `The shop itself sends everyone from ${control} to ${variant}.`,
  )
  expect((await page.request.get(product.shop + control)).url()).toBe(product.shop + variant)
})
