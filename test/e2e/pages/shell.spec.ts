import { expect, test, type Page } from '@playwright/test'
import { paths } from '../../../domain/paths.ts'
import type { UsageMessage } from '../../../server/events/usage-sender.ts'
import { standIn, type StandIn } from '../../server/support/stand-in.ts'
import { firstLoad } from './first-load.ts'
import { islandsAlive } from './islands-alive.ts'
import { startProduct, type Product } from '../product.ts'
import { slowness } from '../../slowness.ts'

let product: Product
let others: StandIn
const tool = 'window.Guide = { calls: 0, page() { this.calls++ } }'
test.beforeAll(async () => {
  test.setTimeout(240_000 * slowness)
  others = await standIn(path =>
    path.startsWith('/guide.js') || path.startsWith('/gtm.js')
      ? {
          type: 'text/javascript',
          body: path.startsWith('/guide.js') ? tool : 'window.tagged = true',
        }
      : null,
  )
  product = await startProduct({
    SEGMENT_ORIGIN: others.origin,
    SEGMENT_WRITE_KEY: 'writeKey1',
    GTM_ORIGIN: others.origin,
    GTM_ID: 'GTM-SHELL1',
    GUIDANCE_URL: `${others.origin}/guide.js?k=1`,
    GUIDANCE_RELOAD: 'Guide.page',
  })
})
test.afterAll(async () => {
  await product.stop()
  await others.close()
})

/** Collects the browser's errors and warnings on this page. */
function complaints(page: Page): string[] {
  const found: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
  })
  page.on('pageerror', error => found.push(error.message))
  return found
}
/** Sets a mark on the window, which is lost when the page is loaded again. */
const mark = (page: Page) =>
  page.evaluate(() => {
    ;(window as { marked?: boolean }).marked = true
  })
const isMarked = (page: Page) =>
  page.evaluate(() => (window as { marked?: boolean }).marked === true)
const listTab = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Tests by status' }).getByRole('link', { name })

test('toasts stay until they are closed, stack, and are at most 20', async ({ page }) => {
  const found = complaints(page)
  await page.clock.install()
  await page.goto(product.app + paths.settings())
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Fern and Kiln')
  await page.getByRole('button', { name: 'Save name' }).click()
  const toasts = page.getByRole('status').locator('.toast')
  await expect(toasts).toHaveCount(1)
  await page.waitForLoadState()
  await page.clock.fastForward('10:00')
  await expect(toasts).toHaveCount(1)
  const middle = async () => {
    const box = (await toasts.first().boundingBox())!
    return [Math.round(box.x + box.width / 2), box.y] as const
  }
  expect((await middle())[0]).toBe(720)
  expect((await middle())[1]).toBeGreaterThan(800)
  const say = (text: string) =>
    page.evaluate(
      text => document.dispatchEvent(new CustomEvent('toast', { detail: { text, tone: 'bad' } })),
      text,
    )
  await say('<b>Second</b>')
  await expect(toasts.nth(1)).toHaveText('<b>Second</b>')
  await toasts.first().getByRole('button', { name: 'Close' }).click()
  await expect(toasts).toHaveText(['<b>Second</b>'])
  await expect(
    toasts.getByRole('button', { name: 'Close' }),
    'the focus moves to the next toast',
  ).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(toasts).toHaveCount(0)
  for (let i = 0; i < 25; i++) await say(`Number ${i}`)
  await expect(toasts).toHaveCount(20)
  await expect(toasts.last()).toHaveText('Number 24')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(toasts).toHaveCount(0)
  expect(found).toEqual([])
})

test('a toast also appears when htmx swaps only a part of the page', async ({ page, context }) => {
  await page.goto(product.app)
  await mark(page)
  const packed = Buffer.from(JSON.stringify([[0, 'Draft deleted']])).toString('base64url')
  await context.addCookies([{ name: 'toasts', value: packed, url: product.app }])
  await listTab(page, /^Ended/).click()
  await expect(page.locator('.toast')).toHaveText('Draft deleted')
  expect(await isMarked(page)).toBe(true)
  await listTab(page, /^Paused/).click()
  await expect(page.getByRole('heading', { name: 'No test is paused' })).toBeVisible()
  await expect(page.locator('.toast')).toHaveText(['Draft deleted'])
})

test('the links of the top bar and the navigation lead to their pages', async ({ page }) => {
  await page.goto(product.app)
  await page.goto(`${product.app}/?host=aG9z&code=SAVE20`)
  const bar = page.getByRole('banner')
  await bar.getByRole('link', { name: /^Docs/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Guide for merchants' })).toBeVisible()
  await page.getByRole('link', { name: 'Who counts' }).click()
  await expect(page.getByRole('heading', { name: 'Who counts' })).toBeInViewport()
  await page.goto(`${product.app}/?host=aG9z&code=SAVE20`)
  await bar.getByRole('link', { name: 'Support' }).click()
  await expect(page).toHaveURL(/\/settings\/support\?host=aG9z&code=SAVE20$/)
  for (const [name, path] of [
    ['My account', 'account'],
    ['Notifications', 'notifications'],
    ['Plan & Billing', 'billing'],
  ] as const) {
    await bar.locator('summary').click()
    await bar.getByRole('link', { name }).click()
    await expect(page).toHaveURL(`${product.app}/settings/${path}?host=aG9z&code=SAVE20`)
    await expect(page).toHaveTitle(`${name} | Twinshelf`)
  }
  const side = page.getByRole('navigation', { name: 'Main' })
  for (const [name, path] of [
    ['Lift Assist', '/recommendations'],
    ['Tests', '/'],
    ['Create a test', '/tests/draft/edit'],
    ['Settings', '/settings/account'],
  ] as const) {
    await side.getByRole('link', { name }).click()
    await expect(page).toHaveURL(`${product.app}${path}?host=aG9z&code=SAVE20`)
  }
  await expect(side.locator('[aria-current=page]')).toHaveText('Settings')
})

test('every layout shows a note on a small screen until it is dismissed; the browser remembers that', async ({
  page,
  browser,
  context,
}) => {
  await page.setViewportSize({ width: 1023, height: 800 })
  const note = page.getByText('Full responsive support is coming soon.')
  for (const path of ['/', paths.draft(), paths.settings(), paths.design(), '/nowhere']) {
    await page.goto(product.app + path)
    await expect(note, path).toBeVisible()
  }
  await page.setViewportSize({ width: 1024, height: 800 })
  await expect(note).toBeHidden()
  await page.setViewportSize({ width: 700, height: 800 })
  await page.goto(product.app)
  const remembered = page.waitForResponse(answer => answer.request().method() === 'POST')
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await expect(note).toBeHidden()
  await remembered
  await listTab(page, /^Ended/).click()
  await expect(page.getByRole('heading', { name: 'No test has ended yet' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'No tests yet' })).toBeVisible()
  await expect(note).toBeHidden()
  await page.goto(product.app + paths.settings())
  await expect(note).toBeHidden()
  const later = await context.newPage()
  await later.setViewportSize({ width: 700, height: 800 })
  await later.goto(product.app)
  await expect(later.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(later.getByText('Full responsive support is coming soon.')).toBeHidden()
  await later.close()
  const another = await browser.newPage({ viewport: { width: 700, height: 800 } })
  await another.goto(product.app)
  await expect(another.getByText('Full responsive support is coming soon.')).toBeVisible()
  await another.getByRole('link', { name: 'Return to the platform' }).click()
  await expect(another).toHaveURL(`${product.shop}/admin`)
  await another.close()
})

test('after an idle hour the page is loaded again, but not when it has typed text', async ({
  page,
}) => {
  await page.clock.install()
  await page.goto(product.app + paths.settings())
  await mark(page)
  const flag = page.locator('html[data-idle]')
  await page.clock.runFor('40:00')
  await expect(flag).toHaveCount(0)
  await page.mouse.move(300, 300)
  await page.clock.runFor('40:00')
  await expect(flag, 'the mouse moved').toHaveCount(0)
  await page.clock.runFor('21:00')
  await expect(flag).toHaveCount(1)
  expect(await isMarked(page), 'the page is not loaded while nobody uses it').toBe(true)
  const loaded = page.waitForEvent('load')
  await page.mouse.move(310, 310)
  await loaded
  await expect(flag).toHaveCount(0)
  expect(await isMarked(page)).toBe(false)

  await mark(page)
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Half typed')
  await page.clock.runFor('01:00:01')
  await expect(flag).toHaveCount(1)
  await page.mouse.move(320, 320)
  await expect(page.locator('.toast')).toContainText('nothing you typed is lost')
  await expect(flag).toHaveCount(0)
  await expect(name).toHaveValue('Half typed')
  expect(await isMarked(page)).toBe(true)
  await page.mouse.move(330, 330)
  await expect(page.locator('.toast')).toHaveCount(1)
  await page.clock.runFor('01:00:01')
  await page.mouse.move(340, 340)
  await expect(page.locator('.toast'), 'the next idle hour shows another toast').toHaveCount(2)

  await page.goto(product.app)
  await mark(page)
  await page.clock.setSystemTime(Date.now() + 24 * 3_600_000)
  const slept = page.waitForEvent('load')
  await page.keyboard.press('Tab')
  await slept
  expect(
    await isMarked(page),
    'the page was loaded again, although timers do not run while the machine sleeps',
  ).toBe(false)
})

test('the list keeps its scroll position from tab to tab; other pages start at the top', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 260 })
  await page.goto(product.app)
  const at = () => page.evaluate(() => scrollY)
  await listTab(page, /^Ended/).scrollIntoViewIfNeeded()
  const place = await at()
  expect(place).toBeGreaterThan(0)
  await listTab(page, /^Ended/).click()
  await expect(page.getByRole('heading', { name: 'No test has ended yet' })).toBeVisible()
  expect(await at()).toBe(place)
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Settings' })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'My account' })).toBeVisible()
  expect(await at()).toBe(0)
  await page.evaluate(() => scrollTo(0, 100))
  await page
    .getByRole('navigation', { name: /Settings/ })
    .getByRole('link', { name: 'Preferences' })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Preferences' })).toBeVisible()
  expect(await at()).toBe(0)
})

test('the guidance tool runs after each navigation, and analytics get one event for it', async ({
  page,
}) => {
  const found = complaints(page)
  const told = () =>
    others.heard
      .filter(({ path }) => path === '/v1/batch')
      .flatMap(({ body }) => (JSON.parse(body) as { batch: UsageMessage[] }).batch)
      .map(({ event, properties }) => `${event} ${properties['path']}`)
  // Earlier events may still be on their way. They are sent in order, so wait for the event of a
  // page that only this line opens.
  await page.goto(product.app + paths.settings('brand-styles'))
  await expect.poll(() => told().at(-1)).toBe('Page Viewed /settings/brand-styles')
  await page.goto(product.app)
  const calls = () =>
    page.evaluate(() => (window as unknown as { Guide: { calls: number } }).Guide?.calls)
  await expect.poll(calls).toBe(1)
  others.heard.length = 0
  await page.goto(product.app + paths.tests('Ended'))
  await expect.poll(calls).toBe(1)
  await listTab(page, /^Drafts/).click()
  await expect(page.getByRole('heading', { name: 'No drafts' })).toBeVisible()
  await expect.poll(calls).toBe(2)
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'No test has ended yet' })).toBeVisible()
  await expect.poll(calls).toBe(3)
  await page.goto(product.app + paths.settings())
  expect(await page.evaluate(() => (window as { tagged?: boolean }).tagged)).toBe(true)
  await expect
    .poll(() => told().filter(line => line !== 'Page Viewed /'))
    .toEqual([
      'Page Viewed /tests/list/ended',
      'Page Viewed /tests/list/drafts',
      'Page Viewed /tests/list/ended',
      'Page Viewed /settings/account',
    ])
  expect(found).toEqual([])
})

test('blocked or failing scripts of vendors do not break the app', async ({ page }) => {
  await page.route(`${others.origin}/gtm.js*`, route => route.abort())
  await page.route(`${others.origin}/guide.js*`, route =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'window.Guide = { page() { throw new Error("broken") } }',
    }),
  )
  await page.goto(product.app)
  await page.unroute(`${others.origin}/guide.js*`)
  await listTab(page, /^Ended/).click()
  await expect(page.getByRole('heading', { name: 'No test has ended yet' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.route(`${others.origin}/guide.js*`, route => route.abort())
  await page.reload()
  await listTab(page, /^Drafts/).click()
  await expect(page.getByRole('heading', { name: 'No drafts' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

/** What the page's `preloadError` events said, one in a line. */
async function raisedOn(page: Page): Promise<() => Promise<string>> {
  await page.addInitScript(() => {
    const raised: string[] = []
    Object.assign(window, { raised })
    addEventListener('preloadError', event =>
      raised.push((event as CustomEvent<Error>).detail.message),
    )
  })
  return () => page.evaluate(() => (window as unknown as { raised: string[] }).raised.join('\n'))
}

test('a stylesheet or island that cannot be loaded raises an event and shows an alert with a reload', async ({
  page,
}) => {
  const raised = await raisedOn(page)
  await page.route('**/built/kinds-*.css', route => route.abort())
  await page.goto(product.app + paths.draft())
  await expect.poll(raised).toMatch(/^Unable to preload CSS for .*kinds-/)
  await page.unroute('**/built/kinds-*.css')
  await page.route('**/built/islands-*.js', route => route.abort())
  await page.getByRole('alert').getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.getByRole('button', { name: 'Create a page element test' }).click()
  await page.locator('.steps').getByRole('button', { name: 'Changes' }).click()
  await expect(page.locator('.steps [aria-current=step]')).toContainText('Changes')
  await expect.poll(raised).toMatch(/^Unable to load .*islands-/)
  await expect(page.getByRole('alert')).toContainText('The page works without it.')
  await page.getByRole('textbox', { name: 'Name of the test' }).fill('Without islands')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText(/^Saved/)).toBeVisible()
})

test('the first load of a page without islands is at most 32 kB, and htmx is its only library', async ({
  browser,
}) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${product.shop}/admin/apps/twinshelf`)
  await expect(page.frameLocator('iframe').getByRole('heading', { level: 1 })).toBeVisible()
  const storageState = await context.storageState()
  await context.close()
  for (const path of [
    '/',
    paths.settings(),
    ...(
      [
        'notifications',
        'preferences',
        'support',
        'brand-styles',
        'integrations',
        'uninstall',
      ] as const
    ).map(paths.settings),
    paths.draft(),
    paths.recommendations(),
    paths.authMissing(),
    paths.login(),
    paths.help(),
    '/nowhere',
  ]) {
    const load = await firstLoad(browser, product.app + path, { storageState })
    expect(load.bytes, `${path} ${load.files}`).toBeLessThanOrEqual(32_000)
    // Ignore the script for the guidance tool, which is loaded only where a guidance tool is
    // configured, as here.
    expect(
      load.scripts.filter(name => name !== 'guidance'),
      path,
    ).toEqual(path === paths.help() ? [] : ['page'])
  }
})

test('the code of a dialog, and of a save before the islands, raises the event too', async ({
  page,
}) => {
  const raised = await raisedOn(page)
  await page.route('**/built/modals-*.js', route => route.abort())
  await page.goto(`${product.app}${paths.settings('uninstall')}?ask=uninstall`)
  await expect.poll(raised).toContain('Unable to load the dialogs')
  await expect(page.getByRole('dialog'), 'the dialog works without it').toBeVisible()

  await page.route('**/built/early-leave-*.js', route => route.abort())
  await page.goto(product.app + paths.draft())
  await page.getByRole('button', { name: 'Create a page element test' }).click()
  await expect.poll(raised).toContain('Unable to load early-leave')
  await islandsAlive(page)
})
