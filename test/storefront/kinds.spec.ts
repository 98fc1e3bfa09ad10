import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type BrowserContext, type Page } from '@playwright/test'
import { assign } from '../../domain/tests/assignment.ts'
import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import type { ScriptConfig, ScriptTest } from '../../domain/script/script-config.ts'
import { composeScript } from '../../engine/script/compose.ts'
import { buildDemoShop, type DemoShop } from '../../demo-shop/app.ts'
import { holdPort } from '../ports.ts'
import { builtScripts } from './shop.ts'

/* Template, theme, price and API tests on the real demo shop with the shipped script. */
let shop: DemoShop, origin: string, dataDir: string
const secret = 'a-secret-of-this-test-alone'
test.beforeAll(async () => {
  const { port, release } = await holdPort()
  origin = `http://localhost:${port}`
  dataDir = mkdtempSync(join(tmpdir(), 'demo-shop-'))
  shop = await buildDemoShop({
    origin,
    appOrigin: 'http://app.localhost:9',
    engineOrigin: 'http://127.0.0.1:9',
    dataDir,
    appKey: 'key',
    appSecret: secret,
    knownToken: secret,
  })
  await release()
  await shop.app.listen({ port, host: 'localhost' })
})
test.afterAll(async () => {
  await shop.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const half: [number, number] = [0.5, 0.5]
const admin = (method: 'PUT', path: string, body: string) =>
  shop.app.inject({
    method,
    url: `/admin/api/${path}`,
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': path.startsWith('script') ? 'text/javascript' : 'application/json',
    },
    payload: body,
  })
async function publish(
  tests: ScriptTest[],
  rules: PriceRuleSet[] = [],
  where = 'script',
): Promise<void> {
  const config: ScriptConfig = {
    shop: 'fern-and-kiln.demo-shop.test',
    collect: `${origin}/nowhere`,
    preview: `${origin}/nowhere`,
    tests,
  }
  expect(
    (await admin('PUT', where, composeScript(builtScripts().sources, config))).statusCode,
  ).toBe(200)
  expect((await admin('PUT', 'price-rules', JSON.stringify(rules))).statusCode).toBe(200)
}

/**
 * Opens the shop as a visitor of this arm. The page records every text that `selector` shows in any
 * frame of any page.
 */
async function come(
  context: BrowserContext,
  test: ScriptTest,
  arm: 0 | 1,
  selector: string,
): Promise<Page> {
  let n = 0
  while (assign(test.id, `visitor-${n}`, test.weights) !== arm) n++
  await context.addInitScript(
    ([visitor, selector]) => {
      if (!localStorage.getItem('_ts'))
        localStorage.setItem('_ts', JSON.stringify({ visitor, born: Date.now(), tests: {} }))
      const seen = new Set<string>()
      const shifts: number[] = []
      Object.assign(window, { seen, shifts })
      new PerformanceObserver(list => {
        for (const entry of list.getEntries())
          shifts.push((entry as unknown as { value: number }).value)
      }).observe({ type: 'layout-shift', buffered: true })
      const look = () => {
        if (getComputedStyle(document.documentElement).display !== 'none')
          document
            .querySelectorAll(selector!)
            .forEach(
              node =>
                node.checkVisibility() && node.textContent && seen.add(node.textContent.trim()),
            )
        requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    },
    [`visitor-${n}`, selector] as const,
  )
  return context.newPage()
}
const seenOn = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>(done => {
        requestAnimationFrame(() =>
          requestAnimationFrame(() => done([...(window as unknown as { seen: Set<string> }).seen])),
        )
      }),
  )
const shiftOf = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0),
  )

const mug = 'ash-glaze-mug'
async function priceTest(): Promise<{
  test: ScriptTest
  rules: PriceRuleSet[]
  variants: { id: string; price: number }[]
}> {
  const { products } =
    (await shop.app.inject({ url: '/products.json' })).statusCode === 200
      ? ((await shop.app.inject({ url: '/products.json' })).json() as {
          products: { handle: string; variants: { id: number; price: string }[] }[]
        })
      : { products: [] }
  const html = (await shop.app.inject({ url: `/products/${mug}` })).payload
  const listed = products
    .find(({ handle }) => handle === mug)
    ?.variants.map(({ id, price }) => ({ id: String(id), price: Math.round(Number(price) * 100) }))
  const variants =
    listed ??
    (
      JSON.parse(/data-variants>(.*?)<\/script>/s.exec(html)![1]!) as {
        id: number
        price: string
      }[]
    ).map(({ id, price }) => ({
      id: String(id),
      price: Math.round(Number(price.replace(/[^\d.]/g, '')) * 100),
    }))
  const test: ScriptTest = {
    id: 'price-test-1',
    weights: half,
    pages: ['*'],
    prices: { [mug]: variants.map(({ id, price }) => [id, price, price - 450]) },
  }
  return {
    test,
    variants,
    rules: [
      {
        id: test.id,
        weights: half,
        prices: Object.fromEntries(variants.map(({ id, price }) => [id, price - 450])),
      },
    ],
  }
}

test.describe('prices', () => {
  test('the variant’s price is shown everywhere from the first frame, and charged; structured data has control’s price', async ({
    context,
  }) => {
    const { test: tested, rules } = await priceTest()
    await publish([tested], rules)
    const page = await come(context, tested, 1, '.product__price')
    await page.goto(`${origin}/products/${mug}`)
    await expect(page.locator('.product__price')).toHaveText('$29.50')
    expect(await seenOn(page), 'no frame shows the control’s price').toEqual(['$29.50'])
    expect(await shiftOf(page)).toBe(0)
    expect(
      await page.locator('script[type="application/ld+json"]').first().textContent(),
    ).toContain('34')
    await page.getByText('350 ml', { exact: true }).click()
    await expect(page.locator('.product__price')).toHaveText('$33.50')
    expect(await seenOn(page)).toEqual(['$29.50', '$33.50'])
    await page.locator('form[action="/cart/add"] button[type=submit]').first().click()
    await page.waitForURL('**/cart')
    await expect(page.locator('main')).toContainText('$33.50')
    await expect(page.locator('main')).not.toContainText('$38')
    for (const path of ['/collections/all', '/search?q=mug']) {
      await page.goto(origin + path)
      await expect(
        page.locator(`main :has(> a[href*="${mug}"]), main a[href*="${mug}"]`).first(),
      ).toContainText('29.50')
    }
    await page.goto(`${origin}/checkout`)
    await expect(page.locator('body')).toContainText('$33.50')
  })

  test('in every market the page shows what cart and order charge, and control sees the shop’s price', async ({
    browser,
  }) => {
    const { test: tested, rules } = await priceTest()
    await publish([tested], rules)
    // $29.50 in the variant and $34.00 in control. Euros end in .95, yen are whole hundreds, and
    // francs end in .00 or .05.
    for (const [currency, arm, shown, charged] of [
      ['EUR', 1, '€27.95', '27.95'],
      ['JPY', 1, '¥4,400', '4400'],
      ['JPY', 0, '¥5,100', '5100'],
      ['CHF', 1, 'CHF 26.00', '26.00'],
    ] as const) {
      const context = await browser.newContext()
      await context.addCookies([{ name: 'currency', value: currency, url: origin }])
      const page = await come(context, tested, arm, '.product__price')
      await page.goto(`${origin}/products/${mug}`)
      await page.waitForLoadState('load')
      expect((await seenOn(page)).map(text => text.replace('\u00a0', ' '))).toEqual([shown])
      await page.locator('form[action="/cart/add"] button[type=submit]').first().click()
      await page.waitForURL('**/cart')
      await expect(page.locator('main'), `${currency}, arm ${arm}`).toContainText(shown)
      const prices = await page.evaluate(async () => {
        const response = await fetch('/checkout', {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: JSON.stringify({
            email: 'ada@example.com',
            name: 'Ada Lind',
            address: '1 Kiln Lane',
            city: 'Portland',
            postcode: '97201',
            country: 'United States',
          }),
        })
        const { line_items } = (await response.json()) as {
          line_items: { presentment: { unit_price: string } }[]
        }
        return line_items.map(({ presentment }) => presentment.unit_price)
      })
      expect(prices, `${currency}, arm ${arm}`).toEqual([charged])
      await context.close()
    }
  })

  test('a cart from before the test is shown with the visitor’s prices', async ({ context }) => {
    const { test: tested, rules, variants } = await priceTest()
    await publish([])
    const page = await come(context, tested, 1, '.nothing')
    await page.goto(origin)
    await page.evaluate(
      id =>
        fetch('/cart/add.js', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id, quantity: 2 }),
        }),
      variants[0]!.id,
    )
    await publish([tested], rules)
    await page.goto(`${origin}/cart`)
    await expect(page.locator('main')).toContainText('$59.00')
  })
})

test('a test that its visitor no longer sees is removed from the cart', async ({ context }) => {
  const { test: tested, rules } = await priceTest()
  const theme: ScriptTest = {
    id: 'theme-test-0',
    weights: [1, 0],
    pages: [],
    theme: ['160001', '160002'],
    layer: 0,
    rivals: [tested.id],
  }
  await publish([tested], rules)
  const page = await come(context, tested, 1, '.nothing')
  await page.goto(`${origin}/products/${mug}`)
  // Wait until the cart knows the test. On the cart's own page this would reload the page during
  // the next steps.
  await expect.poll(() => page.evaluate(() => localStorage.getItem('_ts_prices'))).toBeTruthy()
  await page.locator('form[action="/cart/add"] button[type=submit]').first().click()
  await page.waitForURL('**/cart')
  await expect(page.locator('main')).toContainText('$29.50')
  // A theme test that the visitor met before is resumed. It excludes the price test, so the visitor
  // sees the shop's prices.
  await page.evaluate(id => {
    const memory = JSON.parse(localStorage.getItem('_ts')!) as { tests: object }
    localStorage.setItem(
      '_ts',
      JSON.stringify({ ...memory, tests: { [id]: [0, 7], ...memory.tests } }),
    )
  }, theme.id)
  await publish([theme, { ...tested, layer: 0, rivals: [theme.id] }], rules)
  await page.goto(`${origin}/cart`)
  await expect(page.locator('main')).toContainText('$34.00')
  await expect(page.locator('main')).not.toContainText('$29.50')
  const named = () =>
    page.evaluate(
      async () =>
        ((await (await fetch('/cart.js')).json()) as { attributes: Record<string, string> })
          .attributes['_ts_prices'] || null,
    )
  expect([await named(), await page.evaluate(() => localStorage.getItem('_ts_prices'))]).toEqual([
    null,
    null,
  ])
})

test('templates: the variant is shown by the platform’s view parameter, and no frame shows the control', async ({
  context,
}) => {
  const story: ScriptTest = {
    id: 'template-test-1',
    weights: half,
    pages: [],
    view: ['product', 'product.story'],
  }
  await publish([story])
  const page = await come(context, story, 1, '.section')
  await page.goto(`${origin}/products/${mug}?size=1`)
  await page.waitForURL('**/products/ash-glaze-mug?size=1&view=story')
  await page.waitForLoadState('load')
  expect(await page.locator('script[data-template]').getAttribute('data-template')).toBe(
    'product.story',
  )
  await page.goto(`${origin}/pages/about`).catch(() => {})
  expect(page.url()).not.toContain('view=')
  await publish([{ ...story, view: ['', 'product.story'] }])
  await page.goto(`${origin}/products/${mug}?size=1&view=story`).catch(() => {})
  await page.waitForURL('**/products/ash-glaze-mug?size=1')
})

test('themes: a visitor who refuses returns to the shop’s live theme, on the variant’s page or later', async ({
  context,
}) => {
  const theme: ScriptTest = {
    id: 'theme-test-2',
    weights: half,
    pages: [],
    theme: ['160001', '160002'],
  }
  await publish([theme])
  const page = await come(context, theme, 1, 'body')
  await context.addInitScript(() => {
    if (localStorage.getItem('refused')) window.shopPrivacy = { analyticsAllowed: false }
  })
  const shown = () => page.locator('script[data-theme]').getAttribute('data-theme')
  const refuse = () =>
    page.evaluate(() => {
      localStorage.setItem('refused', '1')
      window.shopPrivacy = { analyticsAllowed: false }
      dispatchEvent(new Event('shopprivacychange'))
    })
  await page.goto(origin)
  await page.waitForURL('**/?preview_theme_id=160002')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('_ts'))).toContain('160002')
  await refuse()
  await page.waitForURL('**/?preview_theme_id=')
  await expect.poll(shown).toBe('160001')
  await page.goto(`${origin}/products/${mug}`)
  expect([await shown(), page.url()]).toEqual(['160001', `${origin}/products/${mug}`])

  // The shop knows of the refusal only when another page has begun.
  await page.evaluate(() => localStorage.removeItem('refused'))
  await page.goto(origin)
  await page.waitForURL('**/?preview_theme_id=160002')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('_ts'))).toContain('160002')
  await page.evaluate(() => localStorage.setItem('refused', '1'))
  await page.goto(`${origin}/products/${mug}?size=1`).catch(() => {})
  await page.waitForURL('**/products/ash-glaze-mug?size=1&preview_theme_id=')
  await expect.poll(shown).toBe('160001')
})

test('themes: the platform keeps the variant’s theme for the session, and the live theme returns after the test', async ({
  context,
}) => {
  const theme: ScriptTest = {
    id: 'theme-test-1',
    weights: half,
    pages: [],
    theme: ['160001', '160002'],
  }
  await publish([theme])
  const page = await come(context, theme, 1, 'body')
  const shown = () => page.locator('script[data-theme]').getAttribute('data-theme')
  await page.goto(origin)
  await page.waitForURL('**/?preview_theme_id=160002')
  await expect.poll(shown).toBe('160002')
  await page.goto(`${origin}/products/${mug}`)
  expect([await shown(), page.url()]).toEqual(['160002', `${origin}/products/${mug}`])
  await publish([{ ...theme, theme: ['', '160002'] }])
  await page.goto(`${origin}/products/${mug}`)
  await expect.poll(shown).toBe('160001')
  await page.goto(origin)
  expect(await shown()).toBe('160001')
})

test('the shop’s own code asks for the arm; a visitor enters a manual test with the first question', async ({
  context,
}) => {
  const automatic: ScriptTest = {
    id: 'api-test-1',
    weights: half,
    pages: ['*'],
    api: ['hypothesis-control', 'hypothesis-variant'],
  }
  const manual: ScriptTest = {
    ...automatic,
    id: 'api-test-2',
    api: ['manual-control', 'manual-variant'],
    isManual: true,
  }
  await publish([automatic, manual])
  const page = await come(context, automatic, 1, 'body')
  await page.goto(origin)
  const active = (id: string) => page.evaluate(id => window.twinshelf?.isActive?.(id), id)
  expect(await active('hypothesis-variant')).toBe(true)
  expect(await active('hypothesis-control')).toBe(false)
  expect(await active('nothing-of-ours')).toBe(false)
  const held = () =>
    page.evaluate(() =>
      Object.keys((JSON.parse(localStorage.getItem('_ts')!) as { tests: object }).tests),
    )
  await expect.poll(held).toEqual(['api-test-1'])
  const visitor = await page.evaluate(() => window.twinshelf!.visitor!())
  const arm = assign(manual.id, visitor.id, half)
  expect([await active('manual-variant'), await active('manual-control')]).toEqual([
    arm === 1,
    arm === 0,
  ])
  expect(await held()).toEqual(['api-test-1', 'api-test-2'])
  await page.goto(`${origin}/collections/all`)
  expect(await active('manual-variant')).toBe(arm === 1)
  await page.evaluate(() => window.twinshelf!.setConsent!(false))
  expect(await page.evaluate(() => localStorage.getItem('_ts'))).toBeNull()
})

test('with its flag an inline script does the same', async ({ context }) => {
  const { test: tested, rules } = await priceTest()
  await publish([tested], rules, 'script?inline=1')
  const page = await come(context, tested, 1, '.product__price')
  const files: string[] = []
  page.on('request', request => {
    if (request.url().includes('twinshelf.js')) files.push(request.url())
  })
  await page.goto(`${origin}/products/${mug}`)
  await expect(page.locator('.product__price')).toHaveText('$29.50')
  expect(await seenOn(page)).toEqual(['$29.50'])
  expect(files).toEqual([])
})
