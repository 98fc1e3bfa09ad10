import { expect, test, type Page } from '@playwright/test'
import type { ScriptTest } from '../../domain/script-config.ts'
import type {} from '../../storefront/api.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => { shop = await openShop(options) }
test.afterEach(() => shop.close())

const element: ScriptTest = { id: 'test-element-1', weights: [0, 1], pages: ['/a*'], changes: [
  { selector: 'h1', kind: 'text', name: '', value: 'New' }, { selector: 'h1', kind: 'style', name: 'color', value: 'rgb(0, 128, 0)' }, { selector: 'p', kind: 'html', name: '', value: '<b style="color: red">New</b>' },
] }
const guide: ScriptTest = { id: 'test-guide', weights: [0, 1], pages: ['/pages/guide'], to: '/pages/guide-2026' }
const pages = { '/a': '<h1>Old</h1><p>Old</p>', '/pages/guide': '<h1>Guide</h1>', '/pages/guide-2026': '<h1>Guide 2026</h1>' }
const kinds = () => shop.events().map(event => event.kind).filter(kind => kind !== 'vitals').sort()
/** Everything that reached the page's own error handlers. */
const errorsOf = async (page: Page): Promise<string[]> => {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  return errors
}

test('a shop whose policy allows only its own scripts and styles', async ({ page }) => {
  await open({ tests: [element], pages, headers: { 'content-security-policy': "default-src 'self'; connect-src *" } })
  const errors = await errorsOf(page)
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  await expect(page.locator('h1')).toHaveCSS('color', 'rgb(0, 128, 0)')
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  expect(errors).toEqual([])
})

test('a policy that forbids sending: the arm is there, and nothing reaches the page', async ({ page }) => {
  await open({ tests: [element], pages, headers: { 'content-security-policy': "default-src 'self'" } })
  const errors = await errorsOf(page)
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('_ts_e')).length)).toBe(2)
  expect(errors).toEqual([])
})

test('frozen prototypes, and page code in the way of everything we call', async ({ page }) => {
  const sabotage = `<script>for (const type of [Object, Array, Function, Map, Set, Promise, RegExp, String, Element, Node, EventTarget, XMLHttpRequest, Storage]) Object.freeze(type.prototype)
    fetch = () => { throw new Error('sabotage') }; Object.freeze(JSON)
    addEventListener('click', event => event.stopImmediatePropagation(), true); Object.freeze(window.twinshelf)</script>`
  await open({ tests: [element], pages: { '/a': `<h1>Old</h1><button>Go</button>` }, head: sabotage })
  const errors = await errorsOf(page)
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  await page.click('button')
  await expect.poll(kinds).toEqual(['click', 'exposure', 'view'])
  expect(errors).toEqual([])
})

test.describe('storage', () => {
  const block = (page: Page, ...names: string[]) => page.addInitScript(names => {
    for (const name of names) Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError') } })
  }, names)
  const blockCookies = (page: Page) => page.addInitScript(() => { Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set: () => {} }) })

  test('without it a cookie remembers: same visitor, same session, one exposure, redirect as ever', async ({ page }) => {
    await block(page, 'localStorage', 'sessionStorage')
    await open({ tests: [element, guide], pages })
    const errors = await errorsOf(page)
    await page.goto(`${shop.origin}/a`)
    await expect(page.locator('h1')).toHaveText('New')
    await page.goto(`${shop.origin}/pages/guide`)
    await expect(page.locator('h1')).toHaveText('Guide 2026')
    await page.goto(`${shop.origin}/a`)
    await expect.poll(kinds).toEqual(['exposure', 'exposure', 'view', 'view', 'view'])
    expect(new Set(shop.beacons.map(beacon => `${beacon.visitor} ${beacon.session}`)).size).toBe(1)
    expect(errors).toEqual([])
  })

  test('without any, the arm is the same throughout the page, and nobody is sent on', async ({ page }) => {
    await block(page, 'localStorage', 'sessionStorage')
    await blockCookies(page)
    await open({ tests: [element, guide], pages: { ...pages, '/a': '<h1>Old</h1><button>Go</button>' } })
    const errors = await errorsOf(page)
    await page.goto(`${shop.origin}/a`)
    await expect(page.locator('h1')).toHaveText('New')
    await page.click('button')
    await expect.poll(kinds).toEqual(['click', 'exposure', 'view'])
    expect(new Set(shop.beacons.map(beacon => `${beacon.visitor} ${beacon.session}`)).size).toBe(1)
    await page.goto(`${shop.origin}/pages/guide`)
    await expect(page.locator('h1')).toHaveText('Guide')
    expect(errors).toEqual([])
  })

  test('that is full, or holds nonsense under our names', async ({ page }) => {
    await open({ tests: [element], pages })
    const errors = await errorsOf(page)
    await page.goto(`${shop.origin}/missing`)
    await page.evaluate(() => {
      localStorage.setItem('_ts', '{"visitor":"<script>","born":"x"')
      localStorage.setItem('_ts_e.broken', 'not JSON')
      document.cookie = '_ts=%E0%A4%A'
      try { for (let i = 0; ; i++) localStorage.setItem(`fill${i}`, 'x'.repeat(i < 10 ? 500_000 : 50)) } catch { /* full */ }
    })
    await page.goto(`${shop.origin}/a`)
    await expect(page.locator('h1')).toHaveText('New')
    await expect.poll(() => kinds().filter(kind => kind === 'exposure')).toHaveLength(1)
    expect(errors).toEqual([])
  })
})

test('included twice, it runs once', async ({ page }) => {
  await open({ tests: [{ ...element, changes: [{ selector: 'h1', kind: 'insertAfter', name: '', value: '<i>New</i>' }] }], pages, head: '<script src="/assets/twinshelf.js"></script>' })
  await page.goto(`${shop.origin}/a`)
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  await expect(page.locator('i')).toHaveCount(1)
  expect(await page.evaluate(() => window.twinshelf?.version)).toBe('1')
})

test("the page's own errors and rejections stay its own; none is swallowed, none is added", async ({ page }) => {
  await open({ tests: [element], pages: { ...pages, '/a': `<h1>Old</h1><script>
    seen = []; onerror = message => { seen.push(message) }; onunhandledrejection = event => { seen.push('rejected ' + event.reason.message) }</script>
    <script>document.querySelector('h1').addEventListener('click', () => { throw new Error('from a listener') })</script><script>throw new Error('from the page')</script>`,
    '/cart/add.js': (request) => { request.socket.destroy() } } })
  await page.goto(`${shop.origin}/a`)
  await page.click('h1')
  await page.evaluate(() => { void fetch('/cart/add.js', { method: 'POST' }) })
  const seen = () => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
  await expect.poll(seen).toEqual(['Uncaught Error: from the page', 'Uncaught Error: from a listener', 'rejected Failed to fetch'])
  // What the page hands to fetch by mistake is answered as fetch answers it.
  const answers = await page.evaluate(async () => [
    await (fetch as (...args: unknown[]) => Promise<unknown>)().catch((error: Error) => error.message),
    await fetch('http://').catch((error: Error) => error.message),
  ])
  expect(answers[0]).toContain('1 argument required')
  expect(answers[1]).toContain('Failed to parse URL')
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  expect(await seen()).toHaveLength(3)
})

test('in a frame of another site nobody is counted', async ({ page }) => {
  await open({ tests: [element], pages })
  const other = await openShop({ pages: { '/': `<iframe src="${shop.origin}/a"></iframe>` } })
  await page.goto(other.origin.replace('127.0.0.1', 'localhost'))
  await expect(page.frameLocator('iframe').locator('h1')).toHaveText('Old')
  await page.goto('about:blank')
  await page.goto(`${shop.origin}/a`)
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  await other.close()
})
