import { createHash } from 'node:crypto'
import { type LaunchCheck, problemsOfChecks } from '../domain/launch-check.ts'
import type { FieldProblem } from '../domain/problem.ts'
import type { EngineContext } from './context.ts'
import type { DraftRow } from './drafts.ts'
import { productRows } from './product-rows.ts'

type Context = Pick<EngineContext, 'db'>
export type Findings = { checks: LaunchCheck[]; checkedAt: Date; isStale: boolean }

/**
 * Hash of all that a browser looks at. A version of the draft would say less: saving it again with the same words, or
 * with another name, changes nothing that was seen.
 */
export async function contentHash({ db }: Context, draft: DraftRow): Promise<string> {
  const products = draft.kind === 'Price' ? await productRows(db.kysely, { storeId: draft.store_id, draftId: draft.draft_id }) : []
  const { kind, control_url, redirect_url, dom_selectors, control_target, variant_target, resource_ids, api_mode } = draft
  return createHash('sha256').update(JSON.stringify([kind, control_url, redirect_url, dom_selectors, control_target, variant_target, resource_ids, api_mode, products.map(row => [row.product_id, row.variants])])).digest('base64url')
}

/** What a browser found of the draft last; null when it never looked. */
export async function findingsOf(context: Context, draft: DraftRow): Promise<Findings | null> {
  const row = await context.db.kysely.selectFrom('launch_checks').select(['content', 'checks', 'checked_at']).where('store_id', '=', draft.store_id).where('draft_id', '=', draft.draft_id).executeTakeFirst()
  return row ? { checks: row.checks, checkedAt: row.checked_at, isStale: row.content !== await contentHash(context, draft) } : null
}

/** What a browser found wrong with the draft as it stands, each at its field with what to do. */
export async function browserProblems(context: Context, draft: DraftRow): Promise<FieldProblem[]> {
  const found = await findingsOf(context, draft)
  return found && !found.isStale ? problemsOfChecks(found.checks) : []
}

/** Keeps what was found, unless the draft is another by now or gone. */
export async function keepFindings({ db, clock }: Pick<EngineContext, 'db' | 'clock'>, draft: DraftRow, content: string, checks: readonly LaunchCheck[]): Promise<void> {
  const { store_id, draft_id } = draft
  const found = { content, checks: JSON.stringify(checks), checked_at: clock() }
  await db.kysely.transaction().execute(async trx => {
    // Held until the end: a launch in this moment deletes the draft, and its findings with it.
    const there = await trx.selectFrom('drafts').select('draft_id').where('store_id', '=', store_id).where('draft_id', '=', draft_id).forUpdate().executeTakeFirst()
    if (there) await trx.insertInto('launch_checks').values({ store_id, draft_id, ...found }).onConflict(conflict => conflict.columns(['store_id', 'draft_id']).doUpdateSet(found)).execute()
  })
}
