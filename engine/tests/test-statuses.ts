import { type Selectable, sql } from 'kysely'
import type { TestEvent } from '../../domain/tests/ab-test.ts'
import type { HoldCause } from '../../domain/tests/hold-cause.ts'
import { movedEnd } from '../../domain/tests/planned-end.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import { minute } from '../../domain/time-units.ts'
import type { TestsTable } from '../db/schema.ts'
import type { Reader, Trx } from '../db/types.ts'

const eventOf = {
  Active: 'Start',
  Paused: 'Paused',
  OnHold: 'Paused',
  Suspended: 'Paused',
  Ended: 'End',
  Scheduled: 'Modified',
} as const satisfies Record<TestStatus, TestEvent['kind']>

export type TestRow = Selectable<TestsTable>

/** In milliseconds; longer than any change takes from reading the clock to its commit. */
export const commitTime = minute

/**
 * Moves a test to a status: writes the status, both histories, and the dates that follow from it.
 * The caller has locked the test (`for update`) and knows that the move is legal. When a test
 * resumes, or ends instead, a planned end in the future moves by the whole days of the pause. A
 * first start later than planned moves it too. `hold`: why the test is put on hold; a suspension
 * keeps that cause.
 */
export async function changeStatus(
  trx: Trx,
  test: TestRow,
  to: TestStatus,
  now: Date,
  hold?: HoldCause,
): Promise<void> {
  const key = { store_id: test.store_id, test_id: test.test_id }
  const isStart = to === 'Active' && !test.start_at,
    isResumed = to === 'Active' && !isStart
  const endsAt = isStart
    ? startedEnd(test, now)
    : to === 'Active' || to === 'Ended'
      ? movedEnd(test.ends_at, await stoodSince(trx, test), now)
      : test.ends_at
  const cause =
    to === 'OnHold' ? (hold ?? test.hold_cause) : to === 'Suspended' ? test.hold_cause : null
  await trx
    .updateTable('tests')
    .set({
      status: to,
      updated_at: now,
      ends_at: endsAt,
      hold_cause: cause && JSON.stringify(cause),
      ...(isStart && { start_at: now }),
      ...(to === 'Ended' && { ended_at: now }),
    })
    .where('store_id', '=', test.store_id)
    .where('test_id', '=', test.test_id)
    .execute()
  await trx
    .insertInto('test_history')
    .values({ ...key, status: to, applied_on: now })
    .execute()
  await trx
    .insertInto('test_events')
    .values({
      ...key,
      kind: eventOf[to],
      at: now,
      detail: isResumed ? 'Resumed' : to === 'OnHold' ? (cause?.message ?? null) : null,
      value: null,
      mark: null,
    })
    .execute()
}

/** The planned end of a scheduled test, moved by the delay of its real start. */
const startedEnd = ({ ends_at, launch_at }: TestRow, now: Date): Date | null =>
  ends_at && launch_at ? new Date(ends_at.getTime() + now.getTime() - launch_at.getTime()) : ends_at

/**
 * Since when a test `t` is paused, on hold or suspended. Null while it runs, for a test that never
 * ran, and after its end.
 */
export const stillSince = sql<Date | null>`(case when t.status not in ('Active', 'Ended') then (select min(h.applied_on) from test_history h
  where h.store_id = t.store_id and h.test_id = t.test_id and h.seq > (select max(a.seq) from test_history a where a.store_id = t.store_id and a.test_id = t.test_id and a.status = 'Active')) end)`
async function stoodSince(trx: Trx, { store_id, test_id }: TestRow): Promise<Date | null> {
  const row = await trx
    .selectFrom('tests as t')
    .select(stillSince.as('since'))
    .where('t.store_id', '=', store_id)
    .where('t.test_id', '=', test_id)
    .executeTakeFirst()
  return row?.since ?? null
}

/** The test, locked until the transaction ends; undefined when the store has none of this id. */
export const heldTest = (trx: Trx, storeId: string, testId: string): Promise<TestRow | undefined> =>
  trx
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .forUpdate()
    .executeTakeFirst()

type TestKey = Pick<TestRow, 'store_id' | 'test_id'>

async function hasRoomForChange(on: Reader, { store_id, test_id }: TestKey): Promise<boolean> {
  const { count } = await on
    .selectFrom('test_events')
    .select(eb => eb.fn.countAll<string>().as('count'))
    .where('store_id', '=', store_id)
    .where('test_id', '=', test_id)
    .executeTakeFirstOrThrow()
  return Number(count) < quotas.testChanges
}

/** Throws HttpProblem 409 when a test has reached the limit of changes. */
export async function requireRoomForChange(on: Reader, test: TestKey): Promise<void> {
  if (!(await hasRoomForChange(on, test))) throw new HttpProblem(409, quotaWords.testChanges)
}

/**
 * Adds an application to a test's history. Applying is always possible, so when the history is full
 * the last application replaces the one before it.
 */
export async function noteApplication(
  trx: Trx,
  { store_id, test_id }: TestKey,
  at: Date,
  detail: string,
): Promise<void> {
  const mark = (await hasRoomForChange(trx, { store_id, test_id })) ? null : 'Applied'
  await trx
    .insertInto('test_events')
    .values({ store_id, test_id, kind: 'Modified', at, detail, value: null, mark })
    .onConflict(oc => oc.columns(['store_id', 'test_id', 'mark']).doUpdateSet({ at, detail }))
    .execute()
}

/** When a test came to its current status. */
export const statusSince = sql<Date>`(select h.applied_on from test_history h where h.store_id = t.store_id and h.test_id = t.test_id order by h.seq desc limit 1)`
