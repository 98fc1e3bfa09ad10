import { sql } from 'kysely'
import { dailySeries, earlierDay, laterDay } from '../../domain/reports/daily.ts'
import { tellsPages } from '../../domain/imports/imported.ts'
import { isMetric } from '../../domain/reports/metric.ts'
import type { DailyPoint, DayTotals } from '../../domain/reports/summary.ts'
import { activeSpans, pausedDays } from '../tests/active-spans.ts'
import type { EngineContext } from '../context.ts'
import { statusHistory, type StatusHistory } from '../tests/status-history.ts'
import { isSplitBrokenOfTest } from '../tests/test-lists.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import { dayIn } from '../events/fold/visit-day.ts'

type Row = {
  is_imported: boolean
  start_at: Date | null
  ended_at: Date | null
  time_zone: string
  days: DayTotals[] | null
  is_split_broken: boolean
  history: StatusHistory
}

/**
 * A report reads only what the rollup has stored. So its cost grows with the days of a test, not
 * with its events.
 */
export function reports(serve: Serve, { db, clock }: EngineContext): void {
  serve('dailyBy', async ({ params: { id, metric } }, { storeId }) => {
    if (!isMetric(metric)) throw notFound('metric')
    const {
      rows: [row],
    } = await sql<Row>`
      select t.is_imported, t.start_at, t.ended_at, st.time_zone, s.days, ${isSplitBrokenOfTest} as is_split_broken, ${statusHistory} as history
      from tests t join stores st on st.store_id = t.store_id
      left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id
      where t.store_id = ${storeId} and t.test_id = ${knownId(id, 'test')}`.execute(db.kysely)
    if (!row) throw notFound('test')
    if (!row.start_at) return []
    const days = row.days ?? []
    const started = row.start_at.getTime(),
      until = (row.ended_at ?? clock()).getTime()
    const points = dailySeries({
      // A clock that is slightly wrong may put a visitor or an order on the day before or after.
      metric,
      days,
      from: earlierDay(dayIn(row.time_zone, started), days[0]?.day),
      to: laterDay(dayIn(row.time_zone, until), days.at(-1)?.day),
      paused: pausedDays(activeSpans(row.history ?? []), row.time_zone, started, until),
      isSplitBroken: row.is_split_broken,
    })
    return metric === 'BounceRate' && row.is_imported && !tellsPages(days)
      ? points.map(untold)
      : points
  })
}

function untold(point: DailyPoint): DailyPoint {
  const [control, variant] = point.arms,
    nothing = { count: 0, denominator: 0, value: null }
  return {
    ...point,
    arms: [
      { ...control, ...nothing },
      { ...variant, ...nothing },
    ],
  }
}
