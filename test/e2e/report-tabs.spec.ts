import { AxeBuilder } from '@axe-core/playwright'
import { devices, expect, test, type Page } from '@playwright/test'
import type { ArmIndex } from '../../domain/arm.ts'
import { assign } from '../../domain/assignment.ts'
import type { Beacon } from '../../domain/event.ts'
import { paths } from '../../domain/paths.ts'
import { shop } from '../../demo-shop/shop.ts'
import { addTextChange, createDraft, goTo, launch, openApp } from './merchant.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
test.beforeAll(async () => {
  test.setTimeout(240_000)
  product = await startProduct({ CHROMIUM_PATH: 'off' })
})
test.afterAll(() => product.stop())

const sites = 12
/** One shopper from each of so many sites, every third on a phone, as their browsers tell it. */
async function sendShoppers(page: Page, testId: string): Promise<void> {
  const at = Date.now()
  for (let i = 0; i < sites; i++) {
    const visitor = `visitor-from-site-${i}`
    const arm: ArmIndex = assign(testId, visitor, [0.5, 0.5])
    const beacon: Beacon = {
      v: 1, shop: shop.shop, visitor, session: `session-${visitor}`, sent: at, isNew: true, landing: '/products/moon-vase', referrer: `https://site-${i}.example/`,
      tests: { [testId]: [arm, 7] }, events: [{ id: `exposure-of-site-${i}`, at, kind: 'exposure', path: '/products/moon-vase', tests: [testId] }],
    }
    const answer = await page.request.post(`${product.engine}/collect`, {
      data: JSON.stringify(beacon), headers: { origin: product.shop, 'content-type': 'text/plain;charset=UTF-8', 'user-agent': devices[i % 3 === 0 ? 'Pixel 7' : 'Desktop Chrome'].userAgent },
    })
    expect(answer.status()).toBe(204)
  }
}

test('tabs keep the place, filters and pages are addresses, and all of it works without scripts', async ({ page, browser }) => {
  test.setTimeout(240_000)
  const app = await openApp(page, product)
  await createDraft(app, 'page element', 'Say when it ships')
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill('/products/*')
  await addTextChange(app, '.product-form__submit', 'Add to basket')
  const testId = await launch(page, app)
  await sendShoppers(page, testId)
  const tab = (name: string, query = '') => product.app + paths.report(testId, name) + query
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => { if (message.type() === 'error') errors.push(message.text()) })
  await expect(async () => {
    await page.goto(tab('visitors'))
    await expect(page.getByText(`1–10 of ${sites} sites`)).toBeVisible({ timeout: 1000 })
  }).toPass()

  // The same document all along: nothing below loads a page.
  await page.evaluate(() => { document.documentElement.dataset['marked'] = 'true' })
  const isSamePage = () => page.evaluate(() => 'marked' in document.documentElement.dataset)
  const scrolled = () => page.evaluate(() => Math.round(scrollY))
  const tabs = page.locator('#panel > nav'), current = tabs.locator('[aria-current=page]')
  const device = page.getByLabel('Device', { exact: true })
  await page.setViewportSize({ width: 1440, height: 420 })
  await page.evaluate(() => scrollTo(0, 80))

  await tabs.getByRole('link', { name: 'Devices' }).click()
  await expect(page).toHaveTitle('Say when it ships: Devices | Twinshelf')
  await expect(page).toHaveURL(tab('devices'))
  await expect(current).toHaveText('Devices')
  await expect(current).toBeFocused()
  expect(await scrolled()).toBe(80)
  await tabs.getByRole('link', { name: 'Overview' }).click()
  await expect(page.locator('[data-island=chart][data-alive]'), 'charts come alive on a page that came without any').toHaveCount(2)
  expect(await scrolled()).toBe(80)
  expect(await isSamePage()).toBe(true)
  await page.goBack()
  await expect(current).toHaveText('Devices')

  await device.focus()
  await device.selectOption('Phone')
  await expect(page).toHaveURL(/[?&]device=phone/)
  await expect(page.locator('.breakdown-table tbody')).toHaveCount(1)
  await expect(device).toBeFocused()
  await page.locator('.filter-menu > summary').click()
  await page.getByLabel('Referral').check()
  await page.getByRole('button', { name: 'Show these' }).click()
  await expect(page).toHaveURL(/device=phone.*channels=referral/)
  await tabs.getByRole('link', { name: 'Visitors' }).click()
  await expect(page).toHaveURL(tab('visitors', '?device=phone&channels=referral'))
  await expect(page.locator('#by-referrer-rows tbody')).toHaveCount(4)
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await expect(page.locator('#by-referrer-rows tbody')).toHaveCount(10)

  await page.getByRole('link', { name: 'Next page' }).scrollIntoViewIfNeeded()
  await page.getByRole('link', { name: 'Next page' }).click()
  await expect(page.getByText(`11–12 of ${sites} sites`)).toBeVisible()
  expect(await scrolled(), 'no jump to the top').toBeGreaterThan(0)
  const search = page.getByRole('searchbox', { name: 'Search sites' })
  await search.pressSequentially('site-7')
  await expect(page.locator('#by-referrer-rows tbody')).toHaveCount(1)
  await expect(search).toBeFocused()
  await expect(page).toHaveURL(/search=site-7/)
  await device.selectOption('Desktop')
  await expect(page).toHaveURL(/device=desktop.*search=site-7/)
  await expect(search, 'a filter loses nothing that was typed').toHaveValue('site-7')
  expect(errors).toEqual([])

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const at of [tab('devices', '?device=phone'), tab('products'), tab('visitors'), tab('channels', '?device=tablet'), tab('subscriptions')]) {
      await page.goto(at)
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${at}: ${id} at ${nodes.map(node => node.target.join(' ')).join(', ')}`)).toEqual([])
    }
  }

  const plain = await browser.newPage({ javaScriptEnabled: false, storageState: await page.context().storageState() })
  await plain.goto(tab('visitors'))
  await plain.getByLabel('Device', { exact: true }).selectOption('Phone')
  await plain.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(plain.locator('#by-referrer-rows tbody')).toHaveCount(4)
  await plain.getByRole('searchbox', { name: 'Search sites' }).fill('site-3')
  await plain.getByRole('searchbox', { name: 'Search sites' }).press('Enter')
  await expect(plain.locator('#by-referrer-rows tbody')).toHaveCount(1)
  await expect(plain).toHaveURL(/device=phone.*search=site-3/)
  await plain.locator('#panel > nav').getByRole('link', { name: 'Channels' }).click()
  await expect(plain.getByRole('heading', { name: 'By channel' })).toBeVisible()
  await plain.close()
})
