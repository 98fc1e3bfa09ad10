import { expect, test, type FrameLocator, type Page } from '@playwright/test'
import type { ArmIndex, PerArm } from '../../../domain/arm.ts'
import { slowness } from '../../slowness.ts'
import { addToCart, buy, plansOfBothArms, sendShoppers } from '../browser-shoppers.ts'
import {
  addTextChange,
  changeFile,
  createDraft,
  editInShop,
  endAndApply,
  goTo,
  launch,
  openApp,
  openReport,
} from '../merchant.ts'
import type { Product } from '../product.ts'
import { makeReady, startOnShopify, switchVariantThemeOn } from './shopify-merchant.ts'

/**
 * Every kind of test on the usual store of Shopify, from an empty editor to the applied winner:
 * only the merchant copies templates and themes, prices are charged by a discount, and the shop
 * redirects only missing pages. What an exempt app and a Plus store can do besides is in the
 * stories of `npm run stories -- --platform=shopify`.
 */
let product: Product
test.beforeAll(async () => {
  product = await startOnShopify({ ADMIN_EMAIL: 'jonas@twinshelf.test' })
})
test.afterAll(() => product.stop())
test.describe.configure({ mode: 'serial', timeout: 120_000 * slowness })

let isReady = false
async function open(page: Page): Promise<FrameLocator> {
  if (!isReady) await makeReady(page, product)
  isReady = true
  return openApp(page, product)
}

const mug = '/products/ash-glaze-mug',
  button = '.product-form__submit',
  kiln = '160001'

/**
 * Sends a shopper of each arm to the shop; the variant's buys where `buys`. Then reads the report.
 */
async function meet(
  page: Page,
  id: string,
  look: (shopper: Page, arm: ArmIndex) => Promise<void>,
  buys = false,
): Promise<void> {
  await sendShoppers(plansOfBothArms(id).slice(0, 2), async (shopper, { index, visitor }) => {
    const arm = index as ArmIndex
    await look(shopper, arm)
    if (buys && arm === 1) {
      await addToCart(shopper)
      await buy(shopper)
      // The pages after the checkout do not load the script, which now says what it has kept.
      await shopper.goto(product.shop)
    }
    return { visitor: visitor!, arm, clicked: false, added: false, orders: [] }
  })
  const rows = page.frameLocator('iframe').locator('.result-table tbody tr')
  await expect
    .poll(
      async () => {
        await page.goto(`${product.admin}/tests/${id}?goal=cvr`)
        await expect(rows).toHaveCount(2)
        return Promise.all(
          [0, 1].map(async arm =>
            (await rows.nth(arm).locator('td').allInnerTexts())
              .slice(0, 2)
              .map(text => text.split('\n')[0]),
          ),
        )
      },
      { timeout: 60_000 * slowness },
    )
    .toEqual([
      ['1', '0'],
      ['1', buys ? '1' : '0'],
    ])
}
const showing =
  (path: string, selector: string, texts: PerArm<string>) =>
  async (shopper: Page, arm: ArmIndex) => {
    await shopper.goto(product.shop + path)
    await expect(shopper.locator(selector).first()).toHaveText(texts[arm])
  }
const source = async (page: Page, path: string) =>
  (await page.request.get(product.shop + path)).text()
/** The name under which the merchant is asked to save the copy. */
const copyName = async (app: FrameLocator) =>
  `templates/${await app.locator('ol code').innerText()}.json`

// First, because the winners of other stories give pages to templates that only one theme has.
test('theme', async ({ page }) => {
  const app = await open(page),
    title = 'A calmer theme'
  await createDraft(app, 'theme', title)
  await goTo(app, 'Theme')
  await app.getByRole('button', { name: 'Test this theme: Harbour' }).click()
  await expect(app.getByText('This theme can show every page of your shop.')).toBeVisible()
  await goTo(app, 'Review')
  await switchVariantThemeOn(page, app)
  const id = await launch(page, app)
  await meet(page, id, async (shopper, arm) => {
    await shopper.goto(product.shop)
    await expect(shopper.locator('script[data-theme]')).toHaveAttribute(
      'data-theme',
      arm === 0 ? kiln : '160002',
    )
  })
  // Only the merchant publishes themes: the dialog says so until it is done.
  const report = await openReport(page, product, id)
  await report.locator('.page-actions summary', { hasText: 'More' }).click()
  await report.getByRole('link', { name: 'End and apply variant…' }).click()
  const refusal = report.getByRole('dialog', { name: 'The variant cannot be applied' })
  await expect(refusal).toContainText('Publish the theme Harbour in your shop’s admin')
  const merchant = await page.context().newPage()
  await merchant.goto(`${product.shop}/admin/themes`)
  await merchant.getByRole('button', { name: 'Publish Harbour' }).click()
  await merchant.close()
  await endAndApply(page, product, { id, title }, 'The theme “Harbour” is published')
  expect(await source(page, '/')).toContain('data-theme="160002"')
  // The other stories begin with the theme that the shop had before.
  await page.goto(`${product.shop}/admin/themes`)
  await page.getByRole('button', { name: 'Publish Kiln' }).click()
  expect(await source(page, '/')).toContain(`data-theme="${kiln}"`)
})

test('page element', async ({ page }) => {
  const app = await open(page),
    title = 'Say when it ships'
  await createDraft(app, 'page element', title)
  await goTo(app, 'Pages')
  await app.getByLabel('Pages to test').fill(mug)
  await addTextChange(app, button, 'Ships tomorrow')
  const id = await launch(page, app)
  await meet(page, id, showing(mug, button, ['Add to cart', 'Ships tomorrow']), true)
  await endAndApply(page, product, { id, title }, 'The script shows the variant’s change')
  await page.goto(product.shop + mug)
  await expect(page.locator(button)).toHaveText('Ships tomorrow')
  const report = await openReport(page, product, id)
  await report.locator('.page-actions summary', { hasText: 'More' }).click()
  await report.getByRole('link', { name: 'Apply control…' }).click()
  await report.getByRole('dialog').getByRole('button', { name: 'Apply control' }).click()
  await expect(report.getByText('Variant undone, control applied')).toBeVisible()
})

test('URL redirect', async ({ page }) => {
  const app = await open(page),
    title = 'A shorter gift guide',
    paths: PerArm<string> = ['/pages/gift-guide', '/pages/gift-guide-2026']
  await createDraft(app, 'URL redirect', title)
  await goTo(app, 'Pages')
  await app.getByLabel('Page to test (control)').fill(paths[0])
  await app.getByLabel('Where the variant goes').fill(paths[1])
  await goTo(app, 'Audience and split')
  const id = await launch(page, app)
  await meet(page, id, async (shopper, arm) => {
    await shopper.goto(product.shop + paths[0], { waitUntil: 'commit' })
    await shopper.waitForURL(product.shop + paths[arm])
    await expect(shopper.locator('.template-page h1')).toBeVisible()
  })
  await endAndApply(page, product, { id, title }, 'Our script sends everyone')
  await page.goto(product.shop + paths[0], { waitUntil: 'commit' })
  await page.waitForURL(product.shop + paths[1])
})

test('template', async ({ page }) => {
  const app = await open(page),
    title = 'A plainer button'
  await createDraft(app, 'template', title)
  await goTo(app, 'Template')
  await app.getByRole('button', { name: 'Test this: product', exact: true }).click()
  const name = await copyName(app)
  await editInShop(
    page,
    app.getByRole('link', { name: 'product in your shop' }),
    body => {
      const template = JSON.parse(body) as { sections: { main: { settings?: object } } }
      template.sections.main.settings = { ...template.sections.main.settings, button: 'Take it' }
      return JSON.stringify(template)
    },
    name,
  )
  await app.getByRole('button', { name: 'I have made the copy' }).click()
  await expect(app.getByText('a copy made for this test')).toBeVisible()
  const id = await launch(page, app)
  await meet(page, id, showing(mug, button, ['Add to cart', 'Take it']))
  await endAndApply(page, product, { id, title }, 'The template product.ts-')
  expect(await source(page, '/products/linen-apron')).toContain('Take it')
})

test('page content', async ({ page }) => {
  const app = await open(page),
    title = 'Say who we are',
    words = 'Seven people and a kiln'
  await createDraft(app, 'page content', title)
  await goTo(app, 'Page')
  await app.getByLabel('Kind of page').selectOption('page')
  await app.getByRole('button', { name: 'Find' }).click()
  await app.getByRole('button', { name: 'Test this page: About the kiln room' }).click()
  const name = await copyName(app)
  await editInShop(
    page,
    app.getByRole('link', { name: 'page in your shop' }),
    body => {
      const template = JSON.parse(body) as { sections: object; order: string[] }
      const story = { type: 'story', settings: { title: words, text: 'No two firings agree.' } }
      return JSON.stringify({
        sections: { ...template.sections, story },
        order: [...template.order, 'story'],
      })
    },
    name,
  )
  await app.getByRole('button', { name: 'Test this page: About the kiln room' }).click()
  await expect(app.getByText('a copy for this page alone')).toBeVisible()
  const id = await launch(page, app)
  await meet(page, id, async (shopper, arm) => {
    await shopper.goto(`${product.shop}/pages/about`)
    await expect(shopper.locator('.template-page h1')).toBeVisible()
    await expect(shopper.getByText(words)).toHaveCount(arm)
  })
  await endAndApply(page, product, { id, title }, '1 page of this test is assigned')
  expect(await source(page, '/pages/about')).toContain(words)
})

test('API', async ({ page }) => {
  const app = await open(page),
    title = 'A promise below the button'
  await createDraft(app, 'API', title)
  await goTo(app, 'Your code')
  const write = (text: string) => `document.write('<p class="promise">${text}</p>')`
  const code = (await app.getByLabel('Code to copy').inputValue())
    .replace('// the variant', write('By Friday'))
    .replace('// the control', write('On Monday'))
  const developer = await page.context().newPage()
  await developer.goto(
    `${product.shop}/admin/themes/${kiln}/file?name=sections/main-product.liquid`,
  )
  await changeFile(developer, body =>
    body.replace('{% schema %}', `<script>${code}</script>{% schema %}`),
  )
  await developer.close()
  const id = await launch(page, app)
  await meet(page, id, showing(mug, '.promise', ['On Monday', 'By Friday']))
  const report = await openReport(page, product, id)
  await report.getByRole('link', { name: 'End test' }).click()
  await report.getByRole('dialog').getByRole('button', { name: 'End test' }).click()
  await report.locator('.page-actions summary', { hasText: 'More' }).click()
  await expect(report.getByText('An API test is applied in your shop’s own code')).toBeVisible()
})

test('price', async ({ page }) => {
  const app = await open(page),
    title = 'A tenth off'
  await createDraft(app, 'price', title)
  await goTo(app, 'Products and prices')
  await app.getByRole('button', { name: 'Add products' }).click()
  const dialog = app.getByRole('dialog', { name: 'Add products' })
  await dialog.getByRole('searchbox').fill('Ash glaze mug')
  await dialog.getByRole('checkbox', { name: 'Ash glaze mug', exact: true }).check()
  await dialog.getByRole('button', { name: 'Add 1 product' }).click()
  await app.locator('[name="rule.all.way"]').selectOption('percentLess')
  await app.locator('[name="rule.all.value"]').fill('10')
  const rule = app.getByRole('group', { name: 'Price rule for all products' })
  await rule.getByRole('button', { name: 'Preview' }).click()
  await app.getByRole('button', { name: /^Apply to / }).click()
  await expect(app.getByText(/^The rule is applied to/)).toBeVisible()
  const id = await launch(page, app)
  await meet(page, id, showing(mug, '.product__price', ['$34.00', '$30.60']), true)
  await endAndApply(page, product, { id, title }, 'are set to the variant’s in the shop itself')
  expect(await source(page, mug)).toContain('$30.60')
})
