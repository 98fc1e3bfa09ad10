import { expect, test } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
test.afterEach(() => shop.close())
const guide: ScriptTest = {
  id: 'test-guide',
  weights: [0, 1],
  pages: ['/pages/guide'],
  to: '/pages/guide-2026',
}
const open = async (switches: ShopOptions['switches']) => {
  shop = await openShop({
    tests: [guide],
    pages: { '/pages/guide': '<h1>Guide</h1>', '/pages/guide-2026': '<h1>Guide 2026</h1>' },
    ...(switches && { switches }),
  })
}

test('with the referrer override disabled, the referrer is the page that redirected the visitor', async ({
  page,
}) => {
  await open({ keepsReferrer: true })
  await page.goto(`${shop.origin}/pages/guide`, { referer: 'https://mail.example/letter' })
  await page.waitForURL('**/pages/guide-2026')
  expect(await page.evaluate(() => document.referrer)).toBe(`${shop.origin}/pages/guide`)
})

test('debug logging writes the script’s state to the console; without it the script logs nothing', async ({
  page,
}) => {
  const said: string[] = []
  // Only our own lines: the browser may log something when the shop's server closes.
  page.on('console', message => {
    if (message.text().startsWith('twinshelf')) said.push(message.text())
  })
  await open({ debug: true })
  await page.goto(`${shop.origin}/pages/guide`)
  await page.waitForURL('**/pages/guide-2026')
  await expect.poll(() => said.length).toBeGreaterThan(0)
  await shop.close()
  said.length = 0
  await open(undefined)
  await page.goto(`${shop.origin}/pages/guide`)
  await page.waitForURL('**/pages/guide-2026')
  expect(said).toEqual([])
})

test('without optional scopes the script reads no referrer', async ({ page }) => {
  await open({ isSparing: true })
  await page.goto(`${shop.origin}/pages/guide`, { referer: 'https://mail.example/letter' })
  await page.waitForURL('**/pages/guide-2026')
  await expect.poll(() => shop.beacons.length).toBeGreaterThan(0)
  expect(shop.beacons.map(beacon => beacon.referrer)).toEqual(shop.beacons.map(() => ''))
})

test('a shop that counts only after consent shows and stores nothing before the visitor agrees', async ({
  page,
}) => {
  await open({ asksConsent: true })
  const kept = () =>
    page.evaluate(() =>
      [...Object.keys(localStorage), document.cookie].filter(key => key.startsWith('_ts')),
    )
  await page.goto(`${shop.origin}/pages/guide`)
  await page.waitForLoadState()
  await expect(page.locator('h1')).toHaveText('Guide')
  expect(await kept()).toEqual([])
  // The visitor agrees on this page, so the next one counts.
  await page.addInitScript(() => {
    window.shopPrivacy = { analyticsAllowed: true }
  })
  await page.goto(`${shop.origin}/pages/guide`)
  await page.waitForURL('**/pages/guide-2026')
  await expect.poll(() => shop.beacons.length).toBeGreaterThan(0)
  expect(shop.beacons.map(beacon => beacon.consent)).toEqual(shop.beacons.map(() => true))
  await page.evaluate(() => {
    window.shopPrivacy = { analyticsAllowed: false }
    dispatchEvent(new Event('shopprivacychange'))
  })
  expect(await kept()).toEqual([])
})
