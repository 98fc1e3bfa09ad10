import { expect, test } from '@playwright/test'
import { goals } from '../../domain/reports/goal.ts'
import { paths } from '../../domain/paths.ts'
import { kindLack } from '../../domain/platform/kind-needs.ts'
import { stepsOf } from '../../domain/drafts/draft-steps.ts'
import { testKindNames, testKinds } from '../../domain/tests/test-kind.ts'
import { axeFinds } from './axe.ts'
import { boxFaults } from './boxes.ts'
import { islandsAlive } from './pages/islands-alive.ts'
import { createDraft, openApp } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { slowness } from '../slowness.ts'
import { capabilitiesOfRun } from '../stories/story-needs.ts'

/** Both, unless the whole run has one. */
const platforms = (process.env['STORY_PLATFORM']?.split(',') ?? ['demo', 'shopify']) as (
  | 'demo'
  | 'shopify'
)[]
/** Only the shop of the demo’s own platform gets a past. */
const hasPast = platforms.includes('demo')
const admins = {
  demo: '/admin/apps/twinshelf',
  shopify: '/admin/store/fern-and-kiln/apps/twinshelf',
}
let product: Product
test.beforeAll(async () => {
  product = await startProduct({ ...(hasPast && { DEMO_DATA: 'on' }), PLATFORMS: platforms.join() })
})
test.afterAll(() => product.stop())

test('a first start with a past ends, and prints the admin of each platform', async () => {
  for (const name of platforms)
    await expect.poll(() => product.output()).toContain(product.shop + admins[name])
})

/**
 * Checks reports with figures and every step of every kind of draft. every-route.spec.ts checks the
 * other pages.
 */
test('axe finds no violation on reports, drafts and lists with data, light and dark, and nothing is cut off', async ({
  page,
}) => {
  test.setTimeout(420_000 * slowness)
  const app = await openApp(page, product),
    own = await page.context().newPage()
  const reports = new Set<string>()
  for (const tab of ['Active', 'Ended'] as const) {
    await own.goto(product.app + paths.tests(tab))
    for (const link of await own
      .locator('tbody th a[href*="/tests/"], tbody td:first-child a[href*="/tests/"]')
      .all())
      reports.add(new URL((await link.getAttribute('href'))!, product.app).pathname)
  }
  const running = kindLack('Price', capabilitiesOfRun()) ? 2 : 3
  expect(reports.size, `${running} of the demo’s tests run, four have ended`).toBe(
    hasPast ? running + 4 : 0,
  )
  const drafts: string[] = []
  for (const kind of testKindNames) {
    if (kindLack(kind, capabilitiesOfRun())) continue
    await openApp(page, product)
    await createDraft(
      app,
      testKinds[kind].label.replace(/^[A-Z](?=[a-z])/, letter =>
        letter.toLowerCase(),
      ) as Parameters<typeof createDraft>[1],
      `Draft of a ${kind}`,
    )
    const draft = new URL(page.frames()[1]!.url()).pathname
    drafts.push(
      ...stepsOf(kind)
        .filter(step => !isSeen.has(step) && (isShared.has(step) ? isSeen.add(step) : true))
        .map(step => `${draft}?step=${step}`),
    )
  }
  const [first, ...others] = [...reports]
  const routes = [
    paths.home(),
    paths.tests('Ended'),
    paths.tests('Draft'),
    '/tests/list/running?search=nothing-like-it',
    paths.draft(),
    ...drafts,
    ...(first
      ? [
          // One rate and one amount: the other goals differ only in words.
          ...(['ConversionRate', 'RevenuePerSession'] as const).map(
            goal => `${first}?goal=${goals[goal].short.toLowerCase()}`,
          ),
          `${first}?metric=revenue`,
          `${first}?ask=orders&part=all`,
          ...others,
        ]
      : []),
    '/nothing/here',
  ]
  const found: string[] = []
  for (const route of routes) {
    await own.goto(product.app + route)
    found.push(...(await axeFinds(own)), ...(await boxFaults(own)))
  }
  expect(found).toEqual([])
})

test('a report’s metric, the orders of its ledger and its print view work in the browser', async ({
  page,
}) => {
  await openApp(page, product)
  await page.goto(product.app + paths.tests('Ended'))
  const report =
    product.app + (await page.locator('tbody th a[href*="/tests/"]').first().getAttribute('href'))!
  await page.goto(report)
  await islandsAlive(page)
  await expect(page.locator('.chart-plotted')).toHaveCount(2)
  // The plots stay in their places at another screen density.
  const screen = await page.context().newCDPSession(page),
    size = page.viewportSize()!
  for (const deviceScaleFactor of [1.5, 2, 1]) {
    await screen.send('Emulation.setDeviceMetricsOverride', {
      ...size,
      deviceScaleFactor,
      mobile: false,
    })
    await page.reload()
    await islandsAlive(page)
    await expect(page.locator('.chart-plotted')).toHaveCount(2)
    await expect
      .poll(() => page.evaluate(misplacedPlots), `density ${deviceScaleFactor}`)
      .toEqual([])
  }
  await page.locator('#metric').focus()
  await page.locator('#metric').selectOption('bounce-rate')
  await expect(page.getByRole('heading', { name: 'Daily bounce rate' })).toBeVisible()
  await expect(page).toHaveURL(/\?metric=bounce-rate$/)
  await expect(page.locator('#metric')).toBeFocused()
  await page.locator('.goal-switch > a').nth(1).click()
  await expect(page).toHaveURL(/\?goal=aov&metric=bounce-rate$/)

  await page.getByRole('link', { name: 'Variant arm' }).click()
  const dialog = page.getByRole('dialog', { name: 'Orders in the variant arm' })
  const total = await dialog.locator('tfoot').innerText(),
    first = await dialog.locator('tbody th').first().innerText()
  expect(await page.locator('.ledger-table tbody tr').nth(1).innerText()).toContain(
    /\$[\d,.]+/.exec(total)![0],
  )
  await dialog.getByRole('link', { name: 'Next page' }).click()
  await expect(dialog.getByText('Page 2 of')).toBeVisible()
  expect(await dialog.locator('tfoot').innerText()).toBe(total)
  expect(await dialog.locator('tbody th').first().innerText()).not.toBe(first)
  await expect(page.locator('dialog:modal').and(dialog)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  await page.evaluate(() => {
    window.print = () => {
      document.title = 'printed'
    }
  })
  await page.getByText('More', { exact: true }).click()
  await page.getByRole('button', { name: 'Print or save as PDF' }).click()
  await expect(page).toHaveTitle('printed')
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  for (const gone of ['.topbar', '.sidenav', '.page-actions', '.tabs', '#metric', '.chart-plot'])
    await expect(page.locator(gone).first()).toBeHidden()
  for (const there of ['.print-head', '#all-goals', '.verdict', '.chart-line', '.ledger-table'])
    await expect(page.locator(there).first()).toBeVisible()
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
    'rgb(255, 255, 255)',
  )
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
  ).toBeLessThanOrEqual(0)
})

/** Steps that are the same for all kinds are checked once. */
const isShared = new Set(['goal', 'split'])
const isSeen = new Set<string>()

/**
 * Charts whose canvas has the wrong density, does not fill its place, or extends beyond its card.
 */
function misplacedPlots(): string[] {
  const edges = (element: Element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    return [left, top, right, bottom].map(Math.round) as [number, number, number, number]
  }
  return [...document.querySelectorAll('.chart')].flatMap(card => {
    const canvas = card.querySelector('canvas')!,
      drawn = edges(canvas),
      [left, top, right, bottom] = edges(card)
    const isFine = Math.abs(canvas.width - canvas.clientWidth * devicePixelRatio) <= 1
    const isFilling = edges(card.querySelector('.chart-plot')!).every(
      (edge, i) => edge === drawn[i],
    )
    const isInside = drawn[0] >= left && drawn[1] >= top && drawn[2] <= right && drawn[3] <= bottom
    return isFine && isFilling && isInside
      ? []
      : [
          `${card.querySelector('h2')!.textContent}: ${drawn.join(' ')}, ${canvas.width} wide at ${devicePixelRatio}`,
        ]
  })
}
