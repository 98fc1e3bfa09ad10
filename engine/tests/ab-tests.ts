import { sql, type Selectable } from 'kysely'
import type { TestUpdate } from '../../domain/tests/ab-test.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { HoldCause } from '../../domain/tests/hold-cause.ts'
import { canMove, refusedMove, type TestStatus } from '../../domain/tests/test-status.ts'
import { answerTest } from './ab-tests-answer.ts'
import { applying } from './apply.ts'
import type { EngineContext } from '../context.ts'
import type { TestsTable } from '../db/schema.ts'
import { draftAnswer } from '../drafts/draft-answer.ts'
import { requireInstalled } from '../db/installed.ts'
import type { Previews } from '../drafts/previews.ts'
import { withStoreLock } from '../events/store-lock.ts'
import { withoutForeignKey } from './test-tables.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import { leftoverOf } from '../script/script-tests.ts'
import { afterChange, startTrouble } from './test-checks.ts'
import { testHolds } from './test-holds.ts'
import { scheduleJobs, testSchedule } from './test-schedule.ts'
import { letRun, runOrHold } from './test-starts.ts'
import { changeStatus, heldTest, requireRoomForChange } from './test-statuses.ts'
import { testVariants } from './test-variants.ts'
import type { Trx } from '../db/types.ts'

type Row = Selectable<TestsTable>

export function abTests(serve: Serve, context: EngineContext, previews: Previews): void {
  const { db, clock, publisher, jobs } = context
  const answer = answerTest(context, previews)
  testSchedule(serve, context, answer)
  testVariants(serve, context, answer, draftAnswer(context, previews))
  testHolds(serve, context)
  applying(serve, context, answer)

  serve('test', ({ params: { id } }, { storeId }) => answer(storeId, knownId(id, 'test')))

  serve('updateTest', async ({ params: { id }, body: { status, ...titles } }, { storeId }) => {
    const testId = knownId(id, 'test')
    if (titles.title !== undefined && !titles.title.trim())
      throw new HttpProblem(400, 'Give the test a name.', [
        { field: 'title', message: 'Give the test a name.' },
      ])
    // Only the shop can tell whether the test can run there. We ask it before we lock anything.
    const trouble = status === 'Active' ? await troubleAtStart(storeId, testId) : null
    const isPublished = await db.kysely.transaction().execute(async trx => {
      if (status === 'Active') await requireInstalled(trx, storeId)
      const test = await heldTest(trx, storeId, testId)
      if (!test) throw notFound('test')
      const now = clock()
      const modified = titleChanges(test, titles)
      // Pausing and ending are always possible.
      if (modified.detail || status === 'Active') await requireRoomForChange(trx, test)
      if (modified.detail) {
        await trx
          .updateTable('tests')
          .set({ ...modified.columns, updated_at: now })
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
            detail: modified.detail,
            value: null,
            mark: null,
          })
          .execute()
      }
      if (status === undefined) return false
      if (!canMove('merchant', test.status, status))
        throw new HttpProblem(409, refusedMove(test.status, status))
      const to = await moveTo(trx, test, status, trouble)
      if (test.status === 'Scheduled')
        await scheduleJobs(trx, jobs, {
          ...test,
          launch_at: null,
          ...(to === 'Ended' && { automatically_end_at: null }),
        })
      return afterChange(trx, context, test, to)
    })
    if (isPublished) await publisher.publish(storeId)
    return answer(storeId, testId)
  })

  serve('deleteTest', async ({ params: { id } }, { storeId }) => {
    const testId = knownId(id, 'test')
    // With this lock, transactions that write events of the test's visitors end before the deletion
    // or begin after it.
    await withStoreLock(db, storeId, async trx => {
      const test = await heldTest(trx, storeId, testId)
      if (!test) throw notFound('test')
      if (test.status === 'Active')
        throw new HttpProblem(409, 'This test is running. End it first, then delete it.')
      if (test.applying_arm)
        throw new HttpProblem(409, 'This test is being applied at this moment.')
      if (test.kind === 'PageElement' && test.applied_arm === 'variant')
        throw new HttpProblem(
          409,
          'This test’s changes are shown to everyone. Apply control to take them out, then delete it.',
        )
      if (test.sends_by_script)
        throw new HttpProblem(
          409,
          'Our script sends visitors on for this test. Apply control to end that, then delete it.',
        )
      await keepLeftover(trx, test, clock())
      await trx
        .deleteFrom('tests')
        .where('store_id', '=', storeId)
        .where('test_id', '=', testId)
        .execute()
      for (const table of withoutForeignKey)
        await sql`delete from ${sql.table(table)} where store_id = ${storeId} and test_id = ${testId}`.execute(
          trx,
        )
      if (test.is_imported)
        await sql`delete from orders where store_id = ${storeId} and imported_for = ${testId}`.execute(
          trx,
        )
      await scheduleJobs(trx, jobs, {
        store_id: storeId,
        test_id: testId,
        launch_at: null,
        automatically_end_at: null,
      })
      await afterChange(trx, context, test, 'Ended')
    })
    return { ok: true as const }
  })

  serve('endAllTests', async ({ body: { priceTestsOnly } }, { storeId }) => {
    const { ended, isPublished } = await db.kysely.transaction().execute(async trx => {
      let wanted = trx
        .selectFrom('tests')
        .selectAll()
        .where('store_id', '=', storeId)
        .where('status', '!=', 'Ended')
      if (priceTestsOnly) wanted = wanted.where('kind', '=', 'Price')
      const tests = (await wanted.orderBy('test_id').forUpdate().execute()).filter(test =>
        canMove('merchant', test.status, 'Ended'),
      )
      let isPublished = false
      for (const test of tests) {
        await changeStatus(trx, test, 'Ended', clock())
        isPublished = (await afterChange(trx, context, test, 'Ended')) || isPublished
      }
      return { ended: tests.map(test => test.test_id), isPublished }
    })
    if (isPublished) await publisher.publish(storeId)
    return { ended }
  })

  /**
   * Moves a test and returns its new status. A scheduled test that a merchant starts is put on hold
   * when it cannot run, as at its scheduled time.
   */
  async function moveTo(
    trx: Trx,
    test: Row,
    status: TestStatus,
    trouble: HoldCause | null,
  ): Promise<TestStatus> {
    if (status !== 'Active') await changeStatus(trx, test, status, clock())
    else if (test.status === 'Scheduled') return runOrHold(trx, context, test, trouble)
    else {
      const found = await letRun(trx, context, test, trouble)
      if (found)
        throw new HttpProblem(
          409,
          `${refusedMove(test.status, status)} ${found.message} ${found.remedy}`,
        )
    }
    return status
  }

  /**
   * What prevents a scheduled, paused or held test from running. Null when nothing does, and for a
   * test with another status.
   */
  async function troubleAtStart(storeId: string, testId: string): Promise<HoldCause | null> {
    const test = await db.kysely
      .selectFrom('tests')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('test_id', '=', testId)
      .where('status', 'in', ['Scheduled', 'Paused', 'OnHold'])
      .executeTakeFirst()
    return test ? startTrouble(context, test) : null
  }
}

/** Keeps what the script needs to take shoppers off the theme or template of a deleted test. */
async function keepLeftover(trx: Trx, test: Row, now: Date): Promise<void> {
  const { store_id, test_id } = test,
    leftover = leftoverOf(test, now)
  await trx
    .deleteFrom('script_leftovers')
    .where('store_id', '=', store_id)
    .where('until', '<=', now)
    .execute()
  if (leftover)
    await trx
      .insertInto('script_leftovers')
      .values({ store_id, test_id, script: JSON.stringify(leftover.script), until: leftover.until })
      .execute()
}

function titleChanges(
  test: Row,
  { title, hypothesisDescription, controlTitle, variantTitle }: Omit<TestUpdate, 'status'>,
) {
  const wanted = {
    title,
    hypothesis_description: hypothesisDescription,
    control_title: controlTitle,
    variant_title: variantTitle,
  }
  const columns = Object.fromEntries(
    Object.entries(wanted).filter(
      ([column, value]) => value !== undefined && value !== test[column as keyof typeof wanted],
    ),
  )
  const names = {
    title: 'Name',
    hypothesis_description: 'Hypothesis',
    control_title: 'Control’s title',
    variant_title: 'Variant’s title',
  }
  const detail = Object.keys(columns)
    .map(column => names[column as keyof typeof names])
    .join(', ')
  return { columns, detail: detail && `${detail} changed` }
}
