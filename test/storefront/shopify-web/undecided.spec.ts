import { expect, test, type Page } from '@playwright/test'
import { installationId } from '../../../demo-shop/shopify/app/app-answers.ts'
import { shopifyShop } from '../../../demo-shop/shopify/shop-names.ts'
import { readDeployed } from '../../../demo-shop/shopify-web/deployed.ts'
import type { ShopperEvent } from '../../../domain/events/event.ts'
import { embedFields, embedNamespace } from '../../../domain/script/embed-fields.ts'
import type { ScriptTest } from '../../../domain/script/script-config.ts'
import { shopifyPageApis } from '../../../engine/platform/shopify/script/shopify-page-apis.ts'
import { slowness } from '../../slowness.ts'
import { openCollector, openStandIn, ownField } from './stand-in.ts'

/**
 * Visitors who must be asked first and have not answered yet, in a shop of Shopify. Our file that
 * loads the platform's privacy API comes late.
 */
const sent: ShopperEvent[] = []
let standIn: Awaited<ReturnType<typeof openStandIn>>,
  collector: Awaited<ReturnType<typeof openCollector>>
const product = '/products/ash-glaze-mug'
const shown: ScriptTest = {
  id: '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21',
  weights: [0, 1],
  pages: ['/products/*'],
  changes: [{ selector: '.product-form__submit', kind: 'text', value: 'Put in basket', name: '' }],
}
const moved: ScriptTest = {
  id: '0d8a39a1-53c4-4b8c-9a3c-0f6f2d1c7b55',
  weights: [0, 1],
  pages: ['/pages/about'],
  to: '/pages/contact',
}

test.beforeAll(async () => {
  collector = await openCollector((_, body) => {
    if (body) sent.push(...(JSON.parse(body) as { events: ShopperEvent[] }).events)
  })
  standIn = await openStandIn({ deployed: readDeployed() })
  const { shop } = standIn
  await shop.web!.switches.set('160001', 'twinshelf', true)
  shop.pageApis.set({ privacy: true })
  const { fields = [] } = embedFields({
    shop: shopifyShop.domain,
    collect: `${collector.origin}/collect`,
    preview: `${collector.origin}/preview?token=`,
    pageApis: shopifyPageApis,
    tests: [shown, moved],
  })
  const written = shop.shopify!.metafields.set(
    fields.map(({ key, value }) => ownField(installationId, embedNamespace, key, value)),
  )
  expect('problems' in written).toBe(false)
})
test.afterAll(async () => {
  await standIn.close()
  await collector.close()
})
test.beforeEach(async ({ page }) => {
  sent.length = 0
  await page.clock.install({ time: '2026-11-28T12:00:00Z' })
  await page.clock.pauseAt('2026-11-28T12:00:01Z')
})

/** Holds our file for the API back until the function that is returned is called. */
async function slowApi(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/cdn\/extensions\/.*\/page-apis/, async route => {
    await promise
    // The page that asked may be gone.
    await route.continue().catch(() => {})
  })
  return resolve
}
const open = (page: Page, path: string) => page.goto(standIn.origin + path)
const seesVariant = (page: Page) =>
  expect(page.locator('.product-form__submit').first()).toHaveText('Put in basket')
const ours = (page: Page) =>
  page.evaluate(() =>
    [...Object.keys(localStorage), ...document.cookie.split('; ')].filter(key =>
      key.startsWith('_ts'),
    ),
  )
/** The page's clock stands still, so that a slow machine does not reach the ten seconds. */
const passes = (page: Page, milliseconds: number) => page.clock.runFor(milliseconds)
/** Our events are sent a second after they are stored. */
const sendsNothing = async (page: Page) => {
  await passes(page, 2_000)
  // What the page had sent by now would be there before this.
  await page.evaluate(address => fetch(address, { method: 'POST', body: '' }), collector.origin)
  expect(sent).toEqual([])
}
const exposed = () =>
  sent.filter(({ kind }) => kind === 'exposure').map(({ tests }) => tests!.join())
const isSent = (page: Page, tests: ScriptTest[]) =>
  expect
    .poll(
      async () => {
        await passes(page, 100)
        return exposed().toSorted()
      },
      { intervals: [100], timeout: 15_000 * slowness },
    )
    .toEqual(tests.map(({ id }) => id).toSorted())

test('an undecided visitor sees the arm; when the API says no, nothing was sent and nothing stays', async ({
  page,
}) => {
  const answer = await slowApi(page)
  await open(page, product)
  await seesVariant(page)
  await sendsNothing(page)
  answer()
  await expect
    .poll(async () => {
      await passes(page, 50)
      return ours(page)
    })
    .toEqual([])
  await open(page, '/')
  await sendsNothing(page)
})

test('when the visitor agrees meanwhile, what they saw is sent once', async ({ page }) => {
  const answer = await slowApi(page)
  await open(page, product)
  await seesVariant(page)
  await page.getByRole('button', { name: 'Allow' }).click()
  await sendsNothing(page)
  answer()
  await isSent(page, [shown])
  await passes(page, 2_000)
  const ids = sent.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
})

test('what happened on a page that is left too early is sent after a yes on a later page', async ({
  page,
}) => {
  const answer = await slowApi(page)
  await open(page, product)
  await seesVariant(page)
  await open(page, '/pages/about')
  await page.waitForURL('**/pages/contact')
  await sendsNothing(page)
  await page.getByRole('button', { name: 'Allow' }).click()
  answer()
  await isSent(page, [shown, moved])
})

test('when our file for the API does not load, the store’s rule decides', async ({ page }) => {
  let failed = 0
  await page.route(/\/cdn\/extensions\/.*\/page-apis/, route => {
    expect(sent).toEqual([])
    failed++
    return route.abort()
  })
  await open(page, product)
  await isSent(page, [shown])
  expect(failed).toBe(1)
})

test('when the platform has no such API, the store’s rule decides', async ({ page }) => {
  await page.addInitScript(() => {
    const withoutApi = { get: () => undefined, set: () => {} }
    Object.assign(window, { Shopify: Object.defineProperty({}, 'loadFeatures', withoutApi) })
  })
  await open(page, product)
  await isSent(page, [shown])
})

test('ten seconds after the page has loaded, the store’s rule decides', async ({ page }) => {
  await slowApi(page)
  await open(page, product)
  await passes(page, 7_900)
  await sendsNothing(page)
  await passes(page, 200)
  await isSent(page, [shown])
})
