import type { EngineContext } from './context.ts'
import type { Serve } from './routes.ts'

/** Every plan, the unavailable ones too: only the available are offered, but a store may be on another. */
export function plans(serve: Serve, { db }: EngineContext): void {
  serve('plans', async () => {
    const rows = await db.kysely.selectFrom('plans').selectAll().orderBy('level').orderBy('is_annual').orderBy('monthly_visitors').execute()
    return rows.map(row => ({
      id: row.plan_id, level: row.level, title: row.title, limit: row.monthly_visitors, price: row.price,
      isAnnual: row.is_annual, requireAppointment: row.require_appointment, available: row.available,
    }))
  })
}
