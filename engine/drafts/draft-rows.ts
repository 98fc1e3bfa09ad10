import { type Selectable, sql } from 'kysely'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import { kindCapability } from '../../domain/tests/test-kind.ts'
import { access } from '../plans/access.ts'
import type { EngineContext } from '../context.ts'
import type { DraftsTable } from '../db/schema.ts'
import type { ShopHosts } from './redirect-urls.ts'
import { knownId, notFound } from '../http/routes.ts'
import type { Reader } from '../db/types.ts'

/** A draft as the database has it. */
export type DraftRow = Selectable<DraftsTable>

/**
 * Throws HttpProblem 403 when the store may not use this kind of test; the message says what gives
 * access.
 */
export async function requireKind(
  context: Pick<EngineContext, 'db'>,
  storeId: string,
  kind: TestDraft['kind'],
): Promise<void> {
  const capability = kindCapability[kind]
  if (capability) (await access(context, storeId)).require(capability)
}

/** Throws HttpProblem 404 when the store has no such draft. */
export async function requireDraft(reader: Reader, storeId: string, id: string): Promise<DraftRow> {
  const row = await draftRow(reader, storeId, knownId(id, 'draft'))
  if (!row) throw notFound('draft')
  return row
}

/** Returns undefined when the store has no such draft. */
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

/** The host names under which a store's shop answers. */
export const shopHosts = (reader: Reader, storeId: string): Promise<ShopHosts> =>
  reader
    .selectFrom('stores')
    .select(['shop', 'domain', 'origin'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()

/** Throws HttpProblem 409 when the store has reached the limit of drafts. */
export async function requireRoomForDraft(kysely: Reader, storeId: string): Promise<void> {
  const { count } = await kysely
    .selectFrom('drafts')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  if (count >= quotas.drafts) throw new HttpProblem(409, quotaWords.drafts)
}
