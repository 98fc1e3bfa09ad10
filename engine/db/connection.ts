import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import pg from 'pg'
import { startProblem } from './disk.ts'
import { takeLock } from './lock.ts'
import { tellingLoss } from './lost.ts'
import { readRowsAtOnce } from './pglite/data-rows.ts'
import { prepareStatements } from './pglite/prepared-statements.ts'
import { SyncedFiles, syncingParams, syncTree } from './synced-files.ts'
import type { Schema } from './schema.ts'

/**
 * The database through Kysely, and the driver itself for code that needs its speed. PGlite has one
 * connection: inside a Kysely transaction use only the transaction, because everything else waits
 * for its end.
 */
export type Db = {
  kysely: Kysely<Schema>
  dialect: 'pglite' | 'postgres'
  pglite?: PGlite
  pool?: pg.Pool
  /**
   * URL of the same Postgres server without a pooler in between, for work that needs a session of
   * its own (`inSession`).
   */
  sessionUrl?: string
  /** Finishes running statements, writes a checkpoint (PGlite) and releases the data folder. */
  close: () => Promise<void>
}

export type DbOptions = {
  dataDir: string
  databaseUrl?: string | undefined
  sessionUrl?: string | undefined
  onError?: (error: Error) => void
}

// Both drivers return days as text ("2026-11-21") and counts as numbers.
const dateType = 1082,
  int8Type = 20
export const pgliteParsers = { [dateType]: (text: string) => text, [int8Type]: Number }

/**
 * Opens Postgres when there is a URL, else PGlite in the data folder. Throws `LockHeld` when
 * another process uses the folder.
 */
export async function openDb({
  dataDir,
  databaseUrl,
  sessionUrl,
  onError,
}: DbOptions): Promise<Db> {
  if (databaseUrl) return { ...postgresDb(databaseUrl, onError), ...(sessionUrl && { sessionUrl }) }
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
  readRowsAtOnce()
  prepareStatements(pglite)
  const kysely = new Kysely<Schema>({ dialect: new PGliteDialect({ pglite }) })
  return {
    kysely,
    dialect: 'pglite',
    pglite,
    close: async () => {
      // On a full disk the checkpoint fails. The next start replays the log instead.
      try {
        await pglite.exec('checkpoint')
      } finally {
        await pglite.close()
      }
    },
  }
}

/** `max`: how many connections the pool has. */
export function postgresDb(url: string, onError: (error: Error) => void = () => {}, max = 10): Db {
  const options: pg.PoolConfig & { pipeline: boolean } = {
    connectionString: url,
    // Sends a statement without waiting for the answers to those before (lost.ts).
    pipeline: true,
    max,
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
  }
  const pool = new pg.Pool(options)
  // When the server drops a connection, the process must not end, whether the connection is in use
  // or idle. The pool itself only listens to idle ones.
  pool.on('connect', client => client.on('error', onError))
  pool.on('error', () => {})
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: tellingLoss(pool) }) })
  return { kysely, dialect: 'postgres', pool, close: () => kysely.destroy() }
}

/**
 * Runs work that needs a session of its own on Postgres, because only that session sees its
 * temporary tables. Behind a pooler in transaction mode each transaction may have another session,
 * so the work gets a connection to the server itself (`sessionUrl`).
 */
export async function inSession<T>(
  db: Pick<Db, 'kysely' | 'sessionUrl'>,
  work: (one: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  if (!db.sessionUrl) return db.kysely.connection().execute(work)
  const own = postgresDb(db.sessionUrl, () => {}, 1)
  try {
    return await own.kysely.connection().execute(work)
  } finally {
    await own.close()
  }
}
