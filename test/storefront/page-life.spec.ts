import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { chromiumArgs, ensureChromium } from '../../scripts/chromium.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Shop } from './shop.ts'

// A browser without automation: an automated one has no back-forward cache and does not prerender.
// The pages' own scripts go through the visit and report to the shop under /cart/.
let shop: Shop
let stop = () => {}
test.afterEach(async () => {
  stop()
  await shop.close()
})
const element: ScriptTest = {
  id: 'test-element-1',
  weights: [0, 1],
  pages: ['/a'],
  changes: [{ selector: 'h1', kind: 'insertAfter', name: '', value: '<p>New</p>' }],
}
const guide: ScriptTest = {
  id: 'test-guide',
  weights: [0, 1],
  pages: ['/pages/guide'],
  to: '/pages/guide-2026',
}
/** Long enough to start a browser. Milliseconds. */
const timeout = 60_000
const kinds = () =>
  shop
    .events()
    .map(event => event.kind)
    .sort()
const report = (what: string) => `fetch('/cart/report?' + [${what}])`
const reports = () =>
  shop.cart
    .filter(line => line.includes('report'))
    .map(line => line.replace(/^GET \/cart\/report\?/, '').trim())

test('a page from the back-forward cache counts as a view in the same arm, and is not changed a second time', async () => {
  // A browser short of memory or time may drop the page from its cache. Then this test goes there
  // and back once more. The page is left after it was painted.
  shop = await openShop({
    tests: [element],
    pages: {
      '/a': `<h1>Old</h1><script>localStorage.loads = +(localStorage.loads ?? 0) + 1
      onpageshow = event => { if (event.persisted) ${report(`document.querySelectorAll('p').length, localStorage.loads`)}; else new PerformanceObserver(() => setTimeout(() => { location.href = '/b' }, 100)).observe({ type: 'largest-contentful-paint', buffered: true }) }</script>`,
      '/b': '<script>onpageshow = () => setTimeout(() => history.back(), 100)</script>',
    },
  })
  browse('/a')
  await expect.poll(reports, { timeout: timeout }).toHaveLength(1)
  const [changed, loads] = reports()[0]!.split(',').map(Number)
  expect(changed).toBe(1)
  const each = (kind: string) => Array.from({ length: loads! }, () => kind)
  await expect
    .poll(kinds)
    .toEqual(['exposure', ...each('view'), ...each('view'), 'view', ...each('vitals')])
})

/**
 * A page that prerenders `path` and goes there long after that: a wrong event of the prerendered
 * page would have been sent by then.
 */
const leadTo = (
  path: string,
) => `<h1>Home</h1><script type="speculationrules">${JSON.stringify({ prerender: [{ source: 'list', urls: [path], eagerness: 'immediate' }] })}</script>
  <script>addEventListener('storage', ({ key }) => { if (key === 'drawn') location.href = '${path}' })</script>`
const isDrawn = `<script>if (document.prerendering) setTimeout(() => { localStorage.drawn = '1' }, 1500)</script>`

test('a prerendered page is in its arm when it is shown, and is counted only then', async () => {
  shop = await openShop({
    tests: [element],
    pages: {
      '/': leadTo('/a'),
      '/a': `<h1>Old</h1>${isDrawn}<script>drawn = document.prerendering; document.addEventListener('prerenderingchange', () => ${report(`drawn, document.querySelectorAll('p').length, Object.keys(localStorage).filter(key => key.startsWith('_ts_e')).length`)}.then(() => setTimeout(() => { location.href = '/b' }, 300)))</script>`,
      '/b': '',
    },
  })
  browse('/')
  await expect.poll(reports, { timeout: timeout }).toHaveLength(1)
  // The page was in its arm before it was shown, and none of its events was waiting.
  expect(reports()).toEqual(['true,1,0'])
  // Its speed is not sent either: a prerendered page loads before it is shown.
  await expect.poll(kinds).toEqual(['exposure', 'view', 'view', 'view'])
})

test('a prerendered redirect happens when the page is shown, with one exposure', async () => {
  shop = await openShop({
    tests: [guide],
    pages: {
      '/': leadTo('/pages/guide'),
      '/pages/guide': `<h1>Guide</h1>${isDrawn}<script>${report('document.prerendering, document.documentElement.style.display')}</script>`,
      '/pages/guide-2026': `<script>${report(`'arrived'`)}</script>`,
    },
  })
  browse('/')
  await expect.poll(reports, { timeout: timeout }).toEqual(['true,none', 'arrived'])
  await expect.poll(kinds).toEqual(['exposure', 'view', 'view'])
})

function browse(path: string): void {
  const profile = mkdtempSync(join(tmpdir(), 'twinshelf-browser-'))
  const browser = spawn(
    ensureChromium(),
    ['--headless', ...chromiumArgs, `--user-data-dir=${profile}`, shop.origin + path],
    { stdio: 'ignore', detached: true },
  )
  stop = () => {
    // Kill the process group: Chromium's wrapper script does not forward signals.
    process.kill(-browser.pid!, 'SIGKILL')
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
  }
}
