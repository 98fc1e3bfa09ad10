import { ShopBusy, VendorProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'
import { type DraftRow, requireDraft } from './draft-rows.ts'
import { templatePages } from '../themes/template-pages.ts'
import { targetsOf } from '../tests/arm-states.ts'
import type { Serve } from '../http/routes.ts'
import { testedPages } from '../script/script-body.ts'
import { samplePlanOfDraft } from './sample-plan.ts'

/** Computes how long a draft's test would take with the shop's own traffic. */
export function draftPlan(serve: Serve, context: EngineContext): void {
  serve('draftPlan', async ({ params: { id } }, { storeId, shop }) => {
    const draft = await requireDraft(context.db.kysely, storeId, id)
    const { plan, basis, others, startAt, endsAt } = await samplePlanOfDraft(context, draft, {
      pages: await pagesOf(context, shop, draft),
      redirectUrl: draft.redirect_url,
    })
    const { source, hasHistory, spreads, dailyVisitors } = basis
    return {
      ...plan,
      source,
      hasHistory,
      spreads,
      sharedBy: 1 + others.length,
      dailyVisitors: dailyVisitors / (1 + others.length),
      isEnough: plan.traffic === 'enough',
      startAt: startAt.toISOString(),
      endsAt: endsAt.toISOString(),
    }
  })
}

/**
 * The pages whose visitors would take part. The whole shop (`*`) if visitors meet the test on any
 * page, if the draft names no page yet, or while the shop does not tell which pages it has.
 */
async function pagesOf(
  { platform, log }: EngineContext,
  shop: string,
  draft: DraftRow,
): Promise<readonly string[]> {
  const named = testedPages(draft)
  if (named.length > 0) return named
  const [control] = targetsOf(draft)
  if (!control?.templateType) return ['*']
  const { templateType: type, suffix } = control
  try {
    const pages = await templatePages(
      platform,
      shop,
      { type, suffix: suffix ?? '' },
      draft.resource_ids,
    )
    return pages.length > 0 ? pages : ['*']
  } catch (error) {
    if (!(error instanceof VendorProblem || error instanceof ShopBusy)) throw error
    log.warn({ err: error }, 'planned without the pages of a template')
    return ['*']
  }
}
