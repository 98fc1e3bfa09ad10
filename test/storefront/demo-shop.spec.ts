import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { buildDemoShop, type DemoShop } from '../../demo-shop/app.ts'
import { holdPort } from '../ports.ts'

let shop: DemoShop, origin: string, dataDir: string
test.beforeAll(async () => {
  const { port, release } = await holdPort()
  origin = `http://localhost:${port}`
  dataDir = mkdtempSync(join(tmpdir(), 'demo-shop-'))
  shop = await buildDemoShop({
    origin,
    appOrigin: 'http://app.localhost:9',
    engineOrigin: 'http://127.0.0.1:9',
    dataDir,
    appKey: 'key',
    appSecret: 'a-secret-of-this-test-alone',
  })
  await release()
  await shop.app.listen({ port, host: 'localhost' })
})
test.afterAll(async () => {
  await shop.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const pages = [
  '/',
  '/collections/tableware',
  '/products/ash-glaze-mug',
  '/products/pour-over-set',
  '/pages/gift-guide',
  '/pages/gift-guide-2026',
  '/cart',
  '/search?q=linen',
  '/nowhere',
]
for (const [theme, id] of [
  ['Kiln', '160001'],
  ['Harbour', '160002'],
] as const) {
  test(`${theme}: axe finds no violation, no page is wider than a phone, no script fails`, async ({
    page,
  }) => {
    const problems: string[] = []
    page.on('pageerror', error => problems.push(error.message))
    await page.goto(`${origin}/products/oak-spoon`)
    await page.request.post(`${origin}/cart/add.js`, { data: { id: 10100 } })
    for (const path of pages) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(`${origin}${path}${path.includes('?') ? '&' : '?'}preview_theme_id=${id}`)
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      expect(
        violations.map(({ id, nodes }) => [id, ...nodes.map(node => node.html)]),
        path,
      ).toEqual([])
      await page.setViewportSize({ width: 360, height: 780 })
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth),
        path,
      ).toBeLessThanOrEqual(360)
    }
    expect(problems).toEqual([])
  })
}

test('checkout, order and admin: axe finds no violation', async ({ page }) => {
  // The framed app has its own heading and its own tests.
  const check = async (...without: string[]) =>
    expect(
      (
        await new AxeBuilder({ page })
          .setLegacyMode()
          .exclude('iframe')
          .disableRules(without)
          .analyze()
      ).violations.map(({ id, nodes }) => [id, ...nodes.map(node => node.html)]),
      page.url(),
    ).toEqual([])
  await page.goto(`${origin}/products/oak-spoon`)
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await page.getByRole('button', { name: 'Check out' }).click()
  await expect(page.getByRole('button', { name: 'Place order' })).toBeVisible()
  await check()
  await page.getByRole('button', { name: 'Place order' }).click()
  await expect(page.getByText('E-mail is needed.')).toBeVisible()
  await check()
  for (const [label, value] of [
    ['E-mail', 'ada@example.com'],
    ['Name', 'Ada'],
    ['Address', '1 Kiln Lane'],
    ['City', 'Portland'],
    ['ZIP code', '97201'],
  ] as const)
    await page.getByLabel(label).fill(value)
  await page.getByRole('button', { name: 'Place order' }).click()
  await expect(page.getByRole('heading', { name: 'Thank you, Ada' })).toBeVisible()
  await check()
  await page.goto(`${origin}/admin`)
  await expect(page.getByText('#1001')).toBeVisible()
  await check()
  await page.goto(`${origin}/admin/apps/twinshelf`)
  await expect(page.locator('iframe[title=Twinshelf]')).toBeVisible()
  await check('page-has-heading-one')
})

test('Kiln: choosing a glaze changes price and picture, and the chosen one is added to the cart', async ({
  page,
}) => {
  await page.goto(`${origin}/products/ash-glaze-mug`)
  await page.getByText('350 ml', { exact: true }).click()
  await page.getByText('Iron', { exact: true }).click()
  await expect(page.locator('.product__price')).toHaveText('$38.00')
  await expect(page.locator('.product__photo')).toHaveAttribute(
    'src',
    '/cdn/products/ash-glaze-mug-3.svg',
  )
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await page.waitForURL('**/cart')
  await expect(page.locator('.cart__what')).toContainText('350 ml / Iron')
  await page.getByRole('button', { name: /^Remove/ }).click()
  await expect(page.getByText('There is nothing in it yet.')).toBeVisible()
})

test('Harbour adds to the cart without leaving the page', async ({ page }) => {
  await page.goto(`${origin}/products/ash-glaze-mug?preview_theme_id=160002`)
  await page.getByLabel('Glaze').selectOption('Salt')
  await page.getByRole('button', { name: 'Put it in the cart' }).click()
  await expect(page.getByRole('status')).toContainText('It is in your cart.')
  await expect(page.locator('[data-cart-count]')).toHaveText('1')
})

test('without scripts the chosen one is added to the cart too', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${origin}/products/ash-glaze-mug`)
  await page.getByText('Salt', { exact: true }).click()
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await expect(page.locator('.cart__what')).toContainText('250 ml / Salt')
  await context.close()
})
