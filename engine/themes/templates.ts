import { dayPeriod } from '../events/fold/periods.ts'
import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import { importedLike } from '../../domain/imports/imported.ts'
import type { Template } from '../../domain/themes/template-record.ts'
import { templateTypes, type TemplateType } from '../../domain/themes/template.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import { setAside } from '../events/fold/event-rows.ts'
import { notAside } from '../events/store/visitors-aside.ts'
import { sampleSeed } from '../session/sample-seed.ts'
import type { EngineContext } from '../context.ts'
import {
  copyTemplate,
  isAssignedType,
  keyOf,
  kindOf,
  liveTheme,
  ownPaths,
  requireAssigned,
  templateName,
  templatesOf,
  type LiveTemplate,
} from './live-templates.ts'
import type { ThemeRecord } from '../platform/themes.ts'
import { type Caller, notFound, type Serve } from '../http/routes.ts'
import { dayIn } from '../events/fold/visit-day.ts'

const historyDays = 28
/**
 * Maximum number of events that are read. In shops that have more, the latest ones stand for all.
 */
const sampled = 100_000

export function templates(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
    platform,
    clock,
  } = context

  serve('templates', ({ query: { type } }, caller) => list(caller, type ? [type] : templateTypes))

  serve('duplicateTemplate', async ({ body: { type, suffix, granular = [] } }, caller) => {
    const { storeId, shop } = caller
    const resourceIds = await requireAssigned(platform, shop, type, suffix, granular)
    await requireRoomForCopy(caller)
    const copy = await copyTemplate(context, { storeId, shop, testId: null }, type, suffix)
    await kysely
      .insertInto('template_copies')
      .values({
        store_id: storeId,
        type,
        suffix: copy.suffix,
        from_suffix: suffix,
        resource_ids: JSON.stringify(resourceIds),
        created_at: clock(),
      })
      .execute()
    const made = (await list(caller, [type])).find(each => each.suffix === copy.suffix)
    // Somebody removed the copy between the two calls.
    if (!made) throw notFound(`template as ${templateName(type, copy.suffix)}`)
    return made
  })

  /** Throws HttpProblem 409 if the store has as many copies as the quota allows. */
  async function requireRoomForCopy({ storeId, shop }: Caller): Promise<void> {
    const theme = await liveTheme(platform, shop)
    const there = new Set((await templatesOf(platform, shop, theme.id)).map(keyOf))
    const copies = await kysely
      .selectFrom('template_copies')
      .select(['type', 'suffix'])
      .where('store_id', '=', storeId)
      .execute()
    if (copies.filter(copy => there.has(keyOf(copy))).length >= quotas.templateCopies)
      throw new HttpProblem(409, quotaWords.templateCopies)
  }

  async function list(
    { storeId, shop }: Caller,
    types: readonly TemplateType[],
  ): Promise<Template[]> {
    const theme = await liveTheme(platform, shop)
    const found = (await templatesOf(platform, shop, theme.id)).filter(each =>
      types.includes(each.type),
    )
    const copies = new Map(
      (
        await kysely
          .selectFrom('template_copies')
          .selectAll()
          .where('store_id', '=', storeId)
          .execute()
      ).map(each => [`${each.type} ${each.suffix}`, each]),
    )
    const paths = new Map<LiveTemplate, string[]>()
    for (const type of types) {
      const resources = isAssignedType(type) ? await platform.resources(shop, type) : null
      for (const template of found.filter(each => each.type === type))
        paths.set(
          template,
          resources
            ? resources.filter(each => each.suffix === template.suffix).map(each => each.path)
            : template.suffix
              ? []
              : ownPaths[type]!,
        )
    }
    const visitors = await visitorsOf(storeId, [...paths.values()])
    const tests = await unfinishedTests(storeId)
    return [...paths]
      .sort(
        ([a], [b]) =>
          templateTypes.indexOf(a.type) - templateTypes.indexOf(b.type) ||
          a.suffix.localeCompare(b.suffix),
      )
      .map(([template, own]) => {
        const { type, suffix, file } = template
        const copy = copies.get(`${type} ${suffix}`)
        return {
          type,
          suffix,
          file: file.name,
          kind: kindOf(template),
          createdAt: copy?.created_at.toISOString() ?? firstSeen(template, theme),
          updatedAt: file.updatedAt,
          assignedCount: isAssignedType(type) ? own.length : null,
          visitors: visitors.get(own) ?? null,
          test: tests.get(`${type} ${suffix}`) ?? null,
          copyOf: copy?.from_suffix ?? null,
          resourceIds: copy?.resource_ids ?? [],
        }
      })
  }

  /** Unfinished tests by the template they show; of several, the latest. */
  async function unfinishedTests(storeId: string) {
    const { rows } = await sql<{ key: string; id: string; title: string; status: TestStatus }>`
      select concat(target->>'templateType', ' ', target->>'suffix') as key, t.test_id as id, t.title, t.status
      from tests t, lateral (values (t.control_target), (t.variant_target)) as a(target)
      where t.store_id = ${storeId} and t.status <> 'Ended' and target->>'templateType' is not null order by t.created_at`.execute(
      kysely,
    )
    return new Map(rows.map(({ key, ...test }) => [key, test]))
  }

  /**
   * Number of different visitors of each list of paths in the last `historyDays` full days,
   * estimated from the latest events; empty if there were no visitors.
   */
  async function visitorsOf(storeId: string, lists: string[][]): Promise<Map<string[], number>> {
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
    if (!past || past.visitors === 0) return new Map()
    const { rows } = await sql<{ path: string; visitors: string[] }>`
      select split_part(path, '?', 1) as path, array_agg(distinct visitor_id) as visitors from (
        select latest.* from generate_series(${to}::date - 1, ${from}::date, interval '-1 day') d(day),
          lateral (select path, visitor_id from events where store_id = ${storeId} and day = d.day::date and day >= ${from} and day < ${to} and not is_bot and visitor_id not like ${importedLike} and ${sql.raw(notAside())} and set_aside <> ${setAside.farOff} order by hashtextextended(id, ${sampleSeed(context)}::int8), id limit ${sampled}) latest
        limit ${sampled}) sample group by 1`.execute(kysely)
    const all = new Set(rows.flatMap(row => row.visitors)),
      byPath = new Map(rows.map(row => [row.path, row.visitors]))
    const share = all.size > 0 ? past.visitors / all.size : 0
    return new Map(
      lists.map(list => [
        list,
        Math.round(new Set(list.flatMap(path => byPath.get(path) ?? [])).size * Math.max(1, share)),
      ]),
    )
  }
}

/**
 * The platform says when a file was last changed, not when it was made. It existed at the latest
 * when the theme was made, or at its own last change if that is earlier.
 */
const firstSeen = ({ file }: LiveTemplate, theme: ThemeRecord): string =>
  file.updatedAt < theme.createdAt ? file.updatedAt : theme.createdAt
