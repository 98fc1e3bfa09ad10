import { expect, test, type Page } from '@playwright/test'
import { nothingDeployed } from '../../../demo-shop/shopify-web/deployed.ts'
import { address } from '../../demo-shop/support/demo-shop.ts'
import { watchRequests } from '../../quiet-network.ts'
import { openCollector, openStandIn } from './stand-in.ts'

/** The sandbox for web pixels, with a small pixel that tells what it hears and can read. */
const source = `let register=start=>shopify.extend("WebPixel::Render",start);register(({ settings, analytics, browser, init }) => {
  analytics.subscribe('checkout_completed', async event => {
    let page = 'no access'
    try { page = parent.document.title } catch {}
    await fetch(settings.collect, { method: 'POST', body: JSON.stringify({
      order: event.data.checkout.order.id, clientId: event.clientId, page, shop: init.data.shop.myshopifyDomain,
      stored: await browser.localStorage.getItem('_ts'), cookie: await browser.cookie.get('_ts'),
    }) })
  })
})`
const messages: Record<string, unknown>[] = []
let standIn: Awaited<ReturnType<typeof openStandIn>>,
  collector: Awaited<ReturnType<typeof openCollector>>
let origin: string

test.beforeAll(async () => {
  collector = await openCollector((_, body) =>
    messages.push(JSON.parse(body) as Record<string, unknown>),
  )
  standIn = await openStandIn({
    deployed: { ...nothingDeployed, pixel: { source, needs: ['analytics'] } },
  })
  ;({ origin } = standIn)
  standIn.shop.web!.installs.add('pixel', { settings: { collect: `${collector.origin}/` } })
})
test.afterAll(async () => {
  await standIn.close()
  await collector.close()
})

/** Buys by express checkout and returns when the page after it has loaded. */
async function buy(page: Page): Promise<string> {
  const answer = await page.request.post(`${origin}/checkout/express`, {
    form: { id: '30100' },
    maxRedirects: 0,
  })
  expect(answer.status()).toBe(303)
  await page.goto(`${origin}/checkout?express=1`)
  for (const [name, value] of Object.entries(address))
    await page.locator(`[name="${name}"]`).fill(String(value))
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.waitForURL(/\/orders\//)
  return (await page.getByText(/Order #\d+/).textContent())!.match(/#(\d+)/)![1]!
}
type Platform = { Shopify: unknown }
const said = (page: Page, consent: object) =>
  page.evaluate(
    given =>
      new Promise<unknown>(resolve => {
        const { loadFeatures } = (window as unknown as Platform).Shopify as {
          loadFeatures: (features: object[], done: () => void) => void
        }
        loadFeatures([{ name: 'consent-tracking-api', version: '0.1' }], () => {
          const { customerPrivacy } = (window as unknown as Platform).Shopify as {
            customerPrivacy: {
              setTrackingConsent: (given: object) => void
              analyticsProcessingAllowed: () => boolean
            }
          }
          document.addEventListener('visitorConsentCollected', event =>
            resolve([
              (event as CustomEvent<{ analyticsAllowed: boolean }>).detail.analyticsAllowed,
              customerPrivacy.analyticsProcessingAllowed(),
            ]),
          )
          customerPrivacy.setTrackingConsent(given)
        })
      }),
    consent,
  )

test('the pixel hears of the order in a frame without access to the page', async ({ page }) => {
  const requests = watchRequests(page)
  await page.goto(origin)
  await page.evaluate(() => {
    localStorage.setItem('_ts', 'kept')
    document.cookie = '_ts=a%20b;path=/'
  })
  const order = await buy(page)
  await expect.poll(() => messages.length).toBe(1)
  expect(messages[0]).toMatchObject({
    order,
    page: 'no access',
    shop: 'fern-and-kiln.myshopify.com',
    stored: 'kept',
    cookie: 'a b',
  })
  expect(messages[0]!['clientId']).toMatch(/^[0-9a-f-]{36}$/)
  await page.reload()
  await requests.quiet()
  expect(new Set(messages.map(message => message['order'])), 'no other order').toEqual(
    new Set([order]),
  )
})

test('a buyer who refuses is told about to no pixel, nor one whom the shop did not ask', async ({
  page,
}) => {
  messages.length = 0
  await page.goto(origin)
  expect(await said(page, { analytics: false, marketing: false })).toEqual([false, false])
  await buy(page)
  await expect(page.locator('iframe')).toHaveCount(0)
  await page.goto(origin)
  expect(await said(page, { analytics: true })).toEqual([true, true])
  const order = await buy(page)
  await expect.poll(() => messages.map(each => each['order'])).toEqual([order])

  standIn.shop.pageApis.set({ privacy: true })
  messages.length = 0
  await page.context().clearCookies()
  await page.goto(origin)
  await buy(page)
  await expect(page.locator('iframe')).toHaveCount(0)
  await page.goto(origin)
  await page.getByRole('button', { name: 'Allow' }).click()
  const asked = await buy(page)
  await expect.poll(() => messages.map(each => each['order'])).toEqual([asked])
})
