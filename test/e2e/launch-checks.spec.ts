import { expect, test } from '@playwright/test'
import { ensureChromium } from '../../scripts/chromium.ts'
import { addTextChange, createDraft, goTo, launch, launchQuestion, openApp } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { slowness } from '../slowness.ts'

let product: Product
test.beforeAll(async () => {
  product = await startProduct({ CHROMIUM_PATH: ensureChromium() })
})
test.afterAll(() => product.stop())

test('a browser checks the pages before a launch, and the merchant confirms tests that share visitors', async ({
  page,
}) => {
  test.setTimeout(240_000 * slowness)
  const app = await openApp(page, product)
  const list = app.locator('#launch-checks')
  await createDraft(app, 'page element', 'Ships tomorrow')
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill('/products/ash-glaze-mug')
  await addTextChange(app, '.no-such-button', 'Ships tomorrow')
  // “Launch test” on any step first starts the browser's check.
  await app.getByRole('button', { name: 'Launch test' }).click()
  // The list updates itself until the browser is done.
  await expect(list.getByText('“.no-such-button” finds nothing on the tested pages.')).toBeVisible({
    timeout: 90_000 * slowness,
  })
  await expect(list.getByText('1 problem to fix')).toBeVisible()
  await app.getByRole('button', { name: 'Launch test' }).click()
  await expect(
    app
      .getByText('“.no-such-button” finds nothing on the tested pages. Pick the element again')
      .first(),
  ).toBeVisible()
  await app.locator('[name="changes.0.selector"]').fill('.product-form__submit')
  await goTo(app, 'Review')
  await expect(list.getByText('The draft has changed since')).toBeVisible()
  await launch(page, app)

  await page.goto(product.admin)
  await createDraft(app, 'page element', 'A louder name')
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill('/products/*')
  await addTextChange(app, 'h1', 'The mug')
  await app.getByRole('button', { name: 'Launch test' }).click()
  const dialog = await launchQuestion(app)
  await expect(dialog).toContainText('Launch “A louder name”?')
  await expect(dialog.getByText('Launch beside “Ships tomorrow”')).toBeVisible()
  await dialog.getByRole('button', { name: 'Launch anyway' }).click()
  await expect(app.getByText('Test launched.')).toBeVisible()
})
