import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test'
import { withTexts } from './browser-shoppers.ts'
import type { Product } from './product.ts'
import { makeReady } from './shopify/shopify-merchant.ts'
import { slowness } from '../slowness.ts'

/** Products whose shop on Shopify has installed the app. Elsewhere a shop has it already. */
const ready = new WeakSet<Product>()

/**
 * Opens the app as a merchant does: in the frame of the shop's admin, which signs the merchant in.
 */
export async function openApp(page: Page, product: Product): Promise<FrameLocator> {
  if (process.env['STORY_PLATFORM'] === 'shopify' && !ready.has(product)) {
    ready.add(product)
    await withTexts(page, () => makeReady(page, product))
  }
  await page.goto(product.admin)
  const app = page.frameLocator('iframe')
  // As long as a page may take to load: the admin does not wait for its frame.
  await expect(app.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 90_000 * slowness })
  return app
}

/** Goes from the tests list to the editor and creates a draft of this kind. */
export async function createDraft(
  app: FrameLocator,
  kind: 'page element' | 'URL redirect' | 'theme' | 'template' | 'page content' | 'API' | 'price',
  title: string,
): Promise<void> {
  await app.getByRole('link', { name: 'Create a test' }).first().click()
  await app
    .getByRole('button', { name: `Create ${kind === 'API' ? 'an' : 'a'} ${kind} test` })
    .click()
  await app.getByRole('textbox', { name: 'Name of the test' }).fill(title)
}

/** Goes to a step of the editor. This saves the step before. */
export async function goTo(app: FrameLocator, step: string): Promise<void> {
  await app.locator('.steps').getByRole('button', { name: step }).click()
  await expect(app.locator('.steps [aria-current=step]')).toContainText(step)
}

/** The dialog before a launch. It opens when the browser has checked the pages. */
export async function launchQuestion(app: FrameLocator): Promise<Locator> {
  const dialog = app.getByRole('dialog', { name: /^Launch / })
  await expect(dialog).toBeVisible({ timeout: 90_000 * slowness })
  return dialog
}

/** Launches the test. Returns its id from the address of the app's frame. */
export async function launch(page: Page, app: FrameLocator): Promise<string> {
  await app.getByRole('button', { name: 'Launch test' }).click()
  const launched = app.getByText('Test launched.'),
    asked = app.getByRole('dialog', { name: /^Launch / })
  // With a browser the product checks the pages first and then opens a dialog.
  await expect(launched.or(asked)).toBeVisible({ timeout: 90_000 * slowness })
  if (await asked.isVisible())
    await asked.getByRole('button', { name: /^Launch (test|anyway|new prices)$/ }).click()
  await expect(launched).toBeVisible({ timeout: 60_000 * slowness })
  const address =
    page
      .frames()
      .find(frame => /\/tests\/[0-9a-f-]{36}\?launched/.test(frame.url()))
      ?.url() ?? ''
  return /\/tests\/([0-9a-f-]{36})/.exec(address)![1]!
}

export type ReportFigures = {
  visitors: number
  clickers: number
  adders: number
  buyers: number
  orders: number
  revenue: number
}

/** The figures per arm (visitors, orders, cents), read from the tables on the report's page. */
export async function readReport(
  page: Page,
  product: Product,
  testId: string,
): Promise<ReportFigures[]> {
  const counts: Record<string, { visitors: number; count: number }[]> = {}
  for (const goal of ['ctr', 'acr', 'cvr']) {
    await page.goto(`${product.admin}/tests/${testId}?goal=${goal}`)
    const rows = page.frameLocator('iframe').locator('.result-table tbody tr')
    await expect(rows).toHaveCount(2)
    counts[goal] = await Promise.all(
      [0, 1].map(async i => {
        const [visitors, count] = (await rows.nth(i).locator('td').allInnerTexts()).map(figure)
        return { visitors: visitors!, count: count! }
      }),
    )
  }
  const ledger = page.frameLocator('iframe').locator('.ledger-table tbody tr')
  const money = await Promise.all(
    [0, 1].map(async i => (await ledger.nth(i).locator('td').allInnerTexts()).map(figure)),
  )
  return [0, 1].map(i => ({
    visitors: counts['cvr']![i]!.visitors,
    clickers: counts['ctr']![i]!.count,
    adders: counts['acr']![i]!.count,
    buyers: counts['cvr']![i]!.count,
    orders: money[i]![0]!,
    revenue: Math.round(money[i]![1]! * 100),
  }))
}

const figure = (text: string): number => Number(text.split('\n')[0]!.replace(/[$,\s]/g, ''))

/** Adds the first change: a new text for the element at the selector. */
export async function addTextChange(
  app: FrameLocator,
  selector: string,
  text: string,
): Promise<void> {
  await goTo(app, 'Changes')
  await app.getByRole('button', { name: /^Add/ }).first().click()
  await app.locator('[name="changes.0.selector"]').fill(selector)
  await app.locator('[name="changes.0.value"]').fill(text)
}

/** Opens a running test's report in the shop's admin. */
export async function openReport(
  page: Page,
  product: Product,
  testId: string,
): Promise<FrameLocator> {
  await page.goto(`${product.admin}/tests/${testId}`)
  return page.frameLocator('iframe')
}

/**
 * Ends a running test and applies its variant. `says` is the text of the dialog about what changes
 * in the shop.
 */
export async function endAndApply(
  page: Page,
  product: Product,
  test: { id: string; title: string },
  says: string,
): Promise<void> {
  const app = await openReport(page, product, test.id)
  await app.locator('.page-actions summary', { hasText: 'More' }).click()
  await app.getByRole('link', { name: 'End and apply variant…' }).click()
  const dialog = app.getByRole('dialog', { name: `End and apply variant of ${test.title}?` })
  await expect(dialog).toContainText(says)
  await dialog.getByRole('button', { name: 'End and apply variant' }).click()
  await expect(app.getByText(/^Variant applied \d/)).toBeVisible({ timeout: 60_000 * slowness })
}

/**
 * Follows the app's link to a theme file in the back office, changes the file there and returns.
 * `as`: saves it as a copy with this name.
 */
export async function editInShop(
  page: Page,
  link: Locator,
  change: (body: string) => string,
  as?: string,
): Promise<void> {
  const opened = page.waitForEvent('popup')
  await link.click()
  const tab = await opened
  await changeFile(tab, change, as)
  await tab.close()
}

/** Changes the theme file on this page of the back office. */
export async function changeFile(
  page: Page,
  change: (body: string) => string,
  as?: string,
): Promise<void> {
  // Wait for the load: otherwise half a file would be saved.
  await page.waitForLoadState()
  const body = page.locator('textarea[name=body]')
  await body.fill(change(await body.inputValue()))
  if (as) await page.locator('[name=as]').fill(as)
  const saved = page.waitForResponse(answer => answer.request().method() === 'POST'),
    next = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await saved).status(), 'the file is saved').toBe(303)
  // Wait for the next page: a tab that is closed during a navigation may never report its close.
  await next
}
