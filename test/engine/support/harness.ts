import { createHash, randomUUID } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { type Db, pgliteDb, pgliteParsers, postgresDb } from '../../../engine/db/connection.ts'
import { migrate } from '../../../engine/db/migrate.ts'
import { migrations } from '../../../engine/db/migrations/index.ts'
import { type DatabaseFiles, closeIntoFiles, openFiles } from './memory-files.ts'

/**
 * A new migrated database for a test: a clone of one prepared PGlite, or with TEST_DATABASE_URL a
 * clone of one prepared database on that Postgres, which is dropped on close.
 */
export function freshDb(): Promise<Db> {
  const url = process.env['TEST_DATABASE_URL']
  return url ? freshPostgres(url) : preparedPglite(migrationsHash, migrate)
}

/** A new database without tables. */
export async function emptyDb(): Promise<Db> {
  const url = process.env['TEST_DATABASE_URL']
  return url ? emptyPostgres(url) : preparedPglite('empty', async () => {})
}

async function preparedPglite(name: string, prepare: (db: Db) => Promise<void>): Promise<Db> {
  const file = join(cache, `${name}.files`)
  let files = prepared.get(file)
  if (!files) prepared.set(file, (files = keptFiles(file) ?? (await prepareFiles(file, prepare))))
  return pgliteDb(await openFiles(files, { parsers: pgliteParsers }))
}

// A start of PGlite without files takes seconds, with prepared files a tenth of a second. The tests
// run in several processes, so the files are on disk.
const prepared = new Map<string, DatabaseFiles>()
const cache = join(import.meta.dirname, '../../../node_modules/.cache/twinshelf')
const migrationsHash = createHash('sha256')
  .update(JSON.stringify(migrations))
  .digest('hex')
  .slice(0, 16)

function keptFiles(file: string): DatabaseFiles | null {
  try {
    return deserialize(readFileSync(file)) as DatabaseFiles
  } catch {
    return null
  }
}

async function prepareFiles(
  file: string,
  prepare: (db: Db) => Promise<void>,
): Promise<DatabaseFiles> {
  const pglite = await PGlite.create({ parsers: pgliteParsers })
  await prepare(pgliteDb(pglite))
  const files = await closeIntoFiles(pglite)
  mkdirSync(cache, { recursive: true })
  // Delete files of older migrations. After a day no test uses them.
  for (const old of readdirSync(cache)
    .filter(name => /\.(files|tar)$/.test(name))
    .map(name => join(cache, name)))
    if (Date.now() - (statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > 86_400_000)
      rmSync(old, { force: true })
  const own = `${file}.${process.pid}`
  writeFileSync(own, serialize(files))
  renameSync(own, file)
  return files
}

const preparedDatabase = `twinshelf_prepared_${migrationsHash}`
// The advisory lock of the process that prepares the database for all test files.
const preparing = 740_519

async function freshPostgres(url: string): Promise<Db> {
  await asAdmin(url, async admin => {
    if (await isThere(admin)) return
    await admin.query('select pg_advisory_lock($1)', [preparing])
    if (!(await isThere(admin))) await preparePostgres(url, admin)
  })
  return emptyPostgres(url, preparedDatabase)
}

const isThere = async (admin: pg.Client) =>
  (await admin.query('select from pg_database where datname = $1', [preparedDatabase])).rowCount ===
  1

/**
 * Migrates one database for all test files; it has another name until it is complete. Drops
 * databases of older migrations.
 */
async function preparePostgres(url: string, admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    `select datname from pg_database where datname like 'twinshelf\\_prepared\\_%'`,
  )
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

/**
 * A second pool on the same database, like the pool of another process. Null on PGlite, which has
 * only one connection.
 */
export const samePostgres = ({ pool }: Db): Db | null =>
  pool ? patient(postgresDb(pool.options.connectionString!)) : null

/**
 * Sets the pool's connection timeout to a minute: a test may use more connections at once than the
 * pool has, and the machine may be slow.
 */
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
