import { randomUUID } from 'node:crypto'
import t from 'tap'
import { sql } from 'kysely'
import { StoreBusy } from '../../../../engine/db/busy.ts'
import { loadStore } from '../../../../engine/events/event-stores.ts'
import { decide, ordersOf } from '../../../../engine/events/networks/network-decisions.ts'
import { judge } from '../../../../engine/events/networks/network-judge.ts'
import { movedAtOnce, networkMove } from '../../../../engine/events/networks/network-move-job.ts'
import type { JobRun } from '../../../../engine/jobs/jobs.ts'
import { startEngine } from '../../support/engine.ts'
import { firstShop } from '../../support/small-shop.ts'
import { noon } from '../../support/traffic.ts'

const engine = await startEngine()
const { db, now, call } = engine
t.teardown(engine.close)
now.at = new Date(noon)
const { id: storeId } = await call('storeInfo', {})
const network = 'a-network-of-22-charact'
const hour = 3_600_000

async function known(count: number) {
  await sql`insert into network_visitors (store_id, visitor_id, network, seen_at)
    select ${storeId}, 'visitor-' || n, ${network}, ${new Date(noon - hour)}::timestamptz + (n / 7) * interval '1 millisecond' from generate_series(1, ${count}) n`.execute(
    db.kysely,
  )
}
const aside = async () =>
  (await sql<{ n: number }>`select count(*)::int as n from visitors_aside`.execute(db.kysely))
    .rows[0]!.n

/**
 * Runs the job once from this state and aborts it after `most` checkpoints. Returns the last state.
 */
async function run(decisionId: string, state: JobRun['state'], most = Infinity) {
  const stopping = new AbortController()
  let kept = state,
    checkpoints = 0
  await networkMove({ db, clock: () => now.at })({
    id: randomUUID(),
    storeId,
    payload: { decisionId, since: noon - 48 * hour },
    state,
    progress: async () => {},
    checkpoint: async next => {
      kept = next
      if (++checkpoints === most) stopping.abort()
    },
    signal: stopping.signal,
  }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
  })
  return kept
}
const choose = (isCounted: boolean) =>
  call('chooseNetwork', { params: { network }, body: { isCounted } })
/** Stores a decision. The test runs its job itself. */
const decided = (kind: 'setAside' | 'counted', of = network) =>
  db.kysely.transaction().execute(trx =>
    decide(trx, {
      storeId,
      network: of,
      kind,
      by: 'rule',
      at: noon,
      visitors: 1,
      share: null,
    }),
  )

t.test('a big network is set aside and counted again in pieces', async t => {
  const count = 2 * movedAtOnce + 500
  await known(count)
  const first = await decided('setAside')
  const state = await run(first, {}, 1)
  t.equal(await aside(), movedAtOnce, 'one piece in each transaction')
  await run(first, state)
  t.equal(await aside(), count, 'the next run continues from the checkpoint')

  const second = await decided('counted')
  await run(first, {})
  t.equal(await aside(), count, 'the job of an older decision does nothing')
  await run(second, {}, 2)
  t.equal(await aside(), 500)
  await run(second, {})
  t.equal(await aside(), 0)
})

t.test('a job carries out the decision of a person', async t => {
  await choose(false)
  t.match(await call('networks', {}), [{ decision: { kind: 'setAside', by: 'merchant' } }])
  await engine.engine.runJobs()
  t.equal(await aside(), 2 * movedAtOnce + 500)
  await choose(true)
  await engine.engine.runJobs()
  t.equal(await aside(), 0)
})

t.test('a visitor who is set aside because of another network stays set aside', async t => {
  const other = await decided('setAside', 'another-network')
  await sql`insert into visitors_aside values (${storeId}, 'visitor-7', ${other})`.execute(
    db.kysely,
  )
  await choose(true)
  await engine.engine.runJobs()
  t.equal(await aside(), 1)
  await sql`delete from visitors_aside where decision_id = ${other}`.execute(db.kysely)
})

t.test('orders are counted only up to the number that is needed', async t => {
  await sql`insert into orders (store_id, order_id, created_at, day, visitor_id, amount, refunded, is_test, triggered_at)
    select ${storeId}, 'order-' || n, ${now.at}, '2026-11-02', 'visitor-' || n, 100, 0, n = 1, ${now.at} from generate_series(1, 40) n`.execute(
    db.kysely,
  )
  const asked = (visitors: number) =>
    db.kysely.transaction().execute(trx => ordersOf(trx, { storeId, network, visitors, now: noon }))
  t.equal(await asked(400), 3)
  t.equal(await asked(100_000), 39, 'without the test order')
})

t.test('the orders of a network of usual size are not read', async t => {
  const store = (await loadStore(db, firstShop))!
  await sql`insert into network_days select ${storeId}, day::date, 100, 30, true from generate_series('2026-10-20'::date, '2026-10-25'::date, interval '1 day') day`.execute(
    db.kysely,
  )
  const fresh = Array.from({ length: 30 }, (_, n) => ({
    storeId,
    visitor: `fresh-${n}`,
    network: 'the usual network',
    at: noon,
  }))
  const undone = new Error('undone')
  await t.rejects(
    db.kysely.transaction().execute(async trx => {
      // Now any query of orders would fail.
      await sql`alter table orders rename to no_orders`.execute(trx)
      const seen = { fresh, meetings: [], left: [] }
      t.same(await judge(trx, seen, new Map(), () => store, new Set()), [])
      throw undone
    }),
    undone,
  )
})

t.test('a job of a locked store stops, and continues without skipping a visitor', async t => {
  await sql`delete from visitors_aside`.execute(db.kysely)
  const decision = await decided('setAside'),
    messages: (string | null | undefined)[] = []
  let kept: JobRun['state'] = {},
    pieces = 0
  const move = () =>
    networkMove({ db, clock: () => now.at })({
      id: randomUUID(),
      storeId,
      payload: { decisionId: decision, since: noon - 48 * hour },
      state: kept,
      progress: async (_, message) => void messages.push(message),
      checkpoint: async next => {
        if (++pieces === 2) throw new StoreBusy()
        kept = next
      },
      signal: new AbortController().signal,
    })
  await t.rejects(move(), new StoreBusy())
  t.equal(await aside(), movedAtOnce, 'the second piece was taken back')
  await move()
  const count = 2 * movedAtOnce + 500
  t.equal(await aside(), count)
  t.same(messages, [`${count} visitors of a network were moved`])
})
