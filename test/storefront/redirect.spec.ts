import { expect, test } from '@playwright/test'
import { assign } from '../../domain/tests/assignment.ts'
import { stage } from '../../domain/events/event.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { inPieces, openShop, type Handler, type Shop, type ShopOptions } from './shop.ts'

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

test('keeps query, hash and referrer, and counts the view where the visitor ends up', async ({
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
  // Two beacons, one from each page, in whatever order they arrived.
  const last = shop.beacons.find(beacon => beacon.events.some(event => event.kind === 'view'))!
  expect(last).toMatchObject({
    landing: '/pages/guide?utm_source=mail&gift=%C3%BC%20x',
    referrer: 'https://mail.example/letter',
    isNew: true,
  })
  expect(last.tests[guide.id]).toEqual([1, stage.assigned | stage.applied | stage.exposed])
})

test('paints nothing of the page it leaves, even when the next one is slow', async ({ page }) => {
  await open({
    tests: [guide],
    // Kept where it outlives the page: what stood there to be painted in each frame. A heading may be parsed before its words.
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

test('back leads to where the visitor came from, and forward to the variant again', async ({
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

test('a shop that sends the variant back is not gone round in circles', async ({ page }) => {
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

test('nor where the storage is full: what was known before is believed no longer', async ({
  page,
}) => {
  let loads = 0
  await open({
    tests: [guide],
    pages: {
      ...pages,
      '/pages/guide': (_, response) => {
        // Where the fault is back, the page would go round for ever.
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
      /* full */
    }
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toBeVisible()
  expect(loads).toBe(2)
})

/** `npm run soak` makes more. */
const visits = Number(process.env['VISITS'] ?? 150)
test('many visits, most of them cut short: every visitor for whom the script began is exposed once, in their arm', async ({
  page,
}) => {
  test.setTimeout(600_000)
  let began = 0
  // Each visit leads on to the next: at once, while the page is still read; when it is there; or when all of it is.
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
    // Each is that of a new visitor: what their predecessor's browser kept is gone.
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
  await page.waitForURL('**/done', { timeout: 540_000 })
  // Beacons are under way after their pages.
  await expect.poll(() => began, { timeout: 30_000 }).toBe(visits)
  await expect.poll(() => exposures().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(began)
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
  // Visitors are of chance here: five standard deviations are once in 1.7 million runs.
  expect(Math.abs(share - began / 2), 'the split is even').toBeLessThan((5 * Math.sqrt(began)) / 2)
})

test('the variant URL opened directly is left alone and not counted', async ({ page }) => {
  await open({ tests: [{ ...guide, weights: [1, 0] }], pages })
  await page.goto(`${shop.origin}/pages/guide`)
  await page.goto(`${shop.origin}/pages/guide-2026`)
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  await page.click('h1')
  await expect.poll(views).toEqual(['/pages/guide', '/pages/guide-2026'])
  await expect.poll(exposures).toHaveLength(1)
})

test('the exposure waits for a collector that is away', async ({ page }) => {
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

test('goes nowhere but to http and https', async ({ page }) => {
  await open({ tests: [{ ...guide, to: 'javascript:document.title="run"' }], pages })
  await page.goto(`${shop.origin}/pages/guide`)
  await expect(page.locator('h1')).toBeVisible()
  await expect(page).toHaveTitle('Pots')
})
