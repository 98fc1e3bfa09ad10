import { expect, type Page } from '@playwright/test'
import { request } from 'undici'
import { capabilitiesOfRun } from '../stories/story-needs.ts'

/** Whether the shop of this run is one of Shopify: `npm run stories -- --platform=shopify`. */
export const isOnShopify = (): boolean => process.env['STORY_PLATFORM'] === 'shopify'

/** Whether the shop of this run redirects addresses of pages itself. Elsewhere our script does. */
export const doesShopRedirect = (): boolean =>
  capabilitiesOfRun().redirects === 'always' && !isOnShopify()

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

/**
 * Turns our script on in the shop's themes, where the shop of this run has a switch for it.
 * `admin`: where browsers reach the shop's admin.
 */
export async function turnScriptOn(shop: string, admin = shop): Promise<void> {
  if (capabilitiesOfRun().scriptWay !== 'switch') return
  for (const theme of ['160001', '160002']) {
    const { statusCode, body } = await request(`${shop}/admin/themes/${theme}/script`, {
      method: 'POST',
      // Names below localhost are known to browsers only.
      headers: {
        host: new URL(admin).host,
        origin: admin,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'to=on',
    })
    expect(statusCode, await body.text()).toBe(303)
  }
}
