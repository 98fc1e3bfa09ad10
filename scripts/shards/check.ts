import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { postgresDb } from '../../engine/db/connection.ts'
import { migrate } from '../../engine/db/migrate.ts'
import { migrations } from '../../engine/db/migrations/index.ts'
import { startPostgres } from '../postgres.ts'
import { runTap, type SuiteResult } from '../testing/suites.ts'
import { exceptionOf, refusalOf } from './exceptions.ts'
import { explainAll, type Logged, readLog } from './explain.ts'
import { type Sharded, shardSchema } from './shard-schema.ts'

const shards = 4

/** What the schema and the statements would be on a Postgres that is split by store. */
export type ShardReport = Sharded & {
  statements: number
  /**
   * By what they touch: one shard, known before they run or (`byRow`) from a row that they find;
   * only tables without a store; or more, for a listed reason.
   */
  counts: { one: number; byRow: number; none: number; excepted: Record<string, number> }
  /** Statements that touch several shards, or cannot be planned, without a listed reason. */
  unexpected: { from: string; text: string; shards: number[]; problem?: string }[]
  /** Rules that Postgres refuses without a listed reason. */
  unexpectedRules: Sharded['refused']
}

/** Runs these tests on a Postgres and writes down their statements. */
export async function logStatements(
  url: string,
  folder: string,
  paths: readonly string[],
): Promise<SuiteResult> {
  mkdirSync(folder, { recursive: true })
  const preload = pathToFileURL(resolve('scripts/shards/log-queries.js')).href
  return runTap(
    'statements, logged',
    [...paths],
    { TEST_DATABASE_URL: url, QUERY_LOG: folder, NODE_OPTIONS: `--import ${preload}` },
    { jobs: 1 },
  )
}

/** Statements of migrations run once, on every shard. */
const ofMigrations = new Set(migrations.flatMap(({ statements }) => statements))

/** The days of events that the statements name: in their text, and the last ones as parameters. */
function daysIn(log: readonly Logged[]): string[] {
  const of = log.filter(({ text }) => /\bevents/.test(text)),
    day = /\b20\d\d-(0[1-9]|1[0-2])-([0-2]\d|3[01])\b/g
  const named = of.flatMap(({ text }) =>
    Array.from(text.matchAll(/\bevents_(\d{4})(\d\d)(\d\d)\b/g), ([, ...parts]) => parts.join('-')),
  )
  const asked = of.flatMap(({ values }) => JSON.stringify(values).match(day) ?? [])
  return [...new Set([...named, ...[...new Set(asked)].sort().slice(-60)])].sort()
}

/** Splits a new database on this Postgres by store, and plans the statements of the log there. */
export async function reportOn(url: string, log: readonly Logged[]): Promise<ShardReport> {
  const name = `shards_${process.pid}`,
    own = new URL(url)
  own.pathname = `/${name}`
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const db = postgresDb(own.href)
  await migrate(db)
  await db.close()
  const client = new pg.Client({ connectionString: own.href })
  await client.connect()
  try {
    const days = daysIn(log),
      sharded = await shardSchema(client, shards, days),
      all = await explainAll(
        client,
        log.filter(({ text }) => !ofMigrations.has(text)),
      )
    const counts: ShardReport['counts'] = { one: 0, byRow: 0, none: 0, excepted: {} },
      unexpected: ShardReport['unexpected'] = []
    for (const { text, from, shards, isByRow, tables, problem } of all) {
      const reason = shards.length > 1 || problem ? exceptionOf(from, text) : null
      if (reason) counts.excepted[reason] = (counts.excepted[reason] ?? 0) + 1
      else if (shards.length > 1 || problem)
        unexpected.push({ from, text, shards, ...(problem && { problem }) })
      else if (isByRow) counts.byRow++
      else if (tables.length > 0) counts.one++
      else counts.none++
    }
    return {
      ...sharded,
      statements: all.length,
      counts,
      unexpected,
      unexpectedRules: sharded.refused.filter(each => refusalOf(each) === null),
    }
  } finally {
    await client.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

/** Logs the statements of these tests and reports on them. */
export async function checkShards(paths: readonly string[]): Promise<ShardReport> {
  const postgres = await startPostgres({ lasting: false })
  if (!postgres) throw new Error('There is no Postgres on this machine.')
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-shards-'))
  try {
    await logStatements(postgres.url, folder, paths)
    return await reportOn(postgres.url, readLog(folder))
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
