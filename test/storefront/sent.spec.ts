import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { sentTests } from '../../domain/tests/redirect-chains.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { inPieces, openShop, type Handler, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

const sent = (control: string, variant: string) =>
  sentTests([{ control, variant, pages: [control] }])
const applied = sent('/pages/guide', '/pages/guide-2026')
const pages = {
  '/': '<h1>Home</h1><a href="/pages/guide">Guide</a>',
  '/pages/guide': '<h1>Guide</h1>',
  '/pages/guide-2026': '<h1>Guide 2026</h1>',
}
const events = (kind: string) => shop.events().filter(event => event.kind === kind)
const redirectsTo =
  (location: string): Handler =>
  (_, response) => {
    response.writeHead(301, { location, 'cache-control': 'no-store' }).end()
  }
/** A shop whose variant redirects back, and the number of times that the control was asked for. */
async function openLeadingBack(over: ShopOptions = {}): Promise<() => number> {
  let loads = 0
  await open({
    tests: applied,
    ...over,
    pages: {
      ...pages,
      '/pages/guide': (_, response) => {
        // Stops endless redirects after 10 loads, if the fault ever appears.
        const head = loads++ < 10 ? shop.head : ''
        response
          .writeHead(200, { 'content-type': 'text/html', ...over.headers })
          .end(`${head}<h1>Guide</h1>`)
      },
      '/pages/guide-2026': redirectsTo('/pages/guide'),
      ...over.pages,
    },
  })
  return () => loads
}
const refuses = (page: Page | BrowserContext) =>
  page.addInitScript(() => {
    window.shopPrivacy = { analyticsAllowed: false }
  })
const stored = (page: Page) =>
  page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].join())

test('everyone is sent on with query, hash and referrer, and counted for no test', async ({
  page,
}) => {
  await open({ tests: applied, pages })
  await page.goto(`${shop.origin}/pages/guide?utm_source=mail&gift=%C3%BC%20x#offers`, {
    referer: 'https://mail.example/letter',
  })
  await page.waitForURL('**/pages/guide-2026?utm_source=mail&gift=%C3%BC%20x#offers')
  expect(await page.evaluate(() => document.referrer)).toBe('https://mail.example/letter')
  await expect
    .poll(() => events('view').map(({ path }) => path))
    .toEqual(['/pages/guide-2026?utm_source=mail&gift=%C3%BC%20x'])
  expect(events('exposure')).toEqual([])
  expect(shop.beacons.map(beacon => beacon.tests)).toEqual(shop.beacons.map(() => ({})))
  expect(shop.beacons[0]).toMatchObject({ referrer: 'https://mail.example/letter' })
  // The variant's page and others are left alone.
  await page.goto(shop.origin)
  await page.click('a')
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  await page.goBack()
  expect(new URL(page.url()).pathname).toBe('/')
})

test('visitors who refuse, and who keep nothing, are sent on and nothing is stored or sent', async ({
  page,
  browser,
}) => {
  await open({ tests: applied, pages })
  await refuses(page)
  await page.goto(`${shop.origin}/pages/guide?a=1#x`)
  await page.waitForURL('**/pages/guide-2026?a=1#x')
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  expect([await stored(page), await page.evaluate(() => document.cookie)]).toEqual(['', ''])

  const context = await browser.newContext()
  await context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false })
  })
  const other = await context.newPage()
  await other.goto(`${shop.origin}/pages/guide`)
  await other.waitForURL('**/pages/guide-2026')
  await context.close()
  expect(shop.beacons.flatMap(beacon => beacon.events).map(({ path }) => path)).not.toContain(
    '/pages/guide',
  )
})

test('before consent, visitors are sent on as well', async ({ page }) => {
  await open({ tests: applied, pages, switches: { asksConsent: true } })
  await page.goto(`${shop.origin}/pages/guide`)
  await page.waitForURL('**/pages/guide-2026')
  expect(await stored(page)).toBe('')
})

for (const isRefusing of [false, true])
  test(`nothing of the first page is painted${isRefusing ? ' for visitors who refuse' : ''}`, async ({
    page,
  }) => {
    await open({
      tests: applied,
      head: `<script>(function look() { const h1 = document.querySelector('h1'); if (h1?.textContent) window.name += h1.textContent + ' ' + (h1.getClientRects().length ? 'seen' : 'hidden') + ','; requestAnimationFrame(look) })()</script>`,
      pages: {
        ...pages,
        '/pages/guide': inPieces(() => shop, ['<body><h1>Guide</h1>', '<p>1</p>', '<p>2</p>'], 60),
        '/pages/guide-2026': async (_, response) => {
          await new Promise(resolve => {
            setTimeout(resolve, 600)
          })
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(`${shop.head}<body><h1>Guide 2026</h1>`)
        },
      },
    })
    if (isRefusing) await refuses(page)
    await page.goto(`${shop.origin}/pages/guide`)
    await expect(page.locator('h1')).toHaveText('Guide 2026')
    const frames = async () =>
      [...new Set((await page.evaluate(() => window.name)).split(','))].filter(frame =>
        frame.endsWith('seen'),
      )
    await expect.poll(frames).toEqual(['Guide 2026 seen'])
  })

for (const [what, over] of [
  ['', {}],
  [', also without referrers', { headers: { 'referrer-policy': 'no-referrer' } }],
] as [string, ShopOptions][]) {
  test(`a shop that leads back makes no circle${what}`, async ({ page }) => {
    const loads = await openLeadingBack(over)
    await page.goto(`${shop.origin}/pages/guide`)
    await expect(page.locator('h1')).toBeVisible()
    await expect.poll(() => events('view').map(({ path }) => path)).toEqual(['/pages/guide'])
    expect(loads()).toBe(2)
  })
  test(`nor for visitors who refuse${what}`, async ({ page }) => {
    const loads = await openLeadingBack(over)
    await refuses(page)
    await page.goto(`${shop.origin}/pages/guide`)
    await expect(page.locator('h1')).toBeVisible()
    expect(loads()).toBe(2)
  })
}

test('two applied redirects and the shop’s own make no circle for visitors who refuse', async ({
  page,
}) => {
  const loads = await openLeadingBack({
    tests: [...applied, ...sent('/pages/other', '/pages/other-2026')],
    pages: {
      '/pages/guide-2026': redirectsTo('/pages/other'),
      '/pages/other': '<h1>Other</h1>',
      '/pages/other-2026': redirectsTo('/pages/guide'),
    },
  })
  await refuses(page)
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toHaveText('Other')
  expect(loads()).toBe(1)
})

test('a running test that leads back to the page makes no circle', async ({ page }) => {
  const back: ScriptTest = {
    id: 'test-back',
    weights: [0, 1],
    pages: ['/pages/guide-2026'],
    to: '/pages/guide',
  }
  const loads = await openLeadingBack({
    tests: [...applied, back],
    pages: { '/pages/guide-2026': pages['/pages/guide-2026'] },
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  expect(loads()).toBe(1)
  // The test's own visitors are led to the page, and stay there.
  await page.goto(`${shop.origin}/pages/guide-2026`)
  await expect(page.locator('h1')).toHaveText('Guide')
  expect(loads()).toBe(2)
})

test('nobody is sent to another host, and no page to itself', async ({ page }) => {
  await open({
    tests: [
      ...sent('/pages/guide', 'https://elsewhere.example/x'),
      { ...applied[0]!, pages: ['/'], sent: '/?a=1' },
    ],
    pages,
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toHaveText('Guide')
  await page.goto(`${shop.origin}/?a=2`)
  await expect(page.locator('h1')).toHaveText('Home')
  expect(new URL(page.url()).search).toBe('?a=2')
})

test('a preview, and a page in a frame of another site, stay where they are', async ({ page }) => {
  await open({
    tests: applied,
    pages,
    previewing: { arm: 0, title: 'Guide', armTitles: ['Old', 'New'] },
  })
  await page.goto(`${shop.origin}/pages/guide?twinshelf_preview=good`)
  await expect(page.locator('h1')).toHaveText('Guide')
  await page.evaluate(() => {
    window.name = ''
  })
  const other = await openShop({
    pages: { '/': `<iframe src="${shop.origin}/pages/guide"></iframe>` },
  })
  for (const isRefusing of [false, true]) {
    if (isRefusing) await refuses(page)
    await page.goto(other.origin)
    await expect(page.frameLocator('iframe').locator('h1')).toHaveText('Guide')
  }
  await other.close()
})
