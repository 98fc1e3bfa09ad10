import { sql } from 'kysely'
import { isStarted, type StartChecklist } from '../../domain/tests/start-checklist.ts'
import type { Db } from '../db/connection.ts'
import { primary } from './primary-result.ts'

/**
 * Which first steps the store has done. Null once all are done or the merchant dismissed the
 * list.
 */
export async function startOf(db: Db, storeId: string): Promise<StartChecklist | null> {
  const {
    rows: [done],
  } = await sql<StartChecklist>`
    select exists (select from published_scripts p where p.store_id = st.store_id and p.url is not null) and st.script_switch_at is null as script, st.script_switch_at as "scriptSwitchAt",
      exists (select from tests t where t.store_id = st.store_id) or exists (select from drafts d where d.store_id = st.store_id) as draft,
      exists (select from tests t where t.store_id = st.store_id and not t.is_imported) as launch,
      exists (select from tests t join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id
        where t.store_id = st.store_id and not t.is_imported and ${primary}->>'chanceToWin' is not null) as result
    from stores st where st.store_id = ${storeId} and st.checklist_dismissed_at is null`.execute(
    db.kysely,
  )
  return done && !isStarted(done) ? done : null
}
