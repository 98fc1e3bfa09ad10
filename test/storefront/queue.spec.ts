import { expect, test, type Page, type Route } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Handler, type Shop, type ShopOptions } from './shop.ts'
import { slowness } from '../slowness.ts'

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
const product = '<h1>Old</h1>'

test('when the collector is down, events are sent again, and none is lost or counted twice', async ({
  page,
}) => {
  await open({ pages: { '/products/mug': product }, tests: [everywhere] })
  shop.collector.status = 503
  await page.goto(`${shop.origin}/products/mug`)
  await expect.poll(() => shop.collector.requests).toBeGreaterThan(1)
  expect(await waitingKeys(page)).toBe(2)
  shop.collector.status = 204
  await expect.poll(kinds, { timeout: 20_000 * slowness }).toEqual(['exposure', 'view'])
  await expect.poll(() => waitingKeys(page)).toBe(0)
  expect(shop.beacons).toHaveLength(1)
})

/** A page of the shop without the script. */
const withoutScript: Handler = (_, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Plain</p>')

/** Counts the pauses of more than 1.5 seconds between `times`, which are in milliseconds. */
const longPauses = (times: number[]): number =>
  times.slice(1).filter((at, i) => at - times[i]! > 1_500).length

test('a collector that refuses many beacons at once gets them less and less often', async ({
  page,
}) => {
  const sessions = 60
  await open({ pages: { '/': '', '/plain': withoutScript } })
  await page.goto(`${shop.origin}/plain`)
  await page.evaluate(sessions => {
    for (let n = 0; n < sessions; n++)
      localStorage.setItem(
        `_ts_e.waiting-${n}`,
        JSON.stringify({
          session: `session-${n}`,
          event: { id: `waiting-${n}`, at: Date.now(), kind: 'view', path: '/' },
        }),
      )
  }, sessions)
  shop.collector.times.length = 0
  shop.collector.status = 429
  await page.goto(shop.origin)
  await expect
    .poll(() => longPauses(shop.collector.times), { timeout: 30_000 * slowness })
    .toBeGreaterThanOrEqual(2)
  // The page's own view is one more beacon. After the second long pause comes the fourth try.
  expect(shop.collector.times.length).toBeLessThanOrEqual(4 * (sessions + 1))
})

test('while one beacon is being sent, the retry of another does not send it a second time', async ({
  page,
}) => {
  await open({ pages: { '/': '', '/plain': withoutScript } })
  await page.goto(`${shop.origin}/plain`)
  await page.evaluate(() =>
    localStorage.setItem(
      '_ts_e.waiting',
      JSON.stringify({
        session: 'an-earlier-session',
        event: { id: 'waiting', at: Date.now(), kind: 'view', path: '/' },
      }),
    ),
  )
  // Two beacons: one is refused at once, the other is answered when this test releases it.
  let refused = 0
  const held: Route[] = []
  await page.route(/collect$/, async route => {
    if (!route.request().postData()!.includes('an-earlier-session')) {
      refused++
      return route.fulfill({ status: 429 })
    }
    held.push(route)
  })
  await page.clock.install()
  await page.goto(shop.origin)
  await page.clock.runFor(1_000)
  await expect.poll(() => [refused, held.length]).toEqual([1, 1])
  await page.clock.runFor(60_000)
  expect([refused, held.length]).toEqual([1, 1])
  await held[0]!.fulfill({ status: 204 })
  await page.clock.runFor(60_000)
  await expect.poll(() => refused).toBeGreaterThan(1)
  expect(held).toHaveLength(1)
})

test('what the collector refuses is not sent again', async ({ page }) => {
  await open({ pages: { '/': '' } })
  shop.collector.status = 400
  await page.goto(shop.origin)
  await expect.poll(() => shop.collector.requests).toBe(1)
  await expect.poll(() => waitingKeys(page)).toBe(0)
  await page.goto(shop.origin)
  await expect.poll(() => shop.collector.requests).toBe(2)
})
