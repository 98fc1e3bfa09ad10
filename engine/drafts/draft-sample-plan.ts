import { VendorProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'
import { type DraftRow, requireDraft } from './draft-rows.ts'
import { assignedTo, ownPaths } from '../themes/live-templates.ts'
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
): Promise<string[]> {
  const named = testedPages(draft)
  if (named.length > 0) return named
  const [control] = targetsOf(draft)
  if (!control?.templateType) return ['*']
  const own = ownPaths[control.templateType]
  if (own) return own
  const { templateType: type, suffix } = control
  const paths: string[] = []
  try {
    for await (const page of assignedTo(platform, shop, type, suffix ?? '', draft.resource_ids)) {
      paths.push(...page.map(({ path }) => path))
      if (paths.length >= maxPaths) return [folderOf(paths)]
    }
  } catch (error) {
    if (!(error instanceof VendorProblem)) throw error
    log.warn({ err: error }, 'planned without the pages of a template')
    return ['*']
  }
  return paths.length > 0 ? paths : ['*']
}

/** A template with more pages than this is planned with all pages of their folder. */
const maxPaths = 1_000

/** A pattern for the folder that all of the paths are in. */
function folderOf(paths: readonly string[]): string {
  const folders = new Set(paths.map(path => path.slice(0, path.lastIndexOf('/') + 1)))
  return folders.size === 1 ? `${[...folders][0]}*` : '*'
}
