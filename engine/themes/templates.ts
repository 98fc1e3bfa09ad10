import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import type { Template } from '../../domain/themes/template-record.ts'
import { templateTypes, type TemplateType } from '../../domain/themes/template.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import {
  copyTemplate,
  isAssignedType,
  keyOf,
  kindOf,
  liveTheme,
  requireAssigned,
  templateName,
  templatesOf,
  type LiveTemplate,
} from './live-templates.ts'
import type { ThemeRecord } from '../platform/themes.ts'
import { templateVisitors } from './template-visitors.ts'
import { type Caller, notFound, type Serve } from '../http/routes.ts'

export function templates(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
    platform,
    clock,
  } = context
  const visitorsOf = templateVisitors(context)

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
    const counts = new Map<string, number>()
    for (const type of types.filter(isAssignedType))
      for (const { suffix, count } of await platform.templateUses(shop, type))
        counts.set(keyOf({ type, suffix }), count)
    const visitors = await visitorsOf(storeId, shop, types)
    const tests = await unfinishedTests(storeId)
    return found
      .sort(
        (a, b) =>
          templateTypes.indexOf(a.type) - templateTypes.indexOf(b.type) ||
          a.suffix.localeCompare(b.suffix),
      )
      .map(template => {
        const { type, suffix, file } = template
        const copy = copies.get(`${type} ${suffix}`)
        return {
          type,
          suffix,
          file: file.name,
          kind: kindOf(template),
          createdAt: copy?.created_at.toISOString() ?? firstSeen(template, theme),
          updatedAt: file.updatedAt,
          assignedCount: isAssignedType(type) ? (counts.get(keyOf(template)) ?? 0) : null,
          visitors: visitors && (visitors.get(keyOf(template)) ?? 0),
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
}

/**
 * The platform says when a file was last changed, not when it was made. It existed at the latest
 * when the theme was made, or at its own last change if that is earlier.
 */
const firstSeen = ({ file }: LiveTemplate, theme: ThemeRecord): string =>
  file.updatedAt < theme.createdAt ? file.updatedAt : theme.createdAt
