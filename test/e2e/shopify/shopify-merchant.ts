import { expect, type FrameLocator, type Page } from '@playwright/test'
import { openApp } from '../merchant.ts'
import { startProduct, type Product } from '../product.ts'

/** The product with Shopify as its only platform, on the demo shop's second face. */
export const startOnShopify = (settings: Record<string, string> = {}): Promise<Product> =>
  startProduct({ PLATFORMS: 'shopify', ...settings })

/** Installs the app as a merchant does: opens it, starts a trial, and answers what it asks. */
export async function install(page: Page, product: Product): Promise<FrameLocator> {
  const app = await openApp(page, product)
  const plan = app.getByRole('article', { name: 'Advanced' })
  await plan.getByRole('button', { name: /^Start free trial/ }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(/\/apps\/twinshelf/)
  await app.getByRole('button', { name: 'Get started' }).click()
  await expect(app.getByLabel('Store name')).toHaveValue('Fern & Kiln')
  await app.getByRole('button', { name: 'Continue' }).click()
  await app.getByRole('radio', { name: 'Kitchen and tableware' }).check()
  await app.getByRole('button', { name: 'Continue' }).click()
  await app.getByRole('radio', { name: '2–5' }).check()
  await app.getByRole('button', { name: 'Continue' }).click()
  await app.getByRole('radio', { name: 'I have run a few' }).check()
  await app.getByRole('radio', { name: 'A search engine' }).check()
  await app.getByRole('button', { name: 'Finish' }).click()
  await expect(app.getByText('Your store is set up')).toBeVisible()
  return app
}

/** Follows the app's deep link to the theme editor, and saves there what the link switched on. */
export async function switchEmbedOn(page: Page, app: FrameLocator): Promise<void> {
  const opened = page.waitForEvent('popup')
  await app.getByRole('link', { name: 'Turn on the script' }).first().click()
  const editor = await opened
  await expect(editor.getByRole('checkbox', { name: /Twinshelf/ })).toBeChecked()
  await editor.getByRole('button', { name: 'Save' }).click()
  await editor.waitForURL(/saved=1/)
  await editor.close()
}
