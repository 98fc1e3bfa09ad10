import { AxeBuilder } from '@axe-core/playwright'
import { expect, test, type FrameLocator, type Locator, type Page } from '@playwright/test'
import { startStage, type Stage } from './stage.ts'
import { slowness } from '../slowness.ts'

const fresh = {
  onboarded: false,
  has_subscribed: false,
  plan_id: null,
  pending_plan: null,
  subscription_id: null,
  subscription_status: null,
  trial_end: null,
  current_subscription_end: null,
  next_bill: null,
  usage_reset: null,
} as const
let stage: Stage
test.beforeAll(async () => {
  test.setTimeout(120_000 * slowness)
  stage = await startStage()
  await stage.store(fresh)
})
test.afterAll(() => stage.stop())
// All tests use one store, in this order.
test.describe.configure({ mode: 'serial' })

/** Opens the app in the frame of the shop's admin. */
async function open(page: Page, path = ''): Promise<FrameLocator> {
  await page.goto(`${stage.shop}/admin/apps/twinshelf${path}`)
  const app = page.frameLocator('iframe')
  await expect(app.getByRole('heading', { level: 1 })).toBeVisible()
  return app
}
const heading = (app: FrameLocator, name: string | RegExp) =>
  app.getByRole('heading', { level: 1, name })
/** Approves on the shop's page outside the frame and returns to the app. */
async function approve(page: Page, what: string): Promise<void> {
  await page.waitForURL(/\/admin\/billing\//)
  await expect(page.getByRole('heading', { level: 2 })).toContainText(what)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(/\/admin\/apps\/twinshelf/)
}
/** The main price on a plan's card. A monthly card also shows the annual price elsewhere. */
const price = (card: Locator) => card.locator('.plan-price')
const nothingFound = async (page: Page) =>
  expect(
    (await new AxeBuilder({ page }).include('iframe').analyze()).violations.map(
      ({ id, nodes }) => `${id} ${nodes.map(({ target }) => target.join(' '))}`,
    ),
  ).toEqual([])

test('a new store chooses a plan, approves it at the shop, answers four steps and arrives at the page it asked for', async ({
  page,
}) => {
  const app = await open(page, '/recommendations')
  await expect(heading(app, 'Choose your plan')).toBeVisible()
  const core = app.getByRole('article', { name: 'Core' })
  await expect(price(core)).toHaveText('$99 a month')
  // The slider's code is loaded now. The cards follow slider and toggle without a request.
  const slider = app.getByRole('slider', { name: 'Monthly visitors' })
  await slider.focus()
  await expect(app.locator('[data-island=plan-chooser][data-alive]')).toBeVisible()
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await page.keyboard.press('ArrowRight')
  await expect(price(core)).toHaveText('$179 a month')
  await expect(slider).toBeFocused()
  await app.getByRole('radio', { name: /^Annual/ }).check()
  await expect(price(core)).toHaveText('$134 a month')
  expect(asked).toEqual([])
  // A reload keeps the choice, by the address.
  await app.locator('body').evaluate(() => location.reload())
  await expect(slider).toHaveAttribute('aria-valuetext', '250,000 visitors a month')
  await expect(price(core)).toHaveText('$134 a month')
  await core.getByRole('button', { name: /^Start free trial/ }).click()
  await approve(page, 'Core 250k')

  await expect(heading(app, 'Welcome, Fern & Kiln')).toBeVisible()
  await app.getByRole('button', { name: 'Get started' }).click()
  await app.getByLabel('Store name').fill('')
  await app.getByRole('button', { name: 'Continue' }).click()
  await expect(app.getByText('Give the store a name.')).toBeVisible()
  await expect(app.getByLabel('Store name')).toBeFocused()
  await app.getByLabel('Store name').fill('Fern & Kiln Ceramics')
  await app.getByRole('button', { name: 'Continue' }).click()
  await app.getByRole('radio', { name: 'Kitchen and tableware' }).check()
  await app.getByRole('button', { name: 'Continue' }).click()
  await expect(app.getByRole('radiogroup', { name: 'Team size' })).toBeFocused()
  await expect(app.getByRole('radio', { name: 'Kitchen and tableware' })).toBeChecked()
  await app.getByRole('radio', { name: '2–5' }).check()
  await app.getByRole('button', { name: 'Continue' }).click()
  // Every step has a link “Back”, so wait for this step first.
  await expect(app.getByRole('radio', { name: 'I have run a few' })).toBeVisible()
  await app.getByRole('link', { name: 'Back' }).click()
  await expect(app.getByRole('radio', { name: '2–5' })).toBeChecked()
  await app.getByRole('button', { name: 'Continue' }).click()
  await app.getByRole('radio', { name: 'I have run a few' }).check()
  await app.getByRole('radio', { name: 'A search engine' }).check()
  await app.getByRole('button', { name: 'Finish' }).click()
  await expect(heading(app, 'Lift Assist')).toBeVisible()
  await expect(app.getByText('Your store is set up')).toBeVisible()
  await expect(app.getByText('Fern & Kiln Ceramics').first()).toBeVisible()
})

test('a smaller plan is confirmed first, and starts at the next billing cycle', async ({
  page,
}) => {
  // A choice before the page's script has loaded counts too.
  const script = Promise.withResolvers<void>()
  await page.route('**/built/page-*.js', async route => {
    await script.promise
    await route.continue()
  })
  await page.goto(`${stage.shop}/admin/apps/twinshelf/settings/billing`, { waitUntil: 'commit' })
  const app = page.frameLocator('iframe')
  await expect(app.getByText(/Free trial, 14 days left/)).toBeVisible()
  await app.getByRole('slider', { name: 'Monthly visitors' }).focus()
  await page.keyboard.press('Home')
  script.resolve()
  const core = app.getByRole('article', { name: 'Core' })
  await expect(price(core)).toHaveText('$44 a month')
  const update = core.getByRole('link', { name: /^Update free trial/ })
  await update.click()
  const dialog = app.getByRole('dialog', { name: /Change to Core 50k \(Annually\)/ })
  await expect(dialog).toContainText('takes effect at the next billing cycle')
  await nothingFound(page)
  await dialog.getByRole('link', { name: 'Keep my plan' }).click()
  await expect(dialog).toBeHidden()
  await update.click()
  await dialog.getByRole('button', { name: 'Change plan' }).click()
  await page.waitForURL(/\/admin\/billing\//)
  await expect(page.getByText('With the next billing cycle')).toBeVisible()
  await approve(page, 'Core 50k')
  await expect(
    app.getByRole('status').getByText(/^Your plan changes to Core 50k, billed annually on /),
  ).toBeVisible()
  await expect(app.getByText(/Core 50k starts at the next billing cycle/)).toBeVisible()
})

test('talking to sales: a dialog keeps the focus, names missing fields, and says what happens next', async ({
  page,
}) => {
  const app = await open(page, '/settings/billing')
  await app
    .getByRole('article', { name: 'Pro' })
    .getByRole('button', { name: /^Talk to sales/ })
    .click()
  const dialog = app.getByRole('dialog', { name: 'Talk to sales' })
  await expect(dialog.getByLabel('First name')).toHaveValue('Mara')
  await expect.poll(() => dialog.evaluate(element => element.matches(':modal'))).toBe(true)
  await dialog.getByLabel('Email').fill('mara at home')
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await expect(dialog.getByText('Email is required')).toBeVisible()
  await expect(dialog.getByLabel('Email')).toBeFocused()
  await expect(dialog.getByLabel('Email')).toHaveValue('mara at home')
  await nothingFound(page)
  await dialog.getByLabel('Email').fill('mara@home.test')
  await dialog.getByLabel('Monthly visitors').selectOption('2M–3M')
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await expect(app.getByRole('dialog')).toContainText(
    'We will write to mara@home.test about a plan for 2M–3M visitors a month',
  )
  // After a form that was sent, closing loads the page again.
  await app.locator('body').evaluate(body => body.setAttribute('data-before', ''))
  await app.getByRole('link', { name: 'Back to plans' }).click()
  await expect(app.locator('body:not([data-before])')).toBeVisible()
  await expect(app.getByRole('dialog')).toBeHidden()
  await app.getByRole('link', { name: 'Compare plans' }).click()
  await expect(
    app.getByRole('dialog', { name: 'Compare plans' }).getByRole('row', { name: /Lift Assist/ }),
  ).toBeVisible()
  await nothingFound(page)
})

test('a store that lost its plan sees why and chooses a plan again, also without scripts', async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${stage.shop}/admin/apps`)
  for (const state of ['Accepted', 'Active']) {
    const subscription = page
      .getByRole('row')
      .filter({ has: page.getByText(state, { exact: true }) })
    await subscription.getByRole('button', { name: 'Cancel' }).click()
    await expect(subscription).toHaveCount(0)
  }
  const app = page.frameLocator('iframe')
  await expect(async () => {
    await open(page)
    await expect(heading(app, 'Your subscription was cancelled')).toBeVisible({ timeout: 500 })
  }).toPass()
  // Without script the slider is the browser's own, and the button asks for what it shows.
  await app.getByRole('slider', { name: 'Monthly visitors' }).focus()
  await page.keyboard.press('Home')
  await app.getByRole('radio', { name: 'Monthly', exact: true }).check()
  await app.getByRole('button', { name: 'Show plans' }).click()
  const core = app.getByRole('article', { name: 'Core' })
  await expect(price(core)).toHaveText('$59 a month')
  await core.getByRole('button', { name: /^Select plan/ }).click()
  await app.getByRole('link', { name: 'Continue to your shop’s admin' }).click()
  await approve(page, 'Core 50k')
  await expect(
    app.getByRole('status').getByText(/^Your plan is now Core 50k, billed /),
  ).toBeVisible()
  await app.getByRole('link', { name: 'Lift Assist' }).click()
  await app.getByRole('link', { name: 'See the Advanced plan' }).click()
  const dialog = app.getByRole('dialog', { name: 'Lift Assist' })
  await expect(dialog.getByRole('article', { name: 'Advanced' })).toContainText('$119 a month')
  await dialog.getByRole('link', { name: 'Not now' }).click()
  await expect(dialog).toBeHidden()
  await expect(heading(app, 'Lift Assist')).toBeVisible()
  await context.close()
})

test('a closed feature offers the plan that includes it in a modal dialog; Escape closes it, and it does not open again by itself', async ({
  page,
}) => {
  const app = await open(page, '/recommendations')
  await app.getByRole('link', { name: 'See the Advanced plan' }).click()
  const dialog = app.getByRole('dialog', { name: 'Lift Assist' })
  await expect.poll(() => dialog.evaluate(element => element.matches(':modal'))).toBe(true)
  await expect(dialog.getByRole('article', { name: 'Advanced' }).getByRole('button')).toBeFocused()
  await nothingFound(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect
    .poll(() => app.locator('body').evaluate(() => location.search))
    .not.toMatch(/ask=|feature=/)
  await app.getByRole('link', { name: 'See the Advanced plan' }).click()
  await dialog.getByRole('button', { name: /^Update/ }).click()
  await page.waitForURL(/\/admin\/billing\//)
  await expect(page.getByRole('heading', { level: 2 })).toContainText('Advanced 50k')
})
