import type { Selectable } from 'kysely'
import type { Plan } from '../../domain/plans/plan.ts'
import type { EngineContext } from '../context.ts'
import type { PlansTable } from '../db/schema.ts'
import type { Serve } from '../http/routes.ts'

/** Serves all plans. Only available plans are offered, but a store may be on an unavailable one. */
export function plans(serve: Serve, { db }: EngineContext): void {
  serve('plans', async () =>
    (
      await db.kysely
        .selectFrom('plans')
        .selectAll()
        .orderBy('level')
        .orderBy('is_annual')
        .orderBy('monthly_visitors')
        .orderBy('plan_id')
        .execute()
    ).map(planOf),
  )
}

export const planOf = (row: Selectable<PlansTable>): Plan => ({
  id: row.plan_id,
  level: row.level,
  title: row.title,
  limit: row.monthly_visitors,
  price: row.price,
  isAnnual: row.is_annual,
  requireAppointment: row.require_appointment,
  available: row.available,
})
