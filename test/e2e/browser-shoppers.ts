import { chromium, devices, expect, type BrowserContext, type Page } from '@playwright/test'
import { assign } from '../../domain/assignment.ts'
import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import { chromiumArgs, ensureChromium } from '../../scripts/chromium.ts'

/** What one shopper saw and did, as they and their browser know it. */
export type Deeds = { visitor: string; arm: ArmIndex; clicked: boolean; added: boolean; orders: number[] }
export type Plan = { index: number; isPhone: boolean; adds: boolean; buys: boolean }

/** Sixty plans that mix phones, adders and buyers over both arms, the same at every run. */
export const plansFor = (count: number): Plan[] => Array.from({ length: count }, (_, index) => {
  const buys = index % 4 === 1
  return { index, isPhone: index % 3 === 0, adds: buys || index % 4 === 2, buys }
})

// Beacons carry the browser's own user agent whatever a context claims, and a headless one is rightly taken for a bot.
const agents = { desktop: devices['Desktop Chrome'].userAgent, phone: devices['Pixel 7'].userAgent }
const launch = (userAgent: string) => chromium.launch({ executablePath: ensureChromium(), args: [...chromiumArgs, `--user-agent=${userAgent}`] })

/** Runs the shoppers a few at a time, each in a fresh context of a desktop's or a phone's browser, and returns what they did. */
export async function sendShoppers(plans: Plan[], visit: (page: Page, plan: Plan) => Promise<Deeds>, watched?: string): Promise<Deeds[]> {
  const [desktop, phone] = await Promise.all([launch(agents.desktop), launch(agents.phone)])
  const deeds: Deeds[] = []
  const queue = [...plans]
  const go = async (plan: Plan) => {
    const context = plan.isPhone ? await phone.newContext(devices['Pixel 7']) : await desktop.newContext({ viewport: { width: 1280, height: 800 }, userAgent: agents.desktop })
    if (watched) await watchFrames(context, watched)
    const page = await context.newPage()
    deeds.push(await visit(page, plan))
    await leave(page)
    await context.close()
  }
  try {
    await Promise.all(Array.from({ length: 4 }, async () => {
      for (let plan = queue.shift(); plan; plan = queue.shift()) await go(plan)
    }))
  } finally {
    await Promise.all([desktop.close(), phone.close()])
  }
  return deeds
}

/** Notes every text that `selector` shows in any frame of any page of this context, from the first frame on. */
async function watchFrames(context: BrowserContext, selector: string): Promise<void> {
  await context.addInitScript(selector => {
    const seen = new Set<string>()
    Object.defineProperty(window, 'seenInFrames', { value: seen })
    const look = () => {
      const text = document.querySelector(selector)?.textContent?.trim()
      if (text) seen.add(text)
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, selector)
}

/** Waits for the watched element's first frame; no frame so far may have shown anything but `text`. */
export async function expectOnly(page: Page, text: string): Promise<void> {
  const seen = () => page.evaluate(() => [...(window as unknown as { seenInFrames: Set<string> }).seenInFrames])
  await expect.poll(seen).not.toEqual([])
  expect(await seen(), 'no frame showed the other arm').toEqual([text])
}

/** The visitor's id as the script keeps it, and the arm that id belongs to. Waits out a redirect. */
export async function visitorOf(page: Page, testId: string, weights: PerArm<number>): Promise<{ visitor: string; arm: ArmIndex }> {
  const read = () => page.evaluate(() => (JSON.parse(localStorage.getItem('_ts') ?? '{}') as { visitor?: string }).visitor)
  let visitor = ''
  // In the middle of a redirect there is no page to ask.
  await expect.poll(async () => (visitor = await read().catch(() => undefined) ?? ''), { message: 'the script keeps a visitor', timeout: 30_000 }).not.toBe('')
  return { visitor, arm: assign(testId, visitor, weights) }
}

/** Puts what the product page offers in the cart, by its own form. */
export async function addToCart(page: Page): Promise<void> {
  await page.locator('form[action="/cart/add"] button[type=submit]').first().click()
  await page.waitForURL('**/cart')
}

const customer = { email: 'shopper@example.com', name: 'Sam Shopper', address: '1 Kiln Lane', city: 'Portland', postcode: '97201', country: 'United States' }

/** From the cart through the checkout to the thank-you page; returns the order's value before tax and delivery as the shopper reads it, in minor units. */
export async function buy(page: Page): Promise<number> {
  await page.getByRole('button', { name: 'Check out' }).click()
  await page.waitForURL('**/checkout')
  for (const [name, value] of Object.entries(customer)) await page.locator(`[name="${name}"]`).fill(value)
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.waitForURL('**/orders/*')
  const subtotal = await page.locator('.sums > div', { hasText: 'Subtotal' }).locator('dd').innerText()
  return Math.round(Number(subtotal.replace(/[$,]/g, '')) * 100)
}

/** A shopper goes when the browser has handed over all it had to tell. */
async function leave(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('_ts_e.')).length)).toBe(0)
}

/** Per arm, what a report must say of these deeds. */
export function expectedOf(deeds: Deeds[]) {
  return ([0, 1] as const).map(arm => {
    const those = deeds.filter(d => d.arm === arm)
    const orders = those.flatMap(d => d.orders)
    return {
      visitors: those.length, clickers: those.filter(d => d.clicked).length, adders: those.filter(d => d.added).length,
      buyers: those.filter(d => d.orders.length > 0).length, orders: orders.length, revenue: orders.reduce((sum, value) => sum + value, 0),
    }
  })
}
