import { type RawBuilder, sql } from 'kysely'
import type { Cleared } from '../../../domain/stores/shoppers/kept-tables.ts'
import type { Trx } from '../../db/types.ts'

/**
 * Sets the columns of a rule, or the JSON parts in them, to null in the rows of `where`. Returns
 * the number of changed rows.
 */
export async function clearColumns(
  trx: Trx,
  table: string,
  { cleared, where: some = 'true' }: Cleared,
  where: RawBuilder<unknown>,
): Promise<number> {
  const parts = cleared.map(name => {
    const [column, ...path] = name.split('.'),
      inside = `{${path.join(',')}}`
    return path.length === 0
      ? { set: sql`${sql.ref(column!)} = null`, isThere: sql`${sql.ref(column!)} is not null` }
      : {
          set: sql`${sql.ref(column!)} = jsonb_set(${sql.ref(column!)}, ${inside}::text[], 'null')`,
          isThere: sql`${sql.ref(column!)} #>> ${inside}::text[] is not null`,
        }
  })
  const { numAffectedRows } =
    await sql`update ${sql.table(table)} set ${sql.join(parts.map(({ set }) => set))}
      where ${where} and (${sql.join(
        parts.map(({ isThere }) => isThere),
        sql` or `,
      )}) and ${sql.raw(some)}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
