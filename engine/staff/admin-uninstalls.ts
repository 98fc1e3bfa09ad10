import { type Kysely, sql } from 'kysely'
import { trendDays } from '../../domain/staff/staff-overview.ts'
import type { StaffUninstall, StaffUninstalls } from '../../domain/staff/staff-uninstalls.ts'
import type { StoreName } from '../../domain/staff/staff-list.ts'
import type { UninstallCategory } from '../../domain/stores/store-uninstall.ts'
import { day } from '../../domain/time-units.ts'
import type { Schema } from '../db/schema.ts'
import { storeColumns, storeNameOf } from './admin-stores.ts'

/** How many uninstalls the first page shows, and a store's page. */
const maxNewest = 10,
  maxOfStore = 5

type Row = {
  at: Date
  finishedAt: Date | null
  category: UninstallCategory | null
  reason: string | null
}
const columns = sql`u.requested_at as at, u.finished_at as "finishedAt", u.category, u.reason`

/** The uninstalls of a store, newest first. */
export async function uninstallsOf(
  kysely: Kysely<Schema>,
  storeId: string,
): Promise<StaffUninstall[]> {
  const { rows } =
    await sql<Row>`select ${columns} from uninstalls u where u.store_id = ${storeId} order by u.requested_at desc limit ${maxOfStore}`.execute(
      kysely,
    )
  return rows.map(uninstallOf)
}

/** Finished uninstalls of all stores in the last thirty days. */
export async function lastUninstalls(kysely: Kysely<Schema>, now: Date): Promise<StaffUninstalls> {
  const lately = sql`uninstalls u join stores s on s.store_id = u.store_id where u.finished_at >= ${new Date(now.getTime() - trendDays * day)}`
  const [{ rows: counted }, { rows: newest }] = await Promise.all([
    sql<{ category: UninstallCategory | null; count: number }>`
      select u.category, count(*)::int as count from ${lately} group by 1 order by 2 desc, 1`.execute(
      kysely,
    ),
    sql<StoreName & Row>`
      select ${storeColumns}, ${columns} from ${lately} order by u.finished_at desc limit ${maxNewest}`.execute(
      kysely,
    ),
  ])
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    categories: counted.flatMap(({ category, count }) =>
      category === null ? [] : [{ category, count }],
    ),
    newest: newest.map(row => ({ store: storeNameOf(row), ...uninstallOf(row) })),
  }
}

const uninstallOf = ({ at, finishedAt, category, reason }: Row): StaffUninstall => ({
  at: at.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  category,
  reason,
})
