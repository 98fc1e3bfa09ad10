import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { sessionHeaders } from '../../../domain/embedding/page-session.ts'
import { paths } from '../../../domain/paths.ts'
import { callAs, type EmbeddedProduct, openEmbedded, startEmbedded } from './without-cookies.ts'
import { slowness } from '../../slowness.ts'

let product: EmbeddedProduct
test.beforeAll(async () => {
  product = await startEmbedded()
})
test.afterAll(() => product?.stop())

/** The documents that the app's frame has loaded, as a browser loads them. */
function documentsOf(page: Page): string[] {
  const loaded: string[] = []
  page.on('request', request => {
    if (request.isNavigationRequest() && request.url().startsWith(product.origin))
      loaded.push(request.url())
  })
  return loaded
}
const frameOf = (page: Page) => page.frames().find(frame => frame.url().startsWith(product.origin))!
const pathOf = (page: Page) => new URL(frameOf(page).url()).pathname
/** Whether the page's own scripts have stayed: another document would have another window. */
const mark = (page: Page) => frameOf(page).evaluate(() => void Object.assign(window, { marked: 1 }))
const isMarked = (page: Page) => frameOf(page).evaluate(() => 'marked' in window)
/** Loads the app's own document again, as scripts of the page do. */
async function reloadFrame(page: Page): Promise<void> {
  await mark(page)
  await frameOf(page).evaluate(() => location.reload())
  // While it is loading there is no window to ask.
  await expect.poll(() => isMarked(page).catch(() => true)).toBe(false)
}

test('without cookies a merchant signs in, follows links, goes back, and reloads', async ({
  page,
  context,
}) => {
  const loaded = documentsOf(page)
  const app = await openEmbedded(page, product)
  expect(await context.cookies(product.origin)).toEqual([])
  expect(loaded.length, 'the token, then the small page; no circle').toBe(2)
  await mark(page)

  await app.getByRole('link', { name: 'Settings' }).click()
  await expect(app.getByRole('heading', { level: 1, name: 'My account' })).toBeVisible()
  expect(pathOf(page)).toBe(paths.settings())
  await expect(app.locator('.store-logo'), 'pictures are shown').toHaveAttribute('src', /^data:/)
  await app.getByRole('link', { name: 'Plan & Billing' }).first().click()
  await expect(app.getByRole('heading', { level: 1, name: /billing/i })).toBeVisible()
  await expect
    .poll(() => page.url(), { message: 'the admin’s address follows' })
    .toBe(`${product.admin}${paths.settings('billing')}`)
  await page.goBack()
  await expect(app.getByRole('heading', { level: 1, name: 'My account' })).toBeVisible()
  await page.goForward()
  await expect(app.getByRole('heading', { level: 1, name: /billing/i })).toBeVisible()
  expect(await isMarked(page), 'all of this was one document').toBe(true)

  await page.reload()
  await expect(app.getByRole('heading', { level: 1, name: /billing/i })).toBeVisible()
  expect(pathOf(page)).toBe(paths.settings('billing'))
  // The app's own document, loaded again without a token, signs in by the admin.
  await reloadFrame(page)
  await expect(app.getByRole('heading', { level: 1, name: /billing/i })).toBeVisible()
  for (const url of loaded) expect(url).not.toMatch(/bearer|authorization/i)
  const held = await frameOf(page).evaluate(() => {
    const kept = [document.cookie, location.href]
    // All of Chromium, unlike its headless shell, denies storage where it blocks cookies.
    try {
      kept.push(JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    } catch {}
    return kept.join('\n')
  })
  expect(held, 'the token is nowhere but in memory').not.toMatch(/eyJ/)
})

test('forms are sent, also those that are refused, and two tabs do not disturb each other', async ({
  page,
  context,
}) => {
  const app = await openEmbedded(page, product, paths.settings())
  await mark(page)
  const other = await context.newPage()
  const beside = await openEmbedded(other, product, paths.settings())

  const name = app.getByRole('textbox', { name: 'Name' })
  await name.fill('')
  // The browser itself would not send an empty field.
  await app
    .locator('form')
    .filter({ has: name })
    .evaluate((form: HTMLFormElement) => {
      form.noValidate = true
    })
  await app.getByRole('button', { name: 'Save name' }).click()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await expect(name, 'the field with the problem has the focus').toBeFocused()
  await name.fill('Kiln & Fern')
  await app.getByRole('button', { name: 'Save name' }).click()
  await expect(app.locator('.toast')).toHaveCount(1)
  await expect(app.locator('.store-name')).toHaveText('Kiln & Fern')
  expect(await isMarked(page)).toBe(true)

  const otherName = beside.getByRole('textbox', { name: 'Name' })
  await otherName.fill('Fern & Kiln')
  await beside.getByRole('button', { name: 'Save name' }).click()
  await expect(beside.locator('.store-name')).toHaveText('Fern & Kiln')
  await app.getByRole('link', { name: 'Tests', exact: true }).click()
  await expect(app.getByRole('heading', { level: 1, name: 'Tests' })).toBeVisible()
  await expect(app.locator('.toast'), 'a message is shown once').toHaveCount(0)
})

test('the editor saves by itself, also what is typed just before a link is followed', async ({
  page,
}) => {
  test.setTimeout(180_000 * slowness)
  const app = await openEmbedded(page, product)
  await app.getByRole('link', { name: 'Create a test' }).first().click()
  await app.getByRole('button', { name: 'Create a URL redirect test' }).click()
  const title = app.getByRole('textbox', { name: 'Name of the test' }),
    hypothesis = app.getByRole('textbox', { name: 'Hypothesis' })
  await title.fill('Without cookies')
  await expect(app.locator('.page-actions .saved')).toHaveText(/^Saved \d\d:\d\d$/)
  await hypothesis.fill('They hesitate.')
  await app.getByRole('link', { name: 'Settings' }).click()
  await expect(app.getByRole('heading', { level: 1, name: 'My account' })).toBeVisible()
  await page.goBack()
  await expect(title).toHaveValue('Without cookies')
  await expect(hypothesis).toHaveValue('They hesitate.')
  await expect(app.locator('#autosave[data-alive]')).toBeAttached()
  // The island is alive again on the page that came back.
  await hypothesis.fill('They hesitate less.')
  await expect(app.locator('.page-actions .saved')).toHaveText(/^Saved \d\d:\d\d$/)
  await page.reload()
  await expect(hypothesis).toHaveValue('They hesitate less.')
})

test('what is typed before the editor’s code has arrived is saved when the page is left', async ({
  page,
}) => {
  test.setTimeout(180_000 * slowness)
  const app = await openEmbedded(page, product)
  let load = () => {}
  const held = new Promise<void>(resolve => (load = resolve))
  await page.route(/\/built\/(autosave|early-leave)-/, async route => {
    await held
    await route.continue().catch(() => {})
  })
  await app.getByRole('link', { name: 'Create a test' }).first().click()
  await app.getByRole('button', { name: 'Create a URL redirect test' }).click()
  const title = app.getByRole('textbox', { name: 'Name of the test' }),
    hypothesis = app.getByRole('textbox', { name: 'Hypothesis' }),
    settings = app.getByRole('heading', { level: 1, name: 'My account' })
  await title.fill('Typed early')
  const id = pathOf(page).split('/').at(-1)!,
    stored = () => callAs(page, product, 'draft', { params: { id } })
  await app.getByRole('link', { name: 'Settings' }).click()
  await expect(settings).toBeVisible()
  await expect.poll(async () => (await stored()).title).toBe('Typed early')
  await page.goBack()
  await expect(title).toHaveValue('Typed early')
  await hypothesis.fill('They hesitate.')
  await page.goForward()
  await expect(settings).toBeVisible()
  await expect
    .poll(async () => (await stored()).hypothesisDescription, 'Back and Forward save, too')
    .toBe('They hesitate.')
  load()
  await page.goBack()
  await expect(app.locator('#autosave[data-alive]')).toBeAttached()
  await expect(title).toHaveValue('Typed early')
  await expect(hypothesis).toHaveValue('They hesitate.')
})

test('a page that comes before a save of the page left shows it, also without storage', async ({
  page,
}) => {
  test.setTimeout(180_000 * slowness)
  await page.addInitScript(() => {
    if (window === window.top) return
    for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
  })
  const app = await openEmbedded(page, product)
  await app.getByRole('link', { name: 'Create a test' }).first().click()
  await app.getByRole('button', { name: 'Create a URL redirect test' }).click()
  let store = () => {}
  const late = new Promise<void>(resolve => (store = resolve))
  await page.route(/\/tests\/draft\/edit\//, async route => {
    if (route.request().postData()?.includes('act=autosave')) await late
    await route.continue().catch(() => {})
  })
  const title = app.getByRole('textbox', { name: 'Name of the test' })
  await title.fill('Stored late')
  await expect(app.locator('#autosave[data-alive]')).toBeAttached()
  await app.getByRole('link', { name: 'Settings' }).click()
  await expect(app.getByRole('heading', { level: 1, name: 'My account' })).toBeVisible()
  await page.goBack()
  await expect(title).toHaveValue('')
  store()
  await expect(title).toHaveValue('Stored late')
})

test('files are downloaded, by the page’s script and by a link for one use', async ({ page }) => {
  test.setTimeout(180_000 * slowness)
  await openEmbedded(page, product)
  const { id } = await callAs(page, product, 'createDraft', {
    body: {
      kind: 'UrlRedirect',
      title: 'Downloaded',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide-2026',
    },
  })
  const { testId } = await callAs(page, product, 'launchDraft', { params: { id } })
  const app = await openEmbedded(page, product, paths.report(testId))
  await mark(page)
  const more = app.locator('.page-actions summary', { hasText: 'More' })
  await more.click()
  const results = page.waitForEvent('download')
  await app.locator('a[data-download=results]').click()
  expect(await readFile(await (await results).path(), 'utf8')).toContain('Control')

  // Without the island's script a link is followed as it is.
  const orders = page.waitForEvent('download')
  await frameOf(page).evaluate(
    path => {
      const link = document.createElement('a')
      link.href = path
      link.download = ''
      document.querySelector('main')!.append(link)
      link.click()
    },
    paths.testExport(testId, 'orders'),
  )
  const file = await orders
  expect(await file.failure()).toBeNull()
  expect(file.suggestedFilename()).toMatch(/\.csv$/)
  const link = new URL(file.url())
  expect(link.searchParams.get('link')).toBeTruthy()
  expect(await isMarked(page), 'the page stays').toBe(true)
  // The same address again has no file.
  const again = await page.request.get(`${product.app}${link.pathname}${link.search}`)
  expect(again.status()).toBe(410)
  expect(await again.text()).toContain('was used already')
})

test('a session that has ended is renewed, and what was asked for is asked again', async ({
  page,
}) => {
  const app = await openEmbedded(page, product)
  await mark(page)
  const renewals: string[] = []
  page.on('request', request => {
    if (request.url() === `${product.origin}${paths.auth()}`) renewals.push(request.method())
  })
  let isOver = true
  await page.route(
    ({ pathname }) => pathname === paths.settings(),
    route => {
      if (!isOver) return route.continue()
      isOver = false
      return route.fulfill({ status: 401, headers: { [sessionHeaders.ended]: '1' } })
    },
  )
  await app.getByRole('link', { name: 'Settings' }).click()
  await expect(app.getByRole('heading', { level: 1, name: 'My account' })).toBeVisible()
  expect(renewals).toEqual(['POST'])
  // Uploads are sent in another way than everything else.
  const status = await frameOf(page).evaluate(
    path =>
      new Promise(resolve => {
        const request = new XMLHttpRequest()
        request.onloadend = () => resolve(request.status)
        request.open('GET', path)
        request.send()
      }),
    paths.figures(),
  )
  expect(status).toBe(200)
  expect(await isMarked(page)).toBe(true)
})

test('an admin that does not sign the merchant in leads to a sentence', async ({ page }) => {
  await page.route('**/id-token', route => route.fulfill({ status: 500 }))
  await page.goto(`${product.admin}${paths.settings()}`)
  const app = page.frameLocator('iframe')
  await expect(app.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  await expect(app.getByText('did not answer when Twinshelf asked who you are')).toBeVisible()
})

test('outside the admin the page says why it cannot open, and asks in no circle', async ({
  page,
}) => {
  const loaded = documentsOf(page)
  await page.goto(`${product.origin}${paths.settings()}`)
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  await expect(page.getByText('works only inside your shop’s admin')).toBeVisible()
  expect(loaded.length).toBeLessThanOrEqual(5)
})

test('news of jobs arrive at the page, and it shows the end of an uninstall', async ({ page }) => {
  test.setTimeout(180_000 * slowness)
  const heard: string[] = []
  page.on('websocket', socket => {
    expect(socket.url(), 'no token in the address').not.toContain('eyJ')
    socket.on('framereceived', ({ payload }) => heard.push(String(payload)))
  })
  const app = await openEmbedded(page, product, paths.settings('uninstall'))
  // A single job may be over before the page has connected. Each change of the theme starts one.
  let theme = 0
  await expect
    .poll(async () => {
      await page.evaluate(
        id => fetch(`/admin/themes/${id}/publish`, { method: 'POST' }),
        ['160002', '160001'][theme++ % 2],
      )
      return heard.some(text => text.includes('"type":"job"'))
    })
    .toBe(true)
  await app.getByText('We will be back later').click()
  await app.getByRole('button', { name: 'Uninstall Twinshelf' }).click()
  await app.getByRole('dialog').getByRole('button', { name: 'Uninstall', exact: true }).click()
  await expect(app.getByRole('heading', { name: 'Twinshelf is uninstalled' })).toBeVisible({
    timeout: 60_000 * slowness,
  })
})
