import { type Selectable, sql, type Transaction } from 'kysely'
import type { TestEvent } from '../domain/ab-test.ts'
import type { HoldCause } from '../domain/hold-cause.ts'
import type { TestStatus } from '../domain/test-status.ts'
import type { Schema, TestsTable } from './db/schema.ts'

const day = 86_400_000
const eventOf = { Active: 'Start', Paused: 'Paused', OnHold: 'Paused', Suspended: 'Paused', Ended: 'End', Scheduled: 'Modified' } as const satisfies Record<TestStatus, TestEvent['kind']>

export type TestRow = Selectable<TestsTable>

/**
 * Moves a test, held `for update`, to a status already known to be legal: status, both histories, and the dates that
 * follow from it. Coming back to Active, or ending instead, moves a planned end that was still ahead by the whole
 * days the test stood still; a first start later than planned moves it as well. `hold`: why it is put on hold; kept
 * through a suspension.
 */
export async function changeStatus(trx: Transaction<Schema>, test: TestRow, to: TestStatus, now: Date, hold?: HoldCause): Promise<void> {
  const key = { store_id: test.store_id, test_id: test.test_id }
  const isStart = to === 'Active' && !test.start_at, isResumed = to === 'Active' && !isStart
  const endsAt = isStart ? startedEnd(test, now) : to === 'Active' || to === 'Ended' ? await movedEnd(trx, test, now) : test.ends_at
  const cause = to === 'OnHold' ? hold ?? test.hold_cause : to === 'Suspended' ? test.hold_cause : null
  await trx.updateTable('tests').set({
    status: to, updated_at: now, ends_at: endsAt, hold_cause: cause && JSON.stringify(cause),
    ...(isStart && { start_at: now }), ...(to === 'Ended' && { ended_at: now }),
  }).where('store_id', '=', test.store_id).where('test_id', '=', test.test_id).execute()
  await trx.insertInto('test_history').values({ ...key, status: to, applied_on: now }).execute()
  await trx.insertInto('test_events').values({ ...key, kind: eventOf[to], at: now, detail: isResumed ? 'Resumed' : to === 'OnHold' ? cause?.message ?? null : null, value: null, mark: null }).execute()
}

/** The planned end of a test that was scheduled, by when it really starts. */
const startedEnd = ({ ends_at, launch_at }: TestRow, now: Date): Date | null =>
  ends_at && launch_at ? new Date(ends_at.getTime() + now.getTime() - launch_at.getTime()) : ends_at

/** The planned end, later by the whole days since the test was last running. One that had come before then has been. */
async function movedEnd(trx: Transaction<Schema>, { store_id, test_id, ends_at }: TestRow, now: Date): Promise<Date | null> {
  const history = await trx.selectFrom('test_history').select(['status', 'applied_on']).where('store_id', '=', store_id).where('test_id', '=', test_id).orderBy('seq').execute()
  const stopped = history[history.findLastIndex(h => h.status === 'Active') + 1]?.applied_on
  if (!ends_at || !stopped || ends_at <= stopped) return ends_at
  return new Date(ends_at.getTime() + Math.max(0, Math.floor((now.getTime() - stopped.getTime()) / day)) * day)
}

/** The test, held until the transaction ends; undefined when the store has none of this id. */
export const heldTest = (trx: Transaction<Schema>, storeId: string, testId: string): Promise<TestRow | undefined> =>
  trx.selectFrom('tests').selectAll().where('store_id', '=', storeId).where('test_id', '=', testId).forUpdate().executeTakeFirst()

/** The latest instant at which a test came to the status it now has. */
export const statusSince = sql<Date>`(select h.applied_on from test_history h where h.store_id = t.store_id and h.test_id = t.test_id order by h.seq desc limit 1)`
