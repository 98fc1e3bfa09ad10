import { expect, test, type Locator, type Page } from '@playwright/test'
import { type DiscountCheck, invalidDiscount } from '../../domain/plans/discount.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import { planPositions } from '../../domain/plans/plan-offer.ts'
import type { PlanChooserProps } from '../../islands/plans/plan-chooser.tsx'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'

let pages: IslandPages
test.beforeAll(async () => {
  pages = await serveIslands()
})
test.afterAll(() => pages.close())

const plan = (
  level: number,
  title: string,
  limit: number,
  price: number,
  isAnnual = false,
): Plan => ({
  id: `${title.toLowerCase()}-${limit}-${isAnnual ? 'annual' : 'monthly'}`,
  level,
  title,
  limit,
  price,
  isAnnual,
  requireAppointment: false,
  available: true,
})
const plans = [
  ...[50_000, 100_000, 250_000, 500_000, 1_000_000].flatMap((limit, i) => [
    plan(1, 'Core', limit, 100 + i),
    plan(1, 'Core', limit, 900 + i * 12, true),
    plan(2, 'Advanced', limit, 200 + i),
  ]),
  plan(2, 'Advanced', 100_000, 1800, true),
  plan(3, 'Pro', 100_000, 3600, true),
  plan(1, 'Core', 9_999_999, 5000),
]
const chooser = (
  over: Partial<PlanChooserProps> = {},
  discount: DiscountCheck = invalidDiscount,
) => {
  const props: PlanChooserProps = {
    choice: { visitors: 100_000, isAnnual: false },
    positions: planPositions({
      store: {
        planId: null,
        hasSubscribed: false,
        trial: false,
        onboarded: false,
        reinstall: false,
      },
      status: {
        subscriptionStatus: null,
        pendingPlan: null,
        currentSubscriptionEnd: null,
        trialEnd: null,
      },
      plans,
      discount,
      now: new Date('2026-11-20T12:00:00Z'),
    }),
    current: null,
    discount,
    message: null,
    page: '/settings/billing',
    talk: '/settings/billing/custom-request',
    code: null,
    carried: { host: 'aG9z' },
    nextCycle: null,
    asked: null,
    ...over,
  }
  return props
}
const slider = (page: Page): Locator => page.getByRole('slider', { name: 'Monthly visitors' })
const core = (page: Page): Locator => page.getByRole('article', { name: 'Core' })
const price = (page: Page): Locator => core(page).locator('.plan-price > strong')
const alive = (page: Page) => expect(page.locator('#it[data-alive]')).toHaveCount(1)

test('keys move the slider over its six steps; cards, prices and the address follow without a request', async ({
  page,
}) => {
  const found = complaints(page)
  await pages.open(page, 'plan-chooser', chooser())
  await alive(page)
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await slider(page).focus()
  for (const [key, words, shown] of [
    ['ArrowRight', '250,000 visitors a month', '$102'],
    ['ArrowUp', '500,000 visitors a month', '$103'],
    ['ArrowLeft', '250,000 visitors a month', '$102'],
    ['ArrowDown', '100,000 visitors a month', '$101'],
    ['End', 'More than 1,000,000 visitors a month', "Let's talk"],
    ['PageDown', '1,000,000 visitors a month', '$104'],
    ['Home', '50,000 visitors a month', '$100'],
    ['PageUp', '100,000 visitors a month', '$101'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(slider(page), key).toHaveAttribute('aria-valuetext', words)
    await expect(price(page), key).toHaveText(shown)
  }
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(
    `${pages.origin}/settings/billing?visitors=250000&billing=monthly&host=aG9z`,
  )
  await page.getByRole('radio', { name: /^Annual/ }).check()
  await expect(price(page)).toHaveText('$77')
  await expect(core(page)).toContainText('$924 billed annually. Save $300 a year')
  await expect(page).toHaveURL(/\?visitors=250000&billing=annual&host=aG9z$/)
  expect(asked).toEqual([])
  expect(found).toEqual([])
})

test('the thumb follows the pointer, and a click on a number chooses it', async ({ page }) => {
  const found = complaints(page)
  await pages.open(page, 'plan-chooser', chooser())
  await alive(page)
  const at = async (name: string) => {
    const box = (await page
      .locator('.range-steps > span', { hasText: name })
      .first()
      .boundingBox())!
    return [box.x + box.width / 2, (await slider(page).boundingBox())!.y + 12] as const
  }
  await page.mouse.move(...(await at('100k')))
  await page.mouse.down()
  await page.mouse.move(...(await at('500k')), { steps: 5 })
  await expect(price(page)).toHaveText('$103')
  await page.mouse.move(...(await at('50k')), { steps: 5 })
  await expect(price(page)).toHaveText('$100')
  await page.mouse.up()
  const label = page.getByText('250k', { exact: true }),
    { width, height } = (await label.boundingBox())!
  await label.click({ position: { x: width / 2, y: height - 6 } })
  await expect(slider(page)).toHaveValue('2')
  await expect(price(page)).toHaveText('$102')
  expect(found).toEqual([])
})

test('a finger taps a step and drags the thumb', async ({ browser }) => {
  const context = await browser.newContext({
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  })
  const page = await context.newPage(),
    found = complaints(page)
  await pages.open(page, 'plan-chooser', chooser())
  await alive(page)
  const line = (await slider(page).boundingBox())!
  const x = (step: number) => Math.round(line.x + 10 + ((line.width - 20) * step) / 5),
    y = Math.round(line.y + line.height / 2)
  await page.touchscreen.tap(x(4), y)
  await expect(price(page)).toHaveText('$104')
  const fingers = await context.newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', step?: number) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: step === undefined ? [] : [{ x: x(step), y }],
    })
  await touch('touchStart', 4)
  for (const step of [3.5, 3, 2.5, 2]) await touch('touchMove', step)
  await expect(price(page)).toHaveText('$102')
  await touch('touchEnd')
  await expect(slider(page)).toHaveValue('2')
  expect(found).toEqual([])
  await context.close()
})

test('a card of the other period switches the toggle first, and keeps the focus', async ({
  page,
}) => {
  const found = complaints(page)
  await pages.open(page, 'plan-chooser', chooser())
  await alive(page)
  const pro = page.getByRole('article', { name: 'Pro' })
  await expect(page.getByRole('radio', { name: 'Monthly', exact: true })).toBeChecked()
  await pro.getByRole('link', { name: /^View annual plans/ }).click()
  await expect(page.getByRole('radio', { name: /^Annual/ })).toBeChecked()
  await expect(pro.getByRole('button', { name: /^Start free trial/ })).toBeFocused()
  await expect(page).toHaveURL(/billing=annual/)
  expect(found).toEqual([])
})

test('a discount is on the cards of its plan only, at every step', async ({ page }) => {
  const discount: DiscountCheck = {
    isValid: true,
    valueType: 0,
    value: 20,
    planId: 'core-250000-monthly',
  }
  await pages.open(
    page,
    'plan-chooser',
    chooser({ code: 'KILN20', message: 'Discount applied' }, discount),
  )
  await alive(page)
  await expect(core(page)).not.toContainText('off')
  await slider(page).press('ArrowRight')
  await expect(core(page)).toContainText('20% off')
  await expect(core(page).locator('.plan-price')).toHaveText('was $102$82 a month')
  await expect(core(page).locator('[name=discountCode]')).toHaveValue('KILN20')
  await page.getByRole('radio', { name: /^Annual/ }).check()
  await expect(core(page)).not.toContainText('off')
  await expect(core(page).locator('[name=discountCode]')).toHaveCount(0)
})

test('what was chosen before the script ran is kept', async ({ page }) => {
  const script = Promise.withResolvers<void>()
  await page.route('**/boot.js', async route => {
    await script.promise
    await route.continue()
  })
  await pages.open(page, 'plan-chooser', chooser(), 'commit')
  await slider(page).press('End')
  await page.getByRole('radio', { name: /^Annual/ }).check()
  await slider(page).press('PageDown')
  script.resolve()
  await expect(price(page)).toHaveText('$79')
  await expect(page).toHaveURL(/visitors=1000000&billing=annual/)
})

test('without script the same form asks the server for the position', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await pages.open(page, 'plan-chooser', chooser())
  await slider(page).press('ArrowRight')
  await page.getByRole('radio', { name: /^Annual/ }).check()
  await page.getByRole('button', { name: 'Show plans' }).click()
  await expect(page).toHaveURL(`${pages.origin}/settings/billing?host=aG9z&step=2&billing=annual`)
  await context.close()
})
