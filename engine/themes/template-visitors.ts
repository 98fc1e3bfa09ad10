import { sql } from 'kysely'
import { importedLike } from '../../domain/imports/imported.ts'
import type { TemplateType } from '../../domain/themes/template.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import { setAside } from '../events/fold/event-rows.ts'
import { dayPeriod } from '../events/fold/periods.ts'
import { dayIn } from '../events/fold/visit-day.ts'
import { notAside } from '../events/store/visitors-aside.ts'
import { sampleSeed } from '../session/sample-seed.ts'
import { isAssignedType, keyOf, ownPaths } from './live-templates.ts'
import { resourcesAt } from '../platform/resources.ts'

const historyDays = 28
/**
 * Maximum number of events that are read. In shops that have more, the latest ones stand for all.
 */
const sampled = 100_000
/** Maximum number of paths that we ask the shop about: those with the most visitors. */
const maxPaths = 300

/**
 * Returns a function that estimates how many different visitors saw each template in the last
 * `historyDays` full days, from the latest events; null if there were no visitors. It asks the shop
 * only about pages that had visitors.
 */
export function templateVisitors(context: EngineContext) {
  const {
    db: { kysely },
    platform,
    clock,
  } = context
  return async (
    storeId: string,
    shop: string,
    types: readonly TemplateType[],
  ): Promise<Map<string, number> | null> => {
    const { time_zone: zone } = await kysely
      .selectFrom('stores')
      .select('time_zone')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    const day = (ago: number) => dayIn(zone, clock().getTime() - ago * dayLength)
    const from = day(historyDays),
      to = day(0)
    const {
      rows: [past],
    } = await sql<{ visitors: number }>`
      select count(distinct visitor_id)::int as visitors from store_visitors where store_id = ${storeId} and not is_aside and period >= ${dayPeriod(from)} and period < ${dayPeriod(to)}`.execute(
      kysely,
    )
    if (!past || past.visitors === 0) return null
    const { rows } = await sql<{ path: string; visitors: string[] }>`
      select split_part(path, '?', 1) as path, array_agg(distinct visitor_id) as visitors from (
        select latest.* from generate_series(${to}::date - 1, ${from}::date, interval '-1 day') d(day),
          lateral (select path, visitor_id from events where store_id = ${storeId} and day = d.day::date and day >= ${from} and day < ${to} and not is_bot and visitor_id not like ${importedLike} and ${sql.raw(notAside())} and set_aside <> ${setAside.farOff} order by hashtextextended(id, ${sampleSeed(context)}::int8), id limit ${sampled}) latest
        limit ${sampled}) sample group by 1`.execute(kysely)
    const all = new Set(rows.flatMap(row => row.visitors)),
      byPath = new Map(rows.map(row => [row.path, row.visitors]))
    const share = all.size > 0 ? past.visitors / all.size : 0
    let paths = rows
      .toSorted((a, b) => b.visitors.length - a.visitors.length)
      .slice(0, maxPaths)
      .map(row => row.path)
    const seen = new Map<string, Set<string>>()
    const add = (key: string, path: string): void => {
      const own = seen.get(key) ?? new Set()
      seen.set(key, own)
      for (const visitor of byPath.get(path) ?? []) own.add(visitor)
    }
    for (const type of types) {
      for (const path of ownPaths[type] ?? []) add(keyOf({ type, suffix: '' }), path)
      if (!isAssignedType(type) || paths.length === 0) continue
      const found = await resourcesAt(platform, shop, type, paths)
      for (const { suffix, path } of found) add(keyOf({ type, suffix }), path)
      const known = new Set(found.map(({ path }) => path))
      paths = paths.filter(path => !known.has(path))
    }
    return new Map([...seen].map(([key, own]) => [key, Math.round(own.size * Math.max(1, share))]))
  }
}
