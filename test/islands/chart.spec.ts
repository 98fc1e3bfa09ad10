import { expect, test } from '@playwright/test'
import type { ChartProps } from '../../islands/reports/chart-frame.ts'
import {
  formatUnit,
  highest,
  labelled,
  linePath,
  ticks,
} from '../../islands/reports/chart-scale.ts'
import { wholeStylesheet } from '../../scripts/build/stylesheet.ts'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'

const daily: ChartProps = {
  label: 'Daily conversion rate by arm',
  unit: 'rate',
  currency: 'USD',
  plannedEnd: 8,
  from: '2026-11-04',
  days: 8,
  paused: ['no', 'no', 'wholly', 'wholly', 'no'],
  series: [
    { label: 'Control', arm: 'control', values: [0.04, 0.042, null, null, 0.039] },
    { label: 'Variant', arm: 'variant', values: [0.044, 0.046, null, null, 0.047] },
  ],
}
let pages: IslandPages
test.beforeAll(async () => {
  pages = await serveIslands()
})
test.afterAll(() => pages.close())

test('the plot covers the drawing exactly and without errors, and shows the figures of the day under the pointer', async ({
  page,
}) => {
  const found = complaints(page)
  await pages.open(page, 'chart', daily)
  await expect(page.locator('.chart-plotted')).toBeVisible()
  // The canvas covers the drawing's plot area exactly: the left edge of the grid, and its top and
  // bottom lines.
  const grid = (await page.locator('.chart-grid').first().boundingBox())!
  const upper = (await page.locator('.chart-grid').last().boundingBox())!
  const canvas = (await page.locator('.chart-plot canvas').boundingBox())!
  expect(Math.abs(canvas.x - grid.x)).toBeLessThan(1.5)
  expect(Math.abs(canvas.y - upper.y)).toBeLessThan(1.5)
  expect(Math.abs(canvas.y + canvas.height - grid.y)).toBeLessThan(1.5)
  await expect
    .poll(() =>
      page.locator('.chart-plot canvas').evaluate((c: HTMLCanvasElement) =>
        c
          .getContext('2d')!
          .getImageData(0, 0, c.width, c.height)
          .data.some(v => v > 0),
      ),
    )
    .toBe(true)

  const dayWidth = canvas.width / daily.days
  await page.mouse.move(canvas.x + dayWidth * 1.5, canvas.y + 60)
  await expect(page.locator('output')).toHaveText('5 Nov: Control 4.20%, Variant 4.60%')
  await page.mouse.move(canvas.x + dayWidth * 2.5, canvas.y + 60)
  await expect(page.locator('output')).toHaveText('6 Nov: Control –, Variant – · paused')
  expect(found).toEqual([])
})

test('at any density the plot fills its place, and the shipped stylesheet gives the same styles as the full one', async ({
  browser,
}) => {
  const whole = ['public/app.css', 'public/sheets/report.css'].map(file =>
    Buffer.from(wholeStylesheet(file)).toString(),
  )
  for (const deviceScaleFactor of [1, 1.5, 2]) {
    const page = await browser.newPage({ deviceScaleFactor, viewport: { width: 560, height: 500 } })
    // The language of a system without a locale.
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'language', { value: 'C', configurable: true }),
    )
    await pages.open(page, 'chart', { ...daily, paused: ['no', 'no', 'wholly', 'partly', 'no'] })
    await expect(
      page.locator('.chart-plotted'),
      'the chart works with a language that Intl refuses',
    ).toBeVisible()
    const box = async (selector: string) => (await page.locator(selector).boundingBox())!
    expect(await box('.chart-plot canvas'), `density ${deviceScaleFactor}`).toEqual(
      await box('.chart-plot'),
    )
    if (deviceScaleFactor === 2) expect(await page.evaluate(lostStyles, whole)).toEqual([])
    await page.close()
  }
})

/**
 * Elements whose computed style differs between the page's stylesheets and these, with the
 * property.
 */
function lostStyles(sheets: string[]): string[] {
  const all = [...document.body.querySelectorAll('*')],
    look = () =>
      all.map(each => {
        const style = getComputedStyle(each)
        return [...style].map(name => `${name}: ${style.getPropertyValue(name)}`)
      })
  // The minifier writes the background "none" as "0 0", which looks the same without a picture.
  const isSame = (line: string) => line.startsWith('--') || line.startsWith('background-position')
  const shipped = look()
  document.adoptedStyleSheets = sheets.map(text => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    return sheet
  })
  for (const sheet of document.styleSheets) sheet.disabled = true
  return look().flatMap((now, i) =>
    now
      .filter(line => !shipped[i]!.includes(line) && !isSame(line))
      .map(line => `${all[i]!.localName}.${all[i]!.getAttribute('class') ?? ''} ${line}`),
  )
}

const many = (count: number, of: (i: number) => number | null) =>
  Array.from({ length: count }, (_, i) => of(i))
const both = (control: (number | null)[], variant: (number | null)[]) => [
  { label: 'Control', arm: 'control' as const, values: control },
  { label: 'Variant', arm: 'variant' as const, values: variant },
]
const drawings: Record<string, Partial<ChartProps>> = {
  'at its planned end': {
    days: 21,
    plannedEnd: 21,
    paused: many(21, () => 0).map(() => 'no'),
    series: both(
      many(21, i => 0.04 + 0.01 * Math.sin(i)),
      many(21, i => 0.045 + 0.01 * Math.cos(i)),
    ),
  },
  early: {
    days: 30,
    plannedEnd: 30,
    series: both([0.04, 0.05, 0.04, 0.02], [0.05, 0.04, 0.05, 0.021]),
  },
  'half way, one arm without a last day': {
    days: 20,
    plannedEnd: 20,
    paused: many(11, () => 0).map(() => 'no'),
    series: both(
      many(11, i => 0.05 + i / 1000),
      many(11, i => (i === 10 ? null : 0.061)),
    ),
  },
  'all but sure': {
    unit: 'chance',
    days: 21,
    plannedEnd: 21,
    paused: many(21, () => 0).map(() => 'no'),
    series: [{ label: 'Chance to win', arm: 'variant', values: many(21, i => 0.9 + 0.0045 * i) }],
  },
  'even, with days to come': {
    unit: 'chance',
    days: 35,
    plannedEnd: 35,
    series: [
      { label: 'Chance to win', arm: 'variant', values: many(13, i => 0.5 + 0.02 * Math.sin(i)) },
    ],
  },
  'of money': {
    unit: 'money',
    days: 10,
    plannedEnd: null,
    paused: many(10, () => 0).map(() => 'no'),
    series: both(
      many(10, i => 10_235 + 900 * (i % 3)),
      many(10, i => 12_000 - 700 * (i % 2)),
    ),
  },
}
test('no word of a chart overlaps a line or another word', async ({ page }) => {
  for (const width of [300, 480])
    for (const [name, props] of Object.entries(drawings)) {
      await page.setViewportSize({ width, height: 500 })
      await pages.open(page, 'chart', { ...daily, ...props })
      const found = await page.evaluate(() => {
        const words = [...document.querySelectorAll<SVGTextElement>('.chart-figure text')].map(
          text => ({ words: text.textContent, box: text.getBoundingClientRect() }),
        )
        const points = [...document.querySelectorAll<SVGPathElement>('.chart-line')].flatMap(
          line => {
            const length = line.getTotalLength(),
              at = line.getScreenCTM()!
            return Array.from({ length: 400 }, (_, i) =>
              line.getPointAtLength((length * i) / 399).matrixTransform(at),
            )
          },
        )
        const dots = [...document.querySelectorAll('.chart-dot')].map(dot =>
          dot.getBoundingClientRect(),
        )
        const lies = ({ left, right, top, bottom }: DOMRect, other: DOMRect) =>
          left < other.right - 1 &&
          other.left + 1 < right &&
          top < other.bottom - 1 &&
          other.top + 1 < bottom
        const limit = document.querySelector('form')!.getBoundingClientRect().right + 1
        return words.flatMap(({ words: text, box }, i) => [
          ...(points.some(
            ({ x, y }) => x > box.left && x < box.right && y > box.top + 2 && y < box.bottom - 2,
          )
            ? [`${text} on a line`]
            : []),
          ...words
            .slice(i + 1)
            .filter(other => lies(box, other.box))
            .map(other => `${text} on ${other.words}`),
          ...dots.filter(dot => lies(box, dot)).map(() => `${text} on a dot`),
          ...(box.right > limit ? [`${text} is cut off`] : []),
        ])
      })
      expect(found, `${name}, ${width} wide`).toEqual([])
    }
})

test('the legend hides a line and shows it again', async ({ page }) => {
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

test('two years of days have labels of year and month, and single days are faint behind their trend', async ({
  page,
}) => {
  const values = Array.from({ length: 730 }, (_, i) => 20 + (i % 7))
  await pages.open(page, 'chart', {
    ...daily,
    label: 'Daily orders by arm',
    unit: 'count',
    from: '2024-11-21',
    days: 730,
    plannedEnd: 28,
    paused: values.map(() => 'no'),
    series: [
      { label: 'Control', arm: 'control', values, trend: values.map(() => 23) },
      {
        label: 'Variant',
        arm: 'variant',
        values: values.map(v => v + 9),
        trend: values.map(() => 32.5),
      },
    ],
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
  test('the drawing is complete and has no control that needs scripts', async ({ page }) => {
    await pages.open(page, 'chart', daily)
    await expect(page.getByRole('img', { name: 'Daily conversion rate by arm' })).toBeVisible()
    await expect(page.locator('.chart-line')).toHaveCount(2)
    await expect(page.getByText('Planned end')).toBeVisible()
    await expect(page.locator('svg text', { hasText: 'Paused' })).toBeVisible()
    await expect(page.getByRole('button')).toHaveCount(0)
  })
})

test('words are inside the plot, and one extreme day does not set the scale when there is a trend', async ({
  page,
}) => {
  const values = Array.from({ length: 140 }, (_, i) => (i === 70 ? 3_500 : 20)),
    trend = values.map(() => 20)
  expect(highest([{ label: 'Control', arm: 'control', values, trend }])).toBe(30)
  expect(highest([{ label: 'Control', arm: 'control', values }])).toBe(3_500)
  await pages.open(page, 'chart', {
    ...daily,
    series: [
      { label: 'Control', arm: 'control', values: [0.04, 0.04, null, null, 0] },
      { label: 'Variant', arm: 'variant', values: [0.044, 0.046, null, null, 0.0001] },
    ],
  })
  const floor = (await page.locator('.chart-grid').first().boundingBox())!.y,
    names = page.locator('.chart-value')
  const [first, second] = [
    (await names.first().boundingBox())!,
    (await names.last().boundingBox())!,
  ]
  expect(Math.max(first.y + first.height, second.y + second.height)).toBeLessThan(floor + 1)
  expect(Math.abs(first.y - second.y)).toBeGreaterThan(12)
  const end = (await page.locator('.chart-end-label').boundingBox())!
  expect(end.y + end.height).toBeLessThan(
    (await page.locator('.chart-grid').last().boundingBox())!.y + 3,
  )
})

test('axes have round numbers, and a gap in the figures is a gap in the line', () => {
  expect(ticks('rate', 0.047)).toEqual([0, 0.02, 0.04, 0.06, 0.08])
  expect(ticks('money', 35_100)).toEqual([0, 10_000, 20_000, 30_000, 40_000])
  expect(ticks('rate', 0)).toEqual([0, 0.001, 0.002, 0.003, 0.004])
  expect(ticks('chance', 0.2)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(linePath([1, 2, null, 3], (day, value) => [day, value])).toBe('M0 1L1 2M3 3h0')
  expect(ticks('count', 7)).toEqual([0, 2, 4, 6, 8])
  expect(ticks('count', 0)).toEqual([0, 1, 2, 3, 4])
  expect(ticks('count', 9)).toEqual([0, 5, 10, 15, 20])
  expect(labelled('2026-11-04', 21).map(({ day }) => day)).toEqual([0, 5, 10, 15, 20])
  expect(labelled('2026-11-04', 2)).toEqual([
    { day: 0, label: '4 Nov' },
    { day: 1, label: '5 Nov' },
  ])
  const long = labelled('2024-11-21', 730).map(({ label }) => label)
  expect(long).toEqual(['Dec 2024', 'May 2025', 'Oct 2025', 'Mar 2026', 'Aug 2026'])
})

test('each unit has its own format, a short one on the axis', () => {
  expect(
    (
      [
        ['money', 150_000],
        ['money', 250],
        ['money', 2_500_000],
        ['count', 4000],
        ['count', 25_000],
        ['rate', 0.025],
        ['chance', 0.5],
      ] as const
    ).map(([unit, value]) => formatUnit(unit, value, 'USD', true)),
  ).toEqual(['$1,500', '$2.50', '$25K', '4,000', '25K', '2.5%', '50%'])
  expect(formatUnit('money', 1500, 'JPY', true)).toBe('¥1,500')
  expect(formatUnit('money', 2500, 'KWD', true).replace(/\s/g, ' ')).toBe('KWD 2.500')
  expect(formatUnit('count', 23.25, 'USD', false)).toBe('23.3')
  expect(formatUnit('money', 1234, 'USD', false)).toBe('$12.34')
})
