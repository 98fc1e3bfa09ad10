import t from 'tap'
import { sql } from 'kysely'
import { freshDb } from '../support/harness.ts'
import { isMigrated, migrate } from '../../../engine/db/migrate.ts'

t.test('isMigrated is true after a migration, and migrating again changes nothing', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  t.equal(await isMigrated(db), true)
  await migrate(db)
  t.equal((await db.kysely.selectFrom('plans').select('plan_id').execute()).length, 39)
})

t.test('each migration runs once when two engines start at the same time', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  await Promise.all([migrate(db), migrate(db)])
  t.equal(await isMigrated(db), true)
})

t.test('a database of a newer version is refused', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  await sql`insert into migrations (name) values ('9999-later')`.execute(db.kysely)
  await t.rejects(migrate(db), /newer version: it holds 9999-later/)
})

t.test('days are text and counts are numbers in both databases', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  const { rows } =
    await sql`select '2026-11-21'::date as day, 5000000000::bigint as many, '2026-11-21T10:00:00Z'::timestamptz as at`.execute(
      db.kysely,
    )
  t.same(rows, [{ day: '2026-11-21', many: 5_000_000_000, at: new Date('2026-11-21T10:00:00Z') }])
})

t.test('every key starts with the store', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  const { rows } = await sql<{ name: string; first: string }>`
    select c.relname as name, a.attname as first from pg_constraint k
    join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where k.contype = 'p' and c.relname not in ('plans', 'discount_codes', 'migrations', 'earnings', 'earnings_months', 'events_kept', 'api_hours', 'used_id_tokens', 'shop_rates', 'rate_limits') and c.relname not like 'staff\\_%'`.execute(
    db.kysely,
  )
  t.ok(rows.length >= 7)
  for (const row of rows) t.equal(row.first, 'store_id', row.name)
})
