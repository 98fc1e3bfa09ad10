import { expect } from '@playwright/test'
import { stage } from '../../domain/events/event.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Shop, type ShopOptions } from '../storefront/shop.ts'
import { story } from './browsers.ts'
import type { Tab } from './tab.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
story.afterEach(() => shop.close())

const everything = stage.assigned | stage.applied | stage.exposed
const element: ScriptTest = {
  id: 'test-element-1',
  weights: [0, 1],
  pages: ['*'],
  changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }],
}
const kinds = () => shop.events().map(({ kind }) => kind)
const heading = (tab: Tab) => tab.text('h1')
const stored = (tab: Tab) =>
  tab.evaluate(
    () =>
      JSON.parse(localStorage.getItem('_ts') ?? 'null') as {
        visitor: string
        tests: Record<string, [number, number]>
      } | null,
  )

story('arms: the variant is on the page, and the visitor keeps it', async ({ visitor }) => {
  await open({
    tests: [
      { ...element, weights: [0.5, 0.5] },
      {
        ...element,
        id: 'test-element-2',
        changes: [{ selector: 'p', kind: 'text', name: '', value: 'Changed' }],
      },
    ],
    pages: { '/': '<h1>Old</h1><p>Text</p>', '/b': '<h1>Old</h1><p>Text</p>' },
  })
  await visitor.goto(shop.origin)
  const first = await heading(visitor)
  expect(await visitor.text('p')).toBe('Changed')
  await expect.poll(kinds).toContain('view')
  const known = (await stored(visitor))!
  expect(first).toBe(known.tests[element.id]![0] === 1 ? 'New' : 'Old')
  await visitor.goto(`${shop.origin}/b`)
  expect([await heading(visitor), await visitor.text('p')]).toEqual([first, 'Changed'])
  await expect
    .poll(async () => (await stored(visitor))?.tests['test-element-2'])
    .toEqual([1, everything])
  await visitor.goto('about:blank')
  // The stages in the browser's storage equal those in the beacons: no stage is lost.
  await expect.poll(() => shop.beacons.at(-1)?.tests['test-element-2']).toEqual([1, everything])
  expect(
    shop
      .events()
      .filter(({ kind }) => kind === 'exposure')
      .map(({ tests }) => tests![0])
      .sort(),
  ).toEqual([element.id, 'test-element-2'])
  expect(new Set(shop.beacons.map(beacon => beacon.visitor))).toEqual(new Set([known.visitor]))
})

story(
  'redirect: the visitor arrives with query and hash, and is counted once',
  async ({ visitor }) => {
    const guide: ScriptTest = {
      id: 'test-guide',
      weights: [0, 1],
      pages: ['/pages/guide'],
      to: '/pages/guide-2026',
    }
    await open({
      tests: [guide],
      pages: {
        '/': '<h1>Home</h1><a href="/pages/guide?utm_source=mail#offers">Guide</a>',
        '/pages/guide': '<h1>Guide</h1>',
        '/pages/guide-2026': '<h1>Guide 2026</h1>',
      },
    })
    await visitor.goto(shop.origin)
    await visitor.click({ role: 'link', name: 'Guide' })
    await expect.poll(() => heading(visitor)).toBe('Guide 2026')
    expect(await visitor.url()).toBe(`${shop.origin}/pages/guide-2026?utm_source=mail#offers`)
    await expect
      .poll(() =>
        shop
          .events()
          .filter(({ kind }) => kind === 'view')
          .map(({ path }) => path),
      )
      .toEqual(['/', '/pages/guide-2026?utm_source=mail'])
    await expect.poll(() => kinds().filter(kind => kind === 'exposure')).toHaveLength(1)
    expect(shop.beacons.at(-1)!.tests[guide.id]).toEqual([1, everything])
    await visitor.back()
    await expect.poll(() => heading(visitor)).toBe('Home')
  },
)

story(
  'prices: the arm’s price is on the page, also after another product variant is chosen',
  async ({ visitor }) => {
    const price: ScriptTest = {
      id: 'test-price-1',
      weights: [0, 1],
      pages: ['*'],
      prices: {
        mug: [
          ['1', 5000, 4500],
          ['2', 106_000, 105_500],
        ],
      },
    }
    await open({
      tests: [price],
      pages: {
        '/products/mug': `<main><h1>Mug</h1><p>$50.00</p><form action="/cart/add"><input name="id" value="1" type="hidden"><button>Add to cart · $50.00</button></form>
    <button id="large" type="button">Large</button><script>document.querySelector('#large').onclick = () => { document.querySelector('p').textContent = '$1,060.00' }</script></main>`,
      },
    })
    await visitor.goto(`${shop.origin}/products/mug`)
    await expect.poll(() => visitor.text('p')).toBe('$45.00')
    expect(await visitor.text('form button')).toBe('Add to cart · $45.00')
    await visitor.click({ role: 'button', name: 'Large' })
    await expect.poll(() => visitor.text('p')).toBe('$1,055.00')
  },
)

story('events: view, click, add to cart and checkout arrive, each once', async ({ visitor }) => {
  await open({
    tests: [element],
    pages: {
      '/products/mug':
        '<h1>Old</h1><form action="/cart/add" method="post"><input name="id" value="1" type="hidden"><button>Add to cart</button></form>',
      '/cart/add': '<a href="/cart">Cart</a>',
      '/cart': '<a href="/checkout">Check out</a>',
      '/checkout': '',
    },
  })
  await visitor.goto(`${shop.origin}/products/mug`)
  await visitor.click({ role: 'button', name: 'Add to cart' })
  await visitor.click({ role: 'link', name: 'Cart' })
  await visitor.click({ role: 'link', name: 'Check out' })
  await expect.poll(() => visitor.url()).toBe(`${shop.origin}/checkout`)
  await visitor.goto('about:blank')
  await expect
    .poll(() =>
      kinds()
        .filter(kind => ['cart', 'checkout', 'exposure'].includes(kind))
        .sort(),
    )
    .toEqual(['cart', 'checkout', 'exposure'])
  await expect.poll(() => kinds().filter(kind => kind === 'view').length).toBe(4)
  expect(kinds()).toContain('click')
})

story(
  'speed: a browser that measures it sends it, and any other sends no such event',
  async ({ visitor }) => {
    await open({ tests: [element], pages: { '/': '<h1>Old</h1>', '/b': '<h1>Old</h1>' } })
    await visitor.goto(shop.origin)
    const measured = await visitor.evaluate(() =>
      PerformanceObserver.supportedEntryTypes.includes('largest-contentful-paint'),
    )
    if (measured)
      await visitor.evaluate(
        () =>
          new Promise<void>(done => {
            new PerformanceObserver(() => done()).observe({
              type: 'largest-contentful-paint',
              buffered: true,
            })
          }),
      )
    await visitor.goto(`${shop.origin}/b`)
    await expect.poll(() => kinds().filter(kind => kind === 'view').length).toBe(2)
    if (measured)
      await expect
        .poll(() => shop.events().find(({ kind }) => kind === 'vitals')?.vitals?.lcp)
        .toBeGreaterThan(0)
    else expect(kinds()).not.toContain('vitals')
  },
)

story(
  'consent: a visitor who refuses sees the control, nothing is stored or sent',
  async ({ visitor }) => {
    const refused = '<script>shopPrivacy = { analyticsAllowed: false }</script>'
    await open({
      tests: [element],
      firstLine:
        "if (location.pathname === '/refused') window.shopPrivacy = { analyticsAllowed: false };",
      pages: { '/refused': `${refused}<h1>Old</h1>`, '/': '<h1>Old</h1>' },
    })
    await visitor.goto(`${shop.origin}/refused`)
    expect(await heading(visitor)).toBe('Old')
    const kept = () =>
      visitor.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length])
    expect([await kept(), shop.collector.requests]).toEqual([['', 0, 0], 0])
    await visitor.goto(shop.origin)
    expect(await heading(visitor)).toBe('New')
    await expect.poll(kinds).toContain('view')
    await visitor.evaluate(() => {
      ;(window as { shopPrivacy?: object }).shopPrivacy = { analyticsAllowed: false }
      dispatchEvent(new Event('shopprivacychange'))
    })
    expect(await kept()).toEqual(['', 0, 0])
  },
)
