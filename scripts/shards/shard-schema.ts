import type pg from 'pg'
import { day as dayLength } from '../../domain/time-units.ts'

/** A rule of the schema that Postgres refuses for tables that are split by store. */
export type Refused = { table: string; rule: string; message: string }

/** What happened when the tables of a database were split by store. */
export type Sharded = {
  /** Tables that are split, each into `shards` partitions. */
  split: string[]
  /** Tables without a store. */
  global: string[]
  refused: Refused[]
}

const q = (name: string) => `"${name.replaceAll('"', '""')}"`
/** The name of the partition of a table that holds the stores of a shard. */
const partOf = (table: string, shard: number) => `${table}_s${shard}`
/** The table of a partition, its day (of events) and its shard; null for anything else. */
export function partitionNamed(name: string): { table: string; day: string; shard: number } | null {
  const [, table, day = '', shard] = /^(\w+?)(?:_(\d{8}|other))?_s(\d+)$/.exec(name) ?? []
  return table === undefined ? null : { table, day, shard: Number(shard) }
}

/**
 * Splits every table with a store's id by hash into `shards` partitions, and each day of `events`
 * too, with all keys, indexes, triggers and foreign keys. `db` is a migrated database without rows.
 * Postgres itself refuses a key without the store's id.
 */
export async function shardSchema(
  db: Pick<pg.Client, 'query'>,
  shards: number,
  days: readonly string[],
): Promise<Sharded> {
  const rows = async <T extends object>(text: string, values: unknown[] = []) =>
    (await db.query<T>(text, values)).rows
  const refused: Refused[] = []
  const attempt = async (table: string, rule: string, text: string): Promise<void> => {
    try {
      await db.query(text)
    } catch (error) {
      refused.push({ table, rule, message: (error as Error).message })
    }
  }
  const tables = await rows<{ name: string; kind: string; has_store: boolean }>(`
    select c.relname as name, c.relkind as kind,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'store_id' and not a.attisdropped) as has_store
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`)
  const split = tables.filter(each => each.has_store && each.kind === 'r').map(({ name }) => name)

  const foreign = await rows<{ table: string; name: string; def: string }>(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as def from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`)
  for (const { table, name } of foreign)
    await db.query(`alter table ${table} drop constraint ${q(name)}`)

  await db.query('create schema plain')
  for (const table of split) {
    const keys = await rows<{ name: string; def: string }>(
      `select conname as name, pg_get_constraintdef(oid) as def from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u')`,
      [q(table)],
    )
    const indexes = await rows<{ name: string; def: string }>(
      `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as def from pg_index i
       where i.indrelid = $1::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
      [q(table)],
    )
    const triggers = await rows<{ name: string; def: string }>(
      `select tgname as name, pg_get_triggerdef(oid) as def from pg_trigger where tgrelid = $1::regclass and not tgisinternal`,
      [q(table)],
    )
    await db.query(`alter table ${q(table)} set schema plain`)
    await db.query(
      `create table ${q(table)} (like plain.${q(table)} including defaults including generated including identity including constraints) partition by hash (store_id)`,
    )
    for (let shard = 0; shard < shards; shard++)
      await db.query(
        `create table ${q(partOf(table, shard))} partition of ${q(table)} for values with (modulus ${shards}, remainder ${shard})`,
      )
    for (const { name, def } of keys)
      await attempt(table, name, `alter table ${q(table)} add constraint ${q(name)} ${def}`)
    for (const { name, def } of [...indexes, ...triggers]) await attempt(table, name, def)
  }
  await splitDays(db, shards, days)
  for (const { table, name, def } of foreign)
    await attempt(table, name, `alter table ${table} add constraint ${q(name)} ${def}`)
  return {
    split: [...split, 'events'],
    global: tables.filter(({ has_store }) => !has_store).map(({ name }) => name),
    refused,
  }
}

/** Gives `events` these days, and its default partition, each split by store. */
async function splitDays(
  db: Pick<pg.Client, 'query'>,
  shards: number,
  days: readonly string[],
): Promise<void> {
  const { rows: there } = await db.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass`,
  )
  for (const { name } of there) await db.query(`drop table ${q(name)}`)
  const make = async (name: string, bounds: string) => {
    await db.query(
      `create table ${q(name)} partition of events ${bounds} partition by hash (store_id)`,
    )
    for (let shard = 0; shard < shards; shard++)
      await db.query(
        `create table ${q(partOf(name, shard))} partition of ${q(name)} for values with (modulus ${shards}, remainder ${shard})`,
      )
  }
  for (const day of days) {
    const next = new Date(Date.parse(day) + dayLength).toISOString().slice(0, 10)
    await make(`events_${day.replaceAll('-', '')}`, `for values from ('${day}') to ('${next}')`)
  }
  await make('events_other', 'default')
}
