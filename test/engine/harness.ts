import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { type Db, pgliteDb, pgliteParsers, postgresDb } from '../../engine/db/connection.ts'
import { migrate } from '../../engine/db/migrate.ts'
import { migrations } from '../../engine/db/migrations/index.ts'

/**
 * A migrated database of its own for a test: a clone of one prepared PGlite, or with TEST_DATABASE_URL a
 * clone of one prepared database on that Postgres, dropped when closed.
 */
export function freshDb(): Promise<Db> {
  const url = process.env['TEST_DATABASE_URL']
  return url ? freshPostgres(url) : preparedPglite(migrationsHash, migrate)
}

/** The same without a table in it. */
export async function emptyDb(): Promise<Db> {
  const url = process.env['TEST_DATABASE_URL']
  return url ? emptyPostgres(url) : preparedPglite('empty', async () => {})
}

async function preparedPglite(name: string, prepare: (db: Db) => Promise<void>): Promise<Db> {
  const file = join(cache, `pglite-${name}.tar`)
  const dump = new Blob([preparedDump(file) ?? await prepareDump(file, prepare)])
  return pgliteDb(await PGlite.create({ loadDataDir: dump, parsers: pgliteParsers }))
}

// Starting PGlite from nothing takes seconds, from a dump a quarter of one; test files are processes, so it is kept on disk.
const cache = join(import.meta.dirname, '../../node_modules/.cache/twinshelf')
const migrationsHash = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)

function preparedDump(file: string): Uint8Array<ArrayBuffer> | null {
  try {
    return new Uint8Array(readFileSync(file))
  } catch {
    return null
  }
}

async function prepareDump(file: string, prepare: (db: Db) => Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
  const pglite = await PGlite.create({ parsers: pgliteParsers })
  const db = pgliteDb(pglite)
  await prepare(db)
  const bytes = new Uint8Array(await (await pglite.dumpDataDir('none')).arrayBuffer())
  await db.close()
  mkdirSync(cache, { recursive: true })
  const own = `${file}.${process.pid}`
  writeFileSync(own, bytes)
  renameSync(own, file)
  return bytes
}

const preparedDatabase = `twinshelf_prepared_${migrationsHash}`
// Says to the other test files' processes who prepares it.
const preparing = 740_519

async function freshPostgres(url: string): Promise<Db> {
  await asAdmin(url, async admin => {
    if (await isThere(admin)) return
    await admin.query('select pg_advisory_lock($1)', [preparing])
    if (!await isThere(admin)) await preparePostgres(url, admin)
  })
  return emptyPostgres(url, preparedDatabase)
}

const isThere = async (admin: pg.Client) => (await admin.query('select from pg_database where datname = $1', [preparedDatabase])).rowCount === 1

/** Migrates once for all test files, under another name until it is done. What older migrations left goes. */
async function preparePostgres(url: string, admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(`select datname from pg_database where datname like 'twinshelf\\_prepared\\_%'`)
  for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`)
  await admin.query(`create database ${preparedDatabase}_unfinished`)
  const db = postgresDb(at(url, `${preparedDatabase}_unfinished`))
  await migrate(db)
  await db.close()
  await admin.query(`alter database ${preparedDatabase}_unfinished rename to ${preparedDatabase}`)
}

async function emptyPostgres(url: string, template = 'template1'): Promise<Db> {
  const name = `twinshelf_${randomUUID().replaceAll('-', '')}`
  await asAdmin(url, admin => admin.query(`create database ${name} template ${template}`))
  const db = patient(postgresDb(at(url, name)))
  return {
    ...db,
    close: async () => {
      await db.close()
      await asAdmin(url, admin => admin.query(`drop database ${name} with (force)`))
    },
  }
}

/** Another pool on the same database, as another process has; null on PGlite, which has one connection for all. */
export const samePostgres = ({ pool }: Db): Db | null => (pool ? patient(postgresDb(pool.options.connectionString!)) : null)

/** A test may ask for more connections at once than a pool has: they wait for their turn, on a slow machine for longer than a merchant would. */
function patient(db: Db): Db {
  db.pool!.options.connectionTimeoutMillis = 60_000
  return db
}

function at(url: string, database: string): string {
  const own = new URL(url)
  own.pathname = `/${database}`
  return own.href
}

async function asAdmin(url: string, act: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await act(client)
  } finally {
    await client.end()
  }
}
