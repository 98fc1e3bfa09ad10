import { expect, test } from '@playwright/test'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

// No visitor would get the variant by these weights.
const element: ScriptTest = {
  id: 'test-element-1',
  weights: [1, 0],
  pages: ['/a'],
  changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }],
}
const previewing = {
  arm: 1,
  title: 'Reviews <b>first</b>',
  armTitles: ['As it is', 'Reviews first'],
  otherUrl: '?twinshelf_preview=bad',
} satisfies ShopOptions['previewing']
const pages = {
  '/a': '<h1>Old</h1><button>Go</button>',
  '/b': '<h1>B</h1>',
  '/pages/guide': '<h1>Guide</h1>',
  '/pages/guide-2026': '<h1>Guide 2026</h1>',
}
const stored = () => Object.keys(localStorage)

test('a preview shows the arm with any weights, names it in a bar, stays in the tab and records nothing', async ({
  page,
  context,
}) => {
  await open({ tests: [element], pages, previewing })
  await page.goto(`${shop.origin}/a?twinshelf_preview=good`)
  await expect(page.locator('h1')).toHaveText('New')
  const bar = page.getByRole('region', { name: 'Twinshelf preview' })
  await expect(bar).toContainText(
    'Preview of Reviews first in “Reviews <b>first</b>”. Nothing is counted.',
  )
  await page.click('button')
  await page.goto(`${shop.origin}/b`)
  await expect(bar).toBeVisible()
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
  expect([
    await page.evaluate(stored),
    await page.evaluate(() => document.cookie),
    shop.collector.requests,
  ]).toEqual([[], '', 0])
  const other = await context.newPage()
  await other.goto(`${shop.origin}/a`)
  await expect(other.locator('h1')).toHaveText('Old')
  await expect(other.getByRole('region', { name: 'Twinshelf preview' })).toHaveCount(0)
})

test('no frame of the previewed page shows the control', async ({ page }) => {
  await open({
    tests: [element],
    pages,
    previewing,
    head: `<script>frames = []; (function look() { const h1 = document.querySelector('h1'); if (h1 && h1.getClientRects().length) frames.push(h1.textContent); requestAnimationFrame(look) })()</script>`,
  })
  await page.goto(`${shop.origin}/a?twinshelf_preview=good`)
  const frames = () =>
    page.evaluate(() => [...new Set((globalThis as unknown as { frames: string[] }).frames)])
  await expect.poll(frames).toEqual(['New'])
})

test('closing the bar ends the preview', async ({ page }) => {
  await open({ tests: [element], pages, previewing })
  await page.goto(`${shop.origin}/a?size=2&twinshelf_preview=good`)
  await page.getByRole('button', { name: 'Close preview' }).click()
  await page.waitForURL(`${shop.origin}/a?size=2`)
  await expect(page.locator('h1')).toHaveText('Old')
  await expect(page.getByRole('region', { name: 'Twinshelf preview' })).toHaveCount(0)
})

test('the bar links to the other arm', async ({ page }) => {
  await open({ tests: [element], pages, previewing })
  await page.goto(`${shop.origin}/a?twinshelf_preview=good`)
  await expect(page.getByRole('link', { name: 'See As it is' })).toHaveAttribute(
    'href',
    '?twinshelf_preview=bad',
  )
})

test('the preview of a redirect leads to its target', async ({ page }) => {
  await open({
    tests: [
      { id: 'test-guide', weights: [1, 0], pages: ['/pages/guide'], to: '/pages/guide-2026' },
    ],
    pages,
    previewing,
  })
  await page.goto(`${shop.origin}/pages/guide?twinshelf_preview=good`)
  await expect(page.locator('h1')).toHaveText('Guide 2026')
  await expect(page.getByRole('region', { name: 'Twinshelf preview' })).toBeVisible()
  expect([await page.evaluate(stored), shop.collector.requests]).toEqual([[], 0])
})

test('an invalid link shows the control and counts nothing; the next page is the usual shop', async ({
  page,
}) => {
  await open({ tests: [{ ...element, weights: [0, 1] }], pages })
  await page.goto(`${shop.origin}/a?twinshelf_preview=bad`)
  await expect(page.locator('h1')).toHaveText('Old')
  await expect(page.locator('h1')).toBeVisible()
  expect(await page.evaluate(stored)).toEqual([])
  await page.goto(`${shop.origin}/a`)
  await expect(page.locator('h1')).toHaveText('New')
})

test('a strict policy shows the bar with its style', async ({ page }) => {
  await open({
    tests: [element],
    pages,
    previewing,
    headers: {
      'content-security-policy': "default-src 'self'; script-src 'self' http://127.0.0.1:*",
    },
  })
  await page.goto(`${shop.origin}/a?twinshelf_preview=good`)
  await expect(page.getByRole('region', { name: 'Twinshelf preview' })).toHaveCSS(
    'position',
    'fixed',
  )
  await expect(page.locator('h1')).toHaveText('New')
})
