import { expect, test, type Page } from '@playwright/test'
import { cartAttribute } from '../../domain/events/event.ts'
import { priceAttribute } from '../../domain/prices/price-test.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type {} from '../../storefront/consent.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

const everywhere: ScriptTest = {
  id: 'test-element-1',
  weights: [0, 1],
  pages: ['/products/*'],
  changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }],
}
/**
 * The kinds of all events except page speed, which every page sends when it is left
 * (speed.spec.ts).
 */
const kinds = () =>
  shop
    .events()
    .map(event => event.kind)
    .filter(kind => kind !== 'vitals')
    .sort()
const waitingKeys = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('_ts_e.')).length)
/** The stored id; the script stores it after the first paint. */
const visitorOf = async (page: Page) => {
  const stored = await page.waitForFunction(() => localStorage.getItem('_ts'))
  return (JSON.parse((await stored.jsonValue())!) as { visitor: string }).visitor
}
const product = `<h1>Old</h1><p>Text</p><form action="/cart/add" method="post"><input name="id" value="7"><button>Add</button></form>`

/** How the shop notes a request that writes these attributes into the cart. */
const updated = (attributes: Record<string, string>): string =>
  `POST /cart/update.js ${new URLSearchParams(
    Object.entries(attributes).map(([name, value]) => [`attributes[${name}]`, value]),
  ).toString()}`

test('events outlive the page, a closed tab and an unreachable network', async ({
  page,
  context,
}) => {
  await open({ pages: { '/a': '', '/b': '' } })
  await context.route('**/collect', route => route.abort())
  await page.goto(`${shop.origin}/a`)
  await page.goto(`${shop.origin}/b`)
  await expect.poll(() => waitingKeys(page)).toBe(2)
  await page.close()
  await context.unroute('**/collect')
  const later = await context.newPage()
  await later.goto(`${shop.origin}/a`)
  await expect
    .poll(() =>
      shop
        .events()
        .map(event => event.path)
        .sort(),
    )
    .toEqual(['/a', '/a', '/b'])
  expect(new Set(shop.beacons.map(beacon => beacon.session)).size).toBe(1)
})

test('leaving a page at once loses no event', async ({ page }) => {
  await open({ pages: { '/products/mug': product }, tests: [everywhere] })
  await page.goto(`${shop.origin}/products/mug`, { waitUntil: 'domcontentloaded' })
  await page.goto('about:blank')
  await expect.poll(() => kinds()).toEqual(['exposure', 'view'])
})

test('a form that adds to the cart is counted, and the order gets the visitor’s id', async ({
  page,
}) => {
  await open({ pages: { '/products/mug': product }, tests: [everywhere] })
  await page.goto(`${shop.origin}/products/mug`)
  const visitor = await visitorOf(page)
  await page.click('button')
  await expect.poll(() => kinds()).toEqual(['cart', 'click', 'exposure', 'view'])
  expect(new URLSearchParams(shop.cart[0]!.split(' ')[2]).get(`attributes[${cartAttribute}]`)).toBe(
    visitor,
  )
  await page.waitForURL('**/cart/add')
  await page.goBack()
  expect(
    await page.locator(`[name*="${cartAttribute}"]`).count(),
    'the form has no added field left',
  ).toBe(0)
})

test('a form is counted even when its response arrives before any timer', async ({ page }) => {
  // Timers never run, as on a page that is too busy.
  await open({
    pages: { '/products/mug': product },
    tests: [everywhere],
    firstLine: 'setTimeout = () => 0;',
  })
  await page.goto(`${shop.origin}/products/mug`)
  await page.click('button')
  await expect.poll(() => kinds()).toEqual(['cart', 'click', 'exposure', 'view'])
})

for (const [how, code] of [
  ['fetch', `fetch('/cart/add.js', { method: 'POST', body: 'id=7' })`],
  ['fetch of a Request', `fetch(new Request('/en/cart/add.js', { method: 'POST', body: 'id=7' }))`],
  [
    'XMLHttpRequest',
    `new Promise(done => { const x = new XMLHttpRequest(); x.open('POST', '/cart/add.js'); x.onload = done; x.send('id=7') })`,
  ],
] as const) {
  test(`${how} that adds to the cart is counted, and the cart is given the visitor's id once`, async ({
    page,
  }) => {
    await open({ pages: { '/products/mug': product }, tests: [everywhere] })
    await page.goto(`${shop.origin}/products/mug`)
    const visitor = await visitorOf(page)
    // Count requests when the page sends them: on the network their order may change.
    let updates = 0
    page.on('request', request => {
      if (request.url().includes('update.js')) updates++
    })
    await page.evaluate(`(async () => { await ${code}; await ${code} })()`)
    await expect.poll(() => kinds().filter(kind => kind === 'cart').length).toBe(2)
    await expect
      .poll(() => shop.cart.filter(line => line.includes('update.js')).length)
      .toBeGreaterThan(0)
    expect(shop.cart.filter(line => line.includes('update.js'))[0]).toBe(
      updated({ [cartAttribute]: visitor }),
    )
    await expect
      .poll(() => page.evaluate(() => localStorage.getItem('_ts')))
      .toContain('"cart":"cart-1"')
    const before = updates
    await page.reload()
    await expect.poll(() => kinds().filter(kind => kind === 'view').length).toBe(2)
    expect(updates).toBe(before)
  })
}

test('an add by a theme’s request is counted, and one that the shop refuses is not', async ({
  page,
}) => {
  await open({
    tests: [everywhere],
    pages: {
      '/products/mug': `${product}<script>document.querySelector('form').onsubmit = event => { event.preventDefault(); answer = fetch('/cart/add.js', { method: 'POST', body: new URLSearchParams(new FormData(event.target)) }) }</script>`,
      '/cart/add.js': (_, response) => {
        response.writeHead(422).end('{}')
      },
    },
  })
  await page.goto(`${shop.origin}/products/mug`)
  const visitor = await visitorOf(page)
  await page.click('button')
  expect(await page.evaluate('answer.then(response => response.status)')).toBe(422)
  await page.goto('about:blank')
  await expect.poll(() => kinds()).toEqual(['click', 'exposure', 'view'])
  expect(new URLSearchParams(shop.cart[0]!.split(' ')[2]).get(`attributes[${cartAttribute}]`)).toBe(
    visitor,
  )
})

test('an older cart without the id gets it on the next page', async ({ page, context }) => {
  await open({ pages: { '/': '' } })
  await context.addCookies([{ name: 'cart', value: 'cart-9', url: shop.origin }])
  await page.goto(shop.origin)
  await expect.poll(() => shop.cart).toEqual([updated({ [cartAttribute]: await visitorOf(page) })])
})

/** Sets the data attributes of the script's tag, as a platform does on a product page. */
const onProduct = `const tag = document.currentScript.dataset; tag.template = 'product.story'; tag.resource = '501';`
const productsOf = (kind: string) =>
  shop
    .events()
    .filter(event => event.kind === kind)
    .map(event => event.product)

test('views and forms of a product page have its product, and no other page has one', async ({
  page,
}) => {
  await open({
    firstLine: `if (location.pathname !== '/') { ${onProduct} }`,
    pages: {
      '/': '<form action="/cart/add" method="post"><button>Add</button></form>',
      '/products/mug': product,
    },
  })
  await page.goto(`${shop.origin}/products/mug`)
  await page.click('button')
  await page.waitForURL('**/cart/add')
  await page.goto(shop.origin)
  await page.click('button')
  await page.waitForURL('**/cart/add')
  await page.goto(shop.origin)
  await expect.poll(() => productsOf('view')).toEqual(['501', undefined, undefined])
  // Beacons may arrive in another order.
  await expect.poll(() => productsOf('cart')).toEqual(['501', undefined])
})

test('an add by script has the product of the shop’s response, else the page’s; the page can still read its response', async ({
  page,
}) => {
  const answers = [
    '{"id":7,"product_id":777}',
    '{"items":[{"product_id": 778}]}',
    '{"id":9}',
    'no JSON at all',
    '{"product_id":"779"}',
  ]
  await open({
    firstLine: onProduct,
    pages: {
      '/products/mug': product,
      '/cart/add.js': (request, response) => {
        response.end(answers[Number(new URL(request.url!, shop.origin).searchParams.get('n'))])
      },
    },
  })
  await page.goto(`${shop.origin}/products/mug`)
  const read = await page.evaluate(async () => {
    const texts: string[] = []
    for (const n of [0, 1, 2, 3])
      texts.push(await (await fetch(`/cart/add.js?n=${n}`, { method: 'POST' })).text())
    texts.push(
      await new Promise(done => {
        const x = new XMLHttpRequest()
        x.open('POST', 'add.js?n=4'.replace('add', '/cart/add'))
        x.onload = () => done(x.responseText)
        x.send()
      }),
    )
    return texts
  })
  expect(read).toEqual(answers)
  await expect.poll(() => productsOf('cart').sort()).toEqual(['501', '501', '777', '778', '779'])
})

// Only a page that reads the response before leaving: otherwise the page may be gone before the
// script has read it.
test('an add whose page reads the answer and leaves is counted with its product', async ({
  page,
}) => {
  await open({
    pages: { '/products/mug': product, '/cart/add.js': '{"product_id":777}', '/next': '' },
  })
  await page.goto(`${shop.origin}/products/mug`)
  await page.evaluate(
    () =>
      void fetch('/cart/add.js', { method: 'POST' })
        .then(answer => answer.text())
        .then(() => {
          location.href = '/next'
        }),
  )
  await page.waitForURL('**/next')
  await expect.poll(() => productsOf('cart')).toEqual(['777'])
})

for (const [said, told] of [
  [undefined, undefined],
  [true, true],
  ['yes', undefined],
] as const) {
  test(`a shop with the signal ${said}: the beacon has consent ${told}`, async ({ page }) => {
    await page.addInitScript(allowed => {
      if (allowed !== undefined)
        (window as { shopPrivacy?: unknown }).shopPrivacy = { analyticsAllowed: allowed }
    }, said)
    await open({ pages: { '/': '' } })
    await page.goto(shop.origin)
    await expect.poll(() => shop.beacons.map(({ consent }) => consent)).toEqual([told])
  })
}

test('a click counts on a tested page, on something to click, by a person', async ({ page }) => {
  await open({
    tests: [everywhere],
    pages: {
      '/': '<button>Home</button>',
      '/products/mug': `<h1>Old</h1><p>Text</p><button>One</button><div id="host"></div>
    <script>host.attachShadow({ mode: 'open' }).innerHTML = '<button><span>Inside</span></button>'; addEventListener('click', event => event.stopPropagation(), true)</script>`,
    },
  })
  await page.goto(shop.origin)
  await page.click('button')
  await page.goto(`${shop.origin}/products/mug`)
  await page.click('p')
  await page.evaluate(() => document.querySelector('button')!.click())
  await expect.poll(() => kinds().filter(kind => kind === 'view').length).toBe(2)
  expect(kinds()).not.toContain('click')
  await page.click('text=Inside')
  await page.click('text=One')
  await expect
    .poll(() => shop.events().filter(event => event.kind === 'click'))
    .toMatchObject([{ path: '/products/mug', tests: [everywhere.id] }])
})

test('going to the checkout is an event', async ({ page }) => {
  await open({
    pages: {
      '/cart':
        '<a href="/checkout">Check out</a><form action="/cart" method="post"><button name="checkout">Check out</button></form>',
      '/checkout': '',
    },
  })
  await page.goto(`${shop.origin}/cart`)
  await page.click('a')
  await expect.poll(kinds).toContain('checkout')
  await page.goto(`${shop.origin}/cart`)
  await page.click('button')
  await expect.poll(() => kinds().filter(kind => kind === 'checkout').length).toBe(2)
})

test.describe('visitors who refused', () => {
  const nothing = async (page: Page) => {
    expect(await page.textContent('h1')).toBe('Old')
    expect(
      await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length]),
    ).toEqual(['', 0, 0])
    expect([shop.collector.requests, shop.beacons.length]).toEqual([0, 0])
  }
  test('by Global Privacy Control: they see the control, nothing is stored, nothing is sent', async ({
    page,
  }) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })
    })
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
    await page.addInitScript(() => {
      window.shopPrivacy = { analyticsAllowed: false }
    })
    await open({ pages: { '/products/mug': product }, tests: [everywhere] })
    await page.goto(`${shop.origin}/products/mug`)
    await nothing(page)
  })

  test('later on: stored data is deleted, and nothing more is sent', async ({ page, context }) => {
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
    expect(await page.evaluate(() => [document.cookie, localStorage.length])).toEqual([
      'cart=cart-9',
      0,
    ])
    await expect
      .poll(() => shop.cart.at(-1))
      .toBe(updated({ [cartAttribute]: '', [priceAttribute]: '' }))
    await page.click('button')
    await page.waitForURL('**/cart/add')
    expect(shop.collector.requests).toBe(requests)
    expect(shop.cart.at(-1)).not.toContain(cartAttribute)
  })

  test('in another tab: an open page makes no new visitor', async ({ page, context }) => {
    await open({ pages: { '/products/mug': product, '/': '' }, tests: [everywhere] })
    await page.goto(`${shop.origin}/products/mug`)
    await expect.poll(kinds).toEqual(['exposure', 'view'])
    const other = await context.newPage()
    await other.goto(shop.origin)
    await expect.poll(kinds).toEqual(['exposure', 'view', 'view'])
    await expect.poll(() => waitingKeys(other)).toBe(0)
    await other.evaluate(() => {
      window.shopPrivacy = { analyticsAllowed: false }
      dispatchEvent(new Event('shopprivacychange'))
    })
    const requests = shop.collector.requests
    await page.bringToFront()
    await page.evaluate(() => {
      document.querySelector('form')!.addEventListener('submit', event => event.preventDefault())
    })
    await page.click('button')
    expect(await page.evaluate(() => [document.cookie, localStorage.length])).toEqual(['', 0])
    expect(shop.collector.requests).toBe(requests)
  })

  test('while the cart is getting the visitor’s id: it is removed from the cart again', async ({
    page,
    context,
  }) => {
    const said: string[] = [],
      answers: (() => void)[] = []
    await open({
      pages: {
        '/products/mug': product,
        '/cart/update.js': (_, response, body) => {
          said.push(body)
          answers.push(() =>
            response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
          )
        },
      },
      tests: [everywhere],
    })
    await context.addCookies([{ name: 'cart', value: 'cart-9', url: shop.origin }])
    await page.goto(`${shop.origin}/products/mug`)
    await expect.poll(() => said.length).toBe(1)
    await page.evaluate(() => {
      window.shopPrivacy = { analyticsAllowed: false }
      dispatchEvent(new Event('shopprivacychange'))
    })
    await expect.poll(() => said.length).toBe(2)
    answers.forEach(answer => answer())
    await expect.poll(() => said.length).toBe(3)
    expect(said[0]).not.toBe(said[2])
    expect(said[1]).toBe(said[2])
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
  })
})
