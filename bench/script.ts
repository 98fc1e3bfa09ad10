import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { chromium, type BrowserContext, type CDPSession, type Page } from '@playwright/test'
import { composeScript } from '../engine/script/compose.ts'
import { bundleStorefront } from '../scripts/build/build-storefront.ts'
import { threeTests } from '../scripts/build/storefront-samples.ts'
import { chromiumArgs, ensureChromium } from '../scripts/chromium.ts'
import type { ScriptConfig } from '../domain/script/script-config.ts'
import { busyPageBench } from './busy-page.ts'
import type { BenchRow } from './row.ts'

const loads = 80
const throttle = 4
const change = 'Add to basket – ships tomorrow'

/**
 * The least that a test on a page can cost: an id in a cookie, its hash, weights, and one text
 * changed by a MutationObserver. It stores and counts nothing, and runs on one page only.
 */
const bare = `(function () {
  var test = '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21', weights = [0, 1];
  function fnv(text) {
    var hash = 0x811c9dc5;
    for (var i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return hash >>> 0;
  }
  var found = document.cookie.match(/(?:^|; )bare=([^;]*)/), id = found && found[1];
  if (!id) {
    id = Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2);
    document.cookie = 'bare=' + id + ';path=/;max-age=31536000;samesite=lax';
  }
  if (fnv(String(fnv(test + id))) % 10000 / 10000 < weights[0]) return;
  var observer = new MutationObserver(apply);
  function apply() {
    var element = document.querySelector('.product-form__submit');
    if (!element) return;
    observer.disconnect();
    element.textContent = ${JSON.stringify(change)};
  }
  observer.observe(document.documentElement, { childList: true, subtree: true });
})()`

/** The same change as the first of three tests. Every visitor is in the variant. */
const config: ScriptConfig = {
  ...threeTests,
  collect: '/collect',
  tests: threeTests.tests.map((test, i) =>
    i > 0
      ? test
      : {
          ...test,
          weights: [0, 1],
          changes: [{ selector: '.product-form__submit', kind: 'text', name: '', value: change }],
        },
  ),
}

/**
 * Measures the size of the script, and the time from its start to the applied arm on a throttled
 * phone, compared with the minimal script above.
 */
export async function scriptBench(): Promise<BenchRow[]> {
  const { sources } = await bundleStorefront()
  const ours = composeScript(sources, config)
  const shipped = Buffer.from(composeScript(sources, threeTests))
  const { origin, close } = await servePages({ '/products/bare': bare, '/products/ours': ours })
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: chromiumArgs })
  try {
    const first = { bare: [] as number[], ours: [] as number[] }
    const again = { bare: [] as number[], ours: [] as number[] }
    const { context, page, session } = await throttled(await browser.newContext())
    // The two scripts alternate, so that other load on the machine affects both.
    for (let i = -5; i < loads; i++) {
      for (const name of i % 2 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const)) {
        await context.clearCookies()
        await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' })
        const times = [
          await timeOf(page, `${origin}/products/${name}`),
          await timeOf(page, `${origin}/products/${name}`),
        ] as const
        if (i < 0) continue
        first[name].push(times[0])
        again[name].push(times[1])
      }
    }
    const row = (who: string, { bare, ours }: typeof first): BenchRow[] => [
      { name: `bare 1 kB script, start to arm applied, ${who}`, value: median(bare), unit: 'ms' },
      {
        name: `script, start to arm applied, ${who}`,
        value: median(ours),
        unit: 'ms',
        ratio: median(ours) / median(bare),
        against: 'bare 1 kB script',
        target: '≤ 1.5',
      },
    ]
    return [
      {
        name: 'script with three tests, gzip',
        value: gzipSync(shipped, { level: 9 }).length,
        unit: 'bytes',
        target: '≤ 5000',
      },
      {
        name: 'script with three tests, brotli',
        value: brotliCompressSync(shipped).length,
        unit: 'bytes',
      },
      ...row(`first visit, ${throttle}× throttle`, first),
      ...row(`next visit, ${throttle}× throttle`, again),
      await busyPageBench(browser, ours),
    ]
  } finally {
    await browser.close()
    close()
  }
}

async function throttled(
  context: BrowserContext,
): Promise<{ context: BrowserContext; page: Page; session: CDPSession }> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttle })
  return { context, page, session }
}

/** Milliseconds from the script's start, including its compilation, until the text is set. */
async function timeOf(page: Page, url: string): Promise<number> {
  await page.goto(url)
  const time = await page.evaluate(() => (window as { appliedAfter?: number }).appliedAfter)
  if (time === undefined) throw new Error(`${url}: the arm was not applied`)
  return time
}

/**
 * Serves a product page of ordinary size. The script is inline at the top of its head, so that no
 * network time is measured.
 */
async function servePages(
  scripts: Record<string, string>,
): Promise<{ origin: string; close: () => void }> {
  const clock = `const set = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent').set
    Object.defineProperty(Node.prototype, 'textContent', { configurable: true, set(text) { set.call(this, text); if (text === ${JSON.stringify(change)}) window.appliedAfter ??= performance.now() - started } })
    const started = performance.now()`
  const links = Array.from(
    { length: 120 },
    (_, i) =>
      `<li class="menu__item"><a class="menu__link" href="/collections/c${i}"><span>Collection ${i}</span></a></li>`,
  ).join('')
  const cards = Array.from(
    { length: 60 },
    (_, i) =>
      `<article class="card"><a href="/products/p${i}"><img alt="" width="300" height="300"><h3 class="card__title">Product ${i}</h3><p class="price">$${i}.00</p></a></article>`,
  ).join('')
  const server = createServer((request, response) => {
    const script = scripts[request.url!]
    response.writeHead(script ? 200 : 204, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      script &&
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><script>${clock}</script><script>${script}</script><title>Ash glaze mug</title></head><body>
      <header><ul>${links}</ul></header><main class="product__info"><h1>Ash glaze mug</h1><p class="price">$34.00</p><form action="/cart/add"><button class="product-form__submit">Add to cart</button></form></main>${cards}</body></html>`,
    )
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
