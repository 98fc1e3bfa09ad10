import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { chromium } from '@playwright/test'
import { watchRequests } from '../test/quiet-network.ts'
import type { Sides, Used } from './page-server.ts'
import type { BenchRow } from './row.ts'

const shop = 'fern-and-kiln.demo-shop.test',
  tests = 50
/**
 * Seconds of a round, rounds for each side (alternating, so that other load on the machine affects
 * all sides), and simultaneous browsers.
 */
const seconds = 3,
  rounds = 3,
  crowd = 16
type Side = Exclude<
  keyof Sides,
  'compressed' | 'drawn' | 'changing' | 'change' | 'cookie' | 'others' | 'pages'
>
const names: Record<Side, string> = {
  app: 'Tests list, 50 tests, through gate and engine',
  calls: 'the same calls and view without gate and session',
  unshared: 'the same, every call made again for every page',
  memory: 'the same view rendered from memory',
  constant: 'a constant string',
}
const order: Side[] = ['app', 'calls', 'unshared', 'memory', 'constant']

/**
 * Measures how many pages of the tests list are served per second, and the size of a browser's
 * first load.
 */
export async function pageBench(): Promise<BenchRow[]> {
  return withPageServer(0, 0, async sides => {
    const many = await rates(sides, crowd),
      one = await rates(sides, 1)
    return [
      ...rowsOf(many, `${crowd} at once`, true),
      ...rowsOf(one, 'one after another', false),
      ...(await firstLoad(sides)),
    ]
  })
}

/**
 * Runs the list's servers in another process, and measures its use of memory and processor.
 * `browsers`: how many more browsers are signed in, once all in the first store and once spread
 * over `stores` others.
 */
export async function withPageServer<T>(
  browsers: number,
  stores: number,
  work: (sides: Sides, used: (asked: 'used' | 'collected') => Promise<Used>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-bench-'))
  const server = fork(
    fileURLToPath(new URL('page-server.ts', import.meta.url)),
    [shop, tests, browsers, stores].map(String),
    {
      execArgv: ['--import', './jsx.js', '--expose-gc'],
      env: {
        ...process.env,
        DATA_DIR: folder,
        DATABASE_URL: '',
        NODE_ENV: 'production',
        SESSION_SECRET: 'bench-session-secret-0123456789',
        DEMO_APP_SECRET: 'bench-app-secret-0123456789',
      },
    },
  )
  const next = async <M>() => ((await once(server, 'message')) as [M])[0]
  try {
    return await work(await next<Sides>(), asked => {
      server.send(asked)
      return next<Used>()
    })
  } finally {
    server.kill()
    await once(server, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

type Rates = Record<Side, number>
function rowsOf(rates: Rates, how: string, isTarget: boolean): BenchRow[] {
  const name = (side: Side) => `${names[side]}, ${how}`
  return [
    ...order.map(side => ({ name: name(side), value: Math.round(rates[side]), unit: 'pages/s' })),
    ...(
      [
        ['calls', '≥ 0.60'],
        ['memory', '≥ 0.20'],
        ['constant', undefined],
      ] as const
    ).map(([side, target]) => ({
      name: name('app'),
      value: Math.round(rates.app),
      unit: 'pages/s',
      ratio: rates.app / rates[side],
      against: names[side],
      ...(isTarget && target && { target }),
    })),
  ]
}

/** Pages per second of each side: the median of its rounds, after a round that warms up. */
async function rates(sides: Sides, connections: number): Promise<Rates> {
  const measured = Object.fromEntries(order.map(side => [side, [] as number[]])) as Record<
    Side,
    number[]
  >
  for (let round = 0; round <= rounds; round++)
    for (const side of order) {
      const { requests, duration, non2xx, errors } = await autocannon({
        url: `http://127.0.0.1:${sides[side]}/`,
        connections,
        duration: round === 0 ? 1 : seconds,
        headers: { cookie: sides.cookie },
      })
      if (non2xx + errors > 0)
        throw new Error(`${names[side]}: ${non2xx} answers were not the page, ${errors} failed.`)
      if (round > 0) measured[side].push(requests.total / duration)
    }
  return Object.fromEntries(
    order.map(side => [side, measured[side].toSorted((a, b) => a - b)[rounds >> 1]!]),
  ) as Rates
}

/**
 * What a browser with an empty cache loads for the list: bodies as transferred, without headers.
 */
async function firstLoad({ app, cookie }: Sides): Promise<BenchRow[]> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH']!,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  })
  try {
    const page = await browser.newPage()
    const [name, value] = cookie.split('=', 2) as [string, string]
    await page.context().addCookies([{ name, value, url: `http://127.0.0.1:${app}` }])
    const loaded: { url: string; bytes: number }[] = []
    page.on('requestfinished', async request => {
      const { responseBodySize } = await request.sizes()
      loaded.push({ url: request.url(), bytes: responseBodySize })
    })
    const requests = watchRequests(page)
    await page.goto(`http://127.0.0.1:${app}/`)
    await requests.quiet()
    const bytes = loaded.reduce((sum, { bytes }) => sum + bytes, 0)
    if (loaded.some(({ url }) => url.includes('islands'))) throw new Error('The list loads React.')
    return [
      {
        name: 'First load of the tests list, 50 tests, over the wire',
        value: bytes,
        unit: 'bytes',
        ratio: bytes / 32_000,
        against: '32 kB',
        target: '≤ 1',
      },
      { name: 'Requests of that load', value: loaded.length, unit: '' },
    ]
  } finally {
    await browser.close()
  }
}
