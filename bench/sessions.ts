import autocannon from 'autocannon'
import type { Sides, Used } from './page-server.ts'
import { withPageServer } from './page.ts'
import type { BenchRow } from './row.ts'

const browsers = 1_000,
  stores = 100
/** Seconds of a round, and simultaneous requests. */
const seconds = 5,
  crowd = 16
/**
 * Maximum number of bytes that the app and the engine in one process may keep for a thousand
 * sessions.
 */
const maxKept = 150_000_000

/** The encodings that browsers accept. */
const encoding = 'gzip, deflate, br, zstd'
type Use = (asked: 'used' | 'collected') => Promise<Used>
type Pages = { port: number; path: string; cookies: string[]; atOnce?: number }
type Cost = { perSecond: number; processor: number }
const list = 'Tests list, 50 tests, as browsers ask for it'

/**
 * Measures the tests list for one, some and many browsers, and a report: pages per second,
 * processor time per page, and the memory that stays.
 */
export const sessionsBench = (): Promise<BenchRow[]> =>
  withPageServer(browsers, stores, async (sides, used) => {
    await open(sides, [sides.cookie])
    const idle = await used('collected')
    const { sameStore, manyStores } = sides.others
    // What comes first would be slower than what it is compared with, until its code is compiled.
    await compared(sides, used)
    const rows = await compared(sides, used)
    rows.push(await memory(sides, used, sameStore, idle, 'one store'))
    const spread = await costOf(used, { port: sides.app, path: '/', cookies: manyStores })
    return [
      ...rows,
      ...rowsOf(`${list}, ${browsers} sessions of ${stores} stores`, spread),
      await memory(sides, used, manyStores, idle, `${stores} stores`),
    ]
  })

/**
 * The rows that are compared, measured one right after the other. The app caches what it has drawn,
 * so a list that has not changed is compared with HTML that was drawn before, and a list that has
 * changed with one that is drawn for each request.
 */
async function compared(
  { app, compressed, drawn, changing, change, cookie, others: { sameStore }, pages }: Sides,
  used: Use,
): Promise<BenchRow[]> {
  const cost = (port: number, path: string, cookies: string[]) =>
    costOf(used, { port, path, cookies })
  // One after another: requests at the same time would share what they read after a change.
  const alone = (port: number) =>
    costOf(used, { port, path: '/', cookies: sameStore.slice(0, 1), atOnce: 1 })
  const fromMemory = await cost(compressed, '/', [cookie]),
    again = await cost(drawn, '/', [cookie]),
    one = await cost(app, '/', sameStore.slice(0, 1)),
    some = await cost(app, '/', sameStore.slice(0, 200)),
    all = await cost(app, '/', sameStore),
    changed = await alone(changing),
    changes = await alone(change),
    memoryAlone = await alone(compressed),
    report = await cost(app, pages.report, [pages.cookie])
  const drawnEach = 'the same view drawn from memory and compressed once',
    drawnAlone = `${drawnEach}, one request after another`,
    drawnBefore = 'the same HTML, drawn before and compressed once'
  return [
    ...rowsOf(drawnEach, fromMemory),
    ...rowsOf(drawnAlone, memoryAlone),
    ...rowsOf(drawnBefore, again),
    ...rowsOf(
      `${list}, 1 session, read and drawn each time because a test has changed`,
      { ...changed, processor: changed.processor - changes.processor },
      {
        ratio: (changed.processor - changes.processor) / memoryAlone.processor,
        against: drawnAlone,
        target: '≤ 2',
      },
    ),
    ...rowsOf(`${list}, 1 session, unchanged and so cached`, one, {
      ratio: one.processor / again.processor,
      against: drawnBefore,
      target: '≤ 2',
    }),
    ...rowsOf(`${list}, 200 sessions in turn, unchanged`, some, {
      ratio: some.processor / one.processor,
      against: '1 session',
      target: '≤ 2',
    }),
    ...rowsOf(`${list}, ${browsers} sessions in turn, unchanged`, all),
    ...rowsOf('Report, as browsers ask for it, 1 session', report, {
      ratio: report.processor / (2 * fromMemory.processor),
      against: 'the list’s target: twice from memory',
      target: '≤ 1.5',
    }),
  ]
}

const rowsOf = (
  name: string,
  { perSecond, processor }: Cost,
  beside: Partial<BenchRow> = {},
): BenchRow[] => [
  { name, value: Math.round(perSecond), unit: 'pages/s' },
  { name: `${name}, processor`, value: processor, unit: 'ms/page', ...beside },
]

async function costOf(used: Use, { port, path, cookies, atOnce = crowd }: Pages): Promise<Cost> {
  const url = `http://127.0.0.1:${port}${path}`
  const load = (duration: number) =>
    autocannon({ url, connections: atOnce, duration, requests: byTurns(cookies) })
  await load(1)
  const before = await used('used'),
    { requests, duration, non2xx, errors } = await load(seconds),
    after = await used('used')
  if (non2xx + errors > 0)
    throw new Error(`${path}: ${non2xx} answers were not the page, ${errors} failed.`)
  return {
    perSecond: requests.total / duration,
    processor: (after.cpu - before.cpu) / requests.total,
  }
}

function byTurns(cookies: string[]): NonNullable<autocannon.Options['requests']> {
  let turn = 0
  return [
    {
      setupRequest: request => ({
        ...request,
        headers: { cookie: cookies[turn++ % cookies.length]!, 'accept-encoding': encoding },
      }),
    },
  ]
}

/**
 * The memory that stays after all these sessions opened the list, above what stayed after the first
 * one.
 */
async function memory(
  sides: Sides,
  used: Use,
  cookies: string[],
  idle: Used,
  of: string,
): Promise<BenchRow> {
  await open(sides, cookies)
  const bytes = (await used('collected')).bytes - idle.bytes
  return {
    name: `Memory kept after ${cookies.length} sessions of ${of} opened the list`,
    value: bytes / 1e6,
    unit: 'MB',
    ratio: bytes / maxKept,
    against: '150 MB',
    target: '≤ 1',
  }
}

async function open({ app }: Sides, cookies: string[]): Promise<void> {
  for (const cookie of cookies) {
    const response = await fetch(`http://127.0.0.1:${app}/`, { headers: { cookie } })
    if (!response.ok) throw new Error(`The list answered ${response.status}.`)
    await response.arrayBuffer()
  }
}
