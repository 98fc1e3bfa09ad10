import { randomUUID } from 'node:crypto'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { domSelectorId } from '../domain/dom-selector.ts'
import { type DraftUpdate, pagesOnly, type TestDraft, weightProblems } from '../domain/draft.ts'
import { HttpProblem } from '../domain/problem.ts'
import { quotas, quotaWords } from '../domain/quota.ts'
import { kindCapability } from '../domain/test-kind.ts'
import { draftScheduleProblems, type Schedule } from '../domain/test-schedule.ts'
import { access } from './access.ts'
import { targetsOf } from './arm-states.ts'
import { audienceProblems } from './audiences.ts'
import { changeProblems } from './change-problems.ts'
import type { EngineContext } from './context.ts'
import type { DraftsTable, Schema } from './db/schema.ts'
import { testsToUndo } from './journal-undo.ts'
import { launch } from './launch.ts'
import type { Previews } from './previews.ts'
import { type ShopHosts, requirePage } from './redirect-urls.ts'
import { knownId, notFound, type Serve } from './routes.ts'
import { hypothesesOf } from './screenshot-rows.ts'
import { testedPages } from './script-body.ts'

export type DraftRow = Selectable<DraftsTable>
type Reader = Kysely<Schema> | Transaction<Schema>

export function drafts(serve: Serve, context: EngineContext, previews: Previews): void {
  const { db, clock, platform, jobs } = context
  const answer = draftAnswer(context, previews)

  serve(
    'createDraft',
    async (
      { body: { kind, origin = null, liftAssistId = null, urlPatterns = [], ...fields } },
      { storeId },
    ) => {
      await requireKind(context, storeId, kind)
      await requireAudiences(storeId, fields)
      const now = clock()
      const draftId = randomUUID()
      const row = {
        store_id: storeId,
        draft_id: draftId,
        kind,
        title: '',
        hypothesis_description: '',
        control_title: 'Control',
        variant_title: 'Variant',
        goal: 'ConversionRate' as const,
        weights: '[0.5,0.5]',
        minimum_effect: 0.1,
        expected_visitors: null,
        control_url: '',
        redirect_url: '',
        dom_selectors: JSON.stringify(pagesOnly(urlPatterns)),
        control_hypothesis_id: randomUUID(),
        variant_hypothesis_id: randomUUID(),
        launch_at: null,
        automatically_end_at: null,
        origin,
        lift_assist_id: liftAssistId,
        version: 1,
        variant_created_at: null,
        created_at: now,
        updated_at: now,
        ...columns(fields),
      }
      await requireRoomForDraft(db.kysely, storeId)
      await db.kysely.insertInto('drafts').values(row).execute()
      return answer(storeId, draftId)
    },
  )

  serve('draft', ({ params: { id } }, { storeId }) => answer(storeId, knownId(id, 'draft')))

  serve('updateDraft', async ({ params: { id }, body: { version, ...fields } }, { storeId }) => {
    if (!(await draftRow(db.kysely, storeId, knownId(id, 'draft')))) throw notFound('draft')
    await requireAudiences(storeId, fields)
    const { numUpdatedRows } = await db.kysely
      .updateTable('drafts')
      .set(eb => ({ ...columns(fields), version: eb('version', '+', 1), updated_at: clock() }))
      .where('store_id', '=', storeId)
      .where('draft_id', '=', id)
      .$if(version !== undefined, q => q.where('version', '=', version!))
      .executeTakeFirstOrThrow()
    const now = await answer(storeId, id)
    if (numUpdatedRows === 0n)
      throw new HttpProblem(409, 'This draft was changed elsewhere since you opened it.', [
        { field: 'version', message: `is ${now.version} now` },
      ])
    return now
  })

  serve('deleteDraft', async ({ params: { id } }, { storeId }) => {
    const draftId = knownId(id, 'draft')
    await db.kysely.transaction().execute(async trx => {
      const { numDeletedRows } = await trx
        .deleteFrom('drafts')
        .where('store_id', '=', storeId)
        .where('draft_id', '=', draftId)
        .executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) throw notFound('draft')
      // What was made in the shop for it is undone with the next check of the tests, which is at once.
      if ((await testsToUndo(trx, storeId)).length > 0)
        await jobs.add(trx, { storeId, kind: 'testCheck', key: 'testCheck', runAt: clock() })
    })
    return { ok: true as const }
  })

  serve('scheduleDraft', async ({ params: { id }, body }, { storeId }) => {
    const draft = await requireDraft(db.kysely, storeId, id)
    const schedule = scheduleOf(body, draft)
    // What was asked for and has passed meanwhile is no mistake of today's.
    const problems = draftScheduleProblems(schedule, clock()).filter(
      ({ field }) => body[field as keyof typeof body] !== undefined,
    )
    if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
    await db.kysely
      .updateTable('drafts')
      .set(eb => ({
        launch_at: schedule.launchAt,
        automatically_end_at: schedule.automaticallyEndAt,
        version: eb('version', '+', 1),
        updated_at: clock(),
      }))
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draft.draft_id)
      .execute()
    return answer(storeId, draft.draft_id)
  })

  serve('setDomSelectors', async ({ params: { id }, body: { domSelectors } }, { storeId }) => {
    // Whose it is comes first: another store's is not there at all.
    const own = await db.kysely
      .selectFrom('drafts')
      .select('draft_id')
      .where('store_id', '=', storeId)
      .where('variant_hypothesis_id', '=', knownId(id, 'hypothesis'))
      .executeTakeFirst()
    if (!own) throw notFound('hypothesis')
    const problems = changeProblems(domSelectors)
    if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
    const now = clock()
    const row = await db.kysely
      .updateTable('drafts')
      .set(eb => ({
        dom_selectors: JSON.stringify(domSelectors.map(s => ({ ...s, id: domSelectorId(s.id) }))),
        version: eb('version', '+', 1),
        updated_at: now,
        variant_created_at: eb.fn.coalesce('variant_created_at', eb.val(now)),
      }))
      .where('store_id', '=', storeId)
      .where('variant_hypothesis_id', '=', knownId(id, 'hypothesis'))
      .returning('dom_selectors')
      .executeTakeFirst()
    if (!row) throw notFound('hypothesis')
    return row.dom_selectors
  })

  serve('launchDraft', async ({ params: { id } }, { storeId }) => ({
    testId: await launch(context, storeId, knownId(id, 'draft')),
  }))

  serve('validateRedirectUrl', async ({ query: { redirectUrl } }, { storeId }) => ({
    url: await requirePage(
      platform,
      await shopHosts(db.kysely, storeId),
      redirectUrl,
      'redirectUrl',
    ),
  }))

  serve('urlSearch', async ({ query: { searchText } }, { shop }) => {
    try {
      return (await platform.searchPages(shop, searchText)).map(({ path, title }) => ({
        url: path,
        title,
      }))
    } catch (error) {
      // Spec §8: a search that fails finds nothing.
      context.log.warn({ err: error }, 'pages of the shop not searched')
      return []
    }
  })

  async function requireAudiences(
    storeId: string,
    { audienceIds = [] }: Pick<DraftUpdate, 'audienceIds'>,
  ): Promise<void> {
    const problems =
      audienceIds.length > 0 ? await audienceProblems(context, storeId, audienceIds) : []
    if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
  }
}

/** A draft as the contract has it, with its preview links. */
export const draftAnswer =
  ({ db: { kysely } }: Pick<EngineContext, 'db'>, previews: Previews) =>
  async (storeId: string, id: string): Promise<TestDraft> => {
    const row = await requireDraft(kysely, storeId, id)
    const hosts = await shopHosts(kysely, storeId)
    return {
      ...draftContent(row),
      hypotheses: await hypothesesOf(kysely, row),
      previewUrls: await previews.urls({
        storeId,
        of: 'draft',
        id,
        hosts,
        pages: testedPages(row),
      }),
    }
  }

/** Throws HttpProblem 403 that names what opens this kind of test. */
export async function requireKind(
  context: Pick<EngineContext, 'db'>,
  storeId: string,
  kind: TestDraft['kind'],
): Promise<void> {
  const capability = kindCapability[kind]
  if (capability) (await access(context, storeId)).require(capability)
}

export async function requireDraft(reader: Reader, storeId: string, id: string): Promise<DraftRow> {
  const row = await draftRow(reader, storeId, knownId(id, 'draft'))
  if (!row) throw notFound('draft')
  return row
}

type Scheduled = { launch_at: Date | null; automatically_end_at: Date | null }
/** The schedule with what was given laid over what stands. Throws HttpProblem 400 for a day that is none. */
export function scheduleOf(
  given: { launchAt?: string | null; automaticallyEndAt?: string | null },
  { launch_at, automatically_end_at }: Scheduled,
): Schedule {
  const instant = (field: 'launchAt' | 'automaticallyEndAt', standing: Date | null) => {
    const text = given[field]
    if (text === undefined) return standing
    if (text === null) return null
    const at = new Date(text)
    if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9998)
      throw new HttpProblem(400, 'There is no such day.', [
        { field, message: 'There is no such day.' },
      ])
    return at
  }
  return {
    launchAt: instant('launchAt', launch_at),
    automaticallyEndAt: instant('automaticallyEndAt', automatically_end_at),
  }
}

export const draftRow = (
  reader: Reader,
  storeId: string,
  id: string,
): Promise<DraftRow | undefined> =>
  reader
    .selectFrom('drafts')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('draft_id', '=', id)
    .executeTakeFirst()

export const shopHosts = (reader: Reader, storeId: string): Promise<ShopHosts> =>
  reader
    .selectFrom('stores')
    .select(['shop', 'domain', 'origin'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()

/** A row as the contract has it; links and pictures of its arms aside. */
export function draftContent(row: DraftRow): Omit<TestDraft, 'previewUrls' | 'hypotheses'> {
  const [control, variant] = targetsOf(row)
  return {
    id: row.draft_id,
    kind: row.kind,
    title: row.title,
    hypothesisDescription: row.hypothesis_description,
    controlTitle: row.control_title,
    variantTitle: row.variant_title,
    goal: row.goal,
    weights: row.weights,
    minimumEffect: row.minimum_effect,
    expectedVisitors: row.expected_visitors,
    controlUrl: row.control_url,
    redirectUrl: row.redirect_url,
    origin: row.origin,
    domSelectors: row.dom_selectors,
    version: row.version,
    control,
    variant,
    resourceIds: row.resource_ids,
    audienceIds: row.audience_ids,
    apiMode: row.kind === 'Api' ? (row.api_mode ?? 'automatic') : null,
    templateKind: row.template_kind,
    changeState: row.change_state,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    variantCreatedAt: row.variant_created_at?.toISOString() ?? null,
    launchAt: row.launch_at?.toISOString() ?? null,
    automaticallyEndAt: row.automatically_end_at?.toISOString() ?? null,
  }
}

const columnOf = {
  title: 'title',
  hypothesisDescription: 'hypothesis_description',
  controlTitle: 'control_title',
  variantTitle: 'variant_title',
  goal: 'goal',
  weights: 'weights',
  minimumEffect: 'minimum_effect',
  expectedVisitors: 'expected_visitors',
  controlUrl: 'control_url',
  redirectUrl: 'redirect_url',
  audienceIds: 'audience_ids',
  apiMode: 'api_mode',
} as const satisfies Record<keyof Omit<DraftUpdate, 'version'>, keyof DraftsTable>

/** The columns of what was given. Weights that cannot be are refused even in a draft: nothing could be shown for them. */
function columns(fields: Omit<DraftUpdate, 'version'>): Record<string, unknown> {
  if (fields.weights) {
    const problems = weightProblems(fields.weights)
    if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
  }
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      columnOf[field as keyof typeof columnOf],
      field === 'weights' || field === 'audienceIds' ? JSON.stringify(value) : value,
    ]),
  )
}

/** Throws HttpProblem 409 when the store has as many drafts as one may have. */
export async function requireRoomForDraft(kysely: Reader, storeId: string): Promise<void> {
  const { count } = await kysely
    .selectFrom('drafts')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  if (count >= quotas.drafts) throw new HttpProblem(409, quotaWords.drafts)
}
