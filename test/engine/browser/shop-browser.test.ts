import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { shopBrowser } from '../../../engine/browser/shop-browser.ts'
import { engineConfig } from '../../../engine/config.ts'
import { appKey, appSecret, sessionSecret } from '../support/small-shop.ts'
import { wholeChromium } from '../support/processes/whole-chromium.ts'

// Chromium can be slow on a busy machine.
t.setTimeout(120_000)
const chromium = wholeChromium()
const looking = { skip: !chromium && 'no Chromium here' }

const hostsAt = (origin: string) => ({
  shop: 'shop.example',
  domain: 'www.shop.example',
  origin,
})
const contextOf = (origin: string, path: string | null) => ({
  log: pino({ level: 'silent' }),
  config: engineConfig({
    DATA_DIR: t.testdirName,
    PUBLIC_ORIGIN: 'http://localhost:8',
    DEMO_SHOP_ORIGIN: origin,
    SESSION_SECRET: sessionSecret,
    DEMO_APP_KEY: appKey,
    DEMO_APP_SECRET: appSecret,
    ...(path && { CHROMIUM_PATH: path }),
  }),
})

const scripts: Record<string, string> = {
  '/service.js': `fetch('/service-ran'); fetch('/by-service', { method: 'POST', body: '1' }); oninstall = event => event.waitUntil(fetch('/by-service-installed', { method: 'POST' }))`,
  '/shared.js': `fetch('/by-shared', { method: 'POST', body: '1' })`,
  '/worker.js': `fetch('/by-worker', { method: 'POST', body: '1' }); fetch('/worker-ran')`,
}
const page = `<!doctype html><h1>Shop</h1><script>
  navigator.serviceWorker.register('/service.js')
  new SharedWorker('/shared.js')
  new Worker('/worker.js')
  fetch('/by-page', { method: 'POST', body: '1' })
  navigator.sendBeacon('/by-beacon', '1')
</script>`

t.test('a page of the shop and its workers send GET requests only', looking, async t => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const script = scripts[request.url!]
    response
      .writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' })
      .end(script ?? page)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const browser = shopBrowser(contextOf(origin, chromium), async () => null)
  const hosts = hostsAt(origin)
  const look = await browser.use(hosts, new AbortController().signal, pages =>
    pages.look(`${origin}/`, 'desktop', ['h1']),
  )
  t.match(look, { found: { h1: 1 } }, 'the page is read nevertheless')
  t.ok(seen.includes('GET /worker-ran'), 'a worker of the page runs')
  t.same(
    seen.filter(line => !line.startsWith('GET ')),
    [],
  )
})

t.test('a browser that starts but does not answer is stopped', async t => {
  const path = join(t.testdir({ 'silent.sh': '#!/bin/sh\nexec sleep 600\n' }), 'silent.sh')
  chmodSync(path, 0o755)
  const origin = 'http://localhost:9'
  const browser = shopBrowser(contextOf(origin, path), async () => null, {
    page: 1,
    read: 1,
    wait: 60,
  })
  await t.rejects(
    browser.use(hostsAt(origin), new AbortController().signal, async () => {}),
    { message: /longer than 1 seconds/ },
    'the first attempt times out',
  )
  await t.rejects(
    browser.read(hostsAt(origin), async () => {}),
    { message: /longer than 1 seconds/ },
    'the next attempt gets its turn and times out too',
  )
})

t.test('a whole reading has one limit, however many pages it has', looking, async t => {
  const origin = 'http://localhost:9'
  const browser = shopBrowser(contextOf(origin, chromium), async () => null, {
    page: 60,
    read: 3,
    wait: 60,
  })
  const answer = async () => {
    await new Promise(resolve => setTimeout(resolve, 100))
    return { type: 'text/html', body: '<!doctype html><h1>Shop</h1>' }
  }
  await t.rejects(
    browser.read(hostsAt(origin), async pages => {
      for (let page = 0; page < 100; page++) await pages.read(`${origin}/`, answer, 'String(1)')
    }),
    { status: 504, message: /pages took longer than 3 seconds/ },
  )
})

t.test('a shop that waits for another one’s reading is told so', async t => {
  const path = join(t.testdir({ 'silent.sh': '#!/bin/sh\nexec sleep 600\n' }), 'silent.sh')
  chmodSync(path, 0o755)
  const origin = 'http://localhost:9'
  const browser = shopBrowser(contextOf(origin, path), async () => null, {
    page: 60,
    read: 3,
    wait: 0.2,
  })
  const ended: string[] = []
  const read = (name: string) =>
    browser
      .read(hostsAt(origin), async () => {})
      .catch((error: Error) => {
        ended.push(`${name}: ${error.message}`)
      })
  const first = read('first')
  await read('second')
  await first
  await read('third')
  t.match(ended, [
    /second: Other shops are being read right now/,
    /first: .* longer than 3 seconds/,
    /third: .* longer than 3 seconds/,
  ])
})
