import { expect, test, type Page } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Shop } from './shop.ts'

let shop: Shop
test.afterEach(() => shop.close())

const element: ScriptTest = {
  id: 'test-element-1',
  weights: [0.5, 0.5],
  pages: ['/a', '/b'],
  changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }],
}
const guide: ScriptTest = {
  id: 'test-guide',
  weights: [0, 1],
  pages: ['/pages/guide'],
  to: '/pages/guide-2026',
}

/**
 * Records each use of storage and of cookies, and whether a frame had been drawn by then. It lists
 * what ran before the first frame when the page asks for `early`.
 */
const watchStorage = `(() => {
  const early = window.early = []
  let isDrawn = false
  const drawn = () => { isDrawn = true }
  const note = what => { if (!isDrawn) early.push(what) }
  // Runs in the first frame, after every callback that asked for that frame before.
  addEventListener('DOMContentLoaded', () => requestAnimationFrame(drawn))
  const store = localStorage
  const lasting = new Proxy({}, {
    get: (_, key) => { note('read ' + key); return store[key] },
    set: (_, key, value) => { note('write ' + key); store[key] = value; return true },
    deleteProperty: (_, key) => { note('delete ' + key); return delete store[key] },
    ownKeys: () => { note('list'); return Object.keys(store) },
    getOwnPropertyDescriptor: (_, key) => Object.getOwnPropertyDescriptor(store, key),
  })
  Object.defineProperty(window, 'localStorage', { get: () => lasting })
  const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')
  Object.defineProperty(document, 'cookie', {
    get: () => { note('read cookie'); return get.call(document) },
    set: value => { note('write cookie'); set.call(document, value) },
  })
})();\n`
const early = (page: Page) => page.evaluate(() => (window as unknown as { early: string[] }).early)
const isStored = (page: Page) =>
  page.waitForFunction(() => document.cookie.includes('_ts=') && localStorage['_ts'])

test('before the first paint a known visitor costs one read of storage, a new one also reads the cookie; nothing is written', async ({
  page,
}) => {
  shop = await openShop({
    tests: [element, guide],
    pages: { '/a': '<h1>Old</h1>' },
    firstLine: watchStorage,
  })
  await page.goto(`${shop.origin}/a`)
  await isStored(page)
  expect(await early(page)).toEqual(['read _ts', 'read cookie'])
  await page.goto(`${shop.origin}/a`)
  await isStored(page)
  expect(await early(page)).toEqual(['read _ts'])
})

test('a visitor who leaves the page within 50 ms keeps the arm and the events', async ({
  browser,
}) => {
  // The page reports its arm in its title, and leaves long before anything was counted.
  const leaving = (delay: number) =>
    `<h1>Old</h1><script>name += document.querySelector('h1').textContent + ' '; setTimeout(() => { location.href = '/b' }, ${delay})</script>`
  for (const delay of [0, 20, 50]) {
    shop = await openShop({
      tests: [element],
      pages: {
        '/a': leaving(delay),
        '/b': `<h1>Old</h1><script>name += document.querySelector('h1').textContent</script>`,
      },
    })
    const counted = (kind: string) => shop.events().filter(event => event.kind === kind)
    for (let i = 0; i < 4; i++) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`${shop.origin}/a`, { waitUntil: 'commit' })
      await page.waitForURL('**/b')
      const [first, second] = (await page.evaluate(() => window.name)).split(' ')
      expect(second, `after ${delay} ms`).toBe(first)
      await expect.poll(() => counted('view').length).toBe(2 * i + 2)
      await context.close()
    }
    expect(counted('exposure').length).toBe(4)
    expect(new Set(shop.beacons.map(({ visitor }) => visitor)).size).toBe(4)
    for (const { visitor } of shop.beacons) {
      const arms = shop.beacons
        .filter(beacon => beacon.visitor === visitor)
        .map(({ tests }) => tests[element.id]![0])
      expect(new Set(arms).size).toBe(1)
    }
    await shop.close()
  }
  shop = await openShop({})
})

test('a redirect stores the visitor before it leaves, so the next page knows the arm', async ({
  page,
}) => {
  shop = await openShop({
    tests: [guide],
    pages: { '/pages/guide': '<h1>Guide</h1>', '/pages/guide-2026': '<h1>Guide 2026</h1>' },
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await page.waitForURL('**/pages/guide-2026')
  await expect
    .poll(() =>
      shop
        .events()
        .map(event => event.kind)
        .sort(),
    )
    .toEqual(['exposure', 'view'])
  expect(new Set(shop.beacons.map(({ visitor }) => visitor)).size).toBe(1)
})
