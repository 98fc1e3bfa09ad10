import type { TestDraft } from '../../domain/drafts/draft.ts'
import { targetsOf } from '../tests/arm-states.ts'
import type { EngineContext } from '../context.ts'
import { type DraftRow, requireDraft, shopHosts } from './draft-rows.ts'
import type { Previews } from './previews.ts'
import { hypothesesOf } from './pictures/screenshot-rows.ts'
import { testedPages } from '../script/script-body.ts'

/**
 * Reads a draft in the form of the API contract, with its preview links. Throws HttpProblem 404.
 */
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

/**
 * A draft's row in the form of the API contract, without the preview links and pictures of its
 * arms.
 */
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
    savedBy: row.last_save?.made === row.version ? row.last_save.page : null,
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
