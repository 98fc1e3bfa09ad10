import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { Statement } from '../../db/together.ts'
import { cyclePeriod, type PeriodVisitor } from '../fold/periods.ts'

/**
 * Counts each of these visitors once in their period. Visitors that are set aside are stored but
 * not counted.
 */
export function writePeriods(
  found: PeriodVisitor[],
  isAside: (storeId: string, visitor: string) => boolean,
): Statement[] {
  if (found.length === 0) return []
  return [
    {
      name: 'comers',
      text: `insert into store_visitors (store_id, period, visitor_id, is_aside) select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[])
      on conflict do nothing returning store_id, period, is_aside`,
      values: [
        found.map(f => f[0]),
        found.map(f => f[1]),
        found.map(f => f[2]),
        found.map(f => isAside(f[0], f[2])),
      ],
    },
    {
      name: 'periods',
      text: `insert into store_periods as p (store_id, period, visitors) select store_id, period, count(*) filter (where not is_aside) from comers group by store_id, period
      on conflict (store_id, period) do update set visitors = p.visitors + excluded.visitors`,
      values: [],
    },
  ]
}

/**
 * How many visitors the store has in the usage cycle of this moment (StoreStatus.sessions).
 * `anchor`: the start of any cycle, or the last reset.
 */
export async function visitorsInCycle(
  db: Pick<Db, 'kysely'>,
  storeId: string,
  anchor: Date,
  now: Date,
): Promise<number> {
  return visitorsIn(db, storeId, cyclePeriod(anchor.getTime(), now.getTime()))
}

async function visitorsIn(
  db: Pick<Db, 'kysely'>,
  storeId: string,
  period: string,
): Promise<number> {
  const {
    rows: [row],
  } = await sql<{
    visitors: number
  }>`select visitors from store_periods where store_id = ${storeId} and period = ${period}`.execute(
    db.kysely,
  )
  return row?.visitors ?? 0
}
