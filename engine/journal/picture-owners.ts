import { type Selectable, sql } from 'kysely'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Reader } from '../db/types.ts'

/** Names of the pictures that a draft or test shows, or that were published for it. */
export async function picturesNamedIn(
  reader: Reader,
  storeId: string,
  ownerId: string,
): Promise<string[]> {
  const { rows } = await sql<{
    name: string
  }>`select p.name from pictures p where p.store_id = ${storeId} and (
    exists (select from drafts d where d.store_id = p.store_id and d.draft_id = ${ownerId} and strpos(d.dom_selectors::text, p.name) > 0)
    or exists (select from tests t where t.store_id = p.store_id and t.test_id = ${ownerId} and strpos(t.dom_selectors::text, p.name) > 0)
    or exists (select from journal j where j.store_id = p.store_id and j.test_id = ${ownerId} and j.kind = 'picture' and j.place->>0 = p.name)
    or exists (select from journal j where j.store_id = p.store_id and j.test_id = ${ownerId} and j.kind = 'file' and j.state in ('open', 'kept') and strpos(j.after, p.name) > 0))
    order by p.name`.execute(reader)
  return rows.map(row => row.name)
}

/**
 * Finds the next owner of a picture when the draft or test that it was uploaded for no longer needs
 * it: an applied winner, another draft or test of the store that shows it, or one with a template
 * copy that shows it. With `appliedOnly` the app leaves the shop, and only a winner keeps the
 * picture. Returns null when nothing shows it any more.
 */
export async function nextOwner(
  reader: Reader,
  { store_id, test_id, place }: Selectable<JournalTable>,
  appliedOnly: boolean,
): Promise<{ id: string; isApplied: boolean } | null> {
  const name = place[0]!
  const {
    rows: [winner],
  } = await sql<{ id: string }>`select test_id as id from tests
    where store_id = ${store_id} and test_id is distinct from ${test_id} and applied_arm = 'variant' and strpos(dom_selectors::text, ${name}) > 0
    union all select test_id from journal where store_id = ${store_id} and test_id is distinct from ${test_id} and test_id is not null
      and kind = 'file' and state = 'kept' and strpos(after, ${name}) > 0
    limit 1`.execute(reader)
  if (winner) return { id: winner.id, isApplied: true }
  if (appliedOnly) return null
  const {
    rows: [user],
  } = await sql<{ id: string }>`
    select draft_id as id from drafts where store_id = ${store_id} and draft_id is distinct from ${test_id} and strpos(dom_selectors::text, ${name}) > 0
    union all select test_id from tests where store_id = ${store_id} and test_id is distinct from ${test_id} and status <> 'Ended' and strpos(dom_selectors::text, ${name}) > 0
    union all select test_id from journal where store_id = ${store_id} and test_id is distinct from ${test_id} and test_id is not null
      and kind = 'file' and state in ('open', 'kept') and strpos(after, ${name}) > 0
    limit 1`.execute(reader)
  return user ? { id: user.id, isApplied: false } : null
}
