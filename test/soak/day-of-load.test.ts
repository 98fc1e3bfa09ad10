import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { pathOf } from '../../server/upstream/upstream-calls.ts'
import type { Output } from '../../domain/api/contract.ts'
import { changeOf } from '../engine/support/shops/launch-shop.ts'
import { memoryOf } from './day/memory.ts'
import { type DayStore, openStores, storePicker, tokenFor } from './day/stores.ts'
import { type Asked, timings } from './day/timings.ts'
import { dayVisitors } from './day/visitors.ts'
import { startFleet } from './fleet/processes.ts'
import { clientOf } from './fleet/visitors.ts'

/**
 * How long the day lasts. 24 hours of a shop, from night to night, pass in this time. An engine is
 * killed every five minutes of an hour (in a short day every half minute), Postgres is restarted
 * twice.
 */
const minutes = Number(process.env['DAY_MINUTES'] ?? 3),
  length = minutes * 60_000
const storeCount = 200
/** Shoppers a second, on average, and looks of merchants. */
const shoppersASecond = Number(process.env['DAY_RATE'] ?? 20),
  looksASecond = 1
/** Before the day, a few come, one after another, to compare with. */
const calm = Math.max(15_000, length / 20),
  kills = Math.min(12, Math.ceil(minutes * 2))
/** How much more memory a process may have in the last quarter of the day than in the second. */
const mayGrow = { times: 1.25, megabytes: 40 }
t.setTimeout(length * 2 + 900_000)

t.test(
  `a day of ${minutes} minutes with shoppers of ${storeCount} stores: acknowledged is stored is reported`,
  async t => {
    const fleet = await startFleet(t)
    const { db, engines, apps } = fleet
    const times = timings(),
      memory = memoryOf([...engines, ...apps])
    const stores = await openStores(fleet, await launched(fleet.engine, db), storeCount)
    const pick = storePicker(stores)
    const people = dayVisitors(fleet, times)
    t.teardown(people.close)

    const under = new Set<Promise<void>>(),
      failures: unknown[] = []
    const begin = (what: Promise<void>) => {
      const own: Promise<void> = what
        .catch((error: unknown) => void failures.push(error))
        .finally(() => under.delete(own))
      under.add(own)
    }
    /** Lets people come at this many a second (`rate` by the share of the time that passed). */
    const come = async (
      last: number,
      rate: (passed: number) => number,
      one: () => Promise<void>,
    ) => {
      const from = Date.now()
      for (let due = from; due < from + last && failures.length === 0;) {
        due += (-Math.log(1 - Math.random()) * 1_000) / rate((due - from) / last)
        await setTimeout(Math.max(0, due - Date.now()))
        begin(one())
      }
    }
    const shopper = () => people.shop(pick(Math.random())),
      merchant = () => people.look(pick(Math.random()))
    /** A day begins and ends at night, when almost nobody comes. */
    const hours = (mean: number) => (passed: number) =>
      mean * (1 - 0.9 * Math.cos(2 * Math.PI * passed))

    const idleFrom = Date.now()
    await Promise.all([come(calm, () => 3, shopper), come(calm, () => 1, merchant)])
    await Promise.all(under)
    const from = Date.now(),
      at = (share: number) => from + length * share
    const accidents = [
      ...Array.from({ length: kills }, (_, i) => ({
        at: at((i + 0.5) / kills),
        name: engines[i % 3]!.name,
        happens: async () => {
          await engines[i % 3]!.kill()
          await setTimeout(2_000)
          await engines[i % 3]!.start()
        },
      })),
      ...[false, true].map((crash, i) => ({
        at: at((i + 1) / 3),
        name: crash ? 'Postgres, as if the machine had died' : 'Postgres',
        happens: () => fleet.postgres.restart({ crash }),
      })),
    ].sort((a, b) => a.at - b.at)
    const happening = async () => {
      for (const accident of accidents) {
        await setTimeout(Math.max(0, accident.at - Date.now()))
        if (failures.length > 0) return
        times.disturbed(Date.now())
        await accident.happens()
        t.comment(`${accident.name} was ended and started again`)
      }
    }
    const sampling = globalThis.setInterval(memory.take, length / 240)
    await Promise.all([
      come(length, hours(shoppersASecond), shopper),
      come(length, hours(looksASecond), merchant),
      happening(),
    ]).finally(() => clearInterval(sampling))
    await Promise.all(under)
    t.same(failures, [], 'every request was accepted in the end')
    t.comment(
      `${people.came()} shoppers; put off: ${JSON.stringify(people.putOff())} (0: no answer)`,
    )

    t.test('acknowledged is stored is reported', async t => {
      const { rows } = await sql<{ store_id: string; events: number; ids: number }>`
        select store_id, count(*)::int as events, count(distinct id)::int as ids from events group by 1`.execute(
        db.kysely,
      )
      const stored = new Map(rows.map(row => [row.store_id, row]))
      const wrong = stores.filter(({ storeId, events }) => {
        const row = stored.get(storeId) ?? { events: 0, ids: 0 }
        return row.events !== events || row.ids !== events
      })
      t.same(wrong, [], 'events, each once')
      const sum = (of: (store: DayStore) => number) =>
        stores.reduce((all, store) => all + of(store), 0)
      t.comment(
        `${sum(s => s.events)} events, ${sum(s => s.arms[0].orders + s.arms[1].orders)} orders, ${stores.filter(s => s.events > 0).length} stores with visitors`,
      )
      let left = stores
      for (const end = Date.now() + 120_000; left.length > 0 && Date.now() < end;) {
        const next: DayStore[] = []
        for (const store of left) if (!(await isTold(fleet.engine, store))) next.push(store)
        left = next
        if (left.length > 0) await setTimeout(1_000)
      }
      t.same(left, [], 'every report says it')
    })

    t.test('memory stays flat', async t => {
      for (const { name } of [...engines, ...apps]) {
        const before = memory.middle(name, at(0.25), at(0.5)),
          after = memory.middle(name, at(0.75), at(1))
        t.comment(`${name}: ${before} MB in the second quarter, ${after} MB in the last`)
        t.ok(after <= before * mayGrow.times + mayGrow.megabytes, `${name} has not grown`)
      }
    })

    const tell = (asked: Asked) => {
      const idle = times.p99(asked, idleFrom, from),
        day = times.p99(asked, from, at(1))
      t.comment(
        `${asked}: 99% within ${idle.all} ms when almost nobody comes (${idle.count}), ${day.calm} ms in the day without accidents (${(day.calm / idle.all).toFixed(1)} times), ${day.all} ms with them (${day.count})`,
      )
    }
    for (const asked of ['script', 'collector', 'webhook', 'page'] as const) tell(asked)
  },
)

/** Launches a test on the demo shop, and waits for its script. */
async function launched(
  engine: string,
  db: Awaited<ReturnType<typeof startFleet>>['db'],
): Promise<string> {
  const { call } = await clientOf(engine)
  const { id, hypotheses } = await call('createDraft', {
    body: { kind: 'PageElement', title: 'Counted' },
  })
  await call('setDomSelectors', {
    params: { id: hypotheses[1]!.id },
    body: { domSelectors: changeOf('/products/*') },
  })
  const { testId } = await call('launchDraft', { params: { id } })
  for (const end = Date.now() + 60_000; ; await setTimeout(100)) {
    const { rows } = await sql`select 1 from published_scripts where wanted = published`.execute(
      db.kysely,
    )
    if (rows.length > 0) return testId
    if (Date.now() > end) throw new Error('The script was not published within a minute.')
  }
}

/** Whether a store's report says what its shoppers did. */
async function isTold(engine: string, store: DayStore): Promise<boolean> {
  const answer = await fetch(engine + pathOf('test', { params: { id: store.testId } }, ''), {
    headers: { authorization: `Bearer ${await tokenFor(store)}` },
  })
  const { summary } = (await answer.json()) as Output<'test'>
  return ([0, 1] as const).every(i => {
    const { orders, amount } = summary.ledger.arms[i]
    const { exposed, orders: wanted, revenue } = store.arms[i]
    return summary.visitors[i] === exposed && orders === wanted && amount === revenue
  })
}
