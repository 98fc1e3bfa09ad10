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
import { doesShopRedirect, expectSent, saysWhoSends } from './sent-visitors.ts'
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

  await endAndApply(page, product, { id: testId, title }, saysWhoSends(control, variant))
  if (doesShopRedirect())
    expect((await page.request.get(product.shop + control)).url()).toBe(product.shop + variant)
  await expectSent(page, product.shop + control, product.shop + variant)
})

test('where the shop redirects only missing pages, the script sends visitors on for good', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000 * slowness)
  await page.goto(`${product.shop}/admin/abilities`)
  await page.locator('select[name=redirects]').selectOption('missingPages')
  await page.getByRole('button', { name: 'Save' }).click()
  const [from, to] = ['/pages/shipping', '/pages/about'].map(path => product.shop + path) as [
      string,
      string,
    ],
    title = 'Shipping on the page about us'
  const app = await openApp(page, product)
  await createDraft(app, 'URL redirect', title)
  await goTo(app, 'Pages')
  await app.getByLabel('Page to test (control)').fill('/pages/shipping')
  await app.getByLabel('Where the variant goes').fill('/pages/about')
  await goTo(app, 'Audience and split')
  const id = await launch(page, app)
  await endAndApply(
    page,
    product,
    { id, title },
    'Search engines and visitors without scripts still get the control’s page.',
  )
  await expect(
    page.frameLocator('iframe').getByText('By our script. Search engines').first(),
  ).toBeVisible()

  // New visitors, visitors who refuse, and visitors of a test.
  for (const isRefusing of [false, true]) {
    const shopper = await browser.newPage()
    if (isRefusing)
      await shopper.addInitScript(() => {
        Object.defineProperty(navigator, 'globalPrivacyControl', { get: () => true })
      })
    await shopper.goto(`${from}?utm_source=mail#more`, { waitUntil: 'commit' })
    await shopper.waitForURL(`${to}?utm_source=mail#more`)
    await expect(shopper.locator('.template-page h1')).toBeVisible()
    expect(shopper.url()).toBe(`${to}?utm_source=mail#more`)
    await shopper.close()
  }
  expect((await page.request.get(from)).url(), 'without scripts').toBe(from)

  // A test that leads back is refused at its field, so no circle forms.
  const next = await openApp(page, product)
  await createDraft(next, 'URL redirect', 'And back')
  await goTo(next, 'Pages')
  await next.getByLabel('Page to test (control)').fill('/pages/about')
  await next.getByLabel('Where the variant goes').fill('/pages/shipping')
  await next.locator('.steps').getByRole('button', { name: 'Audience and split' }).click()
  await expect(
    next.getByText(`The applied test “${title}” sends the visitors of /pages/shipping`).first(),
  ).toBeVisible()

  await page.goto(`${product.admin}/tests/${id}?ask=apply-control`)
  const dialog = page.frameLocator('iframe').getByRole('dialog')
  await expect(dialog).toContainText('Our script no longer sends visitors on')
  await dialog.getByRole('button', { name: 'Apply control' }).click()
  await expect(
    page.frameLocator('iframe').getByText('Variant undone, control applied'),
  ).toBeVisible({ timeout: 60_000 * slowness })
  await expectSent(page, from)
})
