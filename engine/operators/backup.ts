import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { migrateIn } from '../db/migrate.ts'
import { migrations } from '../db/migrations/index.ts'
import { storedColumns } from '../db/stored-columns.ts'
import { spreadDays } from '../events/event-days.ts'
import { publishedBeforeRestore } from '../script/script-lease.ts'
import type { Trx } from '../db/types.ts'

type Line =
  | { backup: 'twinshelf'; migrations: string[] }
  | { table: string }
  | { row: object }
  | { end: number }

/** Rows to read at once. Fewer from tables with pictures, which have up to 10 MB each as text. */
const fetched = { rows: 100, pictures: 4 }
/** Rows and characters to write at once: Postgres takes no list of more than 256 MB. */
const written = { rows: 500, length: 8_000_000 }

/**
 * Writes every row of every table, all from one moment, as one JSON line each, gzipped. It streams,
 * so memory does not grow with the data. Returns the number of rows. The same file restores into
 * PGlite and Postgres.
 */
export async function writeBackup(db: Db, to: Writable): Promise<number> {
  let rows = 0
  await db.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async trx => {
      if (!(await tables(trx, true)).includes('migrations'))
        throw new Error('There is nothing here to back up: the database has never been used.')
      async function* lines(): AsyncGenerator<string> {
        const line = (value: Line) => `${JSON.stringify(value)}\n`
        const { rows: done } = await sql<{
          name: string
        }>`select name from migrations order by name`.execute(trx)
        yield line({ backup: 'twinshelf', migrations: done.map(m => m.name) })
        const withPictures = await tablesOfBytes(trx)
        for (const table of await tables(trx)) {
          const atOnce = withPictures.has(table) ? fetched.pictures : fetched.rows
          yield line({ table })
          await sql`declare dump no scroll cursor for select to_jsonb(t)::text as row from ${sql.table(table)} t`.execute(
            trx,
          )
          for (;;) {
            const { rows: part } = await sql<{
              row: string
            }>`fetch ${sql.lit(atOnce)} from dump`.execute(trx)
            if (part.length === 0) break
            rows += part.length
            for (const { row } of part) yield `{"row":${row}}\n`
          }
          await sql`close dump`.execute(trx)
        }
        yield line({ end: rows })
      }
      await pipeline(Readable.from(lines()), createGzip(), to)
    })
  return rows
}

/**
 * Fills an empty database from a backup, all or nothing, and migrates it to this version. Returns
 * the number of rows.
 * Throws, and changes nothing, when the database already has tables, or when the file is incomplete
 * or from a newer version.
 */
export async function restoreBackup(db: Db, from: Readable): Promise<number> {
  const input = createGunzip()
  const failed = pipeline(from, input)
  // This promise is awaited below. Until then its failure must not count as unhandled.
  failed.catch(() => {})
  const rows = await db.kysely.transaction().execute(async trx => {
    if ((await tables(trx, true)).length > 0)
      throw new Error('The database is not empty. Restore into an empty one.')
    const read = await load(trx, linesOf(input))
    await failed
    await migrateIn(trx, migrations)
    await spreadDays(trx)
    // The shops hold scripts and price rules of another time, which this database does not know. So
    // every shop is checked and gets its current ones.
    await sql`update published_scripts set wanted = greatest(wanted, 1), published = ${publishedBeforeRestore}, next_attempt_at = now(), leased_until = '-infinity', attempts = 0`.execute(
      trx,
    )
    // A restored copy must not use the tokens of the shops. If it renewed one, the platform would
    // no longer accept the token that the original program has.
    await sql`delete from platform_tokens`.execute(trx)
    // Sign-ins that were ended after the backup, for example because a token was stolen, must not
    // become valid again. So everyone must sign in again.
    for (const table of ['refresh_tokens', 'download_links', 'staff_sessions', 'staff_links'])
      await sql`delete from ${sql.table(table)}`.execute(trx)
    await sql`update stores set session_number = session_number + 1000`.execute(trx)
    return read
  })
  return rows
}

async function load(trx: Trx, lines: AsyncIterable<string>): Promise<number> {
  const unreadable = new Error('This is not a whole backup of Twinshelf.')
  let table: string | undefined,
    columns: RawBuilder<unknown> = sql``,
    ended = -1,
    rows = 0
  let waiting: string[] = [],
    length = 0
  const flush = async () => {
    if (table && waiting.length > 0)
      await sql`insert into ${sql.table(table)} (${columns}) select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${`[${waiting.join()}]`}::jsonb)`.execute(
        trx,
      )
    waiting = []
    length = 0
  }
  for await (const text of lines) {
    // A row is passed on as the database wrote it: reading its numbers as floats could change them.
    if (text.startsWith('{"row":')) {
      if (!table) throw unreadable
      waiting.push(text.slice('{"row":'.length, -1))
      length += text.length
      rows++
      if (waiting.length >= written.rows || length >= written.length) await flush()
      continue
    }
    await flush()
    const line = parse(text)
    if (line && 'backup' in line) await prepare(trx, line.migrations)
    else if (line && 'table' in line) {
      table = (await tables(trx)).find(name => name === line.table)
      if (table) columns = await storedColumns(trx, table)
    } else if (line && 'end' in line) ended = line.end
    else throw unreadable
  }
  if (ended !== rows) throw unreadable
  await advanceSequences(trx)
  return rows
}

/**
 * Splits at newlines only. readline would also split at U+2028, which may be inside JSON strings.
 */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // A picture's line comes in many parts. Collect them, so that each part is scanned only once.
  let begun: string[] = []
  for await (const part of input) {
    const [rest = '', ...lines] = decoder.decode(part, { stream: true }).split('\n')
    begun.push(rest)
    for (const line of lines) {
      yield begun.join('')
      begun = [line]
    }
  }
  const last = begun.join('')
  if (last) yield last
}

function parse(text: string): Exclude<Line, { row: object }> | null {
  try {
    return JSON.parse(text) as Exclude<Line, { row: object }>
  } catch {
    return null
  }
}

/** Creates the schema of the backup's version, without the rows that migrations insert. */
async function prepare(trx: Trx, names: string[]): Promise<void> {
  const known = migrations.filter(m => names.includes(m.name))
  if (known.length !== names.length)
    throw new Error('The backup was made by a newer version of Twinshelf.')
  await migrateIn(trx, known)
  await sql`truncate ${sql.join((await tables(trx)).map(name => sql.table(name)))}`.execute(trx)
}

/** All tables in the order of their creation, so that a row's references exist before the row. */
async function tables(trx: Trx, withMigrations = false): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition order by c.oid`.execute(
    trx,
  )
  return rows.map(r => r.name).filter(name => withMigrations || name !== 'migrations')
}

/** Names of the tables with binary columns. */
async function tablesOfBytes(trx: Trx): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and a.atttypid = 'bytea'::regtype and a.attnum > 0 and not a.attisdropped`.execute(
    trx,
  )
  return new Set(rows.map(({ name }) => name))
}

async function advanceSequences(trx: Trx): Promise<void> {
  const { rows } = await sql<{ name: string; column: string }>`
    select c.relname as name, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null`.execute(
    trx,
  )
  for (const { name, column } of rows)
    await sql`select setval(pg_get_serial_sequence(${name}, ${column}), coalesce((select max(${sql.ref(column)}) from ${sql.table(name)}), 0) + 1, false)`.execute(
      trx,
    )
}
