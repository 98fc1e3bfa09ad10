import { sql } from 'kysely'
import { HttpProblem } from '../../../domain/problem.ts'
import { hour } from '../../../domain/time-units.ts'
import type { EngineContext } from '../../context.ts'
import { picturesNamedIn } from '../../journal/picture-owners.ts'
import type { Reader } from '../../db/types.ts'

/**
 * Puts the pictures of a draft or test back on the shop if they were removed: it was applied later,
 * launched after a reinstall, or copied. Throws HttpProblem 409 when a picture was erased after an
 * uninstall.
 */
export async function showPictures(
  { db: { kysely }, journal }: Pick<EngineContext, 'db' | 'journal'>,
  storeId: string,
  ownerId: string,
): Promise<void> {
  const names = await picturesNamedIn(kysely, storeId, ownerId)
  if (await hasErased(kysely, storeId, ownerId))
    throw new HttpProblem(
      409,
      'A picture of this test was erased after the app was uninstalled. Upload it again.',
    )
  if (names.length > 0) await journal.putPictures({ storeId, testId: ownerId, names })
}

/**
 * True if the draft or test shows a picture that was erased after an uninstall (store-erasure.ts).
 */
async function hasErased(reader: Reader, storeId: string, ownerId: string): Promise<boolean> {
  const { rows } = await sql`select from stores s,
    lateral (select d.dom_selectors::text as changes from drafts d where d.store_id = s.store_id and d.draft_id = ${ownerId}
      union all select t.dom_selectors::text from tests t where t.store_id = s.store_id and t.test_id = ${ownerId}) own,
    lateral regexp_matches(own.changes, 'twinshelf-[0-9a-f]{32}[.][a-z]+', 'g') named
    where s.store_id = ${storeId} and s.erased_at is not null and not exists (select from pictures p where p.store_id = s.store_id and p.name = named[1]) limit 1`.execute(
    reader,
  )
  return rows.length > 0
}

/**
 * Deletes the pictures that no draft, test or journal entry needs. A picture of the last hour that
 * the journal has never named stays: its upload may still wait for the journal or the shop.
 */
export async function forgetPictures(
  { clock }: Pick<EngineContext, 'clock'>,
  reader: Reader,
  storeId: string,
): Promise<void> {
  const anHourAgo = new Date(clock().getTime() - hour)
  await sql`delete from pictures p where p.store_id = ${storeId}
    and (p.created_at < ${anHourAgo}
      or exists (select from journal j where j.store_id = p.store_id and j.kind = 'picture' and j.place->>0 = p.name))
    and not exists (select from journal j where j.store_id = p.store_id and j.kind = 'picture' and j.place->>0 = p.name and (
      exists (select from drafts d where d.store_id = j.store_id and d.draft_id = j.test_id)
      or exists (select from tests t where t.store_id = j.store_id and t.test_id = j.test_id)))
    and not exists (select from journal j where j.store_id = p.store_id and j.kind = 'file' and j.state in ('open', 'kept') and strpos(j.after, p.name) > 0)
    and not exists (select from drafts d where d.store_id = p.store_id and strpos(d.dom_selectors::text, p.name) > 0)
    and not exists (select from tests t where t.store_id = p.store_id and strpos(t.dom_selectors::text, p.name) > 0)`.execute(
    reader,
  )
}
