import { randomUUID } from 'node:crypto'
import { domSelectorId } from '../../domain/drafts/dom-selector.ts'
import { pagesOnly, weightProblems } from '../../domain/drafts/draft.ts'
import type { DraftFields } from '../../domain/drafts/draft-update.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { draftScheduleProblems } from '../../domain/tests/test-schedule.ts'
import { audienceProblems } from '../audiences/audiences.ts'
import { changeProblems } from './change-problems.ts'
import type { EngineContext } from '../context.ts'
import { draftAnswer } from './draft-answer.ts'
import { asStored, columnsOf } from './draft-update.ts'
import { requireDraft, requireKind, requireRoomForDraft } from './draft-rows.ts'
import { scheduleOf } from './draft-schedule.ts'
import { testsToUndo } from '../journal/journal-undo.ts'
import { launch } from '../tests/launch/launch.ts'
import type { Previews } from './previews.ts'
import { requirePossible } from '../platform/store-capabilities.ts'
import { requireTestedPage } from './tested-page.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'

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
      await requirePossible(context, storeId, kind)
      requireWeights(fields)
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
        ...asStored(columnsOf(fields)),
      }
      await requireRoomForDraft(db.kysely, storeId)
      await db.kysely.insertInto('drafts').values(row).execute()
      return answer(storeId, draftId)
    },
  )

  serve('draft', ({ params: { id } }, { storeId }) => answer(storeId, knownId(id, 'draft')))

  serve('deleteDraft', async ({ params: { id } }, { storeId }) => {
    const draftId = knownId(id, 'draft')
    await db.kysely.transaction().execute(async trx => {
      const { numDeletedRows } = await trx
        .deleteFrom('drafts')
        .where('store_id', '=', storeId)
        .where('draft_id', '=', draftId)
        .executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) throw notFound('draft')
      // The next check of the tests undoes what we made in the shop for the draft. It runs at once.
      if ((await testsToUndo(trx, storeId)).length > 0)
        await jobs.add(trx, { storeId, kind: 'testCheck', key: 'testCheck', runAt: clock() })
    })
    return { ok: true as const }
  })

  serve('scheduleDraft', async ({ params: { id }, body }, { storeId }) => {
    const draft = await requireDraft(db.kysely, storeId, id)
    const schedule = scheduleOf(body, draft)
    // Only problems of the instants in this request count. A stored instant that has passed
    // meanwhile is no mistake of this request.
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
    // Check the owner first: another store's hypothesis answers 404.
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
    url: await requireTestedPage(context, storeId, redirectUrl, 'redirectUrl'),
  }))

  serve('urlSearch', async ({ query: { searchText } }, { shop }) =>
    (await platform.searchPages(shop, searchText)).map(({ path, title }) => ({ url: path, title })),
  )

  async function requireAudiences(
    storeId: string,
    { audienceIds = [] }: Pick<DraftFields, 'audienceIds'>,
  ): Promise<void> {
    const problems =
      audienceIds.length > 0 ? await audienceProblems(context, storeId, audienceIds) : []
    if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
  }
}

/** Invalid weights are refused even in a draft, because no screen could show them. */
function requireWeights({ weights }: DraftFields): void {
  const problems = weights ? weightProblems(weights) : []
  if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
}
