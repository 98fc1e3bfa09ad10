import type { Selectable, Transaction } from 'kysely'
import type { TestEvent } from '../domain/ab-test.ts'
import type { TestStatus } from '../domain/test-status.ts'
import type { Schema, TestsTable } from './db/schema.ts'

const day = 86_400_000
const eventOf = { Active: 'Start', Paused: 'Paused', OnHold: 'Paused', Suspended: 'Paused', Ended: 'End', Scheduled: 'Modified' } as const satisfies Record<TestStatus, TestEvent['kind']>

/**
 * Moves a test, held `for update`, to a status already known to be legal: status, both histories, and the dates that
 * follow from it. Coming back to Active, or ending instead, moves a planned end that was still ahead by the whole
 * days the test stood still.
 */
export async function changeStatus(trx: Transaction<Schema>, test: Selectable<TestsTable>, to: TestStatus, now: Date): Promise<void> {
  const key = { store_id: test.store_id, test_id: test.test_id }
  const isResumed = to === 'Active' && test.start_at !== null
  const endsAt = to === 'Active' || to === 'Ended' ? await movedEnd(trx, test, now) : test.ends_at
  await trx.updateTable('tests').set({
    status: to, updated_at: now, ends_at: endsAt,
    ...(to === 'Active' && !test.start_at && { start_at: now }), ...(to === 'Ended' && { ended_at: now }),
  }).where('store_id', '=', test.store_id).where('test_id', '=', test.test_id).execute()
  await trx.insertInto('test_history').values({ ...key, status: to, applied_on: now }).execute()
  await trx.insertInto('test_events').values({ ...key, kind: eventOf[to], at: now, detail: isResumed ? 'Resumed' : null, value: null, mark: null }).execute()
}

/** The planned end, later by the whole days since the test was last running. One that had come before then has been. */
async function movedEnd(trx: Transaction<Schema>, { store_id, test_id, ends_at }: Selectable<TestsTable>, now: Date): Promise<Date | null> {
  const history = await trx.selectFrom('test_history').select(['status', 'applied_on']).where('store_id', '=', store_id).where('test_id', '=', test_id).orderBy('seq').execute()
  const stopped = history[history.findLastIndex(h => h.status === 'Active') + 1]?.applied_on
  if (!ends_at || !stopped || ends_at <= stopped) return ends_at
  return new Date(ends_at.getTime() + Math.max(0, Math.floor((now.getTime() - stopped.getTime()) / day)) * day)
}
