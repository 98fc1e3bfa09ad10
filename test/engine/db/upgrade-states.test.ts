import { sql } from 'kysely'
import t from 'tap'
import type { ArmIndex } from '../../../domain/arm.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { migrate, migrateIn } from '../../../engine/db/migrate.ts'
import { migrations } from '../../../engine/db/migrations/index.ts'
import { run } from '../../../engine/db/raw.ts'
import { eventStores, loadStore } from '../../../engine/events/event-stores.ts'
import { startIngest } from '../../../engine/events/ingest.ts'
import { storeOrder } from '../../../engine/orders/orders.ts'
import { rebuildDue } from '../../../engine/events/rebuild.ts'
import { rollUpTest } from '../../../engine/reports/rollup-test.ts'
import { emptyDb, freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop as shop } from '../support/small-shop.ts'
import { aggregatesOf, beacon, event, noon, visitorIn } from '../support/traffic.ts'

const minute = 60_000,
  day = 86_400_000

/**
 * A shop in today's database: a running and a paused test, visitors with events of all kinds,
 * orders with refunds, and their figures.
 */
async function filled(): Promise<{ db: Db; storeId: string; tests: string[] }> {
  const db = await freshDb()
  const storeId = await seedStore(db)
  const running = await seedTest(db, storeId, { start_at: new Date(noon - 5 * day) }),
    rested = await seedTest(db, storeId, {
      start_at: new Date(noon - 5 * day),
      status: 'Paused',
      title: 'Rested',
    })
  await db.kysely.deleteFrom('test_history').execute()
  for (const [test_id, status, at] of [
    [running, 'Active', noon - 5 * day],
    [rested, 'Active', noon - 5 * day],
    [rested, 'Paused', noon - 10 * minute],
  ] as const)
    await db.kysely
      .insertInto('test_history')
      .values({ store_id: storeId, test_id, status, applied_on: new Date(at) })
      .execute()
  const ingest = startIngest({
    db,
    stores: eventStores(db, () => new Date(noon)),
    onError: error => {
      throw error
    },
  })
  const store = (await loadStore(db, shop))!
  for (let n = 0; n < 40; n++) {
    const test = n % 4 === 3 ? rested : running,
      arm = (n % 2) as ArmIndex,
      visitor = visitorIn(test, arm, `v${n}`),
      at = noon - (30 + n) * minute
    const events = [
      event('exposure', at, [test]),
      event('view', at + minute),
      ...(n % 3 === 0 ? [event('click', at + minute, [test])] : []),
      ...(n % 5 === 0 ? [event('cart', at + 2 * minute)] : []),
    ]
    await ingest.submit({
      beacon: beacon(
        visitor,
        { [test]: [arm, 7] },
        events,
        n % 6 === 0 ? { referrer: 'https://www.google.com/' } : {},
      ),
      arrival: { received: noon, device: (n % 3) as 0 | 1 | 2, isBot: n === 7 },
    })
    if (n % 5 !== 0) continue
    const order = {
      id: `order-${n}`,
      name: `#${n}`,
      type: 'oneTime' as const,
      lines: [],
      createdAt: new Date(at + 3 * minute).toISOString(),
      currency: 'USD',
      subtotal: 1000 + 37 * n,
      refunded: n === 20 ? 500 : 0,
      test: n === 35,
      attributes: { _ts_visitor: visitor },
    }
    await storeOrder(
      db,
      store,
      order,
      { topic: 'orders/create', shop, deliveryId: `delivery-${n}`, triggeredAt: order.createdAt },
      new Date(noon),
    )
  }
  await ingest.close()
  return { db, storeId, tests: [running, rested] }
}

/** Columns that today's database has no more, by table: what they were, in today's columns. */
const gone: Record<string, Record<string, string>> = {
  // None of the few orders here is above the cap (0058).
  test_cube_orders: {
    capped_revenue: 'plain / 100',
    capped_revenue_squares: 'plain_squares / 10000',
    capped_revenue_orders: 'plain_orders / 100',
  },
}

/** Copies all rows and columns for which the database of an earlier migration has a place. */
async function copy(from: Db, to: Db): Promise<void> {
  const columns = async (db: Db) =>
    (
      await sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
    where c.table_schema = 'public' and c.is_identity = 'NO' and c.table_name not like 'events\\_%' and c.table_name not in ('migrations', 'plans') order by 1, 2`.execute(
        db.kysely,
      )
    ).rows
  const now = new Set((await columns(from)).map(({ table, column }) => `${table}.${column}`)),
    tables = new Map<string, string[]>()
  for (const { table, column } of await columns(to))
    if (now.has(`${table}.${column}`) || gone[table]?.[column])
      tables.set(table, [...(tables.get(table) ?? []), column])
  // Other tables refer to these three, so they come first.
  const first = ['stores', 'drafts', 'tests'].filter(name => tables.has(name))
  for (const table of [...first, ...[...tables.keys()].filter(name => !first.includes(name))]) {
    const before = Object.entries(gone[table] ?? {})
      .map(([name, value]) => `, ${value} as ${name}`)
      .join('')
    const {
      rows: [found],
    } = await sql<{
      rows: string | null
    }>`select json_agg(r)::text as rows from (select t.*${sql.raw(before)} from ${sql.table(table)} t) r`.execute(
      from.kysely,
    )
    const names = tables
      .get(table)!
      .map(name => `"${name}"`)
      .join(', ')
    if (found!.rows)
      await run(
        to.kysely,
        `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1::json) on conflict do nothing`,
        [found!.rows],
      )
  }
}

async function figures(db: Db, storeId: string, tests: string[]): Promise<unknown> {
  for (const test of tests) await rollUpTest(db, storeId, test, new Date(noon))
  return {
    ...((await aggregatesOf(db)) as object),
    summaries: (
      await sql`select test_id, summary, days from test_summaries order by test_id`.execute(
        db.kysely,
      )
    ).rows,
  }
}

const { db: today, storeId, tests } = await filled()
t.teardown(() => today.close())
const expected = await figures(today, storeId, tests)

// The database as it was before each of these: sessions, channels and cells; figures of every kind;
// events by day; pauses that stop counting; networks; sums of orders.
for (const state of [
  '0006-reporting',
  '0015-report-figures',
  '0017-event-days',
  '0020-pauses',
  '0031-networks',
  '0058-order-sums',
])
  t.test(`a database from before ${state} has today’s figures after the upgrade`, async t => {
    const db = await emptyDb()
    t.teardown(() => db.close())
    await db.kysely.transaction().execute(trx =>
      migrateIn(
        trx,
        migrations.slice(
          0,
          migrations.findIndex(({ name }) => name === state),
        ),
      ),
    )
    await copy(today, db)
    await migrate(db)
    await rebuildDue(db, () => false)
    t.same(await figures(db, storeId, tests), expected)
  })
