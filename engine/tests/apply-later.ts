import { sql } from 'kysely'
import type { Arm } from '../../domain/arm.ts'
import { applyingWords } from '../../domain/tests/apply-words.ts'
import type { EngineContext } from '../context.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import { maxPlaces } from '../journal/journal-steps.ts'
import { isAssignedType } from '../themes/live-templates.ts'
import { countResources } from '../platform/resources.ts'
import { noteApplication, type TestRow } from './test-statuses.ts'

/** How long a process leases an application. A call to the shop takes 5 seconds at most. */
export const leaseSeconds = 120
export const leased = sql<Date>`now() + make_interval(secs => ${leaseSeconds})`

/**
 * Renews the lease of an application. Returns false when this arm is not being applied any more:
 * another process took this one for dead, and has ended the application. Then this one must stop.
 */
export async function keepApplying(
  { db: { kysely } }: Pick<EngineContext, 'db'>,
  { store_id, test_id }: Pick<TestRow, 'store_id' | 'test_id'>,
  arm: Arm,
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('tests')
    .set({ applying_until: leased })
    .where('store_id', '=', store_id)
    .where('test_id', '=', test_id)
    .where('applying_arm', '=', arm)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether applying this arm takes more steps than a person waits for. */
export async function isLong(
  { db: { kysely }, platform }: EngineContext,
  { store_id, test_id, control_target, resource_ids }: TestRow,
  arm: Arm,
): Promise<boolean> {
  const type = control_target?.templateType
  if (!type || !isAssignedType(type) || control_target.suffix === null) return false
  if (resource_ids.length > 0) return resource_ids.length > maxPlaces.assignment
  if (arm === 'control') {
    const { rows } = await sql`
      select 1 from journal where store_id = ${store_id} and test_id = ${test_id} and state <> 'undone'
      limit 1 offset ${maxPlaces.assignment}`.execute(kysely)
    return rows.length > 0
  }
  const { shop } = await shopHosts(kysely, store_id)
  const { suffix } = control_target
  return (await countResources(platform, shop, type, { suffix })) > maxPlaces.assignment
}

/** Leaves the application to the job that also continues it after a crash, and says so. */
export async function applyLater(
  { db: { kysely }, clock, jobs }: EngineContext,
  test: TestRow,
  arm: Arm,
  key: string,
): Promise<void> {
  const { store_id: storeId, test_id: testId } = test
  await kysely.transaction().execute(async trx => {
    await trx
      .updateTable('tests')
      .set({ applying_until: sql`'-infinity'` })
      .where('store_id', '=', storeId)
      .where('test_id', '=', testId)
      .execute()
    await noteApplication(trx, test, clock(), applyingWords(arm))
    await jobs.add(trx, { storeId, kind: 'testCheck', key, runAt: clock() })
  })
}
