import { expect, test, type Page } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type {} from '../../storefront/consent.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

const element: ScriptTest = {
  id: 'test-element-1',
  weights: [0, 1],
  pages: ['/a'],
  changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }],
}
const vitals = () => shop.events().filter(event => event.kind === 'vitals')
type Seen = {
  type: string
  at: number
  value: number
  recent: boolean
  duration: number
  interaction: number
}
/**
 * The page's own observers, which record every entry. `look` also takes entries that are not
 * delivered yet.
 */
const observers = `<script>seen = []; watching = []
const take = entries => seen.push(...entries.map(entry => ({ type: entry.entryType, at: entry.startTime, value: entry.value, recent: entry.hadRecentInput, duration: entry.duration, interaction: entry.interactionId })))
look = () => watching.forEach(observer => take(observer.takeRecords()))
for (const type of ['largest-contentful-paint', 'layout-shift', 'event', 'first-input']) {
  const observer = new PerformanceObserver(list => take(list.getEntries()))
  watching.push(observer)
  observer.observe({ type, buffered: true, durationThreshold: 40 })
}</script>`
/**
 * Two layout shifts close together and one apart, each after the one before was observed, then a
 * slow response to a click.
 */
const moving = `${observers}<h1>Old</h1><p>Text that is moved about</p><button>Slow</button><script>
  const has = (type, count) => new Promise(done => { (function ask() { if (seen.filter(entry => entry.type === type).length >= count) done(); else setTimeout(ask, 20) })() })
  const shift = height => document.querySelector('p').before(Object.assign(document.createElement('div'), { style: 'height:' + height + 'px' }))
  has('largest-contentful-paint', 1).then(() => { shift(20); return has('layout-shift', 1) }).then(() => { shift(120); return has('layout-shift', 2) })
    .then(() => setTimeout(() => { shift(60); has('layout-shift', 3).then(() => { isMoved = true }) }, 1400))
  document.querySelector('button').onclick = () => { const until = performance.now() + 150; while (performance.now() < until); document.querySelector('button').textContent = 'Done' }
</script>`
/** Waits until the browser has reported its paint. */
const painted = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>(done => {
        new PerformanceObserver(() => done()).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        })
      }),
  )
const hide = (page: Page, hidden: boolean) =>
  page.evaluate(value => {
    Object.defineProperty(document, 'hidden', { configurable: true, value })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)

test('speed equals the browser’s own observers, and is sent once when the page is first hidden', async ({
  page,
}) => {
  await open({ tests: [element], pages: { '/a': moving } })
  await page.goto(`${shop.origin}/a`)
  await page.waitForFunction('window.isMoved')
  await page.click('button')
  await page.waitForFunction(
    'seen.some(({ duration, interaction }) => interaction && duration > 100)',
  )
  // The script sends everything that was observed up to now, including the last entry.
  const seen = (await page.evaluate(
    `look(); Object.defineProperty(document, 'hidden', { configurable: true, value: true }); document.dispatchEvent(new Event('visibilitychange')); seen`,
  )) as Seen[]
  await hide(page, false)
  await hide(page, true)
  await page.goto('about:blank')
  await expect.poll(() => vitals().length).toBe(1)
  const of = (type: string) => seen.filter(entry => entry.type === type)
  // Computes every window that starts with a shift, instead of one pass over all shifts.
  const shifts = of('layout-shift').filter(({ recent }) => !recent)
  const windows = shifts.map((_, i) => {
    let end = i + 1
    while (
      end < shifts.length &&
      shifts[end]!.at - shifts[end - 1]!.at < 1000 &&
      shifts[end]!.at - shifts[i]!.at < 5000
    )
      end++
    return shifts.slice(i, end).reduce((sum, { value }) => sum + value, 0)
  })
  const inp = Math.max(
    ...[...of('event'), ...of('first-input')]
      .filter(({ interaction }) => interaction)
      .map(({ duration }) => duration),
  )
  expect(shifts.length).toBeGreaterThan(2)
  expect(inp).toBeGreaterThan(100)
  expect(vitals()[0]).toMatchObject({
    path: '/a',
    tests: [element.id],
    vitals: {
      lcp: Math.round(of('largest-contentful-paint').at(-1)!.at),
      cls: Math.round(Math.max(...windows) * 1000),
      inp,
    },
  })
})

test('a page without shifts and input sends only its paint, and a page without a test sends nothing', async ({
  page,
}) => {
  await open({ tests: [element], pages: { '/a': '<h1>Old</h1>', '/b': '<h1>B</h1>' } })
  for (const path of ['/a', '/b', '/a']) {
    await page.goto(shop.origin + path)
    await painted(page)
  }
  await page.goto('about:blank')
  await expect.poll(() => vitals().map(({ path }) => path)).toEqual(['/a', '/a'])
  for (const { vitals: told } of vitals()) {
    expect(told!.lcp).toBeGreaterThan(0)
    expect(told).toEqual({ lcp: told!.lcp, cls: 0 })
  }
})

test('nothing is measured before the arm is shown', async ({ page }) => {
  await open({
    tests: [element],
    pages: { '/a': '<h1>Old</h1>' },
    firstLine: `const { observe } = PerformanceObserver.prototype; arms = []
    PerformanceObserver.prototype.observe = function (...args) { arms.push(document.querySelector('h1')?.textContent); return observe.apply(this, args) };`,
  })
  await page.goto(`${shop.origin}/a`)
  await expect.poll(() => page.evaluate('[...new Set(arms)]')).toEqual(['New'])
})

test('a page that was loaded in the background is not measured', async ({ page }) => {
  await open({ tests: [element], pages: { '/a': '<h1>Old</h1>', '/b': '' } })
  await page.addInitScript(() => {
    if (location.pathname === '/a')
      Object.defineProperty(document, 'hidden', { configurable: true, value: true })
  })
  await page.goto(`${shop.origin}/a`)
  await hide(page, false)
  await page.goto(`${shop.origin}/b`)
  await expect.poll(() => shop.events().filter(event => event.kind === 'view').length).toBe(2)
  expect(vitals()).toEqual([])
})

test('a visitor who refuses later is not measured either, and a long pause starts no session', async ({
  page,
}) => {
  await open({ tests: [element], pages: { '/a': '<h1>Old</h1>', '/b': '' } })
  await page.goto(`${shop.origin}/a`)
  await expect.poll(() => shop.beacons.length).toBe(1)
  await painted(page)
  await page.clock.install()
  await page.clock.fastForward(3_600_000)
  await hide(page, true)
  await expect.poll(() => vitals().length).toBe(1)
  expect(new Set(shop.beacons.map(({ session }) => session)).size).toBe(1)
  await page.goto(`${shop.origin}/a`)
  await page.evaluate(() => {
    window.shopPrivacy = { analyticsAllowed: false }
    dispatchEvent(new Event('shopprivacychange'))
  })
  await page.goto('about:blank')
  expect(vitals()).toHaveLength(1)
})
