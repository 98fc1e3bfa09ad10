import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test'
import { startProduct, type Product } from '../product.ts'

/** The product with Shopify as its only platform, on the demo shop's second face. */
export const startOnShopify = (settings: Record<string, string> = {}): Promise<Product> =>
  startProduct({ PLATFORMS: 'shopify', ...settings })

/** Installs the app as a merchant does: opens it, starts a trial, and answers what it asks. */
export async function install(page: Page, product: Product): Promise<FrameLocator> {
  await page.goto(product.admin)
  const app = page.frameLocator('iframe'),
    plan = app.getByRole('article', { name: 'Advanced' })
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
export async function switchEmbedOn(page: Page, app: FrameLocator | Locator): Promise<void> {
  const opened = page.waitForEvent('popup')
  await app.getByRole('link', { name: 'Turn on the script' }).first().click()
  const editor = await opened
  await expect(editor.getByRole('checkbox', { name: /Twinshelf/ })).toBeChecked()
  await editor.getByRole('button', { name: 'Save' }).click()
  await editor.waitForURL(/saved=1/)
  await editor.close()
}

/**
 * On the review of a theme test: the check says that the variant's theme does not load the script,
 * and the merchant follows its link and switches it on there.
 */
export async function switchVariantThemeOn(page: Page, app: FrameLocator): Promise<void> {
  const check = app.locator('#launch-checks li', {
    hasText: 'The Twinshelf script is switched off in the variant’s theme.',
  })
  await expect(check).toBeVisible()
  await switchEmbedOn(page, check)
}

/** The member of staff that the product invites at its start; the log has the mail. */
const staff = { email: 'jonas@twinshelf.test', password: 'a kettle, a shelf, a lamp' }

/** Switches on what a merchant must ask our staff for, as they do it: in the staff panel. */
export async function enableFeatures(page: Page, product: Product): Promise<void> {
  const link = () =>
    /http:\/\/localhost:\d+\/reset\?token=[\w-]+/.exec(
      product
        .output()
        .split('\n')
        .findLast(line => line.includes(`"to":"${staff.email}"`)) ?? '',
    )?.[0]
  await expect.poll(link).toBeTruthy()
  await page.goto(link()!)
  await page.getByLabel('New password').fill(staff.password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.goto(`${product.app}/admin/stores/features`)
  await page.getByLabel('E-mail').fill(staff.email)
  await page.getByLabel('Password').fill(staff.password)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /^Change the flags of/ }).click()
  for (const name of ['Page element testing', 'Price testing'])
    await page.getByRole('checkbox', { name }).check()
  await page.getByRole('button', { name: /^Save/ }).click()
  await expect(page.getByRole('row', { name: /Page element testing/ })).toBeVisible()
}

/** Installs the app, switches the embed on, and has staff open every kind of test. */
export async function makeReady(page: Page, product: Product): Promise<void> {
  await switchEmbedOn(page, await install(page, product))
  await enableFeatures(page, product)
}
