import { expect, test, type Page } from '@playwright/test'
import type { DemoShop } from '../../../demo-shop/app.ts'
import { gid } from '../../../demo-shop/shopify/api/gid.ts'
import { installationId } from '../../../demo-shop/shopify/app/app-answers.ts'
import { readDeployed } from '../../../demo-shop/shopify-web/deployed.ts'
import { marketId } from '../../../demo-shop/shopify-web/embed/embed-page.ts'
import { shopifyShop } from '../../../demo-shop/shopify/shop-names.ts'
import { cartAttribute } from '../../../domain/events/event.ts'
import {
  functionFields,
  functionNamespace,
  type PriceSwitch,
  priceKey,
  switchKey,
} from '../../../domain/prices/function-rules.ts'
import { type Market, ownMarket, shownAmount } from '../../../domain/prices/price-test.ts'
import { embedFields, embedNamespace } from '../../../domain/script/embed-fields.ts'
import type { ScriptTest } from '../../../domain/script/script-config.ts'
import { address } from '../../demo-shop/support/demo-shop.ts'
import { watchRequests } from '../../quiet-network.ts'
import { openCollector, openStandIn, ownField } from './stand-in.ts'

/**
 * What Shopify delivers and runs for us, as it was built: the embed that Liquid draws into pages of
 * the demo shop, the functions at pricing, and the pixel in its sandbox.
 */
type Message = Record<string, unknown> & { events?: { kind: string; tests?: string[] }[] }
const messages: { path: string; body: Message }[] = []
let standIn: Awaited<ReturnType<typeof openStandIn>>,
  collector: Awaited<ReturnType<typeof openCollector>>
let shop: DemoShop, origin: string, collect: string
/** A product, one of its variants, and the variant's price. */
const product = '/products/ash-glaze-mug',
  variant = 10100,
  control = 3400
const all = [0, 1] as [number, number],
  none = [1, 0] as [number, number]

test.beforeAll(async () => {
  collector = await openCollector((path, body) =>
    messages.push({ path, body: JSON.parse(body || '{}') as Message }),
  )
  collect = collector.origin
  standIn = await openStandIn({ deployed: readDeployed() })
  ;({ shop, origin } = standIn)
  shop.web!.installs.add('pixel', {
    settings: { shop: shopifyShop.domain, collect: `${collect}/order` },
  })
  await shop.web!.switches.set('160001', 'twinshelf', true)
})
test.afterAll(async () => {
  await standIn.close()
  await collector.close()
})
test.beforeEach(() => {
  messages.length = 0
})

/** The shop's first markets (demo-shop/pages/currencies.ts), as it rounds there. */
const rates: Record<string, Market> = {
  USD: ownMarket,
  EUR: { rate: 0.92, step: 100, ending: 95 },
  JPY: { rate: 1.49, step: 100, ending: 0 },
}
const markets: PriceSwitch['markets'] = Object.fromEntries(
  Object.entries(rates).map(([code, { step, ending }]) => [marketId(code), [step, ending]]),
)
/** Publishes these tests as the adapter does, with tested prices for the product variant. */
function publish(tests: ScriptTest[], price?: { id: string; price: number }): void {
  const { fields = [] } = embedFields(
    {
      shop: shopifyShop.domain,
      collect: `${collect}/collect`,
      preview: `${collect}/preview?token=`,
      tests,
    },
    { markets },
  )
  const rules = price ? [{ id: price.id, weights: all, prices: { [variant]: price.price } }] : []
  const made = functionFields(rules, { currency: 'USD', markets })
  if (made.problem !== undefined) throw new Error(made.problem)
  const written = shop.shopify!.metafields.set([
    ...fields.map(({ key, value }) => ownField(installationId, embedNamespace, key, value)),
    ownField(gid('Shop', shopifyShop.id), functionNamespace, switchKey, made.switch),
    ...Object.entries(made.prices).map(([id, value]) =>
      ownField(gid('ProductVariant', id), functionNamespace, priceKey, value),
    ),
  ])
  expect('problems' in written).toBe(false)
}
const button = (weights = all): ScriptTest => ({
  id: '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21',
  weights,
  pages: ['/products/*'],
  changes: [{ selector: '.product-form__submit', kind: 'text', value: 'Put in basket', name: '' }],
})
const assets = (page: Page) =>
  page
    .locator('script[src*="/cdn/extensions/"]')
    .evaluateAll(scripts =>
      scripts.map(one => /([\w-]+)\.js/.exec((one as HTMLScriptElement).src)![1]),
    )

test('the embed shows a variant before the page is painted, and counts its visitor', async ({
  page,
}) => {
  publish([button()])
  await page.goto(origin + product)
  await expect(page.locator('.product-form__submit').first()).toHaveText('Put in basket')
  expect(await assets(page)).toEqual(['usual'])
  await page.goto(`${origin}/`)
  // The script sends an event again until it knows that it was taken.
  const exposures = () =>
    new Set(
      messages
        .filter(({ path }) => path === '/collect')
        .flatMap(({ body }) => body.events ?? [])
        .filter(({ kind }) => kind === 'exposure')
        .map(({ tests }) => tests!.join()),
    )
  await expect.poll(() => [...exposures()]).toEqual([button().id])
  publish([button(none)])
  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  await page.goto(origin + product)
  await expect(page.locator('.product-form__submit').first()).not.toHaveText('Put in basket')
})

test('the larger file does only what the shop’s tests need', async ({ page }) => {
  const requests = watchRequests(page)
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  const hypotheses = [crypto.randomUUID(), crypto.randomUUID()] as [string, string]
  publish([
    button(),
    { id: crypto.randomUUID(), weights: all, pages: ['*'], api: hypotheses },
    { id: '', weights: all, pages: ['/pages/about'], sent: '/pages/contact' },
  ])
  await page.goto(origin + product)
  expect(await assets(page)).toEqual(['most'])
  await expect(page.locator('.product-form__submit').first()).toHaveText('Put in basket')
  expect(
    await page.evaluate(ids => ids.map(id => window.twinshelf!.isActive!(id)), hypotheses),
  ).toEqual([false, true])
  await requests.quiet()
  expect(asked.filter(path => /undefined|page-apis/.test(path))).toEqual([])
})

test('a shop that has switched the embed off has nothing of ours in its pages', async ({
  page,
}) => {
  publish([button()])
  await shop.web!.switches.set('160001', 'twinshelf', false)
  await page.goto(origin + product)
  expect(await assets(page)).toEqual([])
  expect(await page.locator('#twinshelf-tests').count()).toBe(0)
  await shop.web!.switches.set('160001', 'twinshelf', true)
})

for (const [way, handle] of [
  ['transform', 'twinshelf-cart-transform'],
  ['discount', 'twinshelf-discount'],
] as const)
  for (const currency of ['USD', 'EUR', 'JPY'])
    test(`page and cart agree about a tested price, by ${way} in ${currency}`, async ({ page }) => {
      shop.web!.installs.removeAll()
      shop.web!.installs.add('pixel', {
        settings: { shop: shopifyShop.domain, collect: `${collect}/order` },
      })
      const price = control - 700
      const id = crypto.randomUUID()
      publish(
        [
          {
            id,
            weights: all,
            pages: ['*'],
            prices: { 'ash-glaze-mug': [[`${variant}`, control, price]] },
          },
        ],
        { id, price },
      )
      if (way === 'transform')
        shop.web!.installs.add('transform', { functionHandle: handle, blockOnFailure: false })
      else
        shop.web!.installs.add('discount', {
          functionHandle: handle,
          title: 'Price',
          startsAt: '2020-01-01T00:00:00.000Z',
          endsAt: null,
          given: {},
        })
      await page.goto(origin)
      if (currency !== 'USD')
        await page.request.post(`${origin}/localization`, { form: { currency } })
      await page.goto(origin + product)
      expect(await assets(page)).toEqual(['prices', 'core'])
      const shown = shownAmount(price, rates[currency]!)
      const unit = currency === 'JPY' ? 1 : 100
      await expect
        .poll(async () =>
          (await page.locator('main .price').first().textContent())!.replace(/[^\d.]/g, ''),
        )
        .toBe((shown / unit).toFixed(unit === 1 ? 0 : 2))
      await page.request.post(`${origin}/cart/add.js`, { data: { id: variant, quantity: 2 } })
      const cart = (await (await page.request.get(`${origin}/cart.js`)).json()) as {
        attributes: Record<string, string>
        total_price: number
      }
      expect(cart.attributes[cartAttribute]).toBeTruthy()
      expect(cart.total_price).toBe(2 * shown)
    })

test('the pixel says which of our visitors an order belongs to', async ({ page }) => {
  publish([button()])
  await page.goto(origin + product)
  const answer = await page.request.post(`${origin}/checkout/express`, {
    form: { id: `${variant}` },
    maxRedirects: 0,
  })
  expect(answer.status()).toBe(303)
  await page.goto(`${origin}/checkout?express=1`)
  for (const [name, value] of Object.entries(address))
    await page.locator(`[name="${name}"]`).fill(String(value))
  const { visitor } = await page.evaluate(
    () => JSON.parse(localStorage['_ts'] as string) as { visitor: string },
  )
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.waitForURL(/\/orders\//)
  await expect.poll(() => messages.filter(({ path }) => path === '/order').length).toBe(1)
  expect(messages.find(({ path }) => path === '/order')!.body).toMatchObject({
    v: 1,
    shop: shopifyShop.domain,
    visitor,
    consent: true,
    order: expect.stringMatching(/^\d+$/),
    tests: { [button().id]: 1 },
  })
})
