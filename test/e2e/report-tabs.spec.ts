import { readFileSync } from 'node:fs'
import { devices, expect, test, type Page } from '@playwright/test'
import type { ArmIndex } from '../../domain/arm.ts'
import { assign } from '../../domain/tests/assignment.ts'
import type { Beacon } from '../../domain/events/event.ts'
import { paths } from '../../domain/paths.ts'
import { shop } from '../../demo-shop/shop.ts'
import { shopifyShop } from '../../demo-shop/shopify/shop-names.ts'
import { axeFinds } from './axe.ts'
import { addTextChange, createDraft, goTo, launch, openApp } from './merchant.ts'
import { products } from '../../demo-shop/catalogue/collections.ts'
import { startProduct, type Product } from './product.ts'
import { isOnShopify } from './sent-visitors.ts'
import { slowness } from '../slowness.ts'

let product: Product
test.beforeAll(async () => {
  test.setTimeout(240_000 * slowness)
  product = await startProduct({ CHROMIUM_PATH: 'off', COUNTRY_HEADER: 'cf-ipcountry' })
})
test.afterAll(() => product.stop())

const sites = 12
/**
 * Sends one shopper from each site to the collector. Every third is on a phone and in France. Each
 * looks at another product.
 */
async function sendShoppers(page: Page, testId: string): Promise<void> {
  const at = Date.now()
  for (let i = 0; i < sites; i++) {
    const visitor = `visitor-from-site-${i}`
    const arm: ArmIndex = assign(testId, visitor, [0.5, 0.5])
    const beacon: Beacon = {
      v: 1,
      shop: isOnShopify() ? shopifyShop.domain : shop.shop,
      visitor,
      session: `session-${visitor}`,
      sent: at + 2,
      isNew: true,
      landing: '/products/moon-vase',
      referrer: `https://site-${i}.example/`,
      tests: { [testId]: [arm, 7] },
      events: [
        {
          id: `exposure-of-site-${i}`,
          at,
          kind: 'exposure',
          path: '/products/moon-vase',
          tests: [testId],
        },
        {
          id: `view-of-site-${i}`,
          at: at + 1,
          kind: 'view',
          path: '/products/moon-vase',
          product: String(products[i]!.id),
        },
      ],
    }
    const answer = await page.request.post(`${product.engine}/collect`, {
      data: JSON.stringify(beacon),
      headers: {
        origin: product.shop,
        'content-type': 'text/plain;charset=UTF-8',
        'user-agent': devices[i % 3 === 0 ? 'Pixel 7' : 'Desktop Chrome'].userAgent,
        'cf-ipcountry': i % 3 === 0 ? 'FR' : 'DE',
      },
    })
    expect(answer.status()).toBe(204)
  }
}

test('tabs keep the scroll position, filters and pages have addresses, and everything works without scripts', async ({
  page: admin,
  browser,
}) => {
  test.setTimeout(240_000 * slowness)
  const app = await openApp(admin, product)
  await createDraft(app, 'page element', 'Say when it ships')
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill('/products/*')
  await addTextChange(app, '.product-form__submit', 'Add to basket')
  const testId = await launch(admin, app),
    page = await admin.context().newPage()
  await sendShoppers(page, testId)
  const tab = (name: string, query = '') => product.app + paths.report(testId, name) + query
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await expect(async () => {
    await page.goto(tab('visitors'))
    await expect(page.getByText(`1–10 of ${sites} sites`)).toBeVisible({ timeout: 1000 })
  }).toPass()

  // The document stays the same: nothing below loads a page.
  await page.evaluate(() => {
    document.documentElement.dataset['marked'] = 'true'
  })
  const isSamePage = () => page.evaluate(() => 'marked' in document.documentElement.dataset)
  const scrolled = () => page.evaluate(() => Math.round(scrollY))
  const tabs = page.locator('#panel > nav'),
    current = tabs.locator('[aria-current=page]')
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
  await expect(
    page.locator('[data-island=chart][data-alive]'),
    'charts are hydrated on a page that was loaded without charts',
  ).toHaveCount(2)
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

  const country = page.getByLabel('Country', { exact: true })
  await country.focus()
  await country.selectOption('France')
  await expect(page).toHaveURL(/[?&]country=FR/)
  await expect(page.locator('#by-referrer-rows tbody')).toHaveCount(4)
  await expect(country).toBeFocused()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await expect(page.locator('#by-country-rows tbody')).toHaveText([/^Germany/, /^France/])

  await page.getByRole('link', { name: 'Next page' }).scrollIntoViewIfNeeded()
  await page.getByRole('link', { name: 'Next page' }).click()
  await expect(page.getByText(`11–12 of ${sites} sites`)).toBeVisible()
  expect(await scrolled(), 'the page does not jump to the top').toBeGreaterThan(0)
  const search = page.getByRole('searchbox', { name: 'Search sites' })
  await search.pressSequentially('site-7')
  await expect(page.locator('#by-referrer-rows tbody')).toHaveCount(1)
  await expect(search).toBeFocused()
  await expect(page).toHaveURL(/search=site-7/)
  await device.selectOption('Desktop')
  await expect(page).toHaveURL(/device=desktop.*search=site-7/)
  await expect(search, 'a filter keeps the typed search').toHaveValue('site-7')
  await page.locator('#by-country-rows').getByRole('link', { name: 'Country' }).click()
  await expect(page).toHaveURL(/device=desktop.*search=site-7.*countrySort=value/)
  await search.fill('site-8')
  await expect(page).toHaveURL(/search=site-8.*countrySort=value|countrySort=value.*search=site-8/)
  await page.locator('#by-country-rows').getByRole('link', { name: 'Country' }).click()
  await expect(page, 'links of the other list include the search that was typed later').toHaveURL(
    /search=site-8.*countrySort=value&countryDescending=true/,
  )

  await tabs.getByRole('link', { name: 'Products' }).click()
  await expect(page.getByText(`1–10 of ${sites} products`)).toBeVisible()
  await page.getByRole('link', { name: 'Viewed' }).click()
  await expect(page).toHaveURL(tab('products', '?device=desktop&sort=viewers'))
  // The app asks the shop for product names in the background, so retry.
  await expect(async () => {
    await page.goto(tab('products', '?search=plate'))
    await expect(page.locator('#by-product-rows tbody')).toHaveCount(2, { timeout: 500 })
  }).toPass()
  await page.goto(tab('products', '?device=desktop&sort=viewers'))
  await page.evaluate(() => {
    document.documentElement.dataset['marked'] = 'true'
  })
  await page.getByRole('searchbox', { name: 'Search products' }).pressSequentially('plate')
  await expect(page.locator('#by-product-rows tbody')).toHaveText([/^Dinner plate/, /^Side plate/])
  await expect(page).toHaveURL(/search=plate.*sort=viewers/)

  // Two requests at once: the first is answered first, and the last click counts.
  await tabs.getByRole('link', { name: 'Devices' }).click()
  await expect(current).toHaveText('Devices')
  const filtered = page
    .waitForEvent('request', request => /\/devices\?.*device=phone/.test(request.url()))
    .then(request => request.response().catch(() => null))
  await page.route(/\/channels\?/, async route => {
    await filtered
    await route.continue()
  })
  await device.selectOption('Phone')
  await tabs.getByRole('link', { name: 'Channels' }).click()
  await expect(page.getByRole('heading', { name: 'By channel' })).toBeVisible()
  await expect(current).toHaveText('Channels')
  await page.unrouteAll()

  // A response that arrives between press and release of the mouse waits for the click.
  const answer = Promise.withResolvers<void>()
  await page.route(/\/channels\?.*device=/, async route => {
    await answer.promise
    await route.continue()
  })
  await device.selectOption('Phone')
  await tabs.getByRole('link', { name: 'Devices' }).hover()
  await page.mouse.down()
  const answered = page
    .waitForResponse(/\/channels\?.*device=/)
    .then(response => response.finished())
  answer.resolve()
  await answered
  await page.mouse.up()
  await expect(current).toHaveText('Devices')
  await page.unrouteAll()
  expect(await isSamePage()).toBe(true)

  await page.goto(`${product.app}${paths.report(testId)}?goal=rpv&ask=orders&part=all`)
  await page.getByRole('link', { name: 'Close' }).click()
  await expect(page, 'after a reload it stays closed').toHaveURL(
    `${product.app}${paths.report(testId)}?goal=rpv#ledger`,
  )

  const save = async (name: string) => {
    await page.getByText('More', { exact: true }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name }).click(),
    ])
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
  }
  const results = await save('Download results (CSV)'),
    all = await save('Download all (zip)')
  expect(results.name).toMatch(/^twinshelf-say-when-it-ships-results-[\d-]{10}\.csv$/)
  expect(results.bytes.subarray(0, 3)).toEqual(Buffer.from('\uFEFF'))
  expect([all.name.slice(-4), all.bytes.subarray(0, 2).toString()]).toEqual(['.zip', 'PK'])
  await expect(page.getByText('Zip of all: downloaded')).toBeVisible()
  expect(errors).toEqual([])

  for (const at of [
    tab('devices', '?device=phone'),
    tab('products'),
    tab('products', '?search=none'),
    tab('visitors'),
    tab('channels', '?device=tablet'),
    tab('subscriptions'),
  ]) {
    await page.goto(at)
    expect(await axeFinds(page)).toEqual([])
  }

  const plain = await browser.newPage({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  })
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
  await plain.goto(tab('products'))
  await plain.getByRole('searchbox', { name: 'Search products' }).fill('apron')
  await plain.getByRole('searchbox', { name: 'Search products' }).press('Enter')
  await expect(plain.locator('#by-product-rows tbody')).toHaveCount(1)
  await plain.getByText('More', { exact: true }).click()
  const [file] = await Promise.all([
    plain.waitForEvent('download'),
    plain.getByRole('link', { name: 'Download orders (CSV)' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/-orders-.*\.csv$/)
  await plain.close()
})
