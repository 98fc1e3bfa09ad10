import { devices, expect, test, type Page } from '@playwright/test'
import type { ArmIndex } from '../../../domain/arm.ts'
import type { Beacon } from '../../../domain/events/event.ts'
import { paths } from '../../../domain/paths.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import { shop } from '../../../demo-shop/shop.ts'
import { firstLoad } from './first-load.ts'
import { launchRedirect, startStage, type Stage } from '../stage.ts'
import { watchRequests } from '../../quiet-network.ts'
import { slowness } from '../../slowness.ts'

let stage: Stage
test.beforeAll(async () => {
  stage = await startStage()
})
test.afterAll(() => stage.stop())

const billing = paths.settings('billing')
/** What a page loads whose islands wait for a person. */
const waiting = ['later', 'page']
const editor = [...waiting, 'early-leave'],
  reading = [...waiting, 'print']
/** What the page with the list of changes loads: its islands begin once it is painted. */
const changes = [
  ...editor,
  'islands',
  'react',
  'roots',
  'autosave',
  'changes-editor',
  'edit-watch',
  'preview-frame',
  'undo-redo',
]

test('a page loads the code of its own islands only, and not more than its limit', async ({
  page,
  browser,
}) => {
  test.setTimeout(300_000 * slowness)
  await page.goto(await stage.address())
  const storageState = await page.context().storageState()
  const element = paths.draft(await draft('PageElement')),
    content = paths.draft(await draft('PageContent')),
    testId = await reported(page)
  const pages: [path: string, limit: number, scripts: string[]][] = [
    [`${element}?step=goal`, 37_000, editor],
    [`${element}?step=changes`, 128_500, changes],
    [`${element}?step=split`, 37_000, editor],
    [`${element}?step=review`, 37_000, editor],
    [`${content}?step=content`, 36_000, editor],
    [paths.report(testId), 38_000, reading],
    [paths.report(testId, 'devices'), 36_000, reading],
    [billing, 32_000, waiting],
  ]
  for (const [path, limit, scripts] of pages) {
    const load = await firstLoad(browser, stage.app + path, { storageState })
    expect(load.scripts, `${path} ${load.files}`).toEqual(scripts.toSorted())
    expect(load.bytes, `${path} ${load.files}`).toBeLessThanOrEqual(limit)
    // What islands load once they are alive. Anything else would wait for the file before it.
    expect(
      load.unnamed.filter(name => !['early-leave', 'edit-watch', 'later', 'print'].includes(name)),
      path,
    ).toEqual([])
  }
})

test('the slider’s code is loaded at the first sign of a person, and keeps what was chosen before', async ({
  page,
}) => {
  await page.goto(await stage.address())
  const requests = watchRequests(page)
  const scripts: string[] = []
  page.on('request', request => {
    if (request.url().endsWith('.js')) scripts.push(request.url())
  })
  const core = page.getByRole('article', { name: 'Core' }).locator('.plan-price > strong')
  for (const sign of [
    () => page.mouse.move(300, 300),
    () => page.keyboard.press('Tab'),
    () => page.getByRole('slider', { name: 'Monthly visitors' }).press('ArrowRight'),
  ]) {
    scripts.length = 0
    await page.goto(stage.app + billing)
    await requests.quiet()
    expect(scripts.filter(url => url.includes('react-'))).toEqual([])
    await sign()
    await expect(page.locator('[data-island=plan-chooser][data-alive]')).toBeAttached()
  }
  await expect(core).toHaveText('$179')
  await expect(page).toHaveURL(/visitors=250000/)
  // A reload restores what was chosen in some browsers, and nobody moves anything after it.
  await page.reload()
  await expect(core).toHaveText('$179')
})

test('if the slider’s code cannot be loaded, its form asks the server', async ({ page }) => {
  await page.goto(await stage.address())
  await page.route('**/built/plan-chooser-*.js', route => route.abort())
  await page.goto(stage.app + billing)
  const core = page.getByRole('article', { name: 'Core' }).locator('.plan-price > strong')
  await page.getByRole('slider', { name: 'Monthly visitors' }).press('ArrowRight')
  await expect(page).toHaveURL(/step=2&billing=monthly/)
  await expect(core).toHaveText('$179')
  // The page may not listen yet when the pointer moves for the first time.
  await expect(async () => {
    await page.mouse.move(300, 300)
    await page.mouse.move(310, 300)
    await expect(page.getByRole('alert')).toContainText('The page works without it.', {
      timeout: 500,
    })
  }).toPass()
  await page.getByRole('radio', { name: /^Annual/ }).check()
  await expect(page).toHaveURL(/step=2&billing=annual/)
  await expect(core).toHaveText('$134')
})

test('a report is read without its islands; what is pressed before they are alive is done then', async ({
  page,
}) => {
  await page.goto(await stage.address())
  const testId = await reported(page)
  const held = await hold(page),
    requests = watchRequests(page)
  await page.goto(stage.app + paths.report(testId))
  await requests.quiet()
  expect(held.asked, 'nobody has touched the page').toBe(0)
  await expect(page.getByRole('img', { name: /^Daily / })).toBeVisible()
  await page.getByText('More', { exact: true }).click()
  const file = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download results (CSV)' }).click()
  await expect.poll(() => held.asked).toBeGreaterThan(0)
  await expect(page.locator('#downloads:not([data-alive])')).toBeAttached()
  held.release()
  expect((await file).suggestedFilename()).toMatch(/-results-.*\.csv$/)
  await expect(page.getByText('Results: downloaded'), 'by the island').toBeVisible()
  await expect(page.locator('.chart-plotted')).toHaveCount(2)

  await page.unrouteAll()
  await page.route(/\/built\/react-/, route => route.abort())
  await page.reload()
  await page.getByText('More', { exact: true }).click()
  const plain = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download results (CSV)' }).click()
  expect((await plain).suggestedFilename(), 'without the island').toMatch(/-results-.*\.csv$/)
})

test('islands that begin at once ask for React once the page is painted, and hear what was pressed', async ({
  page,
}) => {
  await page.goto(await stage.address())
  const held = await hold(page)
  await page.goto(`${stage.app}${paths.draft(await draft('PageElement'))}?step=changes`)
  await expect.poll(() => held.asked).toBeGreaterThan(0)
  // What is still on its way has no entry yet: wait for a file that comes together with React.
  const early = await page.waitForFunction(() => {
    const files = performance.getEntriesByType('resource'),
      [painted] = performance.getEntriesByName('first-contentful-paint')
    const [first] = files.filter(({ name }) => /\/(islands|roots)-/.test(name))
    return painted && first ? { by: painted.startTime - first.startTime } : null
  })
  expect((await early.jsonValue())!.by).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Pick an element' }).click()
  held.release()
  await expect(page.getByRole('toolbar', { name: 'Pick an element' })).toBeVisible()
})

test('a new store chooses its first plan on a page that loads no more', async ({
  page,
  browser,
}) => {
  await stage.store({
    onboarded: false,
    has_subscribed: false,
    plan_id: null,
    subscription_status: null,
  })
  await page.goto(await stage.address())
  await expect(page).toHaveURL(/\/overlay\/selectplan/)
  const storageState = await page.context().storageState()
  const load = await firstLoad(browser, page.url(), { storageState })
  expect(load.scripts, load.files).toEqual(['later', 'page'])
  expect(load.bytes, load.files).toBeLessThanOrEqual(32_000)
})

/** Keeps React on its way until it is released. */
async function hold(page: Page): Promise<{ asked: number; release: () => void }> {
  let release = () => {}
  const released = new Promise<void>(resolve => (release = resolve))
  const held = { asked: 0, release }
  await page.route(/\/built\/react-/, async route => {
    held.asked++
    await released
    await route.continue().catch(() => {})
  })
  return held
}

const draft = async (kind: 'PageElement' | 'PageContent'): Promise<string> =>
  (await stage.call('createDraft', { body: { kind, title: 'A draft' } })).id

let report: Promise<string> | undefined
/** A test whose report has charts. There is one, because a visitor is in one test of a page. */
const reported = (page: Page): Promise<string> =>
  (report ??= launchRedirect(stage).then(async id => {
    await countVisitor(page, id)
    return id
  }))

/** Sends a test its first visitor, and waits until its report has charts. */
async function countVisitor(page: Page, testId: string): Promise<void> {
  const visitor = 'visitor-of-the-charts',
    at = Date.now()
  const arm: ArmIndex = assign(testId, visitor, [0.5, 0.5])
  const beacon: Beacon = {
    v: 1,
    shop: shop.shop,
    visitor,
    session: `session-${visitor}`,
    sent: at + 1,
    isNew: true,
    landing: '/pages/gift-guide',
    referrer: '',
    tests: { [testId]: [arm, 7] },
    events: [
      {
        id: `exposure-${visitor}`,
        at,
        kind: 'exposure',
        path: '/pages/gift-guide',
        tests: [testId],
      },
    ],
  }
  const answer = await page.request.post(`${stage.app}/collect`, {
    data: JSON.stringify(beacon),
    headers: {
      origin: stage.shop,
      'content-type': 'text/plain;charset=UTF-8',
      // The browser of the tests counts as a bot.
      'user-agent': devices['Desktop Chrome'].userAgent,
    },
  })
  expect(answer.status()).toBe(204)
  await expect(async () => {
    await page.goto(stage.app + paths.report(testId))
    await expect(page.locator('[data-island=chart]').first()).toBeAttached({ timeout: 1000 })
  }).toPass()
}
