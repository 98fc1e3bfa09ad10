import { HttpProblem } from '../../domain/problem.ts'
import { testScheduleProblems } from '../../domain/tests/test-schedule.ts'
import { canMove, statusLabels } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import { scheduleOf } from '../drafts/draft-schedule.ts'
import { requireInstalled } from '../db/installed.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { AnswerTest } from './ab-tests-answer.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import { afterChange, startTrouble } from './test-checks.ts'
import { runOrHold } from './test-starts.ts'
import { changeStatus, heldTest, requireRoomForChange, type TestRow } from './test-statuses.ts'
import type { Trx } from '../db/types.ts'

const startKey = (testId: string): string => `start:${testId}`
const endKey = (testId: string) => `end:${testId}`

/** The API to schedule the start and the end of a test. */
export function testSchedule(serve: Serve, context: EngineContext, answer: AnswerTest): void {
  const {
    db: { kysely },
    clock,
    jobs,
  } = context

  serve('scheduleTest', async ({ params: { id }, body }, { storeId }) => {
    const testId = knownId(id, 'test')
    await kysely.transaction().execute(async trx => {
      const test = await heldTest(trx, storeId, testId)
      if (!test) throw notFound('test')
      if (test.status === 'Ended')
        throw new HttpProblem(
          409,
          `A test that is ${statusLabels.Ended.toLowerCase()} has nothing left to schedule.`,
        )
      const schedule = scheduleOf(body, test),
        now = clock()
      const problems = testScheduleProblems(
        test.status,
        schedule,
        { launchAt: test.launch_at, automaticallyEndAt: test.automatically_end_at },
        now,
      )
        // A stored instant that the request did not change is not refused because it has passed.
        .filter(
          ({ field }) =>
            field === 'launchAt' ||
            body.automaticallyEndAt !== undefined ||
            body.launchAt !== undefined,
        )
      if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
      const { launchAt: launch_at, automaticallyEndAt: automatically_end_at } = schedule
      if (
        isSame(launch_at, test.launch_at) &&
        isSame(automatically_end_at, test.automatically_end_at)
      )
        return
      await requireRoomForChange(trx, test)
      const shift =
        test.status === 'Scheduled' && launch_at && test.launch_at
          ? launch_at.getTime() - test.launch_at.getTime()
          : 0
      await trx
        .updateTable('tests')
        .set({
          launch_at,
          automatically_end_at,
          updated_at: now,
          ...(test.ends_at && { ends_at: new Date(test.ends_at.getTime() + shift) }),
        })
        .where('store_id', '=', storeId)
        .where('test_id', '=', testId)
        .execute()
      await trx
        .insertInto('test_events')
        .values({
          store_id: storeId,
          test_id: testId,
          kind: 'Modified',
          at: now,
          detail: 'Schedule changed',
          value: null,
          mark: null,
        })
        .execute()
      await scheduleJobs(trx, jobs, {
        store_id: storeId,
        test_id: testId,
        launch_at: test.status === 'Scheduled' ? launch_at : null,
        automatically_end_at,
      })
    })
    return answer(storeId, testId)
  })
}

const isSame = (a: Date | null, b: Date | null): boolean => a?.getTime() === b?.getTime()

/** Adds the jobs that start and end a test. Cancels a job when its instant is null. */
export async function scheduleJobs(
  trx: Trx,
  jobs: Jobs,
  {
    store_id: storeId,
    test_id: testId,
    launch_at,
    automatically_end_at,
  }: Pick<TestRow, 'store_id' | 'test_id' | 'launch_at' | 'automatically_end_at'>,
): Promise<void> {
  const payload = { testId }
  if (launch_at)
    await jobs.add(trx, {
      storeId,
      kind: 'scheduledStart',
      key: startKey(testId),
      runAt: launch_at,
      payload,
    })
  else await jobs.cancel(trx, storeId, startKey(testId))
  if (automatically_end_at)
    await jobs.add(trx, {
      storeId,
      kind: 'scheduledEnd',
      key: endKey(testId),
      runAt: automatically_end_at,
      payload,
    })
  else await jobs.cancel(trx, storeId, endKey(testId))
}

/**
 * Starts a scheduled test whose time has come, or puts it on hold when something prevents that. A
 * test that was moved or ended meanwhile does not change.
 */
export async function startScheduled(
  context: EngineContext,
  storeId: string,
  testId: string,
): Promise<void> {
  const {
    db: { kysely },
    clock,
    publisher,
    jobs,
  } = context
  const isDue = (test: TestRow) =>
    test.status === 'Scheduled' && test.launch_at !== null && test.launch_at <= clock()
  const test = await kysely
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  if (!test || !isDue(test)) return
  const trouble = await startTrouble(context, test)
  const isStarted = await kysely.transaction().execute(async trx => {
    await requireInstalled(trx, storeId)
    const held = await heldTest(trx, storeId, testId)
    if (!held || !isDue(held)) return false
    const to = await runOrHold(trx, context, held, trouble)
    // If the planned end has passed already, its job is due now.
    await scheduleJobs(trx, jobs, { ...held, launch_at: null })
    return afterChange(trx, context, held, to)
  })
  if (isStarted) await publisher.publish(storeId)
}

/**
 * Queues another attempt to start a scheduled test, at `earliest` or at its start if that is later.
 * Does nothing if the test is not scheduled any more.
 */
export async function startLater(
  { db: { kysely }, jobs }: Pick<EngineContext, 'db' | 'jobs'>,
  storeId: string,
  testId: string,
  earliest: Date,
): Promise<void> {
  await kysely.transaction().execute(async trx => {
    // While the attempt ran, the merchant may have moved the start. The queue holds only one time
    // for the next attempt: an earlier one would take its place, find the test not due, and leave
    // it without a job.
    const test = await heldTest(trx, storeId, testId)
    if (test?.status !== 'Scheduled' || !test.launch_at) return
    await jobs.add(trx, {
      storeId,
      kind: 'scheduledStart',
      key: startKey(testId),
      runAt: test.launch_at > earliest ? test.launch_at : earliest,
      payload: { testId },
    })
  })
}

/** Ends a test whose time has come. */
export async function endScheduled(
  context: EngineContext,
  storeId: string,
  testId: string,
): Promise<void> {
  const {
    db: { kysely },
    clock,
  } = context
  const isChanged = await kysely.transaction().execute(async trx => {
    const test = await heldTest(trx, storeId, testId)
    if (
      !test?.automatically_end_at ||
      test.automatically_end_at > clock() ||
      !canMove('system', test.status, 'Ended')
    )
      return false
    await changeStatus(trx, test, 'Ended', clock())
    return afterChange(trx, context, test, 'Ended')
  })
  if (isChanged) await context.publisher.publish(storeId)
}
