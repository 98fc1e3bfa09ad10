import { createServer, type ServerResponse } from 'node:http'
import { chromium, type Browser, type CDPSession, type Page } from '@playwright/test'
import { composeScript } from '../engine/script/compose.ts'
import { bundleStorefront } from '../scripts/build/build-storefront.ts'
import { chromiumArgs, ensureChromium } from '../scripts/chromium.ts'
import { viewParameter } from '../domain/events/page-facts.ts'
import type { ScriptTest } from '../domain/script/script-config.ts'
import { listening } from './listening.ts'
import type { BenchRow } from './row.ts'
import { pageWithTag, type Where } from './shopper-page.ts'

/** How often each case is opened. */
const loads = 5
/** Lighthouse's slow 4G: milliseconds, bytes a second. */
const slow4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 204_800,
  uploadThroughput: 96_000,
}
const throttle = 4

const all = { id: 'bench-first-paint', weights: [0, 1] as [number, number] }
const path = '/products/ash-mug'
/** One test of each kind, and what its page shows of the control and of the variant. */
const kinds: Record<string, { test: ScriptTest; selector: string }> = {
  text: {
    test: {
      ...all,
      pages: [path],
      changes: [{ selector: 'button', kind: 'text', name: '', value: 'Variant' }],
    },
    selector: 'button',
  },
  insertion: {
    test: {
      ...all,
      pages: [path],
      changes: [
        { selector: 'h1', kind: 'text', name: '', value: 'Variant' },
        { selector: 'h1', kind: 'insertAfter', name: '', value: '<p>Free returns</p>' },
      ],
    },
    selector: 'h1',
  },
  redirect: { test: { ...all, pages: [path], to: '/products/variant' }, selector: 'h1' },
  template: {
    test: { ...all, pages: [], view: ['product', 'product.other'] },
    selector: 'h1',
  },
  price: {
    test: { ...all, pages: ['*'], prices: { 'ash-mug': [['30100', 3400, 2900]] } },
    selector: '.price',
  },
}
type Seen = { original: number; cls: number; lcp: number; inp: number }

/**
 * Measures on a throttled phone with slow 4G how often a page paints the control before the
 * variant, and for how long, with the script in the head and at the end of the body.
 */
export async function firstPaintBench(): Promise<BenchRow[]> {
  const { sources } = await bundleStorefront()
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: chromiumArgs })
  try {
    const rows: BenchRow[] = []
    for (const where of ['head', 'end'] as const)
      for (const cache of ['cold', 'warm'] as const) {
        const without = await seenOf(browser, '', 'text', where, cache)
        for (const kind of Object.keys(kinds)) {
          const script = (collect: string) =>
            composeScript(sources, {
              shop: 'pots.example',
              collect,
              preview: '/s/preview.js?token=',
              tests: [kinds[kind]!.test],
            })
          const seen = await seenOf(browser, script('/collect'), kind, where, cache)
          rows.push(...rowsOf(`${kind}, ${placeOf(where)}, ${cache} cache`, seen, without, where))
        }
      }
    return rows
  } finally {
    await browser.close()
  }
}

const placeOf = (where: Where): string => (where === 'head' ? 'head' : 'end of the body')

function rowsOf(about: string, seen: Seen[], without: Seen[], where: Where): BenchRow[] {
  const flashes = seen.map(({ original }) => original).filter(time => time > 0)
  const target = (value: string) => where === 'head' && { target: value }
  const worst = Math.max(...seen.map(({ cls }) => cls))
  const lcp = median(seen.map(each => each.lcp))
  return [
    {
      name: `loads that paint the original first: ${about}`,
      value: (flashes.length / seen.length) * 100,
      unit: '%',
      ...target('0'),
    },
    { name: `… for`, value: flashes.length > 0 ? median(flashes) : 0, unit: 'ms' },
    { name: `… largest layout shift (CLS)`, value: worst, unit: '', ...target('0') },
    {
      name: `… largest paint (LCP)`,
      value: lcp,
      unit: 'ms',
      ratio: lcp / median(without.map(each => each.lcp)),
      against: 'no script',
    },
    {
      name: `… slowest of two clicks (INP)`,
      value: median(seen.map(each => each.inp)),
      unit: 'ms',
    },
  ]
}

/** What the loads of one case showed; `script` is empty for the page without one. */
async function seenOf(
  browser: Browser,
  script: string,
  kind: string,
  where: Where,
  cache: 'cold' | 'warm',
): Promise<Seen[]> {
  const { origin, close } = await serve(script, where, kinds[kind]!.selector)
  const seen: Seen[] = []
  try {
    for (let i = 0; i < loads; i++) {
      const context = await browser.newContext()
      const page = await context.newPage()
      // Both caches are those of a first visit to the page; a warm one has the script already.
      if (cache === 'warm') await page.goto(`${origin}/warm`)
      const session = await context.newCDPSession(page)
      await throttled(session)
      await page.goto(`${origin}${path}`)
      if (script) await page.waitForFunction(`drawn.at(-1)?.[1].match(/Variant|29/)`)
      seen.push(await measured(page))
      await context.close()
    }
  } finally {
    close()
  }
  return seen
}

async function throttled(session: CDPSession): Promise<void> {
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', slow4G)
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttle })
}

async function measured(page: Page): Promise<Seen> {
  await page.waitForLoadState('load')
  // After a click the browser reports no more paints.
  await page.waitForFunction('lcp > 0')
  for (let i = 0; i < 2; i++) await page.mouse.click(5, 5)
  // The browser reports the first input however short it was.
  await page.waitForFunction('isClicked')
  return page.evaluate(`({
    original: originals.length ? (changedAt ?? performance.timeOrigin + performance.now()) - originals[0] : 0,
    cls, lcp, inp,
  })`)
}

/**
 * Records what each frame is about to show of the tested element, over all pages of one load:
 * callbacks of a frame run before its paint. An element that is covered or not yet there shows
 * nothing.
 */
const watchFrames = (selector: string): string => `
  drawn = []; cls = 0; lcp = 0; inp = 0; isClicked = false; changedAt = undefined
  originals = JSON.parse(sessionStorage.originals ?? '[]')
  new PerformanceObserver(list => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) cls += entry.value }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver(list => { for (const entry of list.getEntries()) lcp = entry.startTime }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver(list => { for (const entry of list.getEntries()) inp = Math.max(inp, entry.duration) }).observe({ type: 'event', buffered: true, durationThreshold: 16 })
  new PerformanceObserver(list => { for (const entry of list.getEntries()) { isClicked = true; inp = Math.max(inp, entry.duration) } }).observe({ type: 'first-input', buffered: true })
  ;(function look() {
    const element = document.querySelector(${JSON.stringify(selector)})
    if (element && element.getClientRects().length > 0) {
      const at = performance.timeOrigin + performance.now(), text = element.textContent
      drawn.push([at, text])
      if (/Variant|29/.test(text)) changedAt ??= at
      else { originals.push(at); sessionStorage.originals = JSON.stringify(originals) }
    }
    requestAnimationFrame(look)
  })()`

async function serve(
  script: string,
  where: Where,
  selector: string,
): Promise<{ origin: string; close: () => void }> {
  const send = (response: ServerResponse, type: string, body: string): void => {
    response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=600' }).end(body)
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://shop')
    if (pathname === '/twinshelf.js') return send(response, 'text/javascript', script)
    if (pathname === '/warm')
      return send(
        response,
        'text/html',
        '<script src="/twinshelf.js" type="text/plain"></script><link rel="preload" as="script" href="/twinshelf.js">',
      )
    if (!pathname.startsWith('/products/')) return void response.writeHead(204).end()
    const isVariant = pathname.endsWith('variant') || searchParams.has(viewParameter)
    const tag = script
      ? `<script src="/twinshelf.js" data-template="product${isVariant ? '.other' : ''}" data-resource="1"></script>`
      : ''
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(pageWithTag(tag, where, watchFrames(selector), isVariant ? 'Variant' : 'Ash glaze mug'))
  })
  return listening(server)
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
