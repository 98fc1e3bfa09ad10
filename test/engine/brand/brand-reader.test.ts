import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pino } from 'pino'
import t from 'tap'
import { is } from '../../../engine/brand/brand-reader-snapshot.ts'
import { type Fetch, readPage } from '../../../engine/brand/brand-reader-pages.ts'
import { findChromium, type Machine } from '../../../engine/browser/chromium.ts'
import { engineConfig } from '../../../engine/config.ts'
import { shopBrowser } from '../../../engine/browser/shop-browser.ts'
import { appKey, appSecret, sessionSecret } from '../support/small-shop.ts'

// Chromium can be slow on a busy machine.
t.setTimeout(300_000)
const CHROMIUM_PATH = process.env['CHROMIUM_PATH']
const reading = { skip: !findChromium(CHROMIUM_PATH) && 'no Chromium here' }
const hosts = { shop: 'shop.example', domain: 'www.shop.example', origin: 'http://localhost:9' }
const config = engineConfig({
  DATA_DIR: t.testdirName,
  PUBLIC_ORIGIN: 'http://localhost:8',
  DEMO_SHOP_ORIGIN: hosts.origin,
  SESSION_SECRET: sessionSecret,
  DEMO_APP_KEY: appKey,
  DEMO_APP_SECRET: appSecret,
  ...(CHROMIUM_PATH && { CHROMIUM_PATH }),
})
// Longer than a merchant waits, so that a busy machine reads as much as an idle one.
const browser = shopBrowser({ config, log: pino({ level: 'silent' }) }, async () => null, {
  page: 30,
  read: 20,
  wait: 8,
})
const nothing: Fetch = async () => ({ status: 404, type: 'text/plain', text: '' })
const read = (text: string, fetch = nothing) =>
  browser.read(hosts, pages => readPage(pages, fetch, hosts, { url: `${hosts.origin}/`, text }))
const page = (css: string, body: string, head = '') =>
  `<!doctype html><html><head><style>${css}</style>${head}</head><body>${body}</body></html>`

t.test('the look of an element is the style that the browser computes', reading, async t => {
  const css = `@layer base, theme; @layer theme { p { color: rgb(1, 2, 3) } } @layer base { p { color: red } #i { color: teal !important } }
    :root { --ink: #123456 } body { font: italic 500 16px/1.5 "Work Sans", Georgia, serif; background: color-mix(in srgb, #fff 50%, #000) }
    .box { padding: calc(1rem * 2) 10px; border: 2px solid var(--ink); border-radius: 1em; background: #fff8 } .nest { & b { color: oklch(0.6 0.2 30) } }
    button { height: 44px; border-radius: 50%; transition: color 9s } .seen { position: absolute; width: 1px } .off { display: none }`
  const { tree } = await read(
    page(
      css,
      `<main class="nest"><p class="box">words <b>bold</b></p><p id="i">i</p><button class="btn">Buy</button><p class="off">no <i>none</i></p><h1 class="seen">for readers</h1>
    <a href="https://shop.example/en/collections/all/products/mug?x=1"><img></a></main>`,
    ),
  )
  const named = (name: string) => tree.named([name])
  const [box, important, off] = named('p')
  t.match(box?.look, {
    family: 'Work Sans',
    fontSize: 16,
    fontWeight: 500,
    fontStyle: 'italic',
    lineHeight: 24,
    colour: [1, 2, 3, 1],
    padding: [32, 10, 32, 10],
    border: { width: 2, colour: [18, 52, 86, 1], isAllAround: true },
  })
  t.equal(box?.look.radius(100), 16)
  t.same([box?.words, box?.allWords, box?.ground.map(Math.round)], [5, 9, [196, 196, 196, 1]])
  t.match(
    [important?.look.colour, off?.isShown, named('i')[0]?.isShown, named('h1')[0]?.isShown],
    [[0, 128, 128, 1], false, false, false],
  )
  t.match(named('b')[0]?.look, { fontWeight: 700 })
  t.ok(named('b')[0]!.look.colour[0] > 150, 'a colour in another colour space is converted')
  t.match(named('button')[0], {
    bits: is.button | is.calledButton | is.text,
    look: { minHeight: 44 },
  })
  t.same([named('a')[0]?.product, tree.body.products, named('a')[0]?.hasPicture], ['mug', 1, true])
})

t.test(
  'a page sends no request: we fetch its stylesheets from its own hosts, and no script runs',
  reading,
  async t => {
    let visits = 0
    const elsewhere = createServer((_, response) => {
      visits++
      response.end()
    })
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => elsewhere.close())
    const foreign = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
    const fetched: string[] = []
    const fetch: Fetch = async url => {
      fetched.push(url)
      return {
        status: 200,
        type: 'text/css',
        text: url.endsWith('/a.css')
          ? `@import "${foreign}/i.css"; @import "/b.css?v=1"; h1 { background: url(${foreign}/x.png); font-family: Own }`
          : '@font-face { font-family: Own; src: url(/own.woff2); font-weight: 300 500 } h1 { color: #00f }',
      }
    }
    const head = `<meta http-equiv="refresh" content="0;url=${foreign}/"><link rel="stylesheet" href="/a.css"><link rel="stylesheet" href="https://www.shop.example/a.css"><link rel="stylesheet" href="${foreign}/f.css">
    <link rel="stylesheet" href="http://169.254.169.254/m.css"><link rel="stylesheet" href="/.//evil.example/n.css"><link rel="stylesheet" media="print" href="https://fonts.googleapis.com/css2?family=Print">
    <link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Lora:wght@700"><link rel="preload" as="style" href="${foreign}/p.css"><script src="/s.js"></script><script>document.write('<h2>')</script>`
    const { tree, faces } = await read(
      page(
        '',
        `<h1 onclick="1">One</h1><img src="${foreign}/i.png"><iframe src="${foreign}"></iframe><img name="styleSheets"><form name="fonts"><input name="getAnimations"></form>`,
        head,
      ),
      fetch,
    )
    t.equal(visits, 0)
    t.same([...new Set(fetched)].sort(), [`${hosts.origin}/a.css`, `${hosts.origin}/b.css?v=1`])
    t.match(
      tree.named(['h1'])[0]?.look,
      { family: 'Own', colour: [0, 0, 255, 1] },
      'the page is read although its elements have the names of document properties',
    )
    t.same(tree.named(['h2']), [])
    t.same(faces, [
      {
        family: 'Lora',
        style: 'normal',
        weight: '700',
        source: 'web',
        stylesheet: 'https://fonts.googleapis.com/css2?family=Lora:wght@700',
      },
      {
        family: 'Own',
        style: 'normal',
        weight: '300 500',
        source: 'theme',
        stylesheet: `${hosts.origin}/b.css`,
      },
    ])
  },
)

// Each level doubles the browser's work, so only `npm run soak` (which sets FUZZ_REQUESTS) uses all
// 24 levels.
const isAlone = Boolean(process.env['FUZZ_REQUESTS'])
const [levels, rules] = isAlone ? [24, 30_000] : [12, 5_000]
t.test('hostile pages are read or refused, and never block the event loop', reading, async t => {
  const hostile: Record<string, string> = {
    'nested &': page(`h1{${'& &{'.repeat(levels)}color:red`, '<h1>One</h1>'),
    'a hundred bytes': page(`h1{${'&,&{'.repeat(levels + 2)}color:red`, '<h1>One</h1>'),
    'many rules × 800 elements': page(
      Array.from(
        { length: rules },
        (_, i) => `p:nth-child(${i}n+1)~*{color:rgb(${i % 255},1,2)}`,
      ).join(''),
      '<p>x</p>'.repeat(800),
    ),
    '12,000 nested boxes': page('div{padding:1px}', '<div>'.repeat(12_000)),
  }
  const before = process.memoryUsage.rss()
  for (const [name, text] of Object.entries(hostile)) {
    const loop = monitorEventLoopDelay({ resolution: 10 })
    loop.enable()
    const said = await read(text).then(
      ({ tree }) => `${tree.elements.length} elements`,
      (error: Error) => error.message,
    )
    loop.disable()
    t.match(said, /^\d+ elements$|^The shop’s pages took longer than 20 seconds to read\.$/, name)
    // Only in the soak: in the suite other files may use the processor, and this process has run
    // other files before.
    t.ok(
      loop.max < 3e9 || !isAlone,
      `${name}: the event loop waited for ${Math.round(loop.max / 1e6)} ms at most`,
    )
  }
  t.ok(
    process.memoryUsage.rss() - before < 300e6 || !isAlone,
    `${Math.round((process.memoryUsage.rss() - before) / 1e6)} MB more`,
  )
})

t.test('Chrome, Chromium and Edge are found at their usual places', async t => {
  const at = (path: string, over: Partial<Machine>) =>
    findChromium(undefined, {
      platform: 'linux',
      env: {},
      home: '/homes/m',
      isProgram: each => each === path,
      ...over,
    })
  const windows = {
    platform: 'win32',
    env: {
      ProgramFiles: 'C:\\Program Files',
      'ProgramFiles(x86)': 'C:\\Program Files (x86)',
      LOCALAPPDATA: 'C:\\Users\\m\\AppData\\Local',
    },
  } as const
  for (const [path, over] of [
    ['/usr/bin/chromium', {}],
    ['/opt/google/chrome/chrome', {}],
    ['/opt/microsoft/msedge/msedge', {}],
    ['/usr/bin/microsoft-edge', {}],
    ['/own/bin/google-chrome', { env: { PATH: '/x:/own/bin' } }],
    ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', { platform: 'darwin' }],
    ['/homes/m/Applications/Chromium.app/Contents/MacOS/Chromium', { platform: 'darwin' }],
    ['/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge', { platform: 'darwin' }],
    ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe', windows],
    ['C:\\Users\\m\\AppData\\Local\\Chromium\\Application\\chrome.exe', windows],
    ['C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe', windows],
  ] as const) {
    t.equal(at(path, over as Partial<Machine>), path)
    t.equal(
      findChromium('off', { platform: 'linux', env: {}, home: '', isProgram: () => true }),
      null,
    )
  }
  t.equal(at('nowhere', {}), null)
})
