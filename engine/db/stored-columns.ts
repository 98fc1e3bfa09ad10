import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** SQL: the columns of a table, without those that the database computes from others. */
export async function storedColumns(
  on: Kysely<Schema>,
  table: string,
): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`.execute(
    on,
  )
  return sql.join(rows.map(({ name }) => sql.ref(name)))
}
