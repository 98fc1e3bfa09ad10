import { expect, test, type Page } from '@playwright/test'
import { cartAttribute } from '../../domain/event.ts'
import { priceAttribute } from '../../domain/price-test.ts'
import type { ScriptTest } from '../../domain/script-config.ts'
import type {} from '../../storefront/consent.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => { shop = await openShop(options) }
test.afterEach(() => shop.close())

const everywhere: ScriptTest = { id: 'test-element-1', weights: [0, 1], pages: ['/products/*'], changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }] }
const kinds = () => shop.events().map(event => event.kind).sort()
const waitingKeys = (page: Page) => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('_ts_e.')).length)
const visitorOf = (page: Page) => page.evaluate(() => (JSON.parse(localStorage.getItem('_ts')!) as { visitor: string }).visitor)
const product = `<h1>Old</h1><p>Text</p><form action="/cart/add" method="post"><input name="id" value="7"><button>Add</button></form>`

test('a collector that is away is asked again, and nothing is lost or counted twice', async ({ page }) => {
  await open({ pages: { '/products/mug': product }, tests: [everywhere] })
  shop.collector.status = 503
  await page.goto(`${shop.origin}/products/mug`)
  await expect.poll(() => shop.collector.requests).toBeGreaterThan(1)
  expect(await waitingKeys(page)).toBe(2)
  shop.collector.status = 204
  await expect.poll(kinds, { timeout: 20_000 }).toEqual(['exposure', 'view'])
  await expect.poll(() => waitingKeys(page)).toBe(0)
  expect(shop.beacons).toHaveLength(1)
})

test('what the collector refuses is not sent again', async ({ page }) => {
  await open({ pages: { '/': '' } })
  shop.collector.status = 400
  await page.goto(shop.origin)
  await expect.poll(() => shop.collector.requests).toBe(1)
  await expect.poll(() => waitingKeys(page)).toBe(0)
  await page.goto(shop.origin)
  await expect.poll(() => shop.collector.requests).toBe(2)
})

test('events outlive the page, a closed tab and an unreachable network', async ({ page, context }) => {
  await open({ pages: { '/a': '', '/b': '' } })
  await context.route('**/collect', route => route.abort())
  await page.goto(`${shop.origin}/a`)
  await page.goto(`${shop.origin}/b`)
  await expect.poll(() => waitingKeys(page)).toBe(2)
  await page.close()
  await context.unroute('**/collect')
  const later = await context.newPage()
  await later.goto(`${shop.origin}/a`)
  await expect.poll(() => shop.events().map(event => event.path).sort()).toEqual(['/a', '/a', '/b'])
  expect(new Set(shop.beacons.map(beacon => beacon.session)).size).toBe(1)
})

test('leaving at once loses nothing', async ({ page }) => {
  await open({ pages: { '/products/mug': product }, tests: [everywhere] })
  await page.goto(`${shop.origin}/products/mug`, { waitUntil: 'domcontentloaded' })
  await page.goto('about:blank')
  await expect.poll(() => kinds()).toEqual(['exposure', 'view'])
})

test('a form that adds to the cart is counted and carries the visitor to the order', async ({ page }) => {
  await open({ pages: { '/products/mug': product }, tests: [everywhere] })
  await page.goto(`${shop.origin}/products/mug`)
  const visitor = await visitorOf(page)
  await page.click('button')
  await expect.poll(() => kinds()).toEqual(['cart', 'click', 'exposure', 'view'])
  expect(new URLSearchParams(shop.cart[0]!.split(' ')[2]).get(`attributes[${cartAttribute}]`)).toBe(visitor)
  await page.waitForURL('**/cart/add')
  await page.goBack()
  expect(await page.locator(`[name*="${cartAttribute}"]`).count(), 'nothing is left in the form').toBe(0)
})

for (const [how, code] of [
  ['fetch', `fetch('/cart/add.js', { method: 'POST', body: 'id=7' })`],
  ['fetch of a Request', `fetch(new Request('/en/cart/add.js', { method: 'POST', body: 'id=7' }))`],
  ['XMLHttpRequest', `new Promise(done => { const x = new XMLHttpRequest(); x.open('POST', '/cart/add.js'); x.onload = done; x.send('id=7') })`],
] as const) {
  test(`${how} that adds to the cart is counted, and the cart is given the visitor's id once`, async ({ page }) => {
    await open({ pages: { '/products/mug': product }, tests: [everywhere] })
    await page.goto(`${shop.origin}/products/mug`)
    const visitor = await visitorOf(page)
    await page.evaluate(`(async () => { await ${code}; await ${code} })()`)
    await expect.poll(() => kinds().filter(kind => kind === 'cart').length).toBe(2)
    await expect.poll(() => shop.cart.filter(line => line.includes('update.js')).length).toBeGreaterThan(0)
    expect(shop.cart.filter(line => line.includes('update.js'))[0]).toBe(`POST /cart/update.js ${JSON.stringify({ attributes: { [cartAttribute]: visitor } })}`)
    const updates = () => shop.cart.filter(line => line.includes('update.js')).length
    const before = updates()
    await page.reload()
    await expect.poll(() => kinds().filter(kind => kind === 'view').length).toBe(2)
    expect(updates()).toBe(before)
  })
}

test('an add that a theme takes over counts by its request, and one the shop refuses does not', async ({ page }) => {
  await open({ tests: [everywhere], pages: {
    '/products/mug': `${product}<script>document.querySelector('form').onsubmit = event => { event.preventDefault(); answer = fetch('/cart/add.js', { method: 'POST', body: new URLSearchParams(new FormData(event.target)) }) }</script>`,
    '/cart/add.js': (_, response) => { response.writeHead(422).end('{}') },
  } })
  await page.goto(`${shop.origin}/products/mug`)
  const visitor = await visitorOf(page)
  await page.click('button')
  expect(await page.evaluate('answer.then(response => response.status)')).toBe(422)
  await page.goto('about:blank')
  await expect.poll(() => kinds()).toEqual(['click', 'exposure', 'view'])
  expect(new URLSearchParams(shop.cart[0]!.split(' ')[2]).get(`attributes[${cartAttribute}]`)).toBe(visitor)
})

test('an older cart without the id gets it on the next page', async ({ page, context }) => {
  await open({ pages: { '/': '' } })
  await context.addCookies([{ name: 'cart', value: 'cart-9', url: shop.origin }])
  await page.goto(shop.origin)
  await expect.poll(() => shop.cart).toEqual([`POST /cart/update.js ${JSON.stringify({ attributes: { [cartAttribute]: await visitorOf(page) } })}`])
})

test('a click counts on a tested page, on something to click, by a person', async ({ page }) => {
  await open({ tests: [everywhere], pages: { '/': '<button>Home</button>', '/products/mug': `<h1>Old</h1><p>Text</p><button>One</button><div id="host"></div>
    <script>host.attachShadow({ mode: 'open' }).innerHTML = '<button><span>Inside</span></button>'; addEventListener('click', event => event.stopPropagation(), true)</script>` } })
  await page.goto(shop.origin)
  await page.click('button')
  await page.goto(`${shop.origin}/products/mug`)
  await page.click('p')
  await page.evaluate(() => document.querySelector('button')!.click())
  await expect.poll(() => kinds().filter(kind => kind === 'view').length).toBe(2)
  expect(kinds()).not.toContain('click')
  await page.click('text=Inside')
  await page.click('text=One')
  await expect.poll(() => shop.events().filter(event => event.kind === 'click')).toMatchObject([{ path: '/products/mug', tests: [everywhere.id] }])
})

test('the way to the checkout is told', async ({ page }) => {
  await open({ pages: { '/cart': '<a href="/checkout">Check out</a><form action="/cart" method="post"><button name="checkout">Check out</button></form>', '/checkout': '' } })
  await page.goto(`${shop.origin}/cart`)
  await page.click('a')
  await expect.poll(kinds).toContain('checkout')
  await page.goto(`${shop.origin}/cart`)
  await page.click('button')
  await expect.poll(() => kinds().filter(kind => kind === 'checkout').length).toBe(2)
})

test.describe('who refused', () => {
  const nothing = async (page: Page) => {
    expect(await page.textContent('h1')).toBe('Old')
    expect(await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length])).toEqual(['', 0, 0])
    expect([shop.collector.requests, shop.beacons.length]).toEqual([0, 0])
  }
  test('by Global Privacy Control: the original, nothing stored, nothing sent', async ({ page }) => {
    await page.addInitScript(() => { Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }) })
    await open({ pages: { '/products/mug': product }, tests: [everywhere] })
    await page.goto(`${shop.origin}/products/mug`)
    await page.click('button')
    await page.waitForURL('**/cart/add')
    await page.goBack()
    await page.context().clearCookies({ name: 'cart' })
    await nothing(page)
    expect(shop.cart[0]).not.toContain(cartAttribute)
  })

  test('by the shop’s own signal, before the script', async ({ page }) => {
    await page.addInitScript(() => { window.shopPrivacy = { analyticsAllowed: false } })
    await open({ pages: { '/products/mug': product }, tests: [everywhere] })
    await page.goto(`${shop.origin}/products/mug`)
    await nothing(page)
  })

  test('later on: what was kept is forgotten, and no more is sent', async ({ page, context }) => {
    await open({ pages: { '/products/mug': product }, tests: [everywhere] })
    await context.addCookies([{ name: 'cart', value: 'cart-9', url: shop.origin }])
    await page.goto(`${shop.origin}/products/mug`)
    await expect.poll(kinds).toContain('view')
    await expect.poll(() => page.evaluate(() => localStorage.getItem('_ts'))).toContain('cart-9')
    const requests = shop.collector.requests
    await page.evaluate(() => {
      window.shopPrivacy = { analyticsAllowed: false }
      dispatchEvent(new Event('shopprivacychange'))
    })
    expect(await page.evaluate(() => [document.cookie, localStorage.length])).toEqual(['cart=cart-9', 0])
    await expect.poll(() => shop.cart.at(-1)).toBe(`POST /cart/update.js ${JSON.stringify({ attributes: { [cartAttribute]: '', [priceAttribute]: '' } })}`)
    await page.click('button')
    await page.waitForURL('**/cart/add')
    expect(shop.collector.requests).toBe(requests)
    expect(shop.cart.at(-1)).not.toContain(cartAttribute)
  })
})
