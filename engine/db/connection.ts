import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import pg from 'pg'
import { startProblem } from './disk.ts'
import { takeLock } from './lock.ts'
import { tellingLoss } from './lost.ts'
import { SyncedFiles, syncingParams, syncTree } from './synced-files.ts'
import type { Schema } from './schema.ts'

/**
 * The database behind Kysely, and the driver itself for those that need its speed. PGlite has one connection:
 * inside a Kysely transaction use the transaction alone, anything else waits for it.
 */
export type Db = {
  kysely: Kysely<Schema>
  dialect: 'pglite' | 'postgres'
  pglite?: PGlite
  pool?: pg.Pool
  /** Finishes what is under way, writes a checkpoint (PGlite) and lets go of the data folder. */
  close: () => Promise<void>
}

export type DbOptions = {
  dataDir: string
  databaseUrl?: string | undefined
  onError?: (error: Error) => void
}

// Days are plain text ("2026-11-21") and counts plain numbers, whichever driver reads them.
const dateType = 1082,
  int8Type = 20
export const pgliteParsers = { [dateType]: (text: string) => text, [int8Type]: Number }

/** Opens Postgres when there is a URL, else PGlite in the data folder. Throws `LockHeld` when another process has the folder. */
export async function openDb({ dataDir, databaseUrl, onError }: DbOptions): Promise<Db> {
  if (databaseUrl) return postgresDb(databaseUrl, onError)
  return openHere(dataDir).catch((error: unknown) => {
    throw startProblem(error, dataDir)
  })
}

async function openHere(dataDir: string): Promise<Db> {
  mkdirSync(dataDir, { recursive: true })
  const lock = takeLock(dataDir)
  try {
    const folder = join(dataDir, 'pg'),
      isNew = !existsSync(folder)
    const db = pgliteDb(
      await PGlite.create({
        fs: new SyncedFiles(folder),
        startParams: syncingParams,
        parsers: pgliteParsers,
      }),
    )
    if (isNew) syncTree(folder)
    return {
      ...db,
      close: async () => {
        try {
          await db.close()
        } finally {
          lock.release()
        }
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

export function pgliteDb(pglite: PGlite): Db {
  const kysely = new Kysely<Schema>({ dialect: new PGliteDialect({ pglite }) })
  return {
    kysely,
    dialect: 'pglite',
    pglite,
    close: async () => {
      // On a full disk there is no checkpoint: the next start makes up for it.
      try {
        await pglite.exec('checkpoint')
      } finally {
        await pglite.close()
      }
    },
  }
}

export function postgresDb(url: string, onError: (error: Error) => void = () => {}): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    idleTimeoutMillis: 300_000,
    maxLifetimeSeconds: 600,
    connectionTimeoutMillis: 5_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === dateType
          ? (text: string) => text
          : oid === int8Type
            ? Number
            : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  })
  // A connection that the server drops must not end the process, in use or idle: the pool listens to idle ones alone.
  pool.on('connect', client => client.on('error', onError))
  pool.on('error', () => {})
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: tellingLoss(pool) }) })
  return { kysely, dialect: 'postgres', pool, close: () => kysely.destroy() }
}
