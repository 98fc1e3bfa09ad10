import { expect, test, type Frame, type Page } from '@playwright/test'
import { createDraft } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { kindLack } from '../../domain/platform/kind-needs.ts'
import { testKindNames } from '../../domain/tests/test-kind.ts'
import { capabilitiesOfRun } from '../stories/story-needs.ts'

let product: Product
test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(() => product.stop())

/**
 * Opens the app at this path outside the admin's frame. On the way the shop's admin signs the
 * merchant in. Returns the console's warnings and errors.
 */
async function open(page: Page, path = '/'): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(product.app + path)
  return complaints
}
async function draft(page: Page, title: string): Promise<void> {
  await page.goto(`${product.app}/tests/draft/edit`)
  await page.getByRole('button', { name: 'Create a page element test' }).click()
  await page.getByRole('textbox', { name: 'Name of the test' }).fill(title)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // A new draft is saved as well. This draft is saved when the page's title has its name.
  await expect(page).toHaveTitle(new RegExp(title))
}
/** Sets a mark on the window, which is lost when the page is loaded again. */
const mark = (page: Page | Frame) =>
  page.evaluate(() => {
    ;(window as { marked?: boolean }).marked = true
  })
const isMarked = (page: Page | Frame) =>
  page.evaluate(() => (window as { marked?: boolean }).marked === true)

test('the list changes in place, keeps its address, and goes back', async ({ page }) => {
  const complaints = await open(page)
  await expect(page.getByRole('heading', { name: 'No tests yet' })).toBeVisible()
  await draft(page, 'Reviews above the fold')
  await draft(page, 'Sticky add to cart')
  await page.getByRole('link', { name: 'Back to drafts' }).click()
  await expect(page.getByRole('row')).toHaveCount(3)
  await page.waitForLoadState()
  await mark(page)

  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('sticky')
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page, 'empty filters are not in the address').toHaveURL(/drafts\?search=sticky$/)
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.getByRole('link', { name: 'Draft', exact: true }).click()
  await expect(page).toHaveURL(/\?search=sticky&sort=title/)
  await page
    .getByRole('navigation', { name: 'Tests by status' })
    .getByRole('link', { name: /^Ended/ })
    .click()
  await expect(page.getByRole('heading', { name: 'No test has ended yet' })).toBeVisible()
  expect(await isMarked(page)).toBe(true)
  await page.goBack()
  await expect(page).toHaveURL(/search=sticky&sort=title/)
  await expect(page.getByRole('row')).toHaveCount(2)
  expect(complaints).toEqual([])
})

test('menus and dialogs also open and close in browsers without position-area', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const { supports } = CSS,
      sheet = new CSSStyleSheet()
    CSS.supports = (...given: [string]) =>
      !given[0].startsWith('position-area') && supports.apply(CSS, given)
    sheet.replaceSync(
      '.row-menu { position-area: none !important; position-try-fallbacks: none !important }',
    )
    document.adoptedStyleSheets = [sheet]
  })
  await open(page)
  const account = page.getByRole('link', { name: 'My account' })
  await page.getByText('Fern & Kiln').click()
  await expect(account).toBeVisible()
  await page.mouse.click(700, 700)
  await expect(account).toBeHidden()
  await page.getByText('Fern & Kiln').click()
  await page.keyboard.press('Escape')
  await expect(account).toBeHidden()
  await page.keyboard.press('Enter')
  await expect(account, 'the focus went back to the menu').toBeVisible()
  await account.click()
  await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible()

  await draft(page, 'Larger pictures')
  const dialog = page.getByRole('dialog', { name: 'Delete Larger pictures?' })
  for (const close of [
    () => dialog.getByRole('link', { name: 'Keep it' }).click(),
    () => page.keyboard.press('Escape'),
  ]) {
    await page.getByLabel('More', { exact: true }).click()
    await page.getByRole('link', { name: 'Delete draft' }).click()
    await expect(dialog).toBeVisible()
    // Without the page's script the link opens a page with the dialog, which becomes modal there.
    await expect.poll(() => dialog.evaluate(element => element.matches(':modal'))).toBe(true)
    await close()
    await expect(dialog).toBeHidden()
  }

  await page.getByRole('link', { name: 'Back to drafts' }).click()
  const button = page.getByRole('button', { name: 'Actions for Larger pictures' }),
    menu = page.locator('.row-menu:popover-open')
  /**
   * Distance from the button's corner to the menu's: horizontal, then vertical, positive when the
   * menu is below.
   */
  const gaps = async () => {
    const [at, list] = [(await button.boundingBox())!, (await menu.boundingBox())!]
    return [
      at.x + at.width - list.x - list.width,
      list.y > at.y ? list.y - at.y - at.height : list.y + list.height - at.y,
    ].map(Math.round)
  }
  await page.setViewportSize({ width: 1440, height: 1600 })
  await button.click()
  await expect.poll(gaps).toEqual([0, 2])
  await page.keyboard.press('Escape')
  await expect(menu).toHaveCount(0)
  // In a low window the menu opens above the button and is only as high as the room there.
  await page.setViewportSize({ width: 1100, height: 300 })
  await button.evaluate(element => element.scrollIntoView({ block: 'end' }))
  await button.click()
  await expect.poll(gaps).toEqual([0, -2])
  expect((await menu.boundingBox())!.y).toBeGreaterThanOrEqual(0)
})

test('the address of the shop’s admin follows the app, and a copied link opens the same page there', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const admin = `${product.shop}/admin/apps/twinshelf`,
    app = page.frameLocator('iframe')
  await page.goto(admin)
  await createDraft(app, 'page element', 'Longer names')
  await app.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page).toHaveURL(/\/admin\/apps\/twinshelf\/tests\/draft\/edit\/[0-9a-f-]{36}$/)
  const draft = page.url(),
    name = app.getByRole('textbox', { name: 'Name of the test' })
  await page.reload()
  await expect(name, 'a reload shows the same page').toHaveValue('Longer names')
  await app.getByRole('link', { name: 'Back to drafts' }).click()
  await expect(page).toHaveURL(`${admin}/tests/list/drafts`)
  await app.getByRole('searchbox').fill('longer')
  await expect(page, 'the admin’s address also follows changes within a page').toHaveURL(
    `${admin}/tests/list/drafts?search=longer`,
  )
  await page.goBack()
  await expect(page).toHaveURL(`${admin}/tests/list/drafts`)
  await page.goBack()
  await expect(page).toHaveURL(draft)
  await expect(name, 'one step back goes back one page').toHaveValue('Longer names')
  await page.goForward()
  await expect(page).toHaveURL(`${admin}/tests/list/drafts`)

  await app.getByRole('button', { name: 'Actions for Longer names' }).click()
  await app.getByRole('button', { name: 'Copy link' }).click()
  await expect(app.getByRole('status').getByText('Link copied')).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(draft)
  const colleague = await context.newPage()
  await colleague.goto(copied)
  await expect(
    colleague.frameLocator('iframe').getByRole('textbox', { name: 'Name of the test' }),
  ).toHaveValue('Longer names')
  await colleague.close()

  // The admin accepts messages only from our own frame, and only paths of our app.
  await page.evaluate(() => {
    const seen: string[] = Object.assign(window, { seen: [] as string[] }).seen
    const replace = history.replaceState.bind(history)
    history.replaceState = (...given) => {
      seen.push(String(given[2]))
      replace(...given)
    }
    postMessage({ type: 'app:address', path: '/of-the-admin-itself' }, '*')
  })
  await page.frames()[1]!.evaluate(() => {
    for (const path of [
      '//evil.example/',
      '/\\evil.example',
      '/../../orders',
      'https://evil.example/',
      '/%2e%2e/%2e%2e/settings',
      5,
      '/settings/account',
    ])
      parent.postMessage({ type: 'app:address', path }, '*')
  })
  await expect(page).toHaveURL(`${admin}/settings/account`)
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([
    `${admin}/settings/account`,
  ])
})

test('a small screen shows a note until it is dismissed, and nothing is cut off', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await open(page)
  const note = page.getByText('best viewed on a larger screen')
  await expect(note).toBeVisible()
  await expect(page.getByRole('link', { name: 'Return to the platform' })).toHaveAttribute(
    'href',
    `${product.shop}/admin`,
  )
  // The note disappears at once; a request stores that it was dismissed.
  const stored = page.waitForResponse(response => response.request().method() === 'POST')
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
  await expect(note).toBeHidden()
  await stored
  await page.reload()
  await expect(note).toBeHidden()
  for (const path of [
    '/',
    '/settings/account',
    '/recommendations',
    '/tests/list/drafts',
    '/nowhere',
  ]) {
    await page.goto(product.app + path)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(390)
  }
})

test('without scripts the same links and forms load the page', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await open(page)
  await draft(page, 'Free shipping bar')
  await draft(page, 'Bundle offer')
  await page.goto(`${product.app}/tests/list/drafts`)
  await page.getByRole('searchbox').fill('bundle')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/tests\/list\/drafts\?search=bundle$/)
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Actions for Bundle offer' }).click()
  await expect(
    page.getByRole('dialog', { name: 'Bundle offer' }).getByRole('link', { name: 'Delete…' }),
  ).toBeVisible()
  await expect(page.getByRole('link', { name: 'Bundle offer' })).toBeVisible()
  await context.close()
})

test('a part that cannot be loaded is replaced by a full page that says why', async ({ page }) => {
  await open(page, '/tests/list/drafts')
  await page.route('**/tests/list/ended*', route =>
    route.request().headers()['hx-request'] ? route.abort() : route.continue(),
  )
  await page
    .getByRole('navigation', { name: 'Tests by status' })
    .getByRole('link', { name: /^Ended/ })
    .click()
  await expect(page.getByRole('heading', { name: 'No test has ended yet' })).toBeVisible()
  await page.route('**/tests/list/paused*', route =>
    route.fulfill({
      status: 502,
      contentType: 'text/html',
      body: '<h1>We cannot reach your data</h1>',
    }),
  )
  await page
    .getByRole('navigation', { name: 'Tests by status' })
    .getByRole('link', { name: /^Paused/ })
    .click()
  await expect(page.getByRole('heading', { name: 'We cannot reach your data' })).toBeVisible()
  await expect(page).toHaveURL(/\/tests\/list\/paused/)
})

test('a stylesheet or script that cannot be loaded raises an event, and the page says so and offers a reload', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const raised: string[] = []
    Object.assign(window, { raised })
    addEventListener('preloadError', event =>
      raised.push((event as CustomEvent<Error>).detail.message),
    )
  })
  const raised = () => page.evaluate(() => (window as unknown as { raised: string[] }).raised)
  await page.route('**/built/*.css', route => route.abort())
  await page.goto(product.app)
  await expect(
    page.getByRole('alert').getByText('A part of this page could not be loaded'),
  ).toBeVisible()
  expect((await raised())[0]).toMatch(/^Unable to preload CSS for /)
  await page.unroute('**/built/*.css')
  await page.getByRole('alert').getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { name: 'Tests', exact: true, level: 1 })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(await raised()).toEqual([])

  await page.route('**/built/**/shortcuts-*.js', route => route.abort())
  await page.keyboard.press('?')
  await expect.poll(raised).toEqual(['Unable to load shortcuts'])
})

test('another site cannot frame the app', async ({ page }) => {
  const evil = product.engine
  await page.route(`${evil}/`, route =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${product.app}/auth-missing"></iframe>`,
    }),
  )
  await page.goto(`${evil}/`)
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/chrome-error/)
})

test('all kinds of test are visible without scrolling, and a list works with the keyboard', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const complaints = await open(page, '/tests/draft/edit')
  const cards = page.locator('.kind-card')
  await expect(cards).toHaveCount(7)
  const possible = testKindNames.filter(kind => !kindLack(kind, capabilitiesOfRun()))
  await expect(cards.getByRole('button')).toHaveCount(possible.length)
  for (const card of await cards.all()) {
    const box = (await card.boundingBox())!
    expect(box.y + box.height, 'visible without scrolling').toBeLessThanOrEqual(900)
    // A kind that the shop cannot run says why instead.
    if ((await card.getByRole('button').count()) === 0) continue
    const button = (await card.getByRole('button').boundingBox())!
    expect(
      button.width,
      'the button is narrower than its card, but the whole card can be clicked',
    ).toBeLessThan(box.width)
  }
  await cards.nth(2).click({ position: { x: 20, y: 20 } })
  await page.getByRole('textbox', { name: 'Name of the test' }).fill('Worked by keys')
  await page.keyboard.type('?')
  await expect(page.getByRole('dialog'), 'no shortcut while a field has the focus').toHaveCount(0)
  await page.getByRole('textbox', { name: 'Name of the test' }).fill('Worked by keys')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page).toHaveTitle(/Worked by keys/)

  await page.goto(`${product.app}/`)
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await expect(page).toHaveURL(/\/tests\/list\/drafts/)
  await page.getByLabel('Kind of test').selectOption('Theme')
  await expect(page.getByText('No draft matches these filters')).toBeVisible()
  await page.getByLabel('Kind of test').selectOption('Template')
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/kind=template/)
  await page.getByRole('link', { name: 'Created' }).click()
  await expect(page).toHaveURL(/kind=template&order=ascending/)
  await page.locator('body').press('j')
  await expect(page.getByRole('link', { name: 'Worked by keys' })).toBeFocused()
  await expect(page.getByText('chosen')).toBeHidden()
  await page.keyboard.press('x')
  await expect(page.getByText('chosen')).toBeVisible()
  await page.getByRole('button', { name: 'Delete drafts…' }).click()
  await page
    .getByRole('dialog', { name: 'Delete 1 draft?' })
    .getByRole('button', { name: 'Delete 1 draft' })
    .click()
  await expect(page.getByText('One draft is deleted.')).toBeVisible()
  await expect(page).toHaveURL(/kind=template&order=ascending/)

  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' }),
    use = help.getByRole('checkbox')
  await page.locator('body').press('?')
  await expect(help.getByRole('row', { name: 'Create a test c' })).toBeVisible()
  await use.uncheck()
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  await page.reload()
  await page.locator('body').press('?')
  await page.getByText('More', { exact: true }).click()
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await expect(help, 'when shortcuts are off, only the menu opens the help').toHaveCount(1)
  await use.check()
  await help.getByRole('button', { name: 'Close' }).click()
  await page.locator('body').press('c')
  await expect(page.getByRole('heading', { name: 'Create a test' })).toBeVisible()
  expect(complaints).toEqual([])
})
