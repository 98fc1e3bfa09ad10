import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { benchShop, newDatabase } from '../../bench/bench-engine.ts'
import type { Ready } from '../../bench/collect-server.ts'
import { shopperAddress, shopperBeacon } from '../../bench/shopper-beacon.ts'
import { startPostgres } from '../postgres.ts'

// Measures what a visitor costs, for decision 093: processor time of the engine and of Postgres for
// each event, and bytes in the database. Linux only. Processor time depends little on what else the
// machine does.
// node --import ./jsx.js scripts/shards/measure.ts [visitors] [events of a visitor]
process.chdir(new URL('../..', import.meta.url).pathname)
const [visitors = 4_000, eventsOfVisitor = 5] = process.argv.slice(2).map(Number),
  senders = 32,
  warmUp = 300

const agent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
const noLimit = {
  TRUST_PROXY: 'loopback',
  COLLECT_PER_ADDRESS: '1000000000',
  EVENTS_PER_ADDRESS: '1000000000',
  EVENTS_PER_SHOP: '1000000000',
}

/** Processor time of a process so far, in microseconds: the kernel counts in hundredths. */
function timeOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

type Cost = { engine: number; postgres: number; bytes: number; tables: Map<string, number> }

async function costSoFar(admin: pg.Client, server: ChildProcess): Promise<Cost> {
  const { rows: backends } = await admin.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  )
  const { rows: tables } = await admin.query<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return {
    engine: timeOf(server.pid!),
    postgres: backends.reduce((sum, { pid }) => sum + timeOf(pid), 0),
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    tables: new Map(tables.map(({ name, bytes }) => [name, bytes])),
  }
}

async function send({ port, testId }: Ready, run: string, count: number): Promise<void> {
  let next = 0
  const one = async (n: number) => {
    const sent = Date.now(),
      visitor = `${run}-visitor-${n}`
    const events = Array.from({ length: eventsOfVisitor }, (_, i) => ({
      id: `${run}-event-${n}-${i}`,
      at: sent - eventsOfVisitor + i,
      kind: ['exposure', 'view', 'click', 'cart'][i] ?? 'view',
      path: '/products/stoneware-mug',
      ...((i === 0 || i === 2) && { tests: [testId] }),
    }))
    const { status } = await fetch(`http://127.0.0.1:${port}/collect`, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain',
        'user-agent': agent,
        origin: `https://${benchShop}`,
        'x-forwarded-for': shopperAddress(n),
      },
      body: shopperBeacon(testId, visitor, sent, events),
    })
    if (status !== 204) throw new Error(`A beacon was answered ${status}.`)
  }
  const work = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: senders }, work))
}

const postgres = await startPostgres()
if (!postgres) throw new Error('There is no Postgres on this machine.')
const url = await newDatabase(postgres.url),
  folder = mkdtempSync(join(tmpdir(), 'twinshelf-measure-'))
const server = fork('bench/collect-server.ts', ['engine', benchShop], {
  env: { ...process.env, DATA_DIR: folder, DATABASE_URL: url, ...noLimit },
})
const admin = new pg.Client({ connectionString: url })
try {
  const ready = await new Promise<Ready>((resolve, reject) => {
    server.once('message', message => resolve(message as Ready))
    server.once('exit', () => reject(new Error('The engine did not start.')))
  })
  await admin.connect()
  await send(ready, 'warm', warmUp)
  const before = await costSoFar(admin, server)
  await send(ready, 'run', visitors)
  const after = await costSoFar(admin, server),
    events = visitors * eventsOfVisitor
  const each = (key: 'engine' | 'postgres') => ((after[key] - before[key]) / events).toFixed(0)
  console.log(`${visitors} visitors with ${eventsOfVisitor} events, each in one beacon`)
  console.log(`an event: ${each('engine')} µs in the engine, ${each('postgres')} µs in Postgres`)
  console.log(`a visitor: ${((after.bytes - before.bytes) / visitors).toFixed(0)} bytes`)
  const grown = [...after.tables]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.tables.get(name) ?? 0)) / visitors }))
    .filter(({ bytes }) => bytes >= 1)
    .sort((a, b) => b.bytes - a.bytes)
  for (const { name, bytes } of grown) console.log(`  ${name.padEnd(22)} ${bytes.toFixed(0)}`)
} finally {
  await admin.end()
  server.removeAllListeners('exit')
  server.kill('SIGKILL')
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
