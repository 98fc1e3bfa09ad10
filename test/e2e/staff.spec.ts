import { expect, type Page, test } from '@playwright/test'
import { routes } from '../../domain/routes.ts'
import { codeAt } from '../engine/support/totp.ts'
import { axeFinds } from './axe.ts'
import { firstLoad } from './pages/first-load.ts'
import { type Product, startProduct } from './product.ts'
import { slowness } from '../slowness.ts'

/**
 * Staff sign-in: a member is invited by configuration, follows the link in the log and sets a
 * password.
 */
let product: Product
test.beforeAll(async () => {
  product = await startProduct({
    ADMIN_EMAIL: 'jonas@twinshelf.test',
    LEADS_EMAIL: 'sales@twinshelf.test',
  })
})
test.afterAll(async () => {
  await product.stop()
})

const password = 'a kettle, a shelf, a lamp'
/** The mails to this address so far. In development the log has them. */
const mailsTo = (email: string) =>
  product
    .output()
    .split('\n')
    .filter(text => text.includes(`"to":"${email}"`))
/**
 * The link in the next mail after `known` mails. It waits: the mail is written after the page that
 * announces it.
 */
const linkTo = async (email: string, known = 0): Promise<string> => {
  await expect.poll(() => mailsTo(email).length).toBeGreaterThan(known)
  return /http:\/\/localhost:\d+\/reset\?token=[\w-]+/.exec(mailsTo(email).at(-1)!)![0]
}
const isAccessible = async (page: Page): Promise<void> => expect(await axeFinds(page)).toEqual([])
async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}

async function logOut(page: Page): Promise<void> {
  await page.locator('.store-menu summary').click()
  await page.getByRole('button', { name: 'Log out' }).click()
}
/** Turns the second factor on, on the page that shows the secret. Returns the recovery codes. */
async function turnOn(page: Page): Promise<string[]> {
  const secret = (await page.locator('.secret-key').textContent())!.replaceAll(' ', '')
  await page.getByLabel('Code from the app').fill(codeAt(secret, new Date()))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Keep your recovery codes' })).toBeVisible()
  return page.locator('.recovery-codes code').allTextContents()
}

test('an invited member sets a password, signs in, adds another member and disables that one', async ({
  page,
}) => {
  await page.goto(await linkTo('jonas@twinshelf.test'))
  await isAccessible(page)
  await page.getByLabel('New password').fill('password1234')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('easy to guess')).toBeVisible()
  await expect(page.getByLabel('New password')).toBeFocused()
  await isAccessible(page)
  await page.getByLabel('New password').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('Your password is set. Sign in with it.')).toBeVisible()
  await isAccessible(page)

  await page.goto(`${product.app}/admin/add-user`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await signIn(page, 'jonas@twinshelf.test')
  await expect(page.getByRole('heading', { name: 'Add a user' })).toBeVisible()
  await isAccessible(page)
  await page.getByLabel('Name').fill('Nadia Petrova')
  await page.getByLabel('E-mail').fill('jonas@twinshelf.test')
  await page.getByRole('button', { name: 'Add and invite' }).click()
  await expect(page.getByText('This email address is already in use.')).toBeVisible()
  await isAccessible(page)
  await page.getByLabel('E-mail').fill('nadia@twinshelf.test')
  await page.getByRole('button', { name: 'Add and invite' }).click()
  await expect(page.getByText('An invitation is on its way to nadia@twinshelf.test.')).toBeVisible()
  await isAccessible(page)

  await page.getByRole('navigation', { name: 'Staff' }).getByRole('link', { name: 'Users' }).click()
  await expect(page.getByRole('row')).toHaveCount(3)
  await isAccessible(page)
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('nadia')
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('link', { name: 'Nadia Petrova' }).click()
  await page.getByRole('link', { name: 'Disable…' }).click()
  await expect(page.getByRole('dialog', { name: 'Disable Nadia Petrova?' })).toBeVisible()
  await isAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByText('Nadia Petrova cannot sign in.')).toBeVisible()

  await page.getByRole('link', { name: 'Twinshelf Staff', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  const visitors = page.getByRole('slider', { name: 'Visitors, place on the chart' })
  await visitors.press('Home')
  await expect(visitors).toHaveAttribute('aria-valuetext', /^\d+ \w+: 0$/)
  await expect(visitors.locator('.staff-chart-tip')).toBeVisible()
  await isAccessible(page)
  await page.locator('.store-menu summary').click()
  await isAccessible(page)
  await page.getByRole('link', { name: 'My account' }).click()
  await page.getByRole('link', { name: 'Set up' }).click()
  await page.getByText('Enter a key instead').click()
  await isAccessible(page)
  await page.getByLabel('Code from the app').fill('000000')
  await page.keyboard.press('Enter')
  await expect(page.getByText('This code is not right')).toBeVisible()
  await expect(page.getByLabel('Code from the app')).toBeFocused()
  const codes = await turnOn(page)
  await isAccessible(page)
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await expect(page.getByText('On. You sign in with your password and a code')).toBeVisible()
  await isAccessible(page)
  await logOut(page)
  await signIn(page, 'jonas@twinshelf.test')
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
  await expect(page.getByLabel('Code')).toBeFocused()
  await isAccessible(page)
  await page.keyboard.type(codes[0]!)
  await page.keyboard.press('Enter')
  await page.locator('.store-menu summary').click()
  await page.getByRole('link', { name: 'My account' }).click()
  await page.getByRole('link', { name: 'Turn off' }).click()
  await isAccessible(page)
  await page.keyboard.type(codes[1]!)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Two-step sign-in is off.')).toBeVisible()
  await logOut(page)
  await expect(page.getByText('Signed out.')).toBeVisible()
  await page.goto(`${product.app}/admin/users`)
  await expect(page).toHaveURL(/\/login\?from=/)
})

test('on every page of the panel axe finds no violation, and its first load is at most 32 kB', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000 * slowness)
  await page.goto(`${product.app}/admin`)
  await signIn(page, 'jonas@twinshelf.test')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  const storageState = await page.context().storageState()
  for (const { path } of routes.filter(
    ({ guard, path }) => guard === 'admin' && !path.includes(':'),
  )) {
    await page.goto(product.app + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await isAccessible(page)
    const load = await firstLoad(browser, product.app + path, { storageState })
    expect(load.bytes, `${path} ${load.files}`).toBeLessThanOrEqual(32_000)
  }
})

test('a merchant’s request is mailed and answered; a recount is confirmed and shows its end', async ({
  page,
}) => {
  await page.goto(`${product.shop}/admin/apps/twinshelf/settings/billing`)
  const app = page.frameLocator('iframe')
  await app
    .getByRole('article', { name: 'Pro' })
    .getByRole('button', { name: /^Talk to sales/ })
    .click()
  await app.getByRole('dialog').getByRole('button', { name: 'Send request' }).click()
  await expect(app.getByRole('dialog')).toContainText('We will write to mara@')
  await expect.poll(() => mailsTo('sales@twinshelf.test').length).toBe(1)

  await page.goto(`${product.app}/admin`)
  await signIn(page, 'jonas@twinshelf.test')
  await page.getByRole('link', { name: 'Plan requests 1 open' }).click()
  await page.getByRole('link', { name: /^Mara Lindqvist/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Mara Lindqvist' })).toBeVisible()
  await isAccessible(page)
  await page.getByRole('radio', { name: 'Answered' }).check()
  await page.getByLabel('Note').fill('Wrote to her.')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The request was saved.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Plan requests', exact: true }).first()).toBeVisible()

  await page.getByRole('link', { name: 'Fern & Kiln' }).click()
  await page.getByRole('link', { name: 'Count again…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Count all figures again?' })
  await expect(dialog).toBeVisible()
  await isAccessible(page)
  await dialog.getByRole('button', { name: 'Count again' }).click()
  await expect(page.getByText('The figures are being counted again.')).toBeVisible()
  await expect(page.getByText('0 tests were counted again')).toBeVisible()
  await isAccessible(page)
})

test('the staff panel works the same without scripts', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${product.app}/reset`)
  const known = mailsTo('jonas@twinshelf.test').length
  await page.getByLabel('E-mail').fill('jonas@twinshelf.test')
  await page.getByRole('button', { name: 'Mail me a link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your e-mail' })).toBeVisible()
  await page.goto(await linkTo('jonas@twinshelf.test', known))
  await page.getByLabel('New password').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await signIn(page, 'jonas@twinshelf.test')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await page.goto(`${product.app}/admin/users?search=nadia`)
  await page.getByRole('link', { name: 'Nadia Petrova' }).click()
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(page.getByText('Nadia Petrova can sign in again.')).toBeVisible()
  await page.locator('.store-menu summary').click()
  await page.getByRole('link', { name: 'My account' }).click()
  await page.getByRole('link', { name: 'Set up' }).click()
  const [code] = await turnOn(page)
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await logOut(page)
  await signIn(page, 'jonas@twinshelf.test')
  await page.getByLabel('Code').fill(code!)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await context.close()
})

test('no site can frame the sign-in', async ({ page }) => {
  await page.goto(product.shop)
  const answered = page.waitForResponse(/\/login$/)
  await page.evaluate(url => {
    const frame = document.createElement('iframe')
    frame.src = url
    frame.id = 'framed'
    document.body.append(frame)
  }, `${product.app}/login`)
  await answered
  await expect(page.frameLocator('#framed').getByRole('heading', { name: 'Sign in' })).toHaveCount(
    0,
  )
})
