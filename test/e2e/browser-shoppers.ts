import { chromium, devices, expect, type BrowserContext, type Page } from '@playwright/test'
import { assign } from '../../domain/tests/assignment.ts'
import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import { chromiumArgs, storyBrowser } from '../../scripts/chromium.ts'
import { slowness } from '../slowness.ts'

/** What one shopper saw and did, as recorded in the browser. */
export type Deeds = {
  visitor: string
  arm: ArmIndex
  clicked: boolean
  added: boolean
  orders: number[]
}
/**
 * `visitor`: the visitor id that the script finds in storage, set where the arm matters. `clicks`:
 * the shopper looks and clicks, and does nothing else.
 */
export type Plan = {
  index: number
  isPhone: boolean
  adds: boolean
  buys: boolean
  clicks?: boolean
  visitor?: string
}

/**
 * Plans that mix phones, adders and buyers, the same at every run. Buyers alternate between the
 * arms; the other shoppers' arms are random.
 */
export const plansFor = (count: number, testId: string): Plan[] => {
  const visitorIn = visitorsOf(testId)
  return Array.from({ length: count }, (_, index) => {
    const buys = index % 4 === 1
    return {
      index,
      isPhone: index % 3 === 0,
      adds: buys || index % 4 === 2,
      buys,
      ...(buys && { visitor: visitorIn((index >> 2) % 2) }),
    }
  })
}

/** Six shoppers: both arms on both screens. Shoppers in the variant do more. */
export const plansOfBothArms = (testId: string): Plan[] => {
  const visitorIn = visitorsOf(testId)
  return ['buys', 'buys', 'adds', 'buys', 'looks', 'clicks'].map((deed, index) => ({
    index,
    isPhone: index % 4 > 1,
    adds: deed === 'buys' || deed === 'adds',
    buys: deed === 'buys',
    clicks: deed === 'clicks',
    visitor: visitorIn(index % 2),
  }))
}

/** Makes ids of new visitors in the given arm. */
const visitorsOf = (testId: string) => {
  let n = 0
  return (arm: number): string => {
    for (;;) {
      const visitor = `${testId.slice(0, 8)}-${n++}`
      if (assign(testId, visitor, evenly) === arm) return visitor
    }
  }
}
export const evenly: PerArm<number> = [0.5, 0.5]

// Beacons carry the browser's own user agent, not that of the context, and the collector treats a
// headless browser as a bot. So the browser itself gets another user agent.
const agents = { desktop: devices['Desktop Chrome'].userAgent, phone: devices['Pixel 7'].userAgent }
const launch = (userAgent: string) =>
  chromium.launch({
    executablePath: storyBrowser(),
    args: [...chromiumArgs, `--user-agent=${userAgent}`],
  })

/**
 * Does something on a page. A failure also says what the page and its frames show, which scripts
 * they have loaded and what they keep: the report of a failed story has neither the frames nor the
 * pages of shoppers.
 */
export async function withTexts<T>(page: Page, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const texts = await Promise.all(
      page.frames().map(async frame => {
        const text = await frame.evaluate(() => document.body.innerText).catch(String),
          state = await frame.evaluate(scriptState).catch(String)
        return `${frame.url()}:\n${text.slice(0, 1_000)}\n${state}`
      }),
    )
    throw new Error(`The page showed ${texts.join('\n\n')}`, { cause: error })
  }
}

/** The scripts of a page, each with its status and when it came, and what is stored. */
const scriptState = (): string =>
  JSON.stringify({
    scripts: performance
      .getEntriesByType('resource')
      .flatMap(entry =>
        entry instanceof PerformanceResourceTiming && entry.initiatorType === 'script'
          ? [`${entry.name} ${entry.responseStatus} ${Math.round(entry.responseEnd)} ms`]
          : [],
      ),
    stored: { ...localStorage },
    cookie: document.cookie,
  })

/**
 * Runs the shoppers a few at a time, each in a fresh context of a desktop's or a phone's browser,
 * and returns what they did.
 */
export async function sendShoppers(
  plans: Plan[],
  visit: (page: Page, plan: Plan) => Promise<Deeds>,
  watched?: string,
): Promise<Deeds[]> {
  const needs = (isPhone: boolean) => plans.some(plan => plan.isPhone === isPhone)
  const [desktop, phone] = await Promise.all([
    needs(false) ? launch(agents.desktop) : null,
    needs(true) ? launch(agents.phone) : null,
  ])
  const deeds: Deeds[] = []
  const queue = [...plans]
  const go = async (plan: Plan) => {
    const context = plan.isPhone
      ? await phone!.newContext(devices['Pixel 7'])
      : await desktop!.newContext({
          viewport: { width: 1280, height: 800 },
          userAgent: agents.desktop,
        })
    if (plan.visitor)
      await context.addInitScript(visitor => {
        if (!localStorage.getItem('_ts'))
          localStorage.setItem('_ts', JSON.stringify({ visitor, born: Date.now(), tests: {} }))
      }, plan.visitor)
    if (watched) await watchFrames(context, watched)
    const page = await context.newPage()
    deeds.push(await withTexts(page, () => visit(page, plan)))
    await leave(page)
    await context.close()
  }
  try {
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let plan = queue.shift(); plan; plan = queue.shift()) await go(plan)
      }),
    )
  } finally {
    await Promise.all([desktop?.close(), phone?.close()])
  }
  return deeds
}

/**
 * Records every text that `selector` shows in any painted frame of any page of this tab, from the
 * first frame, also on pages that redirect.
 */
async function watchFrames(context: BrowserContext, selector: string): Promise<void> {
  await context.addInitScript(selector => {
    const key = 'seenInFrames'
    const seen = new Set(JSON.parse(sessionStorage.getItem(key) ?? '[]') as string[])
    const look = () => {
      const node = document.querySelector(selector),
        text = node?.textContent?.trim()
      // An element that the script hides is not painted.
      if (text && node!.checkVisibility()) {
        Object.assign(window, { hasSeen: true })
        if (!seen.has(text)) sessionStorage.setItem(key, JSON.stringify([...seen.add(text)]))
      }
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, selector)
}

/**
 * Waits for the watched element's first frame on this page. Fails when any frame of any page so far
 * showed another text than `text`.
 */
export async function expectOnly(page: Page, text: string): Promise<void> {
  await page.waitForFunction(() => 'hasSeen' in window)
  expect(
    await page.evaluate(() => JSON.parse(sessionStorage.getItem('seenInFrames')!) as string[]),
    'no frame showed the other arm',
  ).toEqual([text])
}

/**
 * The visitor's id from the script's storage, and the arm of that id. Waits for a redirect to
 * finish.
 */
export async function visitorOf(
  page: Page,
  testId: string,
  weights: PerArm<number>,
): Promise<{ visitor: string; arm: ArmIndex }> {
  const read = () =>
    page.evaluate(
      () => (JSON.parse(localStorage.getItem('_ts') ?? '{}') as { visitor?: string }).visitor,
    )
  let visitor = ''
  // During a redirect the page cannot be evaluated, so retry.
  await expect
    .poll(async () => (visitor = (await read().catch(() => undefined)) ?? ''), {
      message: 'the script keeps a visitor',
      timeout: 30_000 * slowness,
    })
    .not.toBe('')
  return { visitor, arm: assign(testId, visitor, weights) }
}

/**
 * Submits the product page's form and goes to the cart. A theme that adds by script stays on the
 * product page, so follow its link.
 */
export async function addToCart(page: Page): Promise<void> {
  await page.locator('form[action="/cart/add"] button[type=submit]').first().click()
  const link = page.getByRole('link', { name: 'See the cart' })
  await link
    .or(page.getByRole('button', { name: 'Check out' }))
    .first()
    .waitFor()
  if (!page.url().endsWith('/cart')) await link.click()
  await page.waitForURL('**/cart')
}

const customer = {
  email: 'shopper@example.com',
  name: 'Sam Shopper',
  address: '1 Kiln Lane',
  city: 'Portland',
  postcode: '97201',
  country: 'United States',
}

/**
 * Goes from the cart through the checkout to the thank-you page. Returns the order's subtotal
 * (before tax and delivery) that the shopper reads, in minor units of the shopper's currency.
 */
export async function buy(
  page: Page,
  atCheckout: () => Promise<void> = async () => {},
): Promise<number> {
  await page.getByRole('button', { name: 'Check out' }).click()
  await page.waitForURL('**/checkout')
  await atCheckout()
  for (const [name, value] of Object.entries(customer))
    await page.locator(`[name="${name}"]`).fill(value)
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.waitForURL('**/orders/*')
  const subtotal = await page
    .locator('.sums > div', { hasText: 'Subtotal' })
    .locator('dd')
    .innerText()
  return Math.round(Number(subtotal.replace(/[^\d.]/g, '')) * 100)
}

/** Waits until the script has sent all its events. Then the shopper may leave. */
async function leave(page: Page): Promise<void> {
  // The script records its events in the task after the first frame of the parsed page.
  await page.waitForLoadState('load')
  await page.evaluate(
    () =>
      new Promise(resolve => {
        requestAnimationFrame(() => setTimeout(() => setTimeout(resolve)))
      }),
  )
  await expect
    .poll(
      () =>
        page.evaluate(
          () => Object.keys(localStorage).filter(key => key.startsWith('_ts_e.')).length,
        ),
      { timeout: 60_000 * slowness },
    )
    .toBe(0)
}

/** The figures per arm that a report must show for these deeds. */
export function expectedOf(deeds: Deeds[]) {
  return ([0, 1] as const).map(arm => {
    const those = deeds.filter(d => d.arm === arm)
    const orders = those.flatMap(d => d.orders)
    return {
      visitors: those.length,
      clickers: those.filter(d => d.clicked).length,
      adders: those.filter(d => d.added).length,
      buyers: those.filter(d => d.orders.length > 0).length,
      orders: orders.length,
      revenue: orders.reduce((sum, value) => sum + value, 0),
    }
  })
}
