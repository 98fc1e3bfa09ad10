import { expect, test, type Page } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type {} from '../../storefront/api.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

const element: ScriptTest = {
  id: 'test-element-1',
  weights: [0, 1],
  pages: ['/a*'],
  changes: [
    { selector: 'h1', kind: 'text', name: '', value: 'New' },
    { selector: 'h1', kind: 'style', name: 'color', value: 'rgb(0, 128, 0)' },
    { selector: 'p', kind: 'html', name: '', value: '<b style="color: red">New</b>' },
  ],
}
const guide: ScriptTest = {
  id: 'test-guide',
  weights: [0, 1],
  pages: ['/pages/guide'],
  to: '/pages/guide-2026',
}
const pages = {
  '/a': '<h1>Old</h1><p>Old</p>',
  '/pages/guide': '<h1>Guide</h1>',
  '/pages/guide-2026': '<h1>Guide 2026</h1>',
}
const kinds = () =>
  shop
    .events()
    .map(event => event.kind)
    .filter(kind => kind !== 'vitals')
    .sort()
/** Collects the errors that reach the page. */
const errorsOf = async (page: Page): Promise<string[]> => {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  return errors
}

test('a shop whose policy allows only its own scripts and styles', async ({ page }) => {
  await open({
    tests: [element],
    pages,
    headers: { 'content-security-policy': "default-src 'self'; connect-src *" },
  })
  const errors = await errorsOf(page)
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  await expect(page.locator('h1')).toHaveCSS('color', 'rgb(0, 128, 0)')
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  expect(errors).toEqual([])
})

test('a policy that forbids sending: the arm is shown, and the page gets no error', async ({
  page,
}) => {
  await open({
    tests: [element],
    pages,
    headers: { 'content-security-policy': "default-src 'self'" },
  })
  const errors = await errorsOf(page)
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  await expect
    .poll(() =>
      page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('_ts_e')).length),
    )
    .toBe(2)
  expect(errors).toEqual([])
})

test('frozen prototypes, and page code that breaks every function we call', async ({ page }) => {
  const sabotage = `<script>for (const type of [Object, Array, Function, Map, Set, Promise, RegExp, String, Element, Node, EventTarget, XMLHttpRequest, Storage]) Object.freeze(type.prototype)
    fetch = () => { throw new Error('sabotage') }; Object.freeze(JSON)
    addEventListener('click', event => event.stopImmediatePropagation(), true); Object.freeze(window.twinshelf)</script>`
  await open({
    tests: [element],
    pages: { '/a': `<h1>Old</h1><button>Go</button>` },
    head: sabotage,
  })
  const errors = await errorsOf(page)
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  await page.click('button')
  await expect.poll(kinds).toEqual(['click', 'exposure', 'view'])
  expect(errors).toEqual([])
})

test('no change reaches an element that holds code or makes one in two steps', async ({ page }) => {
  const change = (
    selector: string,
    kind: 'attribute' | 'text' | 'html' | 'remove',
    value: string,
    name = '',
  ) => ({ selector, kind, value, name })
  const changes = [
    change('[type="application/ld+json"]', 'attribute', 'text/javascript', 'type'),
    change('[type="text/javascript"]', 'text', 'ran = 1'),
    change('#data', 'text', 'ran = 2'),
    change('#sheet', 'text', 'h1 { color: red }'),
    change('#frame', 'attribute', '/b', 'src'),
    change('#turn', 'attribute', '#b', 'to'),
    change('#sound', 'attribute', '/b', 'src'),
    change('#part', 'remove', ''),
    change('img', 'attribute', '/b', 'src'),
    change('h1', 'text', 'New'),
  ]
  const body = `<h1>Old</h1><img alt=""><script id="data" type="application/ld+json">{}</script><style id="sheet">h1 {}</style><iframe id="frame"></iframe>
    <svg><a><set id="turn" attributeName="href" to="#a"/></a></svg><audio id="sound"></audio><object id="part"></object>`
  await open({ tests: [{ ...element, changes }], pages: { '/a': body } })
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  await expect(page.locator('img')).toHaveAttribute('src', '/b')
  expect(
    await page.evaluate(() =>
      [...document.querySelectorAll('[id]')].map(({ id, textContent, attributes }) =>
        [id, textContent, ...[...attributes].map(({ name, value }) => `${name}=${value}`).slice(1)]
          .join(' ')
          .trim(),
      ),
    ),
  ).toEqual([
    'data {} type=application/ld+json',
    'sheet h1 {}',
    'frame',
    'turn  attributeName=href to=#a',
    'sound',
    'part',
  ])
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
})

test('the script soon stops looking for a slow selector', async ({ page }) => {
  // Simulates a selector with much backtracking: one look takes 0.4 s.
  const slow = `<script>looks = 0; { const { querySelectorAll } = document; document.querySelectorAll = selector => {
    if (selector === '.slow') for (const end = performance.now() + 400 + 0 * looks++; performance.now() < end;);
    return querySelectorAll.call(document, selector) } }</script>`
  await open({
    tests: [{ ...element, changes: [{ selector: '.slow', kind: 'text', name: '', value: 'New' }] }],
    pages: { '/a': '<h1>Old</h1><button>Go</button>' },
    head: '',
    firstLine: slow.replace(/<\/?script>/g, ''),
  })
  await page.goto(`${shop.origin}/a`)
  for (let i = 0; i < 6; i++)
    await page.evaluate(
      i =>
        new Promise(resolve => {
          document.querySelector('h1')!.textContent = `Old ${i}`
          setTimeout(resolve)
        }),
      i,
    )
  expect(
    await page.evaluate('looks'),
    'one look when the script runs and one when the page is loaded',
  ).toBe(2)
  await page.click('button')
  for (let i = 0; i < 6; i++)
    await page.evaluate(
      i =>
        new Promise(resolve => {
          document.querySelector('h1')!.textContent = `New ${i}`
          setTimeout(resolve)
        }),
      i,
    )
  expect(await page.evaluate('looks'), 'one more look after a click').toBe(3)
})

test.describe('storage', () => {
  const block = (page: Page, ...names: string[]) =>
    page.addInitScript(names => {
      for (const name of names)
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('blocked', 'SecurityError')
          },
        })
    }, names)
  const blockCookies = (page: Page) =>
    page.addInitScript(() => {
      Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set: () => {} })
    })

  test('without it a cookie remembers: same visitor, same session, one exposure, redirects work', async ({
    page,
  }) => {
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

  test('without any storage the arm is the same on the whole page, and nobody is redirected', async ({
    page,
  }) => {
    await block(page, 'localStorage', 'sessionStorage')
    await blockCookies(page)
    await open({
      tests: [element, guide],
      pages: { ...pages, '/a': '<h1>Old</h1><button>Go</button>' },
    })
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

  test('that is full or has nonsense under our names', async ({ page }) => {
    await open({ tests: [element], pages })
    const errors = await errorsOf(page)
    await page.goto(`${shop.origin}/missing`)
    await page.evaluate(() => {
      localStorage.setItem('_ts', '{"visitor":"<script>","born":"x"')
      localStorage.setItem('_ts_e.broken', 'not JSON')
      document.cookie = '_ts=%E0%A4%A'
      try {
        for (let i = 0; ; i++) localStorage.setItem(`fill${i}`, 'x'.repeat(i < 10 ? 500_000 : 50))
      } catch {
        /* the storage is full */
      }
    })
    await page.goto(`${shop.origin}/a`)
    await expect(page.locator('h1')).toHaveText('New')
    await expect.poll(() => kinds().filter(kind => kind === 'exposure')).toHaveLength(1)
    expect(errors).toEqual([])
  })
})

test('a theme that changes pages by script keeps a page’s changes to that page', async ({
  page,
}) => {
  await open({ tests: [element], pages })
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  /**
   * Goes to a new page by script. Returns the text of its heading in a task after the script's
   * observer ran.
   */
  const goOn = (path: string) =>
    page.evaluate(async path => {
      history.pushState(null, '', path)
      document.body.innerHTML = '<h1>Old</h1>'
      await new Promise(resolve => {
        setTimeout(resolve)
      })
      return document.querySelector('h1')!.textContent
    }, path)
  expect(await goOn('/b')).toBe('Old')
  expect(await goOn('/a?variant=7')).toBe('New')
})

test('included twice, it runs once', async ({ page }) => {
  await open({
    tests: [
      {
        ...element,
        changes: [{ selector: 'h1', kind: 'insertAfter', name: '', value: '<i>New</i>' }],
      },
    ],
    pages,
    head: '<script src="/assets/twinshelf.js"></script>',
  })
  await page.goto(`${shop.origin}/a`)
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  await expect(page.locator('i')).toHaveCount(1)
  expect(await page.evaluate(() => window.twinshelf?.version)).toBe('1')
})

test("the page's own errors and rejections stay: none is swallowed, none is added", async ({
  page,
}) => {
  await open({
    tests: [element],
    pages: {
      ...pages,
      '/a': `<h1>Old</h1><script>
    seen = []; onerror = message => { seen.push(message) }; onunhandledrejection = event => { seen.push('rejected ' + event.reason.message) }</script>
    <script>document.querySelector('h1').addEventListener('click', () => { throw new Error('from a listener') })</script><script>throw new Error('from the page')</script>`,
      '/cart/add.js': request => {
        request.socket.destroy()
      },
    },
  })
  await page.goto(`${shop.origin}/a`)
  await page.click('h1')
  await page.evaluate(() => {
    void fetch('/cart/add.js', { method: 'POST' })
  })
  const seen = () => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
  await expect
    .poll(seen)
    .toEqual([
      'Uncaught Error: from the page',
      'Uncaught Error: from a listener',
      'rejected Failed to fetch',
    ])
  // Wrong arguments to fetch get the same answer as from the browser's fetch.
  const answers = await page.evaluate(async () => [
    await (fetch as (...args: unknown[]) => Promise<unknown>)().catch(
      (error: Error) => error.message,
    ),
    await fetch('http://').catch((error: Error) => error.message),
  ])
  expect(answers[0]).toContain('1 argument required')
  expect(answers[1]).toContain('Failed to parse URL')
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  expect(await seen()).toHaveLength(3)
})

test('in a frame on another site nobody is counted', async ({ page }) => {
  await open({ tests: [element], pages })
  const other = await openShop({ pages: { '/': `<iframe src="${shop.origin}/a"></iframe>` } })
  await page.goto(other.origin.replace('127.0.0.1', 'localhost'))
  await expect(page.frameLocator('iframe').locator('h1')).toHaveText('Old')
  await page.goto('about:blank')
  await page.goto(`${shop.origin}/a`)
  await expect.poll(kinds).toEqual(['exposure', 'view'])
  await other.close()
})
