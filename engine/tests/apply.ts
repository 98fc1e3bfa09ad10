import { sql } from 'kysely'
import { appliedWords, notAppliedWords } from '../../domain/tests/apply-words.ts'
import type { Arm } from '../../domain/arm.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import type { AnswerTest } from './ab-tests-answer.ts'
import { refuse, requireOwn, requireReady } from './apply-checks.ts'
import { applyLater, isLong, keepApplying, leased, leaseSeconds } from './apply-later.ts'
import { applyAnswer, requireMeans } from './apply-needs.ts'
import { applyTheme, applyTemplate, applyUrl, type Applied, takeBack } from './apply-targets.ts'
import type { EngineContext } from '../context.ts'
import { StepRefused } from '../journal/journal-contract.ts'
import { requireInstalled } from '../db/installed.ts'
import { showPictures } from '../drafts/pictures/picture-shown.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import { afterChange } from './test-checks.ts'
import { applyPrices } from '../prices/test-products.ts'
import { changeStatus, heldTest, noteApplication, type TestRow } from './test-statuses.ts'

/**
 * The API that makes one arm permanent for everyone, in the shop itself and through the journal.
 */
export function applying(serve: Serve, context: EngineContext, answer: AnswerTest): void {
  const underWay = new Map<string, { arm: Arm; done: Promise<void> }>()

  /** A second click waits for the first. */
  async function once(storeId: string, testId: string, arm: Arm): Promise<void> {
    const key = `${storeId} ${testId}`
    const other = underWay.get(key)
    if (other?.arm === arm) return other.done
    if (other) throw beingApplied()
    const done = apply(context, storeId, testId, arm)
    underWay.set(key, { arm, done })
    try {
      await done
    } finally {
      underWay.delete(key)
    }
  }

  serve('applyTest', async ({ params: { id }, body: { arm } }, { storeId }) => {
    await once(storeId, knownId(id, 'test'), arm)
    return answer(storeId, id)
  })
  serve('applyLack', async ({ params: { id }, query: { arm } }, { storeId }) =>
    applyAnswer(context, storeId, knownId(id, 'test'), arm),
  )
  serve('applyVariant', async ({ params: { id } }, { storeId }) => {
    await once(storeId, knownId(id, 'test'), 'variant')
    return answer(storeId, id)
  })
}

/**
 * Ends the test if needed, changes the shop, and stores what was applied. The wanted arm is stored
 * first: after a crash, the next check of the store's tests continues (`finishApplications`). If
 * something is refused, nothing stays applied: the same check undoes what was half done.
 */
async function apply(
  context: EngineContext,
  storeId: string,
  testId: string,
  arm: Arm,
): Promise<void> {
  const {
    db: { kysely },
    clock,
    publisher,
    jobs,
  } = context
  await requireOwn(context, storeId, testId)
  await requireMeans(context, storeId, testId, arm)
  await requireReady(context, storeId, testId, arm)
  const wanted = await kysely.transaction().execute(async trx => {
    await requireInstalled(trx, storeId)
    const test = await heldTest(trx, storeId, testId)
    if (!test) throw notFound('test')
    if (test.applied_arm === arm && !test.winner_off_at) return null
    if (test.applied_arm === arm) {
      await trx
        .updateTable('tests')
        .set({ winner_off_at: null, updated_at: clock() })
        .where('store_id', '=', storeId)
        .where('test_id', '=', testId)
        .execute()
      await noteApplication(trx, test, clock(), 'Variant switched on again')
      if (test.sends_by_script) await jobs.add(trx, checkSoon(storeId, clock()))
      await publisher.request(trx, storeId)
      return 'on'
    }
    refuse(test)
    const {
      rows: [other],
    } =
      await sql`select 1 from tests where store_id = ${storeId} and test_id = ${testId} and applying_arm is not null and applying_until > now()`.execute(
        trx,
      )
    if (other) throw beingApplied()
    await trx
      .updateTable('tests')
      .set({ applying_arm: arm, applying_until: leased })
      .where('store_id', '=', storeId)
      .where('test_id', '=', testId)
      .execute()
    await jobs.add(trx, checkAfterLease(storeId, testId, clock()))
    if (test.status === 'Ended') return { test, isPublished: false }
    await changeStatus(trx, test, 'Ended', clock())
    return { test, isPublished: await afterChange(trx, context, test, 'Ended') }
  })
  // A winner that an uninstall switched off is on again.
  if (wanted === 'on') return publisher.publish(storeId)
  if (!wanted) return
  if (wanted.isPublished) await publisher.publish(storeId)
  try {
    if (await isLong(context, wanted.test, arm))
      return await applyLater(context, wanted.test, arm, crashKey(testId))
    await finish(context, wanted.test, arm)
  } catch (error) {
    if (!(await keepApplying(context, wanted.test, arm))) throw error
    await keepApplied(context, wanted.test, arm)
    await kysely.transaction().execute(async trx => {
      await trx
        .updateTable('tests')
        .set({ applying_arm: null, applying_until: sql`'-infinity'` })
        .where('store_id', '=', storeId)
        .where('test_id', '=', testId)
        .execute()
      await jobs.cancel(trx, storeId, crashKey(testId))
      await jobs.add(trx, checkSoon(storeId, clock()))
      if (error instanceof StepRefused)
        await noteApplication(trx, wanted.test, clock(), notAppliedWords(arm, error.message))
    })
    throw error
  }
}

/**
 * After a failure to apply control, keeps those changes of the applied variant that were not undone
 * yet. Other open changes were half done for an arm that is not applied; the check of the store's
 * tests undoes them.
 */
async function keepApplied(
  { journal }: Pick<EngineContext, 'journal'>,
  { store_id, test_id, applied_arm }: TestRow,
  wanted: Arm,
): Promise<void> {
  if (applied_arm === 'variant' && wanted === 'control') await journal.keep(store_id, test_id)
}

/** Continues applications whose process died. */
export async function finishApplications(context: EngineContext, storeId: string): Promise<void> {
  const {
    db: { kysely },
    clock,
    jobs,
    log,
  } = context
  const tests = await kysely.transaction().execute(async trx => {
    const taken = await trx
      .updateTable('tests')
      .set({ applying_until: leased })
      .where('store_id', '=', storeId)
      .where('applying_arm', 'is not', null)
      .where('applying_until', '<', sql<Date>`now()`)
      .returningAll()
      .execute()
    // This process may die too, or the shop may not answer. A check before the end of the lease
    // would leave the application alone.
    for (const { test_id } of taken) await jobs.add(trx, checkAfterLease(storeId, test_id, clock()))
    return taken
  })
  for (const test of tests) {
    try {
      await finish(context, test, test.applying_arm!)
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status >= 500) throw error
      log.warn(
        { err: error, storeId, testId: test.test_id },
        'an interrupted application could not be finished',
      )
      if (!(await keepApplying(context, test, test.applying_arm!))) continue
      await keepApplied(context, test, test.applying_arm!)
      await kysely
        .transaction()
        .execute(trx =>
          noteApplication(trx, test, clock(), notAppliedWords(test.applying_arm!, error.message)),
        )
      await kysely
        .updateTable('tests')
        .set({ applying_arm: null, applying_until: sql`'-infinity'` })
        .where('store_id', '=', storeId)
        .where('test_id', '=', test.test_id)
        .execute()
    }
  }
}

/**
 * Changes the shop and stores the applied arm. It can run again from the start: what the shop holds
 * already is no change.
 */
async function finish(context: EngineContext, test: TestRow, arm: Arm): Promise<void> {
  const {
    db: { kysely },
    clock,
    publisher,
    journal,
    jobs,
  } = context
  const { store_id: storeId, test_id: testId } = test
  // The test has ended, so `restore` may be undoing it right now: wait for that. A `restore` that
  // begins later leaves it alone.
  await journal.settled(storeId)
  if (!(await keepApplying(context, test, arm))) return
  const { isByScript = false, ...notChanged } = await changeShop(context, test, arm)
  if (!(await keepApplying(context, test, arm))) return
  // An applied variant keeps its pictures. With control they are removed, however the test had
  // ended before.
  if (arm === 'variant') await showPictures(context, storeId, testId)
  else {
    await journal.reopen(storeId, testId, 'picture')
    await journal.restore(storeId, { testId, kind: 'picture' })
  }
  await journal.keep(storeId, testId)
  const isPublished = await kysely.transaction().execute(async trx => {
    const now = clock()
    const ended = await trx
      .updateTable('tests')
      .set({
        applied_arm: arm,
        applied_at: now,
        winner_off_at: null,
        sends_by_script: isByScript,
        applying_arm: null,
        applying_until: sql`'-infinity'`,
        updated_at: now,
      })
      .where('store_id', '=', storeId)
      .where('test_id', '=', testId)
      // Not if another process has finished this application. The merchant may be applying the
      // other arm by now.
      .where('applying_arm', '=', arm)
      .returning('applied_arm')
      .executeTakeFirst()
    if (!ended) return false
    await jobs.cancel(trx, storeId, crashKey(testId))
    await noteApplication(trx, test, now, appliedWords(arm, { ...notChanged, isByScript }))
    if (isByScript)
      // Running tests may use the page that sends its visitors on from now on.
      await jobs.add(trx, checkSoon(storeId, now))
    else if (test.kind !== 'PageElement' && !test.sends_by_script) return false
    await publisher.request(trx, storeId)
    return true
  })
  if (isPublished) await publisher.publish(storeId)
}

/**
 * Changes the shop to this arm. Returns what could not be changed, because it is gone or was edited
 * in the shop since, and whether our script makes the arm permanent instead.
 */
async function changeShop(context: EngineContext, test: TestRow, arm: Arm): Promise<Applied> {
  // Control's prices are those from before the variant's prices were set. If the shop has other
  // prices by now, they are the merchant's own.
  if (test.kind === 'Price')
    return arm === 'control'
      ? { ...(await takeBack(context, test)), edited: [] }
      : { gone: await applyPrices(context, test.store_id, test.test_id) }
  const kind = targetKind(test.kind)
  return kind
    ? { theme: applyTheme, template: applyTemplate, url: applyUrl }[kind](context, test, arm)
    : {}
}

/** The job that checks the store's tests, for an immediate run. */
const checkSoon = (storeId: string, runAt: Date) =>
  ({ storeId, kind: 'testCheck', key: 'testCheck', runAt }) as const

/** The job that continues an application after its process died. */
const checkAfterLease = (storeId: string, testId: string, now: Date) =>
  ({
    storeId,
    kind: 'testCheck',
    key: crashKey(testId),
    runAt: new Date(now.getTime() + (leaseSeconds + 10) * 1000),
  }) as const

/** Its key. */
const crashKey = (testId: string): string => `apply:${testId}`
const beingApplied = () => new HttpProblem(409, 'This test is being applied at this moment.')
