import { spawn } from 'node:child_process'
import { expect, test, type Frame, type FrameLocator, type Page } from '@playwright/test'
import { goTo, launch, launchQuestion, openApp } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { slowness } from '../slowness.ts'

const button = '.product-form__submit'

let product: Product
test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(() => product.stop())

const shopPage = (page: Page): Frame => page.frames().find(frame => frame.name() === 'preview')!
const label = (app: FrameLocator) => app.locator('.picker-label b')
/**
 * The label once an element is outlined. The picker starts in the middle of the page, maybe on a
 * picture that has not loaded yet, so that it has no name.
 */
const outlined = /^(?!Waiting|Point)./
test('a page element test is built and launched with the keyboard only', async ({ page }) => {
  test.setTimeout(240_000 * slowness)
  const app = await openApp(page, product)
  /** Presses only Tab (or Shift+Tab, when that is shorter) until the target has the focus. */
  const tabTo = async (
    target: ReturnType<FrameLocator['locator']>,
    key: 'Tab' | 'Shift+Tab' = 'Tab',
  ): Promise<void> => {
    await target.waitFor()
    for (
      let i = 0;
      i < 120 &&
      !(await target.evaluate(element => element === element.ownerDocument.activeElement));
      i++
    )
      await page.keyboard.press(key)
    await expect(target).toBeFocused()
  }
  await tabTo(app.getByRole('link', { name: 'Create a test' }).first())
  await page.keyboard.press('Enter')
  await tabTo(app.getByRole('button', { name: 'Create a page element test' }))
  await page.keyboard.press('Enter')
  await tabTo(app.getByRole('textbox', { name: 'Name of the test' }))
  await page.keyboard.type('By keys')
  await tabTo(app.locator('.steps').getByRole('button', { name: 'Pages' }))
  await page.keyboard.press('Enter')
  await tabTo(app.getByLabel('Pages to test'))
  await page.keyboard.type('/products/*')
  await expect(app.getByText(/^24 of \d+ pages match$/)).toBeVisible()
  await tabTo(app.locator('.steps').getByRole('button', { name: 'Changes' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await app.getByRole('button', { name: 'Pick an element' }).waitFor()
  await expect.poll(() => page.frames().some(frame => frame.name() === 'preview')).toBe(true)
  await expect(app.locator('[data-island=changes-editor][data-alive]')).toBeAttached()
  // Backwards: the list of changes is at the end of the page, after the shop's page and all its
  // links.
  await tabTo(app.getByRole('button', { name: 'Pick an element' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(label(app)).toContainText(outlined)
  // ArrowUp stops at the outermost part of the page.
  for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowUp')
  await expect(label(app)).toContainText('Main part')
  await walkTo(page, app, 'Button “Add to cart”')
  await page.keyboard.press('Enter')
  // The element's first control has the focus.
  await expect(app.getByLabel('Text', { exact: true })).toBeFocused()
  await expect(app.getByLabel('Text', { exact: true })).toHaveValue('Add to cart')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Take it home')
  await expect(shopPage(page).locator(button)).toHaveText('Take it home')
  await tabTo(app.getByRole('button', { name: 'Launch test' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await tabTo((await launchQuestion(app)).getByRole('button', { name: 'Launch test' }))
  await page.keyboard.press('Enter')
  await expect(app.getByText('Test launched.')).toBeVisible()
})

/**
 * Walks with the arrow keys: down into each element that contains the wanted one, and to the next
 * sibling otherwise.
 */
async function walkTo(page: Page, app: FrameLocator, wanted: string): Promise<void> {
  // A person sees which way to go. The test reads it from the page.
  const path = await shopPage(page).evaluate(selector => {
    const steps: string[] = []
    const isSeen = (element: Element) =>
      element.getBoundingClientRect().width > 0 &&
      element.getBoundingClientRect().height > 0 &&
      !['SCRIPT', 'STYLE'].includes(element.tagName)
    for (
      let at = document.querySelector(selector)!;
      at.tagName !== 'MAIN';
      at = at.parentElement!
    ) {
      const row = [...at.parentElement!.children].filter(isSeen)
      steps.unshift('ArrowDown', ...row.slice(0, row.indexOf(at)).map(() => 'ArrowRight'))
    }
    return steps
  }, button)
  for (const key of path) await page.keyboard.press(key)
  await expect(label(app)).toHaveText(wanted)
}

test('only visual controls, no selector or CSS: a test is launched in 12 clicks, read on the open report, and applied in 4 more', async ({
  page,
}) => {
  test.setTimeout(240_000 * slowness)
  let clicks = 0
  await page.exposeFunction('countClick', () => {
    clicks++
  })
  await page.addInitScript(() =>
    addEventListener(
      'click',
      event => {
        if (event.isTrusted) void (window as unknown as { countClick: () => void }).countClick()
      },
      true,
    ),
  )
  const app = await openApp(page, product)
  // Some platforms ask a merchant to install the app first.
  clicks = 0
  await app.getByRole('link', { name: 'Create a test' }).first().click()
  await app.getByRole('button', { name: 'Create a page element test' }).click()
  await app.getByRole('textbox', { name: 'Name of the test' }).fill('By mouse')
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill('/products/*')
  await goTo(app, 'Changes')
  await app.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(app)).toContainText(outlined)
  // The picker's layer covers the page and receives the click, so the click is forced.
  await shopPage(page)
    .locator('h1')
    .click({ position: { x: 10, y: 10 }, force: true })
  const text = app.getByLabel('Text', { exact: true }),
    size = app.getByLabel('Text size', { exact: true })
  const title = await text.inputValue()
  expect(title).toBe(await shopPage(page).locator('h1').innerText())
  const pixels = await shopPage(page)
    .locator('h1')
    .evaluate(element => getComputedStyle(element).fontSize)
  await expect(size).toHaveValue(pixels.replace('px', ''))
  await text.fill(`${title} of ours`)
  await size.fill('51')
  await expect(shopPage(page).locator('h1')).toHaveText(`${title} of ours`)
  await expect(shopPage(page).locator('h1')).toHaveCSS('font-size', '51px')
  await expect(app.getByText(`Control: ${pixels.replace('px', ' px')}`)).toBeVisible()
  await expect(app.getByText('2 changes: text, text size')).toBeVisible()
  const id = await launch(page, app),
    launched = clicks
  expect(launched, 'from the admin to a launched test').toBeLessThanOrEqual(12)

  // The launch leads to the report. It stays open and updates itself while shoppers come.
  const shoppers = spawn(
    process.execPath,
    ['scripts/shoppers.ts', '--visitors', '200', '--lift', '0', '--test', id, '--seed', 'path'],
    { env: product.env, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  expect(
    await new Promise(resolve => {
      shoppers.once('exit', resolve)
    }),
  ).toBe(0)
  await expect
    .poll(
      async () =>
        Number(
          await app.locator('.result-table tbody tr').first().locator('td').first().innerText(),
        ),
      { timeout: 60_000 * slowness },
    )
    .toBeGreaterThan(10)
  expect(clicks, 'figures come without a click').toBe(launched)

  await app.locator('.page-actions summary', { hasText: 'More' }).click()
  await app.getByRole('link', { name: 'End and apply variant…' }).click()
  await app.getByRole('dialog').getByRole('button', { name: 'End and apply variant' }).click()
  await expect(app.getByText(/^Variant applied \d/)).toBeVisible({ timeout: 60_000 * slowness })
  test.info().annotations.push({
    type: 'clicks',
    description: `${launched} to the launch, ${clicks - launched} to the applied variant`,
  })
  expect(clicks - launched, 'from the report to an applied variant').toBeLessThanOrEqual(4)
})
