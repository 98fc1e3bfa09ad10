import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Schema } from '../db/schema.ts'

export type Asked = {
  page?: number
  perPage?: number
  search?: string
  sort?: string
  descending?: boolean
}
type Found<Row> = { rows: Row[]; count: number }

type Statement = {
  columns: RawBuilder<unknown>
  /** Tables and joins. */
  from: RawBuilder<unknown>
  where: RawBuilder<SqlBool>[]
  /** `by` is the order; `tie` orders rows that are equal in it. */
  by: RawBuilder<unknown>
  tie: RawBuilder<unknown>
}

/** Returns one page of the rows that a statement finds, and how many it finds in all. */
export async function pageOf<Row>(
  on: Kysely<Schema>,
  { page = 0, perPage = 10, descending = false }: Asked,
  { columns, from, where, by, tie }: Statement,
): Promise<Found<Row>> {
  const found = sql`from ${from} ${where.length > 0 ? sql`where ${sql.join(where, sql` and `)}` : sql``}`
  const { rows } = await sql<Row & { found: number }>`
    select ${columns}, (count(*) over ())::int as found ${found} order by ${by} ${descending ? sql`desc` : sql`asc`} nulls last, ${tie} offset ${page * perPage} limit ${perPage}`.execute(
    on,
  )
  // Beyond the last page, no row carries the count.
  const count =
    rows[0]?.found ??
    (page === 0
      ? 0
      : (await sql<{ n: number }>`select count(*)::int as n ${found}`.execute(on)).rows[0]!.n)
  return { rows, count }
}

/** SQL condition that the columns contain the text, ignoring case. No condition without a text. */
export function holds(text: string | undefined, ...columns: string[]): RawBuilder<SqlBool>[] {
  const wanted = text?.trim().toLowerCase() ?? ''
  return wanted === ''
    ? []
    : [
        sql`strpos(lower(concat_ws(' ', ${sql.join(columns.map(column => sql.ref(column)))})), ${wanted}) > 0`,
      ]
}

/**
 * The same as `pageOf`, for rows in memory: for lists that are short or that SQL cannot compute.
 */
export function pageIn<Row>(
  rows: readonly Row[],
  { page = 0, perPage = 10, search = '', descending = false }: Asked,
  text: (row: Row) => string,
  value: (row: Row) => string | number | null,
): Found<Row> {
  const wanted = search.trim().toLowerCase()
  const found = rows
    .filter(row => text(row).toLowerCase().includes(wanted))
    .map(row => ({ row, value: value(row) }))
  found.sort((a, b) => {
    if (a.value === null || b.value === null)
      return a.value === b.value ? 0 : a.value === null ? 1 : -1
    const order =
      typeof a.value === 'string'
        ? a.value.localeCompare(String(b.value), 'en')
        : a.value - Number(b.value)
    return descending ? -order : order
  })
  return {
    rows: found.slice(page * perPage, (page + 1) * perPage).map(({ row }) => row),
    count: found.length,
  }
}
