import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { devices, expect, test, type BrowserContext, type Page } from '@playwright/test'
import { eventKinds } from '../../domain/events/event.ts'
import { assign } from '../../domain/tests/assignment.ts'
import { chromiumArgs, storyBrowser } from '../../scripts/chromium.ts'
import { seedTest } from '../engine/support/seeds.ts'
import { startWithShop, type WithShop } from '../engine/support/with-shop.ts'

/**
 * Orders of "Buy it now" and express checkout, in a shop where they lose the cart's attributes, and
 * the parts of the script that use the shop's own privacy API and cart events.
 */
let at: WithShop, testId: string, storeId: string
test.beforeAll(async () => {
  at = await startWithShop({ runtimeFile: pathToFileURL('public/built/storefront.json') })
  storeId = (await at.call('storeInfo', {})).id
  testId = await seedTest(at.db, storeId, { pages: '["*"]' })
  at.shop.capabilities.set({ expressAttributes: false })
  await publish()
})
test.afterAll(() => at.close())

// Requests that outlive their page ignore a user agent that is set for a page alone, and a headless
// browser counts as a bot.
test.use({
  launchOptions: {
    executablePath: storyBrowser(),
    args: [...chromiumArgs, `--user-agent=${devices['Desktop Chrome'].userAgent}`],
  },
})

const mug = '/products/ash-glaze-mug'

/** Publishes the script again, and waits until the shop has it. */
async function publish(): Promise<void> {
  const { wanted } = await at.db.kysely
    .updateTable('published_scripts')
    .set({ wanted: sql`wanted + 1`, next_attempt_at: sql`now()` })
    .where('store_id', '=', storeId)
    .returning('wanted')
    .executeTakeFirstOrThrow()
  await isPublished(wanted)
}

const isPublished = (wanted: number) =>
  expect
    .poll(
      async () =>
        (
          await at.db.kysely
            .selectFrom('published_scripts')
            .select('published')
            .where('store_id', '=', storeId)
            .executeTakeFirstOrThrow()
        ).published >= wanted,
    )
    .toBe(true)

/** Switches what the shop's pages offer. The shop tells us, and its script is published again. */
async function offer(apis: { privacy?: boolean; cart?: boolean }): Promise<void> {
  at.shop.pageApis.set({ privacy: false, cart: false, ...apis })
  await at.shop.delivered()
  await expect
    .poll(async () => (await fetch(`${at.shopOrigin}/assets/twinshelf.js`)).text())
    .toMatch(
      apis.privacy
        ? /shop:privacy/
        : apis.cart
          ? /shop:cart:add/
          : /^(?![^]*\/assets\/twinshelf-part\.js)/,
    )
}

/** A new browser in which the visitor has met the test; `consent` answers the shop's banner. */
async function shopper(
  context: BrowserContext,
  consent?: 'Allow' | 'Decline',
): Promise<{ page: Page; visitor: string | null }> {
  const page = await context.newPage()
  await page.goto(`${at.shopOrigin}${mug}`)
  if (consent) await page.getByRole('button', { name: consent }).click()
  if (consent === 'Decline') return { page, visitor: null }
  await expect.poll(() => page.evaluate(() => localStorage.getItem('_ts'))).not.toBeNull()
  const visitor = await page.evaluate(
    () => (JSON.parse(localStorage.getItem('_ts')!) as { visitor: string }).visitor,
  )
  await expect
    .poll(async () => (await visitors()).includes(visitor), { message: 'the exposure arrives' })
    .toBe(true)
  return { page, visitor }
}

const visitors = async (): Promise<string[]> =>
  (
    await at.db.kysely
      .selectFrom('test_visitors' as never)
      .select('visitor_id' as never)
      .execute()
  ).map(row => (row as { visitor_id: string }).visitor_id)

async function pay(page: Page): Promise<number> {
  await page.waitForURL(/\/checkout/)
  const fields = {
    'E-mail': 'ana@example.com',
    Name: 'Ana',
    Address: '1 Lane',
    City: 'Portland',
    'ZIP code': '97201',
  }
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
  await page.getByRole('button', { name: /^Place order/ }).click()
  await expect(page.getByRole('heading', { name: /^Thank you/ })).toBeVisible()
  return Number(/#(\d+)/.exec(await page.locator('main').innerText())![1])
}

const orderRow = async (number: number) => {
  await at.shop.delivered()
  await at.engine.rollUp()
  const { rows } = await at.call('testOrders', {
    params: { id: testId },
    query: { search: String(number) },
  })
  return rows[0]
}

for (const [way, buy] of [
  ['Buy it now', (page: Page) => page.getByRole('button', { name: 'Buy it now' }).click()],
  [
    'Express checkout',
    async (page: Page) => {
      await page.locator('.product-form__submit').click()
      await page.getByRole('button', { name: 'Express checkout' }).click()
    },
  ],
] as const)
  test(`${way}: with consent the checkout pixel names the visitor, without it the ledger says why not`, async ({
    browser,
  }) => {
    await offer({ privacy: true })
    const agreed = await browser.newContext(),
      silent = await browser.newContext()
    const { page, visitor } = await shopper(agreed, 'Allow')
    const frames: string[] = []
    page.on('frameattached', frame => frames.push(frame.name()))
    await buy(page)
    const number = await pay(page)
    await expect.poll(async () => (await orderRow(number))?.way).toBe('pixel')
    expect(await orderRow(number)).toMatchObject({
      reason: null,
      lost: null,
      arm: assign(testId, visitor!, [0.5, 0.5]),
      visitor: { id: visitor },
    })
    expect(frames, 'the pixel runs in a frame of its own').toHaveLength(1)
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')

    const stranger = await shopper(silent)
    await buy(stranger.page)
    const second = await pay(stranger.page)
    await expect.poll(async () => (await orderRow(second))?.way).toBe('none')
    expect(await orderRow(second)).toMatchObject({ reason: 'expressCheckout', lost: 'express' })
    await expect(stranger.page.locator('iframe')).toHaveCount(0)
    const { summary } = await at.call('test', { params: { id: testId } })
    const { ways, total } = summary.ledger
    expect(ways?.reduce((sum, { orders }) => sum + orders, 0)).toBe(total.orders)
    await agreed.close()
    await silent.close()
  })

test('where express checkout carries the attributes, it needs no pixel', async ({ browser }) => {
  at.shop.capabilities.set({ expressAttributes: true })
  const context = await browser.newContext()
  const { page, visitor } = await shopper(context)
  await page.getByRole('button', { name: 'Buy it now' }).click()
  const number = await pay(page)
  await expect.poll(async () => (await orderRow(number))?.way).toBe('attribute')
  expect(await orderRow(number)).toMatchObject({ reason: null, visitor: { id: visitor } })
  at.shop.capabilities.set({ expressAttributes: false })
  await context.close()
})

test('a shop without APIs of its own loads nothing extra; with them the part comes after the page’s load event', async ({
  browser,
}) => {
  await offer({})
  const ours = async (context: BrowserContext) => {
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.goto(`${at.shopOrigin}/`)
    return { page, asked: () => asked.filter(path => path.startsWith('/assets/twinshelf')) }
  }
  const plain = await browser.newContext()
  const { page, asked } = await ours(plain)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('_ts'))).not.toBeNull()
  expect(asked()).toEqual(['/assets/twinshelf.js'])
  await plain.close()

  await offer({ privacy: true })
  const rich = await browser.newContext()
  const second = await ours(rich)
  await expect.poll(second.asked).toEqual(['/assets/twinshelf.js', '/assets/twinshelf-part.js'])
  // The browser lists a file once it has arrived.
  const part = await second.page.waitForFunction(() =>
    performance
      .getEntriesByType('resource')
      .find(({ name }) => name.endsWith('/assets/twinshelf-part.js')),
  )
  const [whole, loaded] = await part.evaluate(entry => [
    (performance.getEntriesByType('navigation') as PerformanceNavigationTiming[])[0]!
      .loadEventStart,
    entry!.startTime,
  ])
  expect(loaded).toBeGreaterThanOrEqual(whole!)
  await rich.close()
})

test('a visitor who declines in the shop’s privacy API is forgotten, and not counted on later pages', async ({
  browser,
}) => {
  await offer({ privacy: true })
  const context = await browser.newContext()
  const { page } = await shopper(context, 'Decline')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('_ts'))).toBeNull()
  await page.goto(`${at.shopOrigin}/`)
  expect(await page.evaluate(() => window.shopPrivacy?.analyticsAllowed)).toBe(false)
  await page.waitForLoadState('load')
  expect(await page.evaluate(() => localStorage.getItem('_ts'))).toBeNull()
  await context.close()
})

test('what the shop’s cart API adds is recorded once, and the cart carries the visitor', async ({
  browser,
}) => {
  await offer({ cart: true })
  const context = await browser.newContext()
  const { page, visitor } = await shopper(context)
  await page.waitForFunction(() => 'shopPage' in window)
  await expect
    .poll(() => page.evaluate(() => document.querySelector('script[data-apis]') !== null))
    .toBe(true)
  await page.waitForFunction(() =>
    performance
      .getEntriesByType('resource')
      .some(({ name }) => name.endsWith('/assets/twinshelf-part.js')),
  )
  await page.evaluate(() =>
    (
      window as unknown as { shopPage: { cart: { add: (id: number) => Promise<unknown> } } }
    ).shopPage.cart.add(10100),
  )
  await expect
    .poll(async () =>
      page.evaluate(async () => (await (await fetch('/cart.js')).json()).attributes),
    )
    .toMatchObject({ _ts_visitor: visitor })
  await page.goto(`${at.shopOrigin}/collections/all`)
  const adds = async () =>
    Number(
      (
        await at.db.kysely
          .selectFrom('events' as never)
          .select(eb => eb.fn.countAll().as('n'))
          .where('visitor_id' as never, '=', visitor as never)
          .where('kind' as never, '=', eventKinds.indexOf('cart') as never)
          .executeTakeFirstOrThrow()
      ).n,
    )
  await expect.poll(adds).toBe(1)
  await context.close()
})
