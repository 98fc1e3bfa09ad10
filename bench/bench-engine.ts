import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { buildEngine, type Engine } from '../engine/app.ts'
import { authTokens } from '../engine/session/auth-tokens.ts'
import { keyRing } from '../engine/session/key-ring.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'
import { migrate } from '../engine/db/migrate.ts'
import { type Filling, filledTest } from './filled-test.ts'

export const benchShop = 'bench.demo-shop.test'
export type BenchEngine = {
  engine: Engine
  storeId: string
  testId: string
  /** GETs a path of the test, or a whole path that begins with /api. */
  get: (path: string) => Promise<unknown>
}

/**
 * Calls `work` with an engine on a new database that holds such a test: on this Postgres server, or
 * on PGlite when `server` is null.
 */
export async function withFilledEngine<T>(
  server: string | null,
  filling: Filling,
  work: (bench: BenchEngine) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-bench-'))
  const url = server && (await newDatabase(server))
  const db = await openDb({ dataDir: folder, databaseUrl: url ?? undefined })
  try {
    await migrate(db)
    const ids = await filledTest(db, benchShop, filling)
    const engine = await buildEngine({
      config: engineConfig({ DATA_DIR: folder }),
      db,
      quotas: { requests: 10_000_000, concurrent: 10_000 },
    })
    const { token } = await authTokens(keyRing(engineConfig({})), () => new Date()).access(
      { storeId: ids.storeId, shop: benchShop },
      new Date(),
    )
    const get = async (path: string) => {
      const { statusCode, body } = await engine.app.inject({
        url: path.startsWith('/api') ? path : `/api/v0/tests/${ids.testId}${path}`,
        headers: { authorization: `Bearer ${token}` },
      })
      if (statusCode !== 200)
        throw new Error(`${path || 'The report'} answered ${statusCode}: ${body}`)
      return JSON.parse(body) as unknown
    }
    try {
      return await work({ engine, ...ids, get })
    } finally {
      await engine.close()
    }
  } finally {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
    if (url) await drop(server, url)
  }
}

export async function newDatabase(server: string): Promise<string> {
  const name = `bench_${process.hrtime.bigint()}`
  await asAdmin(server, `create database ${name}`)
  return new URL(`/${name}`, server).href
}

const drop = (server: string, url: string) =>
  asAdmin(server, `drop database ${new URL(url).pathname.slice(1)} with (force)`)

async function asAdmin(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement)
  await client.end()
}
