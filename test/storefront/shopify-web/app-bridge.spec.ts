import type { IncomingHttpHeaders } from 'node:http'
import { expect, test, type Page } from '@playwright/test'
import { openStandIn, serve } from './stand-in.ts'

/** The admin's frame and the stand-in for App Bridge, with a small app of two pages. */
const apiKey = 'key-of-the-platform'
const requests: { url: string; headers: IncomingHttpHeaders }[] = []
let standIn: Awaited<ReturnType<typeof openStandIn>>, appServer: Awaited<ReturnType<typeof serve>>
let origin: string
const base = '/admin/store/fern-and-kiln/apps/twinshelf'

const appPage = (title: string) => `<!doctype html><html lang="en"><head><title>${title}</title>
<meta name="shopify-api-key" content="${apiKey}"><script src="${origin}/app-bridge.js"></script></head><body>
<ui-nav-menu><a href="/" rel="home">Home</a><a href="/tests">Tests</a><a href="/plans">Plans</a></ui-nav-menu>
<h1>${title}</h1>
<ui-save-bar id="bar"><button variant="primary" id="save">Save</button><button id="discard">Discard</button></ui-save-bar>
<form data-save-bar data-discard-confirmation><label>Name <input name="name"></label></form>
<a href="shopify:admin/products" id="products">Products</a>
</body></html>`

test.beforeAll(async () => {
  appServer = await serve((request, response) => {
    requests.push({ url: request.url!, headers: request.headers })
    if (request.url!.startsWith('/api')) {
      const isFirst = requests.filter(({ url }) => url.startsWith('/api')).length === 1
      response.writeHead(isFirst ? 401 : 200, {
        ...(isFirst && { 'x-shopify-retry-invalid-session-request': '1' }),
      })
      return void response.end('{}')
    }
    const path = request.url!.split('?')[0]!
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(appPage(path === '/' ? 'Home' : path.slice(1)))
  })
  standIn = await openStandIn(
    {
      keys: { apiKey, apiSecret: 'a-secret-of-the-platform' },
      optionalScopes: ['read_rollouts'],
    },
    appServer.origin,
  )
  ;({ origin } = standIn)
})
test.afterAll(async () => {
  await standIn.close()
  await appServer.close()
})

const appFrame = (page: Page) => page.frameLocator('iframe[name=app-iframe]')
/** Runs code in the app's page. */
const inApp = async <T>(page: Page, act: () => T | Promise<T>): Promise<T> => {
  const frame = page.frame({ name: 'app-iframe' })!
  await frame.waitForFunction(() => 'shopify' in window)
  return frame.evaluate(act)
}
const menu = (page: Page) => page.getByRole('navigation', { name: 'Twinshelf' })

test('the menu leads through the app, and the address follows, back too', async ({ page }) => {
  await page.goto(origin + base)
  await expect(menu(page).getByRole('link')).toHaveText(['Tests', 'Plans'])
  await menu(page).getByRole('link', { name: 'Tests' }).click()
  await expect(appFrame(page).getByRole('heading')).toHaveText('tests')
  await expect(page).toHaveURL(`${origin}${base}/tests`)
  await expect(menu(page).getByRole('link', { name: 'Tests' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  await inApp(page, () => history.pushState({}, '', '/tests/abc?tab=orders'))
  await expect(page).toHaveURL(`${origin}${base}/tests/abc?tab=orders`)
  await page.goBack()
  await expect(page).toHaveURL(`${origin}${base}/tests`)
  await page.reload()
  await expect(appFrame(page).getByRole('heading')).toHaveText('tests')
})

test('the app’s own requests carry fresh tokens and are repeated once', async ({ page }) => {
  await page.goto(origin + base)
  requests.length = 0
  const status = await inApp(page, async () => (await fetch('/api/me')).status)
  expect(status).toBe(200)
  const tokens = requests.map(({ headers }) => headers.authorization)
  expect(tokens).toHaveLength(2)
  for (const token of tokens) expect(token).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
  expect(tokens[0]).not.toBe(tokens[1])
  requests.length = 0
  await inApp(page, () => fetch('/api/me', { headers: { authorization: 'Bearer own' } }))
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer own'])
  const said = await inApp(page, async () => ({
    shop: shopify.config.shop,
    embedded: shopify.environment.embedded,
    user: (await shopify.user()).name,
    optional: (await shopify.scopes.query()).optional,
  }))
  expect(said).toEqual({
    shop: 'fern-and-kiln.myshopify.com',
    embedded: true,
    user: 'Mara Lindqvist',
    optional: ['read_rollouts'],
  })
})

test('the save bar presses the page’s buttons, and holds who would leave', async ({ page }) => {
  await page.goto(`${origin}${base}/tests`)
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  const pressed = () => inApp(page, () => document.title)
  await inApp(page, async () => {
    for (const id of ['save', 'discard'])
      document.getElementById(id)!.onclick = () => (document.title = id)
    await shopify.saveBar.show('bar')
  })
  await bar.getByRole('button', { name: 'Save' }).click()
  await expect.poll(pressed).toBe('save')
  await bar.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(pressed).toBe('discard')

  await menu(page).getByRole('link', { name: 'Plans' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
  await expect(appFrame(page).getByRole('heading')).toHaveText('tests')
  await menu(page).getByRole('link', { name: 'Plans' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave page' }).click()
  await expect(appFrame(page).getByRole('heading')).toHaveText('plans')
  await expect(bar).toBeHidden()
  await inApp(page, () => shopify.saveBar.leaveConfirmation())
})

test('a form that says so has a save bar by itself', async ({ page }) => {
  await page.goto(`${origin}${base}/tests`)
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  await appFrame(page).getByLabel('Name').fill('A')
  await expect(bar).toBeVisible()
  await bar.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click()
  await expect(bar).toBeHidden()
  await expect(appFrame(page).getByLabel('Name')).toHaveValue('')
})

test('scopes are asked in the admin’s words', async ({ page }) => {
  await page.goto(origin + base)
  const ask = () =>
    inApp(page, async () => (await shopify.scopes.request(['read_rollouts'])).result)
  let asked = ask()
  await expect(page.getByRole('dialog')).toContainText('read_rollouts')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(await asked).toBe('declined-all')
  asked = ask()
  await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click()
  expect(await asked).toBe('granted-all')
})

test('links lead to the admin’s own pages and to other sites', async ({ page }) => {
  await page.goto(origin + base)
  await inApp(page, () => {})
  await appFrame(page).locator('#products').click()
  await expect(page).toHaveURL(`${origin}/admin/products`)
  await page.goto(origin + base)
  const search = `${origin}/search`
  await page.frame({ name: 'app-iframe' })!.evaluate(url => void open(url, '_top'), search)
  await expect(page).toHaveURL(search)
})

test('outside the admin the app’s page leads into it', async ({ page }) => {
  const host = Buffer.from(`${new URL(origin).host}/admin/store/fern-and-kiln`).toString('base64')
  await page.goto(`${appServer.origin}/plans?host=${encodeURIComponent(host)}`)
  await expect(appFrame(page).getByRole('heading')).toHaveText('plans')
  expect(new URL(page.url()).pathname).toBe(`${base}/plans`)
})

test('at 390 pixels nothing is wider than the window', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${origin}${base}/tests`)
  await inApp(page, () => shopify.saveBar.show('bar'))
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toBeVisible()
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
})
