import { expect, test, type Page } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

const price: ScriptTest = {
  id: 'test-price-1',
  weights: [0, 1],
  pages: ['*'],
  prices: { mug: [['1', 5000, 4500]] },
}
const form =
  '<form action="/cart/add"><input name="id" value="1" type="hidden"><button>Add to cart · $50.00</button></form>'
const promises = [
  '<div class="bar">Free shipping over $50.00</div><header><p>Gift cards from $50</p><a href="/">Home</a></header>',
  '<footer>Returns over $50 are free</footer>',
]
const textOf = async (page: Page, path: string) => {
  await page.goto(`${shop.origin}${path}`)
  await page.waitForLoadState('load')
  return (await page.innerText('body')).replace(/\s+/g, ' ').trim()
}

test('only the product’s prices are replaced; the same amount in texts around the product stays', async ({
  page,
}) => {
  const product = `<article><header><h1>Mug</h1><p class="price">$50.00</p></header>${form}</article>`,
    bar = '<div class="sticky">Mug $50.00</div>'
  await open({
    tests: [price],
    pages: {
      '/products/mug': `<div id="page">${promises[0]}<main>${product}</main>${promises[1]}${bar}</div>`,
      '/products/mug/plain': `${promises[0]}${product}${promises[1]}`,
    },
  })
  const kept = 'Free shipping over $50.00 Gift cards from $50 Home',
    shown = 'Mug $45.00 Add to cart · $45.00',
    foot = 'Returns over $50 are free'
  expect(await textOf(page, '/products/mug')).toBe(`${kept} ${shown} ${foot} Mug $45.00`)
  // A theme without a main element.
  expect(await textOf(page, '/products/mug/plain')).toBe(`${kept} ${shown} ${foot}`)
})

test('the script looks for the product only around numbers that may be prices, on a page with many numbers', async ({
  page,
}) => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `<li>Size ${n} of 7</li>`).join('')
  await open({
    tests: [price],
    pages: {
      '/products/mug': `<main><ul>${rows}</ul><p class="price">$50.00</p>${form}</main>`,
    },
    firstLine:
      'var asked = 0; { const all = Element.prototype.querySelectorAll; Element.prototype.querySelectorAll = function (...names) { asked++; return all.apply(this, names) } };',
  })
  await page.goto(`${shop.origin}/products/mug`)
  await expect(page.locator('.price')).toHaveText('$45.00')
  await page.waitForLoadState('load')
  expect(await page.evaluate('asked')).toBeLessThan(100)
})

test('prices follow a choice at once, even when the script’s time is used up', async ({ page }) => {
  await open({
    tests: [
      {
        ...price,
        prices: {
          mug: [
            ['1', 5000, 4500],
            ['2', 6000, 5500],
          ],
        },
      },
    ],
    // Simulates a slow machine: each call of performance.now() is 30 ms later.
    firstLine: '{ let now = 0; performance.now = () => now += 30 }',
    pages: {
      '/products/mug': `<main><h1>Mug</h1>${form}<p>$50.00</p><select onchange="document.querySelector('p').textContent = '$' + this.value + '.00'"><option value="50">Small</option><option value="60">Large</option></select></main>
      <script>frames = []; (function look() { frames.push(document.querySelector('p').textContent); requestAnimationFrame(look) })()</script>`,
    },
  })
  await page.goto(`${shop.origin}/products/mug`)
  await page.evaluate(() => {
    document.querySelector('h1')!.textContent = 'A mug'
  })
  await page.evaluate(() => {
    document.querySelector('h1')!.textContent = 'Mug'
  })
  await page.selectOption('select', 'Large')
  await expect(page.locator('p')).toHaveText('$55.00')
  await expect
    .poll(async () => [...new Set((await page.evaluate('frames')) as string[])])
    .toEqual(['$45.00', '$55.00'])
})

test('the last prices of a page never show control’s price while a deferred script is still loading', async ({
  page,
}) => {
  await open({
    tests: [price],
    // Simulates a slow machine: the script's time is used up before the last part of the page
    // arrives.
    firstLine: '{ let now = 0; performance.now = () => now += 30 }',
    pages: {
      '/products/mug': async (_, response) => {
        const frames = `<script>frames = []; (function look() { frames.push(document.querySelector('p')?.textContent); requestAnimationFrame(look) })()</script>`
        const last = '<p>$50.00</p></main>',
          pieces = [
            `${shop.head}${frames}<script src="/slow.js" defer></script><body><main><h1>Mug</h1>${form}`,
            '<h2>Stoneware</h2>',
            '<h2>Hand made</h2>',
          ]
        // With content-length the browser ends the page as soon as its last part arrives.
        response.writeHead(200, {
          'content-type': 'text/html',
          'content-length': [...pieces, last].join('').length,
        })
        for (const piece of pieces) {
          response.write(piece)
          await new Promise(resolve => {
            setTimeout(resolve, 60)
          })
        }
        response.end(last)
      },
      '/slow.js': (_, response) => {
        setTimeout(() => response.writeHead(200, { 'content-type': 'text/javascript' }).end(), 500)
      },
    },
  })
  await page.goto(`${shop.origin}/products/mug`)
  await expect(page.locator('p')).toHaveText('$45.00')
  expect(
    [...new Set((await page.evaluate('frames')) as (string | null)[])].filter(Boolean),
  ).toEqual(['$45.00'])
})

test('prices still work on a page with an invalid address in a link', async ({ page }) => {
  const stray = '<p>Sale $20 <a href="/products/50%-off">Sale</a></p>'
  await open({
    tests: [price],
    pages: {
      '/products/mug': `${stray}<main><h1>Mug</h1>${stray}<p>$50.00</p>${form}</main>`,
      '/collections/all': `<div>${stray}</div><div class="card"><a href="/products/mug">Mug</a> <span>$50.00</span></div>`,
      '/products/50%-off': '<main><h1>Sale</h1><p>$50.00</p></main>',
    },
  })
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  expect(await textOf(page, '/products/mug')).toBe(
    'Sale $20 Sale Mug Sale $20 Sale $45.00 Add to cart · $45.00',
  )
  expect(await textOf(page, '/collections/all')).toBe('Sale $20 Sale Mug $45.00')
  expect(await textOf(page, '/products/50%-off')).toBe('Sale $50.00')
  await expect.poll(() => shop.events().filter(event => event.kind === 'view').length).toBe(3)
  expect(errors).toEqual([])
})
