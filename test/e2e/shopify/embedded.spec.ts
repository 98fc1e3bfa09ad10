import { expect, test, type FrameLocator } from '@playwright/test'
import { createDraft, openApp } from '../merchant.ts'
import type { Product } from '../product.ts'
import { install, startOnShopify, switchEmbedOn } from './shopify-merchant.ts'

/** The app inside Shopify's admin, on the stand-in that serves its App Bridge. */
let product: Product
test.beforeAll(async () => {
  product = await startOnShopify()
})
test.afterAll(() => product.stop())
// All tests use one store, in this order.
test.describe.configure({ mode: 'serial', timeout: 180_000 })

const heading = (app: FrameLocator, name: string | RegExp) =>
  app.getByRole('heading', { level: 1, name })

test('a merchant installs the app, starts a trial and switches the embed on', async ({ page }) => {
  const app = await install(page, product)
  await expect(app.getByText('0 of 4 done')).toBeVisible()
  await switchEmbedOn(page, app)
  await expect
    .poll(
      async () => {
        await page.reload()
        return app.locator('main').innerText()
      },
      { timeout: 60_000 },
    )
    .toContain('1 of 4 done')
  // The live theme loads our script now, and not before.
  expect(await (await page.request.get(product.shop)).text()).toContain('twinshelf')
})

test('the admin’s menu, address and Back follow the app', async ({ page }) => {
  const app = await openApp(page, product)
  const menu = page.getByRole('navigation', { name: 'Twinshelf' })
  await expect(menu.getByRole('link')).toHaveText(['Tests', 'Lift Assist', 'Settings'])
  await menu.getByRole('link', { name: 'Lift Assist' }).click()
  await expect(heading(app, 'Lift Assist')).toBeVisible()
  await expect(page).toHaveURL(/\/apps\/twinshelf\/recommendations/)
  await expect(page.locator('[data-title]')).toHaveText('Lift Assist')
  await expect(menu.getByRole('link', { name: 'Lift Assist' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  await page.goBack()
  await expect(heading(app, 'Tests')).toBeVisible()
  await expect(page).toHaveURL(/\/apps\/twinshelf(\/?\?|$)/)
  // A page that is asked for by its address in the admin opens there.
  await page.goto(`${product.admin}/settings/notifications`)
  await expect(app.getByRole('link', { name: 'Notifications', exact: true }).first()).toBeVisible()
})

test('the save bar comes when a draft stays unsaved, saves it, and discards what is refused', async ({
  page,
}) => {
  const app = await openApp(page, product)
  await createDraft(app, 'URL redirect', 'Saved by itself')
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  await expect(app.getByText(/^Saved \d/)).toBeVisible()
  await expect(bar).toBeHidden()
  // The app cannot be reached for a while.
  let isCut = true
  await page.route(
    url => url.pathname.startsWith('/tests/draft/edit/'),
    (route, request) => (isCut && request.method() === 'POST' ? route.abort() : route.continue()),
  )
  await app.getByRole('textbox', { name: 'Name of the test' }).fill('Saved by the bar')
  await expect(bar).toBeVisible()
  isCut = false
  await bar.getByRole('button', { name: 'Save' }).click()
  await expect(bar).toBeHidden()
  await expect(app.getByText(/^Saved \d/)).toBeVisible()
  isCut = true
  await app.getByRole('textbox', { name: 'Name of the test' }).fill('Thrown away')
  await expect(bar).toBeVisible()
  isCut = false
  await bar.getByRole('button', { name: 'Discard' }).click()
  await expect(app.getByRole('textbox', { name: 'Name of the test' })).toHaveValue(
    'Saved by the bar',
  )
  await expect(bar).toBeHidden()
})

test('an expired session gets a fresh token of the admin, and the page opens', async ({ page }) => {
  const app = await openApp(page, product)
  await page.context().clearCookies({ domain: 'localhost' })
  await app.getByRole('link', { name: 'Settings' }).click()
  await expect(app.getByRole('link', { name: 'Notifications', exact: true }).first()).toBeVisible()
})

test('toasts and dialogs stay ours, and nothing breaks at 390 px', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const app = await openApp(page, product)
  const width = await app.locator('html').evaluate(html => [html.scrollWidth, innerWidth])
  expect(width[0]).toBeLessThanOrEqual(width[1]!)
})
