import { mkdirSync } from 'node:fs'
import { test, type Page } from '@playwright/test'
import { listTabSlugs, paths } from '../../domain/paths.ts'
import { routes } from '../../domain/routes.ts'
import { startProduct, type Product } from '../e2e/product.ts'
import { watchRequests } from '../quiet-network.ts'
import { draw, drawAt } from './draw.ts'

/** Every screen of a shop with the demo data of `npm start`. */
let product: Product
test.beforeAll(async () => {
  product = await startProduct({ DEMO_DATA: 'on' })
})
test.afterAll(async () => {
  await product.stop()
})

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
/** Name and address of each row in a tab of the list. */
const rowsOf = (page: Page): Promise<{ name: string; path: string }[]> =>
  page.locator('tbody .cell-link').evaluateAll(links =>
    links.map(link => ({
      name: link.querySelector('span, strong, b')?.textContent ?? link.textContent ?? '',
      path: link.getAttribute('href') ?? '',
    })),
  )

test('the lists, the reports and the drafts', async ({ page }) => {
  await page.goto(product.app)
  const tests: { name: string; path: string }[] = [],
    drafts: typeof tests = []
  for (const [tab, name] of Object.entries(listTabSlugs)) {
    await drawAt(page, product.app + paths.tests(tab as keyof typeof listTabSlugs), `list-${name}`)
    ;(tab === 'Draft' ? drafts : tests).push(...(await rowsOf(page)))
  }
  await drawAt(
    page,
    `${product.app}${paths.tests('Ended')}?search=nothing-is-called-this`,
    'list-nothing-found',
  )
  const pathOf = (path: string) => new URL(path, product.app).pathname
  for (const { name, path } of tests)
    await drawAt(page, product.app + pathOf(path), `report-${slug(name)}`)
  for (const tab of routes
    .filter(route => route.path.startsWith('/tests/:testId/') && route.name !== 'report-overview')
    .map(route => route.path.split('/').at(-1)!)) {
    for (const { name, path } of tests.slice(0, 1).concat(tests.slice(-1)))
      await drawAt(page, `${product.app}${pathOf(path)}/${tab}`, `report-${slug(name)}-${tab}`)
  }
  for (const { name, path } of drafts) {
    await page.goto(product.app + pathOf(path))
    const steps = await page.locator('.steps li').count()
    for (let i = 0; i < steps; i++) {
      await page.locator('.steps li').nth(i).getByRole('button').click()
      await page.locator(`.steps li:nth-child(${i + 1}) [aria-current=step]`).waitFor()
      await draw(page, `draft-${slug(name)}-${i + 1}`)
    }
  }
})

test('the other pages of a merchant', async ({ page }) => {
  await page.goto(product.app)
  const others = routes.filter(
    ({ guard, redirects, path }) =>
      guard === 'store' &&
      !redirects &&
      !path.includes(':testId') &&
      !/^\/(welcome|overlay|uninstalling)/.test(path) &&
      !path.includes('listTab'),
  )
  for (const { name, path } of others)
    await drawAt(page, product.app + path.replace(/\/:\w+\?$/, ''), name)
  await drawAt(page, `${product.app}/no-such-page`, 'not-found')
  await drawAt(page, product.app + paths.help(), 'help')
  await drawAt(page, product.app + paths.uninstalled('fern-and-kiln'), 'uninstalled')
})

test('the picture of the README', async ({ page }) => {
  const requests = watchRequests(page)
  mkdirSync('docs/images', { recursive: true })
  await page.goto(`${product.shop}/admin/apps/twinshelf${paths.tests('Ended')}`)
  const app = page.frameLocator('iframe')
  await app.getByRole('link', { name: 'Reviews above the fold' }).click()
  await app.getByRole('heading', { level: 1, name: 'Reviews above the fold' }).waitFor()
  await requests.quiet()
  await page.screenshot({ path: 'docs/images/report.png' })
})

test('staff', async ({ page }) => {
  const said = product.output()
  const { 1: email, 2: password } = /\/admin\s+\(([^,]+), ([^)]+)\)/.exec(said)!
  await drawAt(page, product.app + paths.login(), 'staff-sign-in')
  await page.getByLabel('E-mail').fill(email!)
  await page.getByLabel('Password').fill(password!)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin')
  for (const { name, path } of routes.filter(
    ({ guard, path }) => guard === 'admin' && !path.includes(':'),
  ))
    await drawAt(page, product.app + path, name)
  for (const list of [paths.admin('users'), paths.admin('stores/trials'), paths.admin('leads')]) {
    await page.goto(product.app + list)
    const href = await page.locator(`tbody a[href^="${list}/"]`).first().getAttribute('href')
    if (href) await drawAt(page, product.app + href, `one-of-${slug(list)}`)
  }
})
