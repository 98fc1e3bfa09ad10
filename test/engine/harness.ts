import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { type Db, pgliteDb, pgliteParsers, postgresDb } from '../../engine/db/connection.ts'
import { migrate } from '../../engine/db/migrate.ts'
import { migrations } from '../../engine/db/migrations/index.ts'

/**
 * A migrated database of its own for a test: a clone of one prepared PGlite, or with TEST_DATABASE_URL a fresh
 * database on that Postgres, dropped when closed.
 */
export function freshDb(): Promise<Db> {
  const url = process.env['TEST_DATABASE_URL']
  return url ? freshPostgres(url) : freshPglite()
}

/** The same without a table in it. */
export async function emptyDb(): Promise<Db> {
  const url = process.env['TEST_DATABASE_URL']
  return url ? emptyPostgres(url) : pgliteDb(await PGlite.create({ parsers: pgliteParsers }))
}

async function freshPglite(): Promise<Db> {
  const dump = new Blob([preparedDump() ?? await prepareDump()])
  return pgliteDb(await PGlite.create({ loadDataDir: dump, parsers: pgliteParsers }))
}

// Starting PGlite from nothing takes seconds, from a dump a quarter of one; test files are processes, so it is kept on disk.
const cache = join(import.meta.dirname, '../../node_modules/.cache/twinshelf')
const dumpFile = join(cache, `pglite-${createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)}.tar`)

function preparedDump(): Uint8Array<ArrayBuffer> | null {
  try {
    return new Uint8Array(readFileSync(dumpFile))
  } catch {
    return null
  }
}

async function prepareDump(): Promise<Uint8Array<ArrayBuffer>> {
  const pglite = await PGlite.create({ parsers: pgliteParsers })
  const db = pgliteDb(pglite)
  await migrate(db)
  const bytes = new Uint8Array(await (await pglite.dumpDataDir('none')).arrayBuffer())
  await db.close()
  mkdirSync(cache, { recursive: true })
  const own = `${dumpFile}.${process.pid}`
  writeFileSync(own, bytes)
  renameSync(own, dumpFile)
  return bytes
}

async function freshPostgres(url: string): Promise<Db> {
  const db = await emptyPostgres(url)
  await migrate(db)
  return db
}

async function emptyPostgres(url: string): Promise<Db> {
  const name = `twinshelf_${randomUUID().replaceAll('-', '')}`
  await asAdmin(url, `create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  const db = postgresDb(own.href)
  return {
    ...db,
    close: async () => {
      await db.close()
      await asAdmin(url, `drop database ${name} with (force)`)
    },
  }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
