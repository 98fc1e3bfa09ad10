import { expect, test } from '@playwright/test'
import type { ChartProps } from '../../islands/chart.tsx'
import { formatUnit, highest, labelled, linePath, ticks } from '../../islands/chart-scale.ts'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'

const daily: ChartProps = {
  label: 'Daily conversion rate by arm', unit: 'rate', currency: 'USD', plannedEnd: 8,
  from: '2026-11-04', days: 8,
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

  const dayWidth = canvas.width / daily.days
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

test('two years of days are read by their year and month, single days faintly behind their trend', async ({ page }) => {
  const values = Array.from({ length: 730 }, (_, i) => 20 + (i % 7))
  await pages.open(page, 'chart', {
    ...daily, label: 'Daily orders by arm', unit: 'count', from: '2024-11-21', days: 730, plannedEnd: 28, paused: values.map(() => 'no'),
    series: [{ label: 'Control', arm: 'control', values, trend: values.map(() => 23) }, { label: 'Variant', arm: 'variant', values: values.map(v => v + 9), trend: values.map(() => 32.5) }],
  })
  await expect(page.locator('.chart-plotted')).toBeVisible()
  await expect(page.locator('.chart-line')).toHaveCount(4)
  await expect(page.locator('.chart-line-faint')).toHaveCount(2)
  await expect(page.getByText('Dec 2024')).toBeVisible()
  await expect(page.getByText('Variant 32.5')).toBeVisible()
  const canvas = (await page.locator('.chart-plot canvas').boundingBox())!
  await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + 60)
  await expect(page.locator('output')).toHaveText(/^2\d Nov 2025: Control 2\d, Variant [23]\d$/)
  await page.getByRole('button', { name: 'Variant' }).click()
  await expect(page.getByText('Variant 32.5')).toHaveCount(0)
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

test('words stand within the plot, and one great day sets no scale where there is a trend', async ({ page }) => {
  const values = Array.from({ length: 140 }, (_, i) => (i === 70 ? 3_500 : 20)), trend = values.map(() => 20)
  expect(highest([{ label: 'Control', arm: 'control', values, trend }])).toBe(30)
  expect(highest([{ label: 'Control', arm: 'control', values }])).toBe(3_500)
  await pages.open(page, 'chart', { ...daily, series: [{ label: 'Control', arm: 'control', values: [0.04, 0.04, null, null, 0] }, { label: 'Variant', arm: 'variant', values: [0.044, 0.046, null, null, 0.0001] }] })
  const floor = (await page.locator('.chart-grid').first().boundingBox())!.y, names = page.locator('.chart-value')
  const [first, second] = [(await names.first().boundingBox())!, (await names.last().boundingBox())!]
  expect(Math.max(first.y + first.height, second.y + second.height)).toBeLessThan(floor + 1)
  expect(Math.abs(first.y - second.y)).toBeGreaterThan(12)
  const end = (await page.locator('.chart-end-label').boundingBox())!
  expect(end.y + end.height).toBeLessThan((await page.locator('.chart-grid').last().boundingBox())!.y + 3)
})

test('axes are round, and a gap in the figures is a gap in the line', () => {
  expect(ticks('rate', 0.047)).toEqual([0, 0.02, 0.04, 0.06, 0.08])
  expect(ticks('money', 35_100)).toEqual([0, 10_000, 20_000, 30_000, 40_000])
  expect(ticks('rate', 0)).toEqual([0, 0.001, 0.002, 0.003, 0.004])
  expect(ticks('chance', 0.2)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(linePath([1, 2, null, 3], (day, value) => [day, value])).toBe('M0 1L1 2M3 3h0')
  expect(ticks('count', 7)).toEqual([0, 2, 4, 6, 8])
  expect(ticks('count', 0)).toEqual([0, 1, 2, 3, 4])
  expect(ticks('count', 9)).toEqual([0, 5, 10, 15, 20])
  expect(labelled('2026-11-04', 21).map(({ day }) => day)).toEqual([0, 5, 10, 15, 20])
  expect(labelled('2026-11-04', 2)).toEqual([{ day: 0, label: '4 Nov' }, { day: 1, label: '5 Nov' }])
  const long = labelled('2024-11-21', 730).map(({ label }) => label)
  expect(long).toEqual(['Dec 2024', 'May 2025', 'Oct 2025', 'Mar 2026', 'Aug 2026'])
})

test('each unit has its own words, short ones on the axis', () => {
  expect(([['money', 150_000], ['money', 250], ['money', 2_500_000], ['count', 4000], ['count', 25_000], ['rate', 0.025], ['chance', 0.5]] as const).map(([unit, value]) => formatUnit(unit, value, 'USD', true)))
    .toEqual(['$1,500', '$2.50', '$25K', '4,000', '25K', '2.5%', '50%'])
  expect(formatUnit('money', 1500, 'JPY', true)).toBe('¥1,500')
  expect(formatUnit('money', 2500, 'KWD', true).replace(/\s/g, ' ')).toBe('KWD 2.500')
  expect(formatUnit('count', 23.25, 'USD', false)).toBe('23.3')
  expect(formatUnit('money', 1234, 'USD', false)).toBe('$12.34')
})
