import { randomUUID } from 'node:crypto'
import { lackOf } from '../../domain/platform/kind-needs.ts'
import type { EngineContext } from '../context.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import { draftAnswer } from './draft-answer.ts'
import { type DraftRow, requireDraft, requireKind, requireRoomForDraft } from './draft-rows.ts'
import { fileOf, isOurFile } from './draft-target-templates.ts'
import { jsonColumns } from '../tests/launch/launch.ts'
import { findTemplate, liveTheme, writeCopy } from '../themes/live-templates.ts'
import { showPictures } from './pictures/picture-shown.ts'
import { requirePossible } from '../platform/store-capabilities.ts'
import type { Previews } from './previews.ts'
import type { Caller, Serve } from '../http/routes.ts'
import { productsDuplicated } from '../prices/test-products.ts'

export function draftCopies(serve: Serve, context: EngineContext, previews: Previews): void {
  const {
    db: { kysely },
  } = context
  const answer = draftAnswer(context, previews)
  serve('duplicateDraft', async ({ params: { id } }, caller) => {
    const draft = await requireDraft(kysely, caller.storeId, id)
    return answer(caller.storeId, await copyToDraft(context, caller, draft, draft.draft_id))
  })
}

type Copied = Omit<
  DraftRow,
  | 'draft_id'
  | 'version'
  | 'origin'
  | 'created_at'
  | 'updated_at'
  | 'variant_created_at'
  | 'template_kind'
  | 'change_state'
  | 'lift_assist_id'
  | 'expected_visitors'
  | 'last_save'
> &
  Partial<
    Pick<DraftRow, 'variant_created_at' | 'template_kind' | 'change_state' | 'expected_visitors'>
  >

/**
 * Makes a new draft from a draft or a test: with new hypotheses, without a schedule, and with its
 * own copy of each template that we made for the original. Returns its id.
 */
export async function copyToDraft(
  context: EngineContext,
  { storeId, shop }: Caller,
  from: Copied,
  fromId: string,
): Promise<string> {
  const {
    db: { kysely },
    clock,
    jobs,
  } = context
  await requireKind(context, storeId, from.kind)
  await requirePossible(context, storeId, from.kind)
  await requireRoomForDraft(kysely, storeId)
  const now = clock(),
    draft_id = randomUUID()
  // The draft must exist before we make anything in the shop for it: the check of the tests undoes
  // what belongs to no draft or test.
  await kysely.transaction().execute(async trx => {
    await trx
      .insertInto('drafts')
      .values({
        store_id: storeId,
        draft_id,
        kind: from.kind,
        title: copyTitle(from.title),
        hypothesis_description: from.hypothesis_description,
        control_title: from.control_title,
        variant_title: from.variant_title,
        goal: from.goal,
        minimum_effect: from.minimum_effect,
        expected_visitors: from.expected_visitors ?? null,
        control_url: from.control_url,
        redirect_url: from.redirect_url,
        api_mode: from.api_mode,
        ...jsonColumns({ ...from, control_target: null, variant_target: null }),
        control_hypothesis_id: randomUUID(),
        variant_hypothesis_id: randomUUID(),
        launch_at: null,
        automatically_end_at: null,
        origin: 'Duplicate',
        version: 1,
        variant_created_at:
          from.variant_created_at !== null && from.dom_selectors.length > 0 ? now : null,
        template_kind: from.template_kind ?? (from.control_target?.templateType ? 'Simple' : null),
        change_state: null,
        created_at: now,
        updated_at: now,
      })
      .execute()
    await productsDuplicated(trx, storeId, fromId, draft_id)
  })
  try {
    const control_target = await own(from.control_target),
      variant_target = await own(from.variant_target)
    const { control_target: control, variant_target: variant } = jsonColumns({
      ...from,
      control_target,
      variant_target,
    })
    await kysely
      .updateTable('drafts')
      .set({
        control_target: control,
        variant_target: variant,
        ...(variant_target && {
          variant_created_at: from.variant_created_at && now,
          change_state: variant_target.templateType ? ('Unmodified' as const) : null,
        }),
      })
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draft_id)
      .execute()
  } catch (error) {
    await kysely
      .deleteFrom('drafts')
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draft_id)
      .execute()
    // Removes the template that was copied before the failure.
    await kysely
      .transaction()
      .execute(trx =>
        jobs.add(trx, { storeId, kind: 'testCheck', key: 'testCheck', runAt: clock() }),
      )
    throw error
  }
  // The pictures of an ended test are no longer on the shop.
  await showPictures(context, storeId, draft_id)
  return draft_id

  /**
   * A template that we made for the original is removed with the original. So the new draft gets
   * its own copy, of the file in the shop or of what we last wrote.
   */
  async function own(target: StoredTarget | null): Promise<StoredTarget | null> {
    if (!isOurFile(target)) return target
    // The merchant makes another copy for the new draft, or chooses another template.
    if (lackOf('ownCopies', await context.platform.capabilities(shop))) return null
    const theme = await liveTheme(context.platform, shop)
    const there = await findTemplate(
      context.platform,
      shop,
      theme.id,
      target.templateType!,
      target.suffix!,
    )
    const body =
      there?.file.body ?? (await context.journal.lastWritten(storeId, fromId, fileOf(target)))
    if (body === null) return null
    const copy = await writeCopy(
      context,
      { storeId, shop, testId: draft_id, isDraft: true },
      theme.id,
      target.templateType!,
      body,
    )
    return { ...target, suffix: copy.suffix, hash: copy.hash }
  }
}

const longestTitle = 120
const copyTitle = (title: string): string =>
  title.trim() ? `Copy of ${title}`.slice(0, longestTitle) : ''
