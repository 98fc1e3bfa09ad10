import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { watchRequests } from '../quiet-network.ts'
import { islandsAlive } from '../e2e/pages/islands-alive.ts'
import { allScreens, boxFaults, cdpOf, type Screen, showOn } from '../e2e/boxes.ts'

/** The folder of the pictures, which git ignores. */
export const folder = 'pictures'

type Look = Screen & { scheme: 'light' | 'dark' }
/** The looks of each screen. PICTURES=1440,390 draws only these widths. */
const looks: readonly Look[] = [
  { width: 1440, height: 900, density: 1, scheme: 'light' },
  { width: 1440, height: 900, density: 2, scheme: 'dark' },
  { width: 1100, height: 800, density: 1, scheme: 'light' },
  { width: 390, height: 844, density: 2, scheme: 'light' },
  { width: 390, height: 844, density: 2, scheme: 'dark' },
]
const widths = process.env['PICTURES']?.split(',').map(Number)
const wanted = looks.filter(({ width }) => !widths || widths.includes(width))

/**
 * Draws the open page in every look. Elements that are cut off or overlap are soft failures.
 * `requests`: from before the page was opened, so that what is still loading is waited for.
 */
export async function draw(
  page: Page,
  name: string,
  requests = watchRequests(page),
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await islandsAlive(page)
  await requests.quiet()
  for (const look of wanted) {
    await page.emulateMedia({ colorScheme: look.scheme, reducedMotion: 'reduce' })
    await showOn(page, look)
    writeFileSync(
      `${folder}/${name}-${look.width}-${look.scheme}@${look.density}.png`,
      await picture(page),
    )
  }
  await page.emulateMedia({ colorScheme: 'light' })
  expect
    .soft(
      await boxFaults(
        page,
        allScreens.filter(({ width }) => !widths || widths.includes(width)),
      ),
      name,
    )
    .toEqual([])
}

/** Opens a page of the app and draws it. */
export async function drawAt(page: Page, address: string, name: string): Promise<void> {
  const requests = watchRequests(page),
    answer = await page.goto(address)
  if (answer && answer.status() >= 500) throw new Error(`${address} answered ${answer.status()}.`)
  await draw(page, name, requests)
}

/**
 * A picture of the whole page. Not Playwright's own screenshot: it uses its own window size, not
 * the emulated one.
 */
async function picture(page: Page): Promise<Buffer> {
  const { width, height } = await page.evaluate(() => ({
    width: innerWidth,
    height: document.documentElement.scrollHeight,
  }))
  const isOneWindow = (await page.locator('dialog[open]').count()) > 0
  const clip = {
    x: 0,
    y: 0,
    width,
    height: isOneWindow ? await page.evaluate(() => innerHeight) : Math.min(height, 6000),
    scale: 1,
  }
  const { data } = await (
    await cdpOf(page)
  ).send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip })
  return Buffer.from(data, 'base64')
}
