import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { type DiskSpace, leastFree } from '../../../domain/disk-space.ts'
import { diskOf, isDiskFull, spaceOf, startProblem } from '../../../engine/db/disk.ts'
import { engineMetrics } from '../../../engine/operators/metrics.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { beacon, browser, countOf, event } from '../support/traffic.ts'

const gigabyte = 1_000_000_000

/** Sends a beacon as a page of the shop does; returns the status of the answer. */
const sender =
  (engine: { app: { inject: (request: object) => Promise<{ statusCode: number }> } }) =>
  async (name: string) =>
    (
      await engine.app.inject({
        method: 'POST',
        url: '/collect',
        headers: {
          'content-type': 'text/plain',
          'user-agent': browser,
          origin: 'https://fern-and-kiln.demo-shop.test',
        },
        payload: JSON.stringify(
          beacon(`visitor-${name}`, {}, [event('view', Date.now())], { sent: Date.now() }),
        ),
      })
    ).statusCode

t.test(
  'on a nearly full disk events get a 503, everything else works, and operators can read why',
  async t => {
    const space: DiskSpace = { free: 10 * gigabyte, size: 20 * gigabyte }
    const { engine, db, call, close } = await startEngine(
      { readDisk: () => ({ ...space }) },
      { DISK_RESERVE: '10' },
    )
    t.teardown(close)
    const send = sender(engine),
      get = async (url: string) => {
        const { statusCode, payload } = await engine.app.inject(url)
        return [statusCode, JSON.parse(payload)] as const
      }
    let taken = 0
    // The engine reads the free disk space once a second.
    const until = async (status: number) => {
      for (let answer = 0; answer !== status;) {
        answer = await send(`${taken}-${status}`)
        if (answer === 204) taken++
        if (answer !== status) await setTimeout(50)
      }
    }
    await until(204)
    t.same(await get('/healthz'), [200, { ok: true }])
    space.free = 1.9 * gigabyte
    await until(503)
    t.same(await get('/healthz'), [
      503,
      {
        ok: false,
        message:
          'The disk is nearly full (1.9 GB of 20 GB are free): shoppers’ events are not taken.',
      },
    ])
    t.match(await get('/readyz'), [503, { database: true, storing: false }])
    t.match(await engine.metrics(), /twinshelf_events_held_back 1\n/)
    t.match(await engine.metrics(), /twinshelf_disk_bytes\{kind="free"\} 1900000000/)
    t.match(await call('createDraft', { body: { kind: 'PageElement', title: 'Made meanwhile' } }), {
      title: 'Made meanwhile',
    })
    t.equal(await countOf(db, 'events'), taken, 'acknowledged events are stored')
    space.free = 10 * gigabyte
    await until(204)
    t.same(await get('/healthz'), [200, { ok: true }])
    t.equal(await countOf(db, 'events'), taken)
  },
)

t.test(
  'when the database’s disk is full, beacons get a 503 and merchants an error that says so',
  async t => {
    const { engine, db, call, close } = await startEngine()
    t.teardown(close)
    const send = sender(engine)
    t.equal(await send('before'), 204)
    await sql`create function no_room() returns trigger language plpgsql as $$ begin raise exception 'could not extend file "base/5/17695": No space left on device' using errcode = '53100'; end $$`.execute(
      db.kysely,
    )
    for (const table of ['events', 'drafts'])
      await sql`create trigger no_room before insert on ${sql.id(table)} for each statement execute function no_room()`.execute(
        db.kysely,
      )
    t.equal(await send('during'), 503)
    t.match(JSON.parse((await engine.app.inject('/healthz')).payload), {
      ok: false,
      message: /disk is full/,
    })
    t.match(
      (await refusal(call('createDraft', { body: { kind: 'PageElement', title: 'No room' } })))
        .problem,
      { error: 503, message: /disk of this server is full/ },
    )
    t.match(await call('storeInfo', {}), { shop: /./ }, 'calls that only read still work')
    for (const table of ['events', 'drafts'])
      await sql`drop trigger no_room on ${sql.id(table)}`.execute(db.kysely)
    t.equal(await send('soon-after'), 503, 'the next beacons are refused without a new attempt')
    t.equal(await countOf(db, 'events'), 1)
  },
)

t.test(
  'an error of a full disk refuses events for 30 seconds; free space is read once a second',
  async t => {
    let now = 0,
      reads = 0
    const far = diskOf({ folder: null, reserve: 5, now: () => now })
    t.same([far.space(), far.isHeldBack(), far.trouble()], [null, false, null])
    far.failed(new Error('deadlock detected'))
    t.equal(far.isHeldBack(), false)
    far.failed(Object.assign(new Error('could not extend file'), { code: '53100' }))
    t.equal(far.isHeldBack(), true)
    now += 30_000
    t.equal(far.isHeldBack(), false)
    const near = diskOf({
      folder: '/',
      reserve: 5,
      now: () => now,
      read: () => {
        reads++
        return { free: leastFree, size: gigabyte }
      },
    })
    for (let i = 0; i < 10; i++) near.isHeldBack()
    t.equal(reads, 1)
    now += 1_000
    t.match(near.space(), { free: leastFree })
    t.equal(reads, 2)
  },
)

t.test('a start that fails on a full disk says so; other errors stay unchanged', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-full-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  t.ok(spaceOf(folder).size > 0)
  for (const error of [
    Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }),
    new Error('database or disk is full'),
    Object.assign(new Error('could not write'), { code: '53100' }),
  ]) {
    t.ok(isDiskFull(error))
    t.match(startProblem(error, join(folder, 'not made')), {
      message: /^The disk under the data folder .*not made is full\. Make room there/,
      cause: error,
    })
    t.match(startProblem(error, folder), { message: / are free\)\. Make room there/ })
  }
  const other = new Error('Aborted()')
  t.equal(startProblem(other, join(folder, 'not made')), other)
})

t.test('beacons refused for 30 seconds are a problem; those of a restart are not', async t => {
  let now = 0
  const { collector, collectorTrouble } = engineMetrics(() => now)
  const after = (seconds: number, status: number) => {
    now += seconds * 1_000
    collector.answered(status, 1)
    return collectorTrouble()
  }
  t.same(
    [after(0, 503), after(10, 503), after(1, 204), after(0, 503), after(20, 503)],
    [null, null, null, null, null],
  )
  t.match(after(10, 503), /send them again/)
  t.match(after(50, 503), /send them again/)
  t.equal(after(1, 204), null)
  after(0, 503)
  after(40, 503)
  now += 61_000
  t.equal(collectorTrouble(), null, 'without new beacons the problem ends')
})
