import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { chromiumArgs, ensureChromium } from '../../scripts/chromium.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { openShop, type Shop } from './shop.ts'

// A browser of our own that nobody steers: one that is steered neither keeps pages for going back nor draws them ahead.
// The pages lead through the visit themselves and report to the shop, under /cart/.
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
/** A whole browser starts first. Milliseconds. */
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

test('a page from the back-forward cache is a view, in the same arm, changed no second time', async () => {
  // A browser that is short of memory or time may have dropped the page: then it goes there and back once more. Left when it was painted.
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

/** Gone to long after it was drawn: it would have been counted by then. */
const leadTo = (
  path: string,
) => `<h1>Home</h1><script type="speculationrules">${JSON.stringify({ prerender: [{ source: 'list', urls: [path], eagerness: 'immediate' }] })}</script>
  <script>addEventListener('storage', ({ key }) => { if (key === 'drawn') location.href = '${path}' })</script>`
const isDrawn = `<script>if (document.prerendering) setTimeout(() => { localStorage.drawn = '1' }, 1500)</script>`

test('a page drawn ahead is in its arm when shown, and counted only then', async () => {
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
  // In its arm before it was shown, with no event of its own waiting.
  expect(reports()).toEqual(['true,1,0'])
  // Nor is its speed told when it is left: how long it was looked at before it was shown is unknown.
  await expect.poll(kinds).toEqual(['exposure', 'view', 'view', 'view'])
})

test('a redirect drawn ahead leads on when it is shown, and is exposed once', async () => {
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
    // The whole group: Chromium's wrapper script does not pass a signal on.
    process.kill(-browser.pid!, 'SIGKILL')
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
  }
}
