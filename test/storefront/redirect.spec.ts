import { expect, test } from '@playwright/test'
import { assign } from '../../domain/tests/assignment.ts'
import { stage } from '../../domain/events/event.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { inPieces, openShop, type Handler, type Shop, type ShopOptions } from './shop.ts'
import { slowness } from '../slowness.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

const guide: ScriptTest = {
  id: 'test-guide',
  weights: [0, 1],
  pages: ['/pages/guide'],
  to: '/pages/guide-2026',
}
const pages = {
  '/': '<h1>Home</h1><a href="/pages/guide">Guide</a>',
  '/pages/guide': '<h1>Guide</h1>',
  '/pages/guide-2026': '<h1>Guide 2026</h1>',
}
const exposures = () => shop.events().filter(event => event.kind === 'exposure')
const views = () =>
  shop
    .events()
    .filter(event => event.kind === 'view')
    .map(event => event.path)

test('a redirect keeps query, hash and referrer, and the view counts for the target page', async ({
  page,
}) => {
  await open({ tests: [guide], pages })
  await page.goto(`${shop.origin}/pages/guide?utm_source=mail&gift=%C3%BC%20x#offers`, {
    referer: 'https://mail.example/letter',
  })
  await page.waitForURL('**/pages/guide-2026*')
  expect(page.url()).toBe(`${shop.origin}/pages/guide-2026?utm_source=mail&gift=%C3%BC%20x#offers`)
  expect(await page.evaluate(() => document.referrer)).toBe('https://mail.example/letter')
  await expect.poll(views).toEqual(['/pages/guide-2026?utm_source=mail&gift=%C3%BC%20x'])
  await expect
    .poll(exposures)
    .toMatchObject([{ path: '/pages/guide?utm_source=mail&gift=%C3%BC%20x', tests: [guide.id] }])
  // Two beacons, one from each page, in any order.
  const last = shop.beacons.find(beacon => beacon.events.some(event => event.kind === 'view'))!
  expect(last).toMatchObject({
    landing: '/pages/guide?utm_source=mail&gift=%C3%BC%20x',
    referrer: 'https://mail.example/letter',
    isNew: true,
  })
  expect(last.tests[guide.id]).toEqual([1, stage.assigned | stage.applied | stage.exposed])
})

test('a redirect paints nothing of the first page, even when the next one is slow', async ({
  page,
}) => {
  await open({
    tests: [guide],
    // Stores the text that each frame would paint in localStorage, which survives the page. A
    // heading may be parsed before its text.
    head: `<script>(function look() { const h1 = document.querySelector('h1'); if (h1?.textContent) localStorage.setItem('frame ' + h1.textContent + ' ' + (h1.getClientRects().length ? 'seen' : 'hidden'), ''); requestAnimationFrame(look) })()</script>`,
    pages: {
      ...pages,
      '/pages/guide': inPieces(() => shop, ['<body><h1>Guide</h1>', '<p>1</p>', '<p>2</p>'], 60),
      '/pages/guide-2026': async (_, response) => {
        await new Promise(resolve => {
          setTimeout(resolve, 800)
        })
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`${shop.head}<body><h1>Guide 2026</h1>`)
      },
    },
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  const frames = () =>
    page.evaluate(() => Object.keys(localStorage).filter(key => key.endsWith('seen')))
  await expect.poll(frames).toEqual(['frame Guide 2026 seen'])
})

test('the exposure arrives even when the variant is a page without the script', async ({
  page,
}) => {
  await open({
    tests: [guide],
    pages: {
      ...pages,
      '/pages/guide-2026': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Guide 2026</h1>')
      },
    },
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  await expect.poll(() => exposures().length).toBe(1)
})

test('going back leads to the page before, and going forward to the variant again', async ({
  page,
}) => {
  await open({ tests: [guide], pages })
  await page.goto(shop.origin)
  await page.click('a')
  await page.waitForURL('**/pages/guide-2026')
  await page.goBack()
  expect(new URL(page.url()).pathname).toBe('/')
  await page.goForward()
  await expect(page.locator('h1')).toHaveText('Guide 2026')
})

test('a shop that redirects the variant back causes no endless redirects', async ({ page }) => {
  let loads = 0
  await open({
    tests: [guide],
    pages: {
      ...pages,
      '/pages/guide': (_, response) => {
        loads++
        response.writeHead(200, { 'content-type': 'text/html' }).end(`${shop.head}<h1>Guide</h1>`)
      },
      '/pages/guide-2026': (_, response) => {
        response.writeHead(301, { location: '/pages/guide', 'cache-control': 'no-store' }).end()
      },
    },
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toBeVisible()
  expect(loads).toBe(2)
  await expect.poll(views).toEqual(['/pages/guide'])
  await expect.poll(exposures).toHaveLength(1)
  expect(shop.beacons.at(-1)!.tests[guide.id]).toEqual([1, stage.assigned | stage.exposed])
})

test('no endless redirects when the storage is full: data stored before is not trusted any more', async ({
  page,
}) => {
  let loads = 0
  await open({
    tests: [guide],
    pages: {
      ...pages,
      '/pages/guide': (_, response) => {
        // Stops endless redirects after 10 loads, if the fault ever returns.
        const to = loads++ < 10 ? shop.head : ''
        response.writeHead(200, { 'content-type': 'text/html' }).end(`${to}<h1>Guide</h1>`)
      },
      '/pages/guide-2026': (_, response) => {
        response.writeHead(301, { location: '/pages/guide', 'cache-control': 'no-store' }).end()
      },
    },
  })
  await page.goto(shop.origin)
  await expect.poll(views).toEqual(['/'])
  await page.evaluate(() => {
    try {
      for (let i = 0; ; i++) localStorage.setItem(`fill${i}`, 'x'.repeat(i < 10 ? 500_000 : 5))
    } catch {
      /* the storage is full */
    }
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toBeVisible()
  expect(loads).toBe(2)
})

/** The number of visits. `npm run soak` makes more. */
const visits = Number(process.env['VISITS'] ?? 150)
test('many visits, most of them cut short: every visitor for whom the script started is exposed once in the right arm', async ({
  page,
}) => {
  test.setTimeout(600_000 * slowness)
  let began = 0
  // Each visit goes to the next one: while the page is being parsed, when it is parsed, or when it
  // is completely loaded.
  const leadsOn =
    (title: string): Handler =>
    ({ url }, response) => {
      const n = Number(/\bn=(\d+)/.exec(url ?? '')?.[1])
      const go = `location.href = '${n < visits ? `/pages/guide?n=${n + 1}` : '/done'}'`
      const when = [
        go,
        `addEventListener('DOMContentLoaded', () => { ${go} })`,
        `addEventListener('load', () => { ${go} })`,
      ][n % 3]!
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`${shop.head}<body><script>${when}</script><h1>${title}</h1></body></html>`)
    }
  await open({
    tests: [{ ...guide, weights: [0.5, 0.5] }],
    // Each visit is by a new visitor: cookies and storage of the visitor before are deleted.
    firstLine:
      "if (location.pathname === '/pages/guide') { localStorage.clear(); document.cookie = '_ts=;path=/;max-age=0'; navigator.sendBeacon('/began') }",
    pages: {
      '/began': (_, response) => {
        began++
        response.end()
      },
      '/pages/guide': leadsOn('Guide'),
      '/pages/guide-2026': leadsOn('Guide 2026'),
      '/done': 'Done',
    },
  })
  await page.goto(`${shop.origin}/pages/guide?n=1`).catch(() => {})
  await page.waitForURL('**/done', { timeout: 540_000 * slowness })
  // Beacons may arrive after their pages are left.
  await expect.poll(() => began, { timeout: 30_000 * slowness }).toBe(visits)
  await expect
    .poll(() => exposures().length, { timeout: 30_000 * slowness })
    .toBeGreaterThanOrEqual(began)
  const visitors = new Set(
    shop.beacons
      .filter(beacon => beacon.events.some(event => event.kind === 'exposure'))
      .map(beacon => beacon.visitor),
  )
  expect([exposures().length, visitors.size]).toEqual([began, began])
  const arms = Object.fromEntries(
    shop.beacons.map(beacon => [beacon.visitor, beacon.tests[guide.id]![0]]),
  )
  for (const [visitor, arm] of Object.entries(arms))
    expect(assign(guide.id, visitor, [0.5, 0.5])).toBe(arm)
  const share = Object.values(arms).filter(arm => arm === 1).length
  // Visitors are random here. Five standard deviations are exceeded once in 1.7 million runs.
  expect(Math.abs(share - began / 2), 'the split is even').toBeLessThan((5 * Math.sqrt(began)) / 2)
})

test('a visitor who opens the variant’s URL directly stays there and is not counted', async ({
  page,
}) => {
  await open({ tests: [{ ...guide, weights: [1, 0] }], pages })
  await page.goto(`${shop.origin}/pages/guide`)
  await page.goto(`${shop.origin}/pages/guide-2026`)
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  await page.click('h1')
  await expect.poll(views).toEqual(['/pages/guide', '/pages/guide-2026'])
  await expect.poll(exposures).toHaveLength(1)
})

test('the exposure waits while the collector is down', async ({ page }) => {
  await open({ tests: [guide], pages })
  shop.collector.status = 503
  await page.goto(`${shop.origin}/pages/guide`)
  await page.waitForURL('**/pages/guide-2026')
  await expect.poll(() => shop.collector.requests).toBeGreaterThan(0)
  await page.goto('about:blank')
  shop.collector.status = 204
  await page.goto(shop.origin)
  await expect.poll(() => exposures().length).toBe(1)
  await expect.poll(() => views().sort()).toEqual(['/', '/pages/guide-2026'])
})

test('a redirect leads only to http and https addresses', async ({ page }) => {
  await open({ tests: [{ ...guide, to: 'javascript:document.title="run"' }], pages })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toBeVisible()
  await expect(page).toHaveTitle('Pots')
})
