import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startPostgres } from '../scripts/postgres.ts'
import { benchShop, newDatabase } from './bench-engine.ts'
import type { Ready } from './collect-server.ts'
import type { BenchRow } from './row.ts'
import { shopperAddress, shopperBeacon } from './shopper-beacon.ts'

const connections = 128,
  /** How long it warms up at least, and how long it measures then, in seconds. */
  warmUp = 2,
  seconds = 5,
  /** How long the warm-up may take, in seconds. */
  longestWarmUp = 60,
  eventsPerVisitor = 20
// All of the load comes from one machine, for one shop.
const noLimit = {
  TRUST_PROXY: 'loopback',
  COLLECT_PER_ADDRESS: '1000000000',
  EVENTS_PER_ADDRESS: '1000000000',
  EVENTS_PER_SHOP: '1000000000',
}
const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'

/**
 * Measures events per second that the collector accepts with its aggregates, compared with plain
 * deduplicated micro-batches into the same kind of database. Both acknowledge after the commit. On
 * PGlite, and on Postgres if the machine has one.
 */
export async function collectorBench(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  const postgres = await startPostgres()
  try {
    for (const database of postgres ? ['PGlite', 'Postgres'] : ['PGlite'])
      for (const perRequest of [20, 1]) {
        const against = `Plain micro-batches, ${perRequest} per request, ${database}`
        const plain = await measure(
          'plain',
          perRequest,
          database === 'Postgres' ? postgres!.url : null,
        )
        const ours = await measure(
          'engine',
          perRequest,
          database === 'Postgres' ? postgres!.url : null,
        )
        // Both write to a disk that is synced in the same way, or the ratio would say nothing.
        if (plain.syncs !== ours.syncs)
          throw new Error(`Plain batches have ${plain.syncs}, the collector ${ours.syncs}.`)
        rows.push({
          name: `${against}, ${plain.syncs}`,
          value: Math.round(plain.perSecond),
          unit: 'events/s',
        })
        rows.push({
          name: `Collector with aggregates, ${perRequest} per request, ${database}, ${ours.syncs}`,
          value: Math.round(ours.perSecond),
          unit: 'events/s',
          ratio: ours.perSecond / plain.perSecond,
          against: `${against}, ${plain.syncs}`,
          ...(perRequest === 20 && { target: '≥ 0.5' }),
        })
      }
  } finally {
    await postgres?.stop()
  }
  return rows
}

/** `syncs`: the settings by which the database's commits reach the disk. */
type Measured = { perSecond: number; syncs: string }

async function measure(
  side: 'plain' | 'engine',
  perRequest: number,
  postgresUrl: string | null,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-bench-'))
  const url = postgresUrl && (await newDatabase(postgresUrl))
  const server = fork(new URL('./collect-server.ts', import.meta.url), [side, benchShop], {
    env: {
      ...process.env,
      DATA_DIR: folder,
      ...noLimit,
      ...(url ? { DATABASE_URL: url } : { DATABASE_URL: '' }),
    },
  })
  const exited = new Promise<void>(resolve => server.once('exit', () => resolve()))
  try {
    const { port, testId, syncs } = await new Promise<Ready>((resolve, reject) => {
      server.once('message', message => resolve(message as Ready))
      server.once('exit', () => reject(new Error(`The ${side} server of the bench did not start.`)))
    })
    const { perSecond, non2xx, errors } = await load(port, bodies(testId, perRequest))
    if (non2xx + errors > 0)
      throw new Error(`The ${side} server refused ${non2xx} requests and dropped ${errors}.`)
    return { perSecond: perSecond * perRequest, syncs }
  } finally {
    server.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
}

type Load = { perSecond: number; non2xx: number; errors: number }

/**
 * Sends requests and counts the answers of `seconds`. It begins to count after the warm-up, once
 * every connection has had an answer: the first batches are small, and the first requests slow.
 */
async function load(port: number, next: () => Sent): Promise<Load> {
  const began = performance.now(),
    answered = new Set<object>()
  let from = Infinity,
    last = 0,
    counted = 0
  const done = Promise.withResolvers<autocannon.Result>()
  const options: autocannon.Options = {
    url: `http://127.0.0.1:${port}/collect`,
    method: 'POST',
    connections,
    duration: longestWarmUp + seconds,
    headers: {
      'content-type': 'text/plain',
      'user-agent': browser,
      origin: `https://${benchShop}`,
    },
    requests: [
      {
        setupRequest: request => {
          const { body, address } = next()
          return { ...request, body, headers: { ...request.headers, 'x-forwarded-for': address } }
        },
      },
    ],
  }
  const run = autocannon(options, (error: unknown, result) =>
    error ? done.reject(error) : done.resolve(result),
  )
  run.on('response', client => {
    const now = performance.now()
    if (from === Infinity) {
      answered.add(client)
      if (answered.size === connections && now - began >= warmUp * 1000) from = now
    } else if (now - from < seconds * 1000) {
      counted++
      last = now
    } else run.stop()
  })
  const { non2xx, errors } = await done.promise
  if (from === Infinity) throw new Error('Not every connection of the bench had an answer.')
  return { perSecond: (counted / (last - from)) * 1000, non2xx, errors }
}

/**
 * Makes request bodies like those of shoppers: each visitor meets the test, views pages, clicks,
 * and adds to the cart, 20 events in all.
 */
type Sent = { body: string; address: string }
function bodies(testId: string, perRequest: number): () => Sent {
  const run = Math.random().toString(36).slice(2, 8)
  let made = 0
  return () => {
    const sent = Date.now()
    const events = Array.from({ length: perRequest }, (_, i) => {
      const n = made + i,
        place = n % eventsPerVisitor
      const kind = place === 0 ? 'exposure' : place === 7 ? 'click' : place === 12 ? 'cart' : 'view'
      return {
        id: `${run}-event-${n}`,
        at: sent - eventsPerVisitor + place,
        kind,
        path: '/products/stoneware-mug',
        ...(kind === 'exposure' || kind === 'click' ? { tests: [testId] } : {}),
      }
    })
    const place = Math.floor(made / eventsPerVisitor),
      visitor = `${run}-visitor-${place}`
    made += perRequest
    return {
      address: shopperAddress(place),
      body: shopperBeacon(testId, visitor, sent, events),
    }
  }
}
