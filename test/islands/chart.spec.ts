import { expect, test } from '@playwright/test'
import type { ChartProps } from '../../islands/chart.tsx'
import { labelled, linePath, ticks } from '../../islands/chart-scale.ts'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'

const daily: ChartProps = {
  label: 'Daily conversion rate by arm', unit: 'rate', currency: 'USD', plannedEnd: 8,
  days: ['2026-11-04', '2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08', '2026-11-09', '2026-11-10', '2026-11-11'],
  paused: ['no', 'no', 'wholly', 'wholly', 'no'],
  series: [
    { label: 'Control', arm: 'control', values: [0.04, 0.042, null, null, 0.039] },
    { label: 'Variant', arm: 'variant', values: [0.044, 0.046, null, null, 0.047] },
  ],
}
let pages: IslandPages
test.beforeAll(async () => { pages = await serveIslands() })
test.afterAll(() => pages.close())

test('the plot lies over the drawing without a shift or a complaint, and reads out the day under the pointer', async ({ page }) => {
  const found = complaints(page)
  await pages.open(page, 'chart', daily)
  await expect(page.locator('.chart-plotted')).toBeVisible()
  // The canvas covers exactly the drawing's plot area: same left edge as the grid, same height as its top and bottom lines.
  const grid = (await page.locator('.chart-grid').first().boundingBox())!
  const upper = (await page.locator('.chart-grid').last().boundingBox())!
  const canvas = (await page.locator('.chart-plot canvas').boundingBox())!
  expect(Math.abs(canvas.x - grid.x)).toBeLessThan(1.5)
  expect(Math.abs(canvas.y - upper.y)).toBeLessThan(1.5)
  expect(Math.abs(canvas.y + canvas.height - grid.y)).toBeLessThan(1.5)
  await expect.poll(() => page.locator('.chart-plot canvas').evaluate((c: HTMLCanvasElement) => c.getContext('2d')!.getImageData(0, 0, c.width, c.height).data.some(v => v > 0))).toBe(true)

  const dayWidth = canvas.width / daily.days.length
  await page.mouse.move(canvas.x + dayWidth * 1.5, canvas.y + 60)
  await expect(page.locator('output')).toHaveText('5 Nov: Control 4.20%, Variant 4.60%')
  await page.mouse.move(canvas.x + dayWidth * 2.5, canvas.y + 60)
  await expect(page.locator('output')).toHaveText('6 Nov: Control –, Variant – · paused')
  expect(found).toEqual([])
})

test('the legend takes a line away and brings it back', async ({ page }) => {
  await pages.open(page, 'chart', daily)
  const control = page.getByRole('button', { name: 'Control' })
  await expect(control).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('Control 3.9%')).toBeVisible()
  await control.click()
  await expect(control).toHaveAttribute('aria-pressed', 'false')
  await expect(page.getByText('Control 3.9%')).toHaveCount(0)
  await control.click()
  await expect(page.getByText('Control 3.9%')).toBeVisible()
})

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false })
  test('the drawing is whole and offers nothing that would not work', async ({ page }) => {
    await pages.open(page, 'chart', daily)
    await expect(page.getByRole('img', { name: 'Daily conversion rate by arm' })).toBeVisible()
    await expect(page.locator('.chart-line')).toHaveCount(2)
    await expect(page.getByText('Planned end')).toBeVisible()
    await expect(page.locator('svg text', { hasText: 'Paused' })).toBeVisible()
    await expect(page.getByRole('button')).toHaveCount(0)
  })
})

test('axes are round, and a gap in the figures is a gap in the line', () => {
  expect(ticks('rate', 0.047)).toEqual([0, 0.02, 0.04, 0.06, 0.08])
  expect(ticks('money', 35_100)).toEqual([0, 10_000, 20_000, 30_000, 40_000])
  expect(ticks('rate', 0)).toEqual([0, 0.001, 0.002, 0.003, 0.004])
  expect(ticks('chance', 0.2)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(linePath([1, 2, null, 3], (day, value) => [day, value])).toBe('M0 1L1 2M3 3h0')
  expect(labelled(21)).toEqual([0, 5, 10, 15, 20])
  expect(labelled(2)).toEqual([0, 1])
})
