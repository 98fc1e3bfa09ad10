import { expect, type Page } from '@playwright/test'
import { capabilitiesOfRun } from '../stories/story-needs.ts'

/** Whether the shop of this run redirects addresses of pages itself. Elsewhere our script does. */
export const doesShopRedirect = (): boolean =>
  capabilitiesOfRun().redirects === 'always' && process.env['STORY_PLATFORM'] !== 'shopify'

/** What the dialog says before the winner of a redirect test is applied. */
export const saysWhoSends = (from: string, to: string): string =>
  `${doesShopRedirect() ? 'The shop itself' : 'Our script'} sends everyone from ${from} to ${to}`

/** Opens an address as a shopper in a new tab, and expects to stay at another, or at the same. */
export async function expectSent(page: Page, from: string, to = from): Promise<void> {
  const tab = await page.context().newPage()
  await tab.goto(from)
  await tab.waitForURL(to)
  await expect(tab.locator('h1').first()).toBeVisible()
  expect(tab.url()).toBe(to)
  await tab.close()
}

/** Turns our script on in the shop's themes, where the shop of this run has a switch for it. */
export async function turnScriptOn(shop: string): Promise<void> {
  if (capabilitiesOfRun().scriptWay !== 'switch') return
  for (const theme of ['160001', '160002']) {
    const { status } = await fetch(`${shop}/admin/themes/${theme}/script`, {
      method: 'POST',
      headers: { origin: shop, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'to=on',
      redirect: 'manual',
    })
    expect(status).toBe(303)
  }
}
