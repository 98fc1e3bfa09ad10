import { expect, test, type Page } from '@playwright/test'
import type { PerArm } from '../../domain/arm.ts'
import {
  addToCart,
  buy,
  evenly,
  expectedOf,
  expectOnly,
  plansOfBothArms,
  sendShoppers,
  visitorOf,
} from './browser-shoppers.ts'
import {
  changeFile,
  createDraft,
  editInShop,
  endAndApply,
  goTo,
  launch,
  openApp,
  openReport,
  readReport,
} from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { switchVariantThemeOn } from './shopify/shopify-merchant.ts'
import { uploadPicture } from './upload-picture.ts'
import { slowness } from '../slowness.ts'

/**
 * Tests of the kinds that show another theme, template or text, each from an empty editor to an
 * applied winner.
 */
let product: Product
test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(() => product.stop())
test.describe.configure({ timeout: 300_000 * slowness })

const mug = '/products/ash-glaze-mug',
  button = '.product-form__submit',
  kiln = '160001'
type Meeting = {
  path: string
  selector: string
  texts: PerArm<string>
  /** True when the shoppers add to the cart on a tested page, which counts as a click. */
  sells: boolean
  click: (shopper: Page) => Promise<void>
  look?: (shopper: Page, arm: 0 | 1) => Promise<void>
}

/**
 * Sends shoppers of both arms on both screens to the test. Then the report must show exactly what
 * they did.
 */
async function meet(
  page: Page,
  testId: string,
  { path, selector, texts, sells, click, look }: Meeting,
): Promise<void> {
  const deeds = await sendShoppers(
    plansOfBothArms(testId),
    async (shopper, plan) => {
      const wanted = (plan.index % 2) as 0 | 1
      const meetIt = async (): Promise<void> => {
        await shopper.goto(product.shop + path, { waitUntil: 'commit' })
        await expect(shopper.locator(selector).first()).toHaveText(texts[wanted])
        await expectOnly(shopper, texts[wanted])
      }
      await meetIt()
      const { visitor, arm } = await visitorOf(shopper, testId, evenly)
      expect([visitor, arm]).toEqual([plan.visitor, wanted])
      await look?.(shopper, arm)
      const orders: number[] = []
      if (plan.clicks) await click(shopper)
      if (plan.adds) {
        if (path !== mug) await shopper.goto(product.shop + mug)
        await addToCart(shopper)
        if (plan.buys) orders.push(await buy(shopper))
        // The arm stays the same, also after the order.
        await meetIt()
      }
      return {
        visitor,
        arm,
        clicked: plan.clicks === true || (sells && plan.adds),
        added: plan.adds,
        orders,
      }
    },
    selector,
  )
  const expected = expectedOf(deeds)
  expect(expected.map(arm => [arm.visitors, arm.adders, arm.buyers])).toEqual([
    [3, 2, 1],
    [3, 2, 2],
  ])
  await expect
    .poll(() => readReport(page, product, testId), { timeout: 90_000 * slowness })
    .toEqual(expected)
}

/** The HTML that the shop serves, without running scripts. */
const source = async (page: Page, path: string): Promise<string> =>
  (await page.request.get(product.shop + path)).text()
const clickOption = (shopper: Page) =>
  shopper.locator('.product-form .pill, .product-form select').first().click()

test('a theme test: half of the visitors see the other theme, and the winner is published', async ({
  page,
}) => {
  const title = 'A calmer theme'
  const app = await openApp(page, product)
  await createDraft(app, 'theme', title)
  await goTo(app, 'Theme')
  // The picture is drawn when it scrolls into view.
  await expect(app.getByRole('img', { name: 'Picture of Harbour' })).toBeVisible({
    timeout: 60_000 * slowness,
  })
  await app.getByRole('button', { name: 'Test this theme: Harbour' }).click()
  await expect(app.getByText('This theme can show every page of your shop.')).toBeVisible()
  if (process.env['STORY_PLATFORM'] === 'shopify') {
    await goTo(app, 'Review')
    await switchVariantThemeOn(page, app)
  }
  const id = await launch(page, app)
  const drawnBy = (arm: 0 | 1) => (arm === 0 ? kiln : '160002')
  await meet(page, id, {
    path: mug,
    selector: button,
    texts: ['Add to cart', 'Put it in the cart'],
    sells: true,
    click: clickOption,
    look: async (shopper, arm) => {
      await shopper.goto(product.shop)
      await expect(shopper.locator('script[data-theme]')).toHaveAttribute(
        'data-theme',
        drawnBy(arm),
      )
      await shopper.goto(product.shop + mug)
    },
  })
  await endAndApply(
    page,
    product,
    { id, title },
    'The theme “Harbour” is published: it draws every page of the shop.',
  )
  expect(await source(page, '/')).toContain(`data-theme="${drawnBy(1)}"`)
  // Apply control again for the tests below.
  const report = await openReport(page, product, id)
  await report.locator('.page-actions summary', { hasText: 'More' }).click()
  await report.getByRole('link', { name: 'Apply control…' }).click()
  await report.getByRole('dialog').getByRole('button', { name: 'Apply control' }).click()
  await expect(report.getByText(/^Control applied \d/)).toBeVisible({ timeout: 60_000 * slowness })
  expect(await source(page, '/')).toContain(`data-theme="${drawnBy(0)}"`)
})

test('an API test: the shop’s code asks for the arm and shows it, and its developer ships the winner', async ({
  page,
}) => {
  const texts: PerArm<string> = ['Leaves on Monday', 'Yours by Friday'],
    promise = '.promise'
  const app = await openApp(page, product)
  await createDraft(app, 'API', 'A promise below the button')
  await goTo(app, 'Your code')
  await expect(app.getByRole('radio', { name: /^Automatic/ })).toBeChecked()
  const snippet = await app.getByLabel('Code to copy').inputValue()
  const write = (text: string): string => `document.write('<p class="promise">${text}</p>')`
  const code = snippet
    .replace('// the variant', write(texts[1]))
    .replace('// the control', write(texts[0]))
  const developer = await page.context().newPage()
  await developer.goto(
    `${product.shop}/admin/themes/${kiln}/file?name=sections/main-product.liquid`,
  )
  await changeFile(developer, body =>
    body.replace('{% schema %}', `<script>\n${code}\n</script>\n{% schema %}`),
  )
  await developer.close()
  const id = await launch(page, app)
  await meet(page, id, { path: mug, selector: promise, texts, sells: true, click: clickOption })

  const report = await openReport(page, product, id)
  await report.getByRole('link', { name: 'End test' }).click()
  await report.getByRole('dialog').getByRole('button', { name: 'End test' }).click()
  await report.locator('.page-actions summary', { hasText: 'More' }).click()
  await expect(
    report.getByText(
      'An API test is applied in your shop’s own code: your developer ships the arm that won.',
    ),
  ).toBeVisible()
  await expect(report.getByRole('link', { name: /apply/i })).toHaveCount(0)
  // The test has ended: a visitor of the variant sees the control.
  const plan = plansOfBothArms(id)[1]!
  await sendShoppers(
    [plan],
    async shopper => {
      await shopper.goto(product.shop + mug)
      await expectOnly(shopper, texts[0])
      return { visitor: plan.visitor!, arm: 1, clicked: false, added: false, orders: [] }
    },
    promise,
  )
})

test('a page content test: a heading is changed in the editor, and the page keeps it', async ({
  page,
}) => {
  const title = 'Say who we are',
    texts: PerArm<string> = ['Ash does as it likes', 'Seven people and a kiln']
  const section = {
    type: 'story',
    settings: {
      title: texts[0],
      text: 'No two firings agree.',
      button: 'See the pots',
      url: '/collections/all',
      picture: '/cdn/products/ash-glaze-mug-5.svg',
    },
  }
  await page.goto(`${product.shop}/admin/themes/${kiln}/file?name=templates/page.json`)
  await changeFile(page, () =>
    JSON.stringify({
      sections: { main: { type: 'main-page' }, story: section },
      order: ['main', 'story'],
    }),
  )

  const app = await openApp(page, product)
  await createDraft(app, 'page content', title)
  await goTo(app, 'Page')
  await app.getByLabel('Kind of page').selectOption('page')
  await app.getByRole('button', { name: 'Find' }).click()
  await app.getByRole('button', { name: 'Test this page: About the kiln room' }).click()
  await app.getByRole('button', { name: 'Edit the content' }).click()
  await app.getByLabel('Heading').fill(texts[1])
  await uploadPicture(page, app)
  await goTo(app, 'Review')
  const id = await launch(page, app)
  await meet(page, id, {
    path: '/pages/about',
    selector: '.story h2',
    texts,
    sells: false,
    click: async shopper => {
      await shopper.locator('.story a').click()
      await shopper.waitForURL('**/collections/all')
    },
  })
  await endAndApply(
    page,
    product,
    { id, title },
    '1 page of this test is assigned to the template page.ts-',
  )
  expect(await source(page, '/pages/about')).toContain(texts[1])
  expect(await source(page, '/pages/about')).toContain('/twinshelf-')
  expect(await source(page, '/pages/shipping')).toContain(texts[0])
})

test('a template test: the copy is changed in the shop’s theme editor, and every product gets it', async ({
  page,
}) => {
  const title = 'A plainer button',
    texts: PerArm<string> = ['Add to cart', 'Put it in my basket']
  const app = await openApp(page, product)
  await createDraft(app, 'template', title)
  await goTo(app, 'Template')
  await app.getByRole('button', { name: 'Test this: product', exact: true }).click()
  await app.getByRole('button', { name: 'Make a copy as the variant' }).click()
  await expect(app.getByText('No changes yet')).toBeVisible()
  await editInShop(page, app.getByRole('link', { name: 'Edit in your shop' }), body => {
    const template = JSON.parse(body) as { sections: { main: { settings?: object } } }
    template.sections.main.settings = { ...template.sections.main.settings, button: texts[1] }
    return JSON.stringify(template, null, 2)
  })
  await app.getByRole('button', { name: 'Refresh' }).click()
  await expect(app.getByText('Changed since it was copied')).toBeVisible()
  const id = await launch(page, app)
  await meet(page, id, { path: mug, selector: button, texts, sells: true, click: clickOption })
  await endAndApply(page, product, { id, title }, 'The template product.ts-')
  for (const path of [mug, '/products/linen-apron'])
    expect(await source(page, path)).toContain(texts[1])
})
