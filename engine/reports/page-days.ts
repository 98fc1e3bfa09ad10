import { dayPeriod } from '../events/fold/periods.ts'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { eventAge, eventKinds } from '../../domain/events/event.ts'
import { importedLike } from '../../domain/imports/imported.ts'
import type { Db } from '../db/connection.ts'
import { run } from '../db/raw.ts'
import { setAside } from '../events/fold/event-rows.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { day as dayLength, hour, minute } from '../../domain/time-units.ts'
import type { Platform } from '../platform/adapter.ts'
import { repeating, type Repeating } from '../http/repeating.ts'
import { templateMap } from '../themes/shop-templates.ts'
import { dayIn } from '../events/fold/visit-day.ts'
import { notAside } from '../events/store/visitors-aside.ts'

/**
 * `lookedBack`: number of days that proposals use. `every`: how often this checks whether a day
 * must be counted. `firstLook`: when it checks first after the start (milliseconds).
 */
export const lookedBack = 28
const every = minute,
  firstLook = 1_000
/** Minimum time between two counts of a day, however many visitors come late (milliseconds). */
const recountedAfter = hour
/**
 * Maximum number of pages stored per day: those with the most visitors. An address that was typed
 * at random must not become a permanent row, and views do not decide because one visitor's views
 * have no limit.
 */
const pagesKept = 300

/** `runNow` counts every day that is due. */
export type PageDays = Repeating

/**
 * Keeps page_days up to date. Each day of a store is counted from its events once the day is over,
 * again when late events came, and a last time when no more can come. Several processes may run
 * this on one database.
 */
export function startPageDays({
  db,
  clock,
  platform,
  log,
  byItself,
}: {
  db: Db
  clock: () => Date
  platform: Platform
  log: FastifyBaseLogger
  byItself?: boolean | undefined
}): PageDays {
  async function runOnce(stopping: AbortSignal): Promise<void> {
    for (const { store_id, shop, time_zone } of await db.kysely
      .selectFrom('stores')
      .select(['store_id', 'shop', 'time_zone'])
      .where('status', '=', 'installed')
      .execute()) {
      const days = await dueDays(db, store_id, time_zone, clock())
      if (days.length === 0 || stopping.aborted) continue
      try {
        const templates = await templateMap(platform, shop)
        for (const day of days)
          if (!stopping.aborted)
            await countDay(db, { storeId: store_id, ...day, templates, now: clock() })
      } catch (error) {
        // A sample store without a shop has no pages, now and at every later check, so this is no
        // warning.
        if (error instanceof HttpProblem && error.status === 404)
          log.debug({ shop }, 'a shop without pages')
        else log.warn({ err: error, shop }, 'pages of a day not counted')
      }
    }
  }

  return repeating({
    run: runOnce,
    byItself,
    firstAfter: firstLook,
    restAfter: () => every,
    onError: error => log.error({ err: error }, 'counting pages failed'),
  })
}

type DueDay = { day: string; visitors: number; isFinal: boolean; isLatest: boolean }

/**
 * The full days of the last `lookedBack` days that must be counted: never counted, more visitors
 * since a count that is at least `recountedAfter` old, ready for their final count, or the latest
 * day without its month's visitors.
 */
async function dueDays(db: Db, storeId: string, timeZone: string, now: Date): Promise<DueDay[]> {
  const dayBefore = (days: number) => dayIn(timeZone, now.getTime() - days * dayLength)
  const from = dayBefore(lookedBack),
    to = dayBefore(0),
    settled = dayIn(timeZone, now.getTime() - eventAge.behind - dayLength)
  const { rows } = await sql<{
    day: string
    visitors: number
    built: number | null
    built_at: Date | null
    is_final: boolean | null
    month: number | null
  }>`
    select substr(p.period, 5) as day, p.visitors, b.visitors as built, b.built_at, b.is_final, b.month_visitors as month
    from store_periods p left join page_days_built b on b.store_id = p.store_id and b.day = substr(p.period, 5)::date
    where p.store_id = ${storeId} and p.period >= ${dayPeriod(from)} and p.period < ${dayPeriod(to)} order by p.period`.execute(
    db.kysely,
  )
  return rows
    .map((row, i) => ({ ...row, isFinal: row.day <= settled, isLatest: i === rows.length - 1 }))
    .filter(
      row =>
        (row.built !== row.visitors &&
          now.getTime() - (row.built_at?.getTime() ?? -Infinity) >= recountedAfter) ||
        (row.isFinal && !row.is_final) ||
        (row.isLatest && row.month === null),
    )
    .map(({ day, visitors, isFinal, isLatest }) => ({ day, visitors, isFinal, isLatest }))
}

type Counting = DueDay & { storeId: string; templates: Map<string, string>; now: Date }

async function countDay(
  db: Db,
  { storeId, day, visitors, isFinal, isLatest, templates, now }: Counting,
): Promise<void> {
  await db.kysely.transaction().execute(async trx => {
    // Two processes may count the same day. The second one waits for this lock, counts again and
    // finds the same.
    await sql`select pg_advisory_xact_lock(hashtext('twinshelf pages'), hashtext(${storeId}))`.execute(
      trx,
    )
    await sql`delete from page_days where store_id = ${storeId} and day = ${day}`.execute(trx)
    await run(trx, countSql, [storeId, day, [...templates.keys()], [...templates.values()]])
    const month = isLatest
      ? sql<number>`(select count(distinct visitor_id)::int from store_visitors where store_id = ${storeId}
      and not is_aside and period > ${dayPeriod(dayOff(day, -lookedBack))} and period <= ${dayPeriod(day)})`
      : sql<null>`null`
    await sql`
      insert into page_days_built (store_id, day, visitors, month_visitors, is_final, built_at) values (${storeId}, ${day}, ${visitors}, ${month}, ${isFinal}, ${now})
      on conflict (store_id, day) do update set visitors = excluded.visitors, month_visitors = excluded.month_visitors, is_final = excluded.is_final, built_at = excluded.built_at`.execute(
      trx,
    )
  })
}

const dayOff = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayLength).toISOString().slice(0, 10)

const kind = (name: (typeof eventKinds)[number]) => eventKinds.indexOf(name)
const sums = `count(*) filter (where is_view), count(distinct visitor_id) filter (where is_view), count(*) filter (where is_entry), count(*) filter (where is_entry and is_exit),
  count(*) filter (where is_exit), count(distinct visitor_id) filter (where kind = ${kind('cart')})`

/**
 * Reads the day's events once. A visit begins and ends with the first and the last page that a
 * session shows on that day. Paths lose their query, closing slash and case. `$3`: the paths whose
 * template is known; `$4`: their templates.
 */
const countSql = `
  with seen as materialized (
    select visitor_id, session_id, kind, at, id, coalesce(nullif(regexp_replace(lower(regexp_replace(path, '[?#].*', '')), '/+$', ''), ''), '/') as path
    from events where store_id = $1 and day = $2 and not is_bot and visitor_id not like '${importedLike}' and ${notAside()} and set_aside <> ${setAside.farOff} and kind in (${kind('view')}, ${kind('cart')}, ${kind('checkout')})),
  placed as materialized (
    select visitor_id, kind, path, t.template, kind = ${kind('view')} as is_view,
      kind = ${kind('view')} and row_number() over (partition by session_id, kind order by at, id) = 1 as is_entry,
      kind = ${kind('view')} and row_number() over (partition by session_id, kind order by at desc, id desc) = 1 as is_exit
    from seen left join unnest($3::text[], $4::text[]) t(known, template) on t.known = seen.path),
  steps as (
    select 'viewed' as name, count(distinct visitor_id) as visitors from placed where is_view and (template = 'product' or template like 'product.%')
    union all select 'added', count(distinct visitor_id) from placed where kind = ${kind('cart')}
    union all select 'checkedOut', count(distinct visitor_id) from placed where kind = ${kind('checkout')}
    union all select 'ordered', count(distinct visitor_id) from orders where store_id = $1 and day = $2 and visitor_id is not null and not is_test and type <> 'renewal' and imported_for is null)
  insert into page_days (store_id, day, scope, name, views, visitors, entries, bounces, exits, adders)
  select $1, $2, 'shop', '', ${sums} from placed
  union all select $1, $2, 'template', template, ${sums} from placed where template is not null group by template
  union all (select $1, $2, 'path', left(path, 512), ${sums} from placed group by left(path, 512) order by 6 desc, 5 desc, 4 limit ${pagesKept})
  union all select $1, $2, 'step', name, 0, visitors, 0, 0, 0, 0 from steps`
