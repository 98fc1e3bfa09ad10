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
const accepted = {
  'Chrome and Firefox ask': 'gzip, deflate, br, zstd',
  'Safari asks': 'gzip, deflate, br',
}
type Use = (asked: 'used' | 'collected') => Promise<Used>

/**
 * Measures the tests list for one, some and many browsers: pages per second, processor time per
 * page, and the memory that stays.
 */
export const sessionsBench = (): Promise<BenchRow[]> =>
  withPageServer(browsers, stores, async (sides, used) => {
    await open(sides, [sides.cookie])
    const idle = await used('collected')
    const { sameStore, manyStores } = sides.others,
      rows: BenchRow[] = []
    for (const [who, encoding] of Object.entries(accepted))
      for (const cookies of [sameStore.slice(0, 1), sameStore.slice(0, 200), sameStore])
        rows.push(...(await asked(sides, used, who, encoding, cookies, '')))
    rows.push(
      await memory(sides, used, sameStore, idle, 'one store'),
      ...(await asked(
        sides,
        used,
        'Chrome and Firefox ask',
        accepted['Chrome and Firefox ask'],
        manyStores,
        ` of ${stores} stores`,
      )),
    )
    return [...rows, await memory(sides, used, manyStores, idle, `${stores} stores`)]
  })

async function asked(
  { app }: Sides,
  used: Use,
  who: string,
  encoding: string,
  cookies: string[],
  of: string,
): Promise<BenchRow[]> {
  const load = (duration: number) =>
    autocannon({
      url: `http://127.0.0.1:${app}/`,
      connections: crowd,
      duration,
      requests: byTurns(cookies, encoding),
    })
  const name = `Tests list, 50 tests, as ${who} for it, ${cookies.length} ${cookies.length === 1 ? 'session' : 'sessions'}${of}`
  await load(1)
  const before = await used('used'),
    { requests, duration, non2xx, errors } = await load(seconds),
    after = await used('used')
  if (non2xx + errors > 0)
    throw new Error(`${name}: ${non2xx} answers were not the page, ${errors} failed.`)
  return [
    { name, value: Math.round(requests.total / duration), unit: 'pages/s' },
    {
      name: `${name}, processor`,
      value: (after.cpu - before.cpu) / requests.total,
      unit: 'ms/page',
    },
  ]
}

function byTurns(cookies: string[], encoding: string): NonNullable<autocannon.Options['requests']> {
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
