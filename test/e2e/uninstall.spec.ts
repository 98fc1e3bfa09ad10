import { expect, test, type Page } from '@playwright/test'
import { callPath, type Call } from '../../domain/api/call.ts'
import { accessToken } from '../../demo-shop/shoppers/shop-files.ts'
import { contract, type CallName, type Input, type Output } from '../../domain/api/contract.ts'
import { changeFile, openApp } from './merchant.ts'
import { startProduct, type Product } from './product.ts'
import { doesShopRedirect, isOnShopify } from './sent-visitors.ts'
import { slowness } from '../slowness.ts'

const secret = 'a-secret-between-shop-and-app'
let product: Product
test.beforeAll(async () => {
  product = await startProduct({ DEMO_APP_SECRET: secret })
})
test.afterAll(() => product.stop())

/** Calls the engine's API as the merchant of this browser, for acts that no screen has yet. */
async function call<N extends CallName>(page: Page, name: N, input: Input<N>): Promise<Output<N>> {
  const token = (await page.context().cookies(product.app)).find(
    cookie => cookie.name === 'ts_fern-and-kiln',
  )!.value
  const { method, path }: Call = contract[name]
  const { params = {}, body } = input as { params?: Record<string, string>; body?: object }
  const response = await fetch(product.engine + callPath(path, 'demo', params), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Output<N>
}

type File = { name: string; body: string }
/**
 * Everything in the shop that the app can change, read by the demo platform's API. Works only while
 * that platform's app is installed; on Shopify it always is, because nobody removes it there.
 */
async function shopState() {
  const token = await accessToken(product.shop, { appKey: 'twinshelf-demo', appSecret: secret })
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${product.shop}/admin/api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status, path).toBe(200)
    return (await response.json()) as T
  }
  const files: Record<string, string> = {}
  const themes = await get<{ id: string; role: string }[]>('themes.json')
  const folders = ['templates/', 'sections/', 'snippets/', 'layout/', 'config/', 'assets/']
    .map(folder => `name=${folder}`)
    .join('&')
  for (const { id } of themes)
    for (const { name, body } of await get<File[]>(`themes/${id}/files.json?${folders}`))
      files[`${id} ${name}`] = body
  const assigned = await Promise.all(
    ['product', 'collection', 'page'].map(type =>
      get<{ id: string; suffix: string }[]>(`resources.json?type=${type}`),
    ),
  )
  const { products } = await get<{ products: object[] }>('products.json?page_size=250')
  return {
    live: themes.map(({ id, role }) => [id, role]),
    files,
    assigned,
    prices: products,
    redirects: await get<object[]>('url_redirects.json'),
  }
}
const inShop = async () => (await fetch(`${product.shop}/`)).text()
/** What the source of each page has of our script. */
const script = isOnShopify() ? 'id="twinshelf-tests"' : 'twinshelf.js'
/** Where the shop's admin installs and removes the app. */
const apps = () =>
  product.shop + (isOnShopify() ? '/admin/store/fern-and-kiln/settings/apps' : '/admin/apps')

async function template(
  page: Page,
  kind: 'Template' | 'PageContent',
  type: 'product' | 'page',
): Promise<string> {
  const { id } = await call(page, 'createDraft', { body: { kind, title: `${kind} of ${type}` } })
  await call(page, 'setControl', { params: { id }, body: { type, suffix: '' } })
  const { variant } = await call(page, 'setVariant', { params: { id }, body: {} })
  return `templates/${type}.${variant!.suffix}.json`
}

test('after an uninstall by mouse the shop is as before, except an applied winner and the merchant’s own edit, which are listed', async ({
  page,
}) => {
  test.setTimeout(420_000 * slowness)
  const app = await openApp(page, product)
  const before = await shopState()
  await expect.poll(inShop).toContain(script)

  // Two of our templates are in the theme, and the merchant edits one of them. Tests run, and one
  // winner is applied.
  const ours = await template(page, 'PageContent', 'page'),
    own = await template(page, 'Template', 'product')
  const element = await call(page, 'createDraft', {
    body: { kind: 'PageElement', title: 'Warmer button' },
  })
  await call(page, 'setDomSelectors', {
    params: { id: element.hypotheses.find(({ arm }) => arm === 'variant')!.id },
    body: {
      domSelectors: [
        {
          id: 'new',
          urlPatterns: ['/products/*'],
          actions: [{ selector: 'h1', kind: 'text', value: 'Hello', name: '' }],
        },
      ],
    },
  })
  await call(page, 'launchDraft', { params: { id: element.id } })
  const guides = await call(page, 'createDraft', {
    body: {
      kind: 'UrlRedirect',
      title: 'Which guide',
      controlUrl: '/pages/about',
      redirectUrl: '/pages/faq',
    },
  })
  const { testId } = await call(page, 'launchDraft', { params: { id: guides.id } })
  await call(page, 'applyTest', { params: { id: testId }, body: { arm: 'variant' } })
  const live = before.live.find(([, role]) => role === 'live')![0]!
  const office = await page.context().newPage()
  await office.goto(`${product.shop}/admin/themes/${live}/file?name=${own}`)
  let edited = ''
  await changeFile(
    office,
    text =>
      (edited = JSON.stringify({ ...(JSON.parse(text) as object), edited: 'by the merchant' })),
  )
  await office.close()
  const during = await shopState()
  expect(Object.keys(during.files).length).toBe(Object.keys(before.files).length + 2)
  expect(during.files[`${live} ${ours}`]).toBeTruthy()

  await app.getByRole('link', { name: 'Settings' }).click()
  await app
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Uninstall' })
    .click()
  await expect(
    app.getByRole('listitem').filter({ hasText: 'One unfinished test ends.' }),
  ).toBeVisible()
  await app.getByText('We will be back later').click()
  await app
    .getByRole('textbox', { name: 'What should we have done better?' })
    .fill('Nothing, we close for the winter.')
  await app.getByRole('button', { name: 'Uninstall Twinshelf' }).click()
  await app.getByRole('dialog').getByRole('button', { name: 'Uninstall', exact: true }).click()
  await expect(app.getByRole('heading', { name: 'Twinshelf is uninstalled' })).toBeVisible({
    timeout: 60_000 * slowness,
  })
  const left = app.getByRole('region', { name: 'What stayed in your shop' })
  // Where our script sends visitors on, the winner ends with it.
  await expect(
    left.getByRole('listitem').filter({
      hasText: doesShopRedirect() ? /\/pages\/about.*applied as a winner/ : 'Which guide',
    }),
  ).toBeVisible()
  await expect(
    left
      .getByRole('listitem')
      .filter({ hasText: own.slice('templates/product.'.length, -'.json'.length) }),
  ).toContainText('edited since')
  await expect(left.getByRole('listitem')).toHaveCount(2)
  expect(await inShop(), 'the script is gone').not.toContain(script)

  // Install the app again, because only an installed app may read the shop.
  await page.goto(apps())
  await page.getByRole('button', { name: 'Install app' }).click()
  await page.waitForURL(/\/apps\/twinshelf$/)
  const after = await shopState()
  expect(after.files[`${live} ${own}`]).toBe(edited)
  delete after.files[`${live} ${own}`]
  expect(after.files).toEqual(before.files)
  expect(after.prices).toEqual(before.prices)
  expect(after.assigned).toEqual(before.assigned)
  expect(after.live).toEqual(before.live)
  expect(after.redirects.length).toBe(before.redirects.length + Number(doesShopRedirect()))
  expect(after.redirects).toEqual(expect.arrayContaining(before.redirects))
})

test('an uninstall in the shop’s admin ends in the same state, and what remains is listed', async ({
  page,
}) => {
  const app = await openApp(page, product)
  await expect(app.getByRole('heading', { level: 1 })).toBeVisible()
  const left = await template(page, 'Template', 'product')
  const { id } = await call(page, 'storeInfo', {})
  await page.goto(apps())
  await page.getByRole('button', { name: 'Uninstall app' }).click()
  await expect(page.getByText('The app is not installed')).toBeVisible()
  await expect
    .poll(
      async () =>
        await call(page, 'lastUninstall', { params: { id } }).then(
          last => last && [last.by, last.finishedAt !== null],
          () => null,
        ),
      { timeout: 30_000 * slowness },
    )
    .toEqual(['platform', true])
  await expect(
    call(page, 'storeInfo', {}),
    'the uninstall ended the merchant’s session',
  ).rejects.toThrow(/401/)
  expect(await inShop()).not.toContain(script)
  // The app caches the store for some seconds, so retry.
  await expect(async () => {
    await page.goto(product.app)
    await expect(page).toHaveURL(/\/uninstalled\?store=fern-and-kiln/, { timeout: 1_000 })
  }).toPass()
  await expect(
    page
      .getByRole('region', { name: 'What stayed in your shop' })
      .getByRole('listitem')
      .filter({ hasText: left.slice('templates/product.'.length, -'.json'.length) }),
  ).toBeVisible()
})

test('after a kill and a restart during an uninstall, the open page shows the right end', async ({
  page,
}) => {
  test.setTimeout(300_000 * slowness)
  const own = await startProduct()
  try {
    // If the job ends before the kill, its page is requested. Hold that request until the process
    // runs again.
    const restarted = Promise.withResolvers<void>()
    await page.route('**/uninstalled?*', async route => {
      await restarted.promise
      await route.continue()
    })
    // There the merchant installs and signs in first, in the shop's admin.
    if (isOnShopify()) await openApp(await page.context().newPage(), own)
    await page.goto(`${own.app}/settings/uninstall`)
    await page.getByText('It is hard to use').click()
    await page.getByRole('button', { name: 'Uninstall Twinshelf' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Uninstall', exact: true })
      .click({ noWaitAfter: true })
    // A page whose scripts the kill kept back can show nothing new, so it must be alive by then. A
    // fast job ends before there is a page; the browser then follows a redirect, which no route
    // holds, to a server that is gone, and its error page must be loaded again.
    const end = await Promise.race([
      page.waitForRequest('**/uninstalled?*').then(request => request.url()),
      page
        .locator('#uninstall-progress[data-alive]')
        .waitFor({ state: 'attached' })
        .then(() => null),
    ])
    await own.kill()
    await own.restart()
    restarted.resolve()
    if (end) await page.goto(end)
    await expect(page.getByRole('heading', { name: 'Twinshelf is uninstalled' })).toBeVisible({
      timeout: 120_000 * slowness,
    })
    await expect(page.getByText('Nothing of Twinshelf is left in the shop.')).toBeVisible()
  } finally {
    await own.stop()
  }
})
