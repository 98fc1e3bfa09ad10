import { sql } from 'kysely'
import type { Db } from './connection.ts'
import { migrations } from './migrations/index.ts'
import type { Trx } from './types.ts'

/** A migration: plain SQL, one statement per entry, valid for Postgres 15 to 18. */
export type Migration = { name: string; statements: readonly string[] }

/**
 * Runs all new migrations in one transaction. A lock makes sure that each runs once when several
 * processes start together. Throws when a newer version than this one has written the database.
 */
export async function migrate(db: Db): Promise<void> {
  await db.kysely.transaction().execute(trx => migrateIn(trx, migrations))
}

/** The same for the given migrations, within the caller's transaction. */
export async function migrateIn(trx: Trx, wanted: readonly Migration[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('twinshelf migrations'))`.execute(trx)
  await sql`create table if not exists migrations (name text primary key, at timestamptz not null default now())`.execute(
    trx,
  )
  const done = new Set(
    (await sql<{ name: string }>`select name from migrations`.execute(trx)).rows.map(r => r.name),
  )
  for (const migration of wanted) {
    if (done.delete(migration.name)) continue
    for (const statement of migration.statements) await sql.raw(statement).execute(trx)
    await sql`insert into migrations (name) values (${migration.name})`.execute(trx)
  }
  if (done.size > 0)
    throw new Error(
      `The database was written by a newer version: it holds ${[...done].join(', ')}.`,
    )
}

/** Whether every migration of this version has been run. */
export async function isMigrated(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from migrations`.execute(db.kysely)
  return rows[0]!.count === migrations.length
}
