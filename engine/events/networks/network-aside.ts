import { cyclePeriod, dayPeriod } from '../fold/periods.ts'
import { writeSpeed } from '../store/speed.ts'
import { sql } from 'kysely'
import { eventAge, eventKinds } from '../../../domain/events/event.ts'
import { networkRule } from '../../../domain/events/network-rule.ts'
import { day as dayLength } from '../../../domain/time-units.ts'
import { aggregate, type AggregatedStore } from '../aggregate.ts'
import { foldSpeed, type SpeedDeltas } from '../fold/speed.ts'
import { rows as query, run } from '../../db/raw.ts'
import { eventColumns, eventRow, type RawRow } from '../replay.ts'
import { together } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'

/**
 * Sets these visitors aside by this decision. Returns those that were not set aside before; the
 * caller then removes their counts with `moveCounts`.
 */
export async function setAsideBy(
  trx: Trx,
  storeId: string,
  decisionId: string,
  visitors: readonly string[],
): Promise<string[]> {
  if (visitors.length === 0) return []
  const added = await query<{ visitor_id: string }>(
    trx,
    `
    insert into visitors_aside (store_id, visitor_id, decision_id) select $1, v, $2 from unnest($3::text[]) v on conflict do nothing returning visitor_id`,
    [storeId, decisionId, visitors],
  )
  return added.map(row => row.visitor_id)
}

/**
 * Removes these visitors from the counts that are not part of a visitor's state, or adds them
 * again: the visitors of the plan, and page speed. `unless`: ids of events that are not counted
 * yet.
 */
export async function moveCounts(
  trx: Trx,
  store: AggregatedStore,
  visitors: readonly string[],
  isAside: boolean,
  now: number,
  unless: ReadonlySet<string> = new Set(),
): Promise<void> {
  if (visitors.length === 0) return
  const days = daysAbout(now, await firstOf(trx, store.id, visitors)),
    sign = isAside ? -1 : 1
  const periods = [
    ...days.map(dayPeriod),
    ...new Set(days.map(day => cyclePeriod(store.cycleAnchor, Date.parse(day)))),
  ]
  await run(
    trx,
    `
    with moved as (
      update store_visitors s set is_aside = $4 from unnest($2::text[]) v(visitor_id), unnest($3::text[]) p(period)
      where s.store_id = $1 and s.period = p.period and s.visitor_id = v.visitor_id and s.is_aside <> $4 returning s.period),
    counts as (select period, count(*)::int as visitors from moved group by period)
    update store_periods p set visitors = p.visitors + $5 * c.visitors from counts c where p.store_id = $1 and p.period = c.period`,
    [store.id, visitors, periods, isAside, sign],
  )
  const speed: SpeedDeltas = new Map()
  const { rows } = await sql<RawRow>`
    select ${eventColumns} from events where store_id = ${store.id} and day = any(${days}::date[]) and kind = ${eventKinds.indexOf('vitals')} and set_aside = 0 and not is_bot and visitor_id = any(${visitors}::text[])`.execute(
    trx,
  )
  for (const row of rows)
    if (!unless.has(row.id)) foldSpeed(speed, eventRow(store.id, row), store.tests)
  for (const delta of speed.values()) delta.pages *= sign
  await together(trx, writeSpeed(speed))
}

/**
 * The earliest act of any of these visitors (milliseconds; Infinity without one). A visitor who is
 * new to a test may have come to the shop before.
 */
async function firstOf(trx: Trx, storeId: string, visitors: readonly string[]): Promise<number> {
  const [row] = await query<{ at: number | null }>(
    trx,
    `
    select extract(epoch from min(s.first_at))::float8 * 1000 as at from unnest($2::text[]) v(visitor_id),
      lateral (select first_at from visitor_sessions s where s.store_id = $1 and s.visitor_id = v.visitor_id offset 0) s`,
    [storeId, visitors],
  )
  return row?.at ?? Infinity
}

/**
 * The days (YYYY-MM-DD) that browsers may have named in events since `first`, and in all events of
 * the time for which a network is known.
 */
function daysAbout(now: number, first: number): string[] {
  const days: string[] = []
  for (
    let at = Math.min(first, now - networkRule.kept - eventAge.behind) - dayLength;
    at <= now + dayLength;
    at += dayLength
  )
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/**
 * Sets these visitors of a network aside, or counts them again. Visitors that a decision about
 * another network has set aside stay aside. The caller must hold the store's lock. Returns how many
 * visitors changed.
 */
export async function moveVisitors(
  trx: Trx,
  store: AggregatedStore,
  decision: { id: string; network: string },
  visitors: readonly string[],
  isAside: boolean,
  now: number,
): Promise<number> {
  const changed = isAside
    ? await setAsideBy(trx, store.id, decision.id, visitors)
    : (
        await query<{ visitor_id: string }>(
          trx,
          `
          delete from visitors_aside a using unnest($2::text[]) v(visitor_id) where a.store_id = $1 and a.visitor_id = v.visitor_id
            and not exists (select from network_decisions d where d.store_id = a.store_id and d.decision_id = a.decision_id and d.kind = 'setAside' and d.network <> $3)
          returning a.visitor_id`,
          [store.id, visitors, decision.network],
        )
      ).map(row => row.visitor_id)
  await moveCounts(trx, store, changed, isAside, now)
  await aggregate(trx, [], () => store, {
    aside: {
      has: () => isAside,
      changed: changed.map(visitor => ({ storeId: store.id, visitor })),
    },
  })
  return changed.length
}
