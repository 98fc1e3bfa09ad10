import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { partitionNamed } from './shard-schema.ts'

/** A statement with the file that sends it, and the parameters of one call. */
export type Logged = { text: string; from: string; values: (string | null | { base64: string })[] }

/** What a statement touches. `problem`: Postgres could not plan it. */
export type Touched = Logged & {
  /** Shards that the plan reads, by number. */
  shards: number[]
  /**
   * Whether it also reads the shard of a row that another part of it finds. Postgres then takes the
   * one partition while it runs; the plan lists all of them.
   */
  isByRow: boolean
  tables: string[]
  problem?: string
}

/** Statements about a transaction, a session or the schema, which touch no rows of a store. */
const ofNoRows =
  /^\s*(begin|commit|rollback|set |show |listen|unlisten|notify|create |alter |drop |vacuum|checkpoint|lock |truncate|analyze|explain|start transaction|reset|savepoint|release|fetch|close |move )/i

/** Every different statement of a log, with the fullest parameters that it was called with. */
export function readLog(folder: string): Logged[] {
  const all = new Map<string, Logged & { isFull: boolean }>()
  for (const file of readdirSync(folder))
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)) {
      const one = JSON.parse(line) as Logged & { isFull: boolean }
      const known = all.get(one.text)
      if (!ofNoRows.test(one.text) && (!known || (one.isFull && !known.isFull)))
        all.set(one.text, one)
    }
  return [...all.values()]
}

type Plan = { 'Relation Name'?: string; Plans?: Plan[] } & Record<string, unknown>
type Scan = { name: string; isByRow: boolean }

/** A condition that names the store of another row, instead of the store itself. */
const ofAnotherRow = /\bstore_id = (\$\d|\w+\.store_id\b)/

/** Every scan of a partition or table. */
function scansOf(plan: Plan, into: Scan[] = []): Scan[] {
  const name = plan['Relation Name']
  if (name && plan['Node Type'] !== 'ModifyTable') {
    const conditions = ['Index Cond', 'Recheck Cond', 'Filter'].map(each => plan[each] ?? '')
    into.push({ name, isByRow: ofAnotherRow.test(conditions.join(' ')) })
  }
  for (const below of plan.Plans ?? []) scansOf(below, into)
  return into
}

/**
 * Plans each statement with its own parameters. Only then can Postgres leave out the partitions of
 * other stores; a plan for any parameters contains them all.
 */
export async function explainAll(
  db: Pick<pg.Client, 'query'>,
  log: readonly Logged[],
): Promise<Touched[]> {
  const all: Touched[] = []
  for (const one of log) {
    const values = one.values.map(value =>
      value !== null && typeof value === 'object' ? Buffer.from(value.base64, 'base64') : value,
    )
    await db.query('begin')
    try {
      // A rebuild counts in temporary tables of the same names.
      for (const name of new Set(Array.from(one.text.matchAll(/pg_temp\."?(\w+)/g), m => m[1]!)))
        await db.query(`create temp table ${name} (like public.${name})`)
      const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (format json) ${one.text}`,
        values,
      )
      const parts = scansOf(rows[0]!['QUERY PLAN'][0].Plan).flatMap(({ name, isByRow }) => {
        const part = partitionNamed(name)
        return part ? { ...part, isByRow } : []
      })
      all.push({
        ...one,
        shards: [...new Set(parts.flatMap(part => (part.isByRow ? [] : part.shard)))],
        isByRow: parts.some(part => part.isByRow),
        tables: [...new Set(parts.map(({ table }) => table))],
      })
    } catch (error) {
      all.push({
        ...one,
        shards: [],
        isByRow: false,
        tables: [],
        problem: (error as Error).message,
      })
    } finally {
      await db.query('rollback')
    }
  }
  return all
}
