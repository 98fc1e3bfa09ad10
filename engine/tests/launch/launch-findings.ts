import { createHash } from 'node:crypto'
import { type LaunchCheck, problemsOfChecks } from '../../../domain/tests/launch-check.ts'
import type { FieldProblem } from '../../../domain/problem.ts'
import { targetKind } from '../../../domain/tests/test-target.ts'
import type { EngineContext } from '../../context.ts'
import { type DraftRow, shopHosts } from '../../drafts/draft-rows.ts'
import { findTemplate, hashOf, liveTheme } from '../../themes/live-templates.ts'
import { productRows } from '../../products/product-rows.ts'

type Context = Pick<EngineContext, 'db' | 'platform'>
export type Findings = { checks: LaunchCheck[]; checkedAt: Date; isStale: boolean }

/**
 * A hash of everything that a browser looks at. The draft's version would not do: it also changes
 * when the merchant changes only the name. Templates are edited in the shop too, so we read their
 * files there.
 */
export async function contentHash({ db, platform }: Context, draft: DraftRow): Promise<string> {
  const products =
    draft.kind === 'Price'
      ? await productRows(db.kysely, { storeId: draft.store_id, draftId: draft.draft_id })
      : []
  const {
    kind,
    control_url,
    redirect_url,
    dom_selectors,
    control_target,
    variant_target,
    resource_ids,
    api_mode,
  } = draft
  return createHash('sha256')
    .update(
      JSON.stringify([
        kind,
        control_url,
        redirect_url,
        dom_selectors,
        control_target,
        variant_target,
        resource_ids,
        api_mode,
        products.map(row => [row.product_id, row.variants]),
        await templateHashes(),
      ]),
    )
    .digest('base64url')

  async function templateHashes(): Promise<(string | null)[]> {
    if (targetKind(kind) !== 'template') return []
    const { shop } = await shopHosts(db.kysely, draft.store_id)
    const { id } = await liveTheme(platform, shop)
    return Promise.all(
      [control_target, variant_target].map(async target => {
        const template =
          target && (await findTemplate(platform, shop, id, target.templateType!, target.suffix!))
        return template ? hashOf(template.file.body) : null
      }),
    )
  }
}

/** What a browser last found in the draft; null when it never looked. */
export async function findingsOf(context: Context, draft: DraftRow): Promise<Findings | null> {
  const row = await context.db.kysely
    .selectFrom('launch_checks')
    .select(['content', 'checks', 'checked_at'])
    .where('store_id', '=', draft.store_id)
    .where('draft_id', '=', draft.draft_id)
    .executeTakeFirst()
  return row
    ? {
        checks: row.checks,
        checkedAt: row.checked_at,
        isStale: row.content !== (await contentHash(context, draft)),
      }
    : null
}

/**
 * What a browser found wrong with the draft's current content, each with its field and what to do.
 * Empty when the findings are stale.
 */
export async function browserProblems(context: Context, draft: DraftRow): Promise<FieldProblem[]> {
  const found = await findingsOf(context, draft)
  return found && !found.isStale ? problemsOfChecks(found.checks) : []
}

/**
 * Stores findings for the content that the draft had when the browser began. They are stale if the
 * content has changed since. Stores nothing for a deleted draft.
 */
export async function keepFindings(
  { db, clock }: Pick<EngineContext, 'db' | 'clock'>,
  draft: DraftRow,
  content: string,
  checks: readonly LaunchCheck[],
): Promise<void> {
  const { store_id, draft_id } = draft
  const found = { content, checks: JSON.stringify(checks), checked_at: clock() }
  await db.kysely.transaction().execute(async trx => {
    // Lock the draft until the end, because a launch at this moment deletes the draft and its
    // findings.
    const there = await trx
      .selectFrom('drafts')
      .select('draft_id')
      .where('store_id', '=', store_id)
      .where('draft_id', '=', draft_id)
      .forUpdate()
      .executeTakeFirst()
    if (there)
      await trx
        .insertInto('launch_checks')
        .values({ store_id, draft_id, ...found })
        .onConflict(conflict => conflict.columns(['store_id', 'draft_id']).doUpdateSet(found))
        .execute()
  })
}
