import { gzipSync } from 'node:zlib'
import { chromium, type Browser, type Page } from '@playwright/test'
import { composeScript, type ScriptSources } from '../engine/script/compose.ts'
import { bundleStorefront } from '../scripts/build/build-storefront.ts'
import { maxSizes, maxUsualGzip, scriptSizes } from '../scripts/build/script-sizes.ts'
import { chromiumArgs, ensureChromium } from '../scripts/chromium.ts'
import { busyPageBench } from './busy-page.ts'
import type { BenchRow } from './row.ts'
import {
  bareScript,
  changingConfig,
  growthBookScript,
  productPage,
  servePages,
  type Where,
} from './shopper-page.ts'

/** How often each page is opened by new visitors, after three times that are not counted. */
const loads = 40
const throttle = 4

const names = {
  bare: 'bare 1 kB script',
  ours: 'script',
  growthBook: 'GrowthBook’s auto script',
}
type Who = keyof typeof names
const everyone = Object.keys(names) as Who[]

/**
 * Measures the size of the script, and the time from its start to the applied arm on a throttled
 * phone, compared with the minimal script and with GrowthBook's.
 */
export async function scriptBench(): Promise<BenchRow[]> {
  const { sources } = await bundleStorefront()
  const ours = composeScript(sources, changingConfig)
  const theirs = growthBookScript()
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: chromiumArgs })
  const scripts = { bare: bareScript, ours, growthBook: theirs }
  try {
    return [
      ...sizeRows(sources, theirs),
      ...(await timeRows(browser, scripts, 'end')),
      ...(await timeRows(browser, scripts, 'head')),
      await busyPageBench(browser, ours),
    ]
  } finally {
    await browser.close()
  }
}

/** What is fetched before the arm is applied, and after the first paint. */
function sizeRows(sources: ScriptSources, theirs: string): BenchRow[] {
  const { usual, largest, afterPaint } = scriptSizes(sources)
  const row = (what: string, bytes: number, limit: number): BenchRow => ({
    name: what,
    value: bytes,
    unit: 'bytes',
    ratio: bytes / limit,
    against: `${limit} bytes`,
    target: '≤ 1',
  })
  const gzipOfTheirs = gzipSync(theirs, { level: 9 }).length
  return [
    row('script with three tests, gzip', usual.gzip, maxUsualGzip),
    row('script with three tests, brotli', usual.brotli, maxSizes.usual),
    {
      name: `${names.growthBook}, gzip`,
      value: gzipOfTheirs,
      unit: 'bytes',
      ratio: gzipOfTheirs / usual.gzip,
      against: 'script with three tests, gzip',
    },
    row(
      `script with the largest three tests (${largest.names}), gzip`,
      largest.gzip,
      maxSizes.largest,
    ),
    row(
      `script with the largest three tests (${largest.names}), brotli`,
      largest.brotli,
      maxSizes.largest,
    ),
    row('parts after the first paint together, gzip', afterPaint.gzip, maxSizes.afterPaint),
    row('parts after the first paint together, brotli', afterPaint.brotli, maxSizes.afterPaint),
  ]
}

/** The times of all scripts at one place of the page. They alternate, so load affects them all. */
async function timeRows(
  browser: Browser,
  scripts: Record<Who, string>,
  where: Where,
): Promise<BenchRow[]> {
  const { origin, close } = await servePages(
    Object.fromEntries(everyone.map(who => [`/products/${who}`, productPage(scripts[who], where)])),
  )
  const times = { first: empty(), next: empty() }
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: throttle })
    for (let i = -3; i < loads; i++)
      for (const who of i % 2 ? everyone : everyone.toReversed()) {
        await context.clearCookies()
        await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' })
        for (const visit of ['first', 'next'] as const) {
          const time = await timeOf(page, `${origin}/products/${who}`)
          if (i >= 0) times[visit][who].push(time)
        }
      }
  } finally {
    await context.close()
    close()
  }
  const place = where === 'head' ? 'in the head' : 'at the end of the body'
  return (['first', 'next'] as const).flatMap(visit =>
    everyone.map(who => {
      const value = median(times[visit][who]),
        least = median(times[visit].bare)
      return {
        name: `${names[who]}, start to arm applied, ${place}, ${visit} visit, ${throttle}× throttle`,
        value,
        unit: 'ms',
        ...(who !== 'bare' && { ratio: value / least, against: names.bare }),
        ...(who === 'ours' && { target: '≤ 1.5' }),
      }
    }),
  )
}

const empty = (): Record<Who, number[]> => ({ bare: [], ours: [], growthBook: [] })

/** Milliseconds from the script's start, including its compilation, until the text is set. */
async function timeOf(page: Page, url: string): Promise<number> {
  await page.goto(url)
  await page.waitForFunction(() => 'appliedAfter' in window, undefined, { timeout: 5000 })
  return page.evaluate(() => (window as unknown as { appliedAfter: number }).appliedAfter)
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
