import { chromium, type Browser, type CDPSession } from '@playwright/test'
import { chromiumArgs } from '../scripts/chromium.ts'
import { withPageServer } from './page.ts'
import type { BenchRow } from './row.ts'

/** How often each page is opened, and how many times slower the processor is. */
const loads = 11,
  throttle = 4
/**
 * Milliseconds that a page is watched after its load. What it loads after four seconds counts too
 * (islands/page.ts).
 */
const watched = 5_000
/** Milliseconds of a task that nobody notices; only what is longer blocks. */
const unnoticed = 50

/**
 * `begun`: the page's islands begin at once, as if a person were there from the start. `react`: how
 * many of its files were asked for before the page was painted. `code`: bytes of JavaScript, as
 * sent, until the page is left.
 */
type Seen = { blocking: number; painted: number; react: number; code: number }

/**
 * Measures how long the main thread is blocked after the first paint of the list, a report and the
 * editor: what its tasks take beyond 50 ms each, on a processor that is four times slower.
 */
export const blockingBench = (): Promise<BenchRow[]> =>
  withPageServer(0, 0, async ({ app, cookie, pages }) => {
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM_PATH']!,
      args: chromiumArgs,
    })
    const at = (path: string) => `http://127.0.0.1:${app}${path}`
    try {
      return [
        ...(await rowsOf(browser, 'Tests list, 50 tests', at('/'), cookie, false)),
        ...(await rowsOf(browser, 'Report', at(pages.report), pages.cookie, true)),
        ...(await rowsOf(browser, 'Editor', at(pages.editor), pages.cookie, true)),
      ]
    } finally {
      await browser.close()
    }
  })

async function rowsOf(
  browser: Browser,
  name: string,
  url: string,
  cookie: string,
  hasIslands: boolean,
): Promise<BenchRow[]> {
  const seen: Seen[] = [],
    begun: Seen[] = []
  // Alternately, so that whatever else the machine does meets both alike.
  for (let i = 0; i < loads; i++) {
    seen.push(await opened(browser, url, cookie, false))
    if (hasIslands) begun.push(await opened(browser, url, cookie, true))
  }
  const blocking = median(seen.map(each => each.blocking)),
    atOnce = median(begun.map(each => each.blocking))
  return [
    ...(hasIslands
      ? [
          {
            name: `${name}, islands at once, blocking time at ${throttle}×`,
            value: atOnce,
            unit: 'ms',
          },
          {
            name: `${name}, islands at once, JavaScript over the wire`,
            value: median(begun.map(each => each.code)),
            unit: 'bytes',
          },
        ]
      : []),
    {
      name: `${name}, blocking time at ${throttle}×`,
      value: blocking,
      unit: 'ms',
      ratio: blocking / 100,
      against: '100 ms',
      target: '≤ 1',
    },
    {
      name: `${name}, JavaScript over the wire without a person’s first sign`,
      value: median(seen.map(each => each.code)),
      unit: 'bytes',
    },
    { name: `${name}, first paint`, value: median(seen.map(each => each.painted)), unit: 'ms' },
    {
      name: `${name}, files of React asked for before the first paint`,
      value: Math.max(...seen.map(each => each.react)),
      unit: '',
      ...(hasIslands && { target: '0' }),
    },
  ]
}

/** Opens the page with an empty cache. */
async function opened(
  browser: Browser,
  url: string,
  cookie: string,
  isBegun: boolean,
): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const [name, value] = cookie.split('=', 2) as [string, string]
    await context.addCookies([{ name, value, url: new URL(url).origin }])
    const page = await context.newPage()
    if (isBegun) await page.addInitScript(begin)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: throttle })
    const blocking = await traced(session)
    await page.goto(url)
    await page.waitForTimeout(watched)
    const { painted, react, code } = await page.evaluate<Omit<Seen, 'blocking'>>(`
      const [paint] = performance.getEntriesByName('first-contentful-paint'), painted = paint.startTime
      const files = performance.getEntriesByType('resource')
      ;({
        painted,
        react: files.filter(({ name, startTime }) => /react-/.test(name) && startTime < painted).length,
        code: files.filter(({ name }) => /\\.js$/.test(name))
          .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      })`)
    return { painted, react, code, blocking: await blocking() }
  } finally {
    await context.close()
  }
}

type TraceEvent = {
  name: string
  pid: number
  tid: number
  /** Microseconds: when it began, how long it took, and how long the thread was at work for it. */
  ts: number
  dur: number
  tdur?: number
}

/**
 * Traces the page from now on. The function returned ends that, and says how long the main thread
 * was blocked after the first paint. Only the thread's own time counts, so that whatever else the
 * machine does does not.
 */
async function traced(session: CDPSession): Promise<() => Promise<number>> {
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) =>
    events.push(...(value as unknown as TraceEvent[])),
  )
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['loading', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
    },
  })
  return async () => {
    const ended = new Promise(resolve => session.once('Tracing.tracingComplete', resolve))
    await session.send('Tracing.end')
    await ended
    const painted = events.find(({ name }) => name === 'firstContentfulPaint')
    if (!painted) throw new Error('The page was never painted.')
    return events
      .filter(
        ({ name, pid, tid }) => name === 'RunTask' && pid === painted.pid && tid === painted.tid,
      )
      .reduce((sum, { ts, dur, tdur = dur }) => {
        // If a task ran at the first paint, only the part after that counts.
        const rest = Math.min(1, Math.max(0, (ts + dur - painted.ts) / dur))
        return sum + Math.max(0, (tdur * rest) / 1000 - unnoticed)
      }, 0)
  }
}

/** A person who moves the pointer all the time. */
const begin = `setInterval(() => dispatchEvent(new Event('pointermove')), 20)`

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
