import { sql } from 'kysely'
import { closedMessage } from '../../domain/access.ts'
import { audienceCapability } from '../../domain/audiences/audience.ts'
import {
  holdCause,
  holdCauses,
  type HoldCause,
  type HoldCauseName,
} from '../../domain/tests/hold-cause.ts'
import { unlimitedVisitors } from '../../domain/plans/plan.ts'
import { hasLapsed } from '../../domain/stores/store-subscription.ts'
import { isOnTrial } from '../../domain/stores/store-status.ts'
import type { TestSummary } from '../../domain/reports/summary.ts'
import { kindCapability } from '../../domain/tests/test-kind.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import { canMove, type TestStatus } from '../../domain/tests/test-status.ts'
import { access } from '../plans/access.ts'
import { visitorsInCycle } from '../events/store/periods.ts'
import { isMoving } from '../events/networks/network-moves.ts'
import { armStates } from './arm-states.ts'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import type { JobRun } from '../jobs/jobs.ts'
import { testsToUndo } from '../journal/journal-undo.ts'
import { forgetPictures } from '../drafts/pictures/picture-shown.ts'
import { liveTheme } from '../themes/live-templates.ts'
import { productTrouble } from '../prices/test-products.ts'
import { changeStatus, type TestRow } from './test-statuses.ts'
import { themeLacks } from '../themes/themes.ts'
import type { Trx } from '../db/types.ts'

/**
 * Puts running tests of a store on hold: the named ones, or all. Returns the ids of the tests that
 * it put on hold.
 */
export async function holdTests(
  context: EngineContext,
  storeId: string,
  cause: HoldCauseName | HoldCause,
  testIds?: readonly string[],
): Promise<string[]> {
  const {
    db: { kysely },
    clock,
    publisher,
  } = context
  const hold = typeof cause === 'string' ? holdCause(cause) : cause
  const held = await kysely.transaction().execute(async trx => {
    let wanted = trx
      .selectFrom('tests')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('status', '=', 'Active')
    if (testIds) wanted = wanted.where('test_id', 'in', [...testIds])
    const tests = testIds?.length === 0 ? [] : await wanted.orderBy('test_id').forUpdate().execute()
    for (const test of tests)
      if (canMove('system', test.status, 'OnHold'))
        await changeStatus(trx, test, 'OnHold', clock(), hold)
    if (tests.length > 0) await publisher.request(trx, storeId)
    return tests.map(test => test.test_id)
  })
  if (held.length > 0) await publisher.publish(storeId)
  return held
}

/**
 * What keeps a test from running in the shop as it is now; null when nothing does. Asks the shop.
 */
export async function testTrouble(
  context: EngineContext,
  test: TestRow,
): Promise<HoldCause | null> {
  return (await shopTrouble(context, test)) ?? (await splitTrouble(context.db, test))
}

/**
 * The same for a test that is not running (yet or any more): the store itself must be in order too.
 */
export async function startTrouble(
  context: EngineContext,
  test: TestRow,
): Promise<HoldCause | null> {
  return (await ownTrouble(context, test)) ?? (await shopTrouble(context, test))
}

/**
 * The part of `startTrouble` that needs only our own database: the plan, its visitors, a broken
 * split.
 */
export async function ownTrouble(on: DbAndClock, test: TestRow): Promise<HoldCause | null> {
  return (
    (await planTrouble(on.db, test)) ??
    (await limitTrouble(on, test.store_id)) ??
    (await splitTrouble(on.db, test))
  )
}
type DbAndClock = { db: Pick<Db, 'kysely'> } & Pick<EngineContext, 'clock'>

/**
 * The cause when the store has no paid plan, or when its plan does not include (any more) this kind
 * of test or its audiences. Null otherwise.
 */
export async function planTrouble(
  db: Pick<Db, 'kysely'>,
  { store_id, kind, audience_ids }: Pick<TestRow, 'store_id' | 'kind' | 'audience_ids'>,
): Promise<HoldCause | null> {
  const trouble = await subscriptionTrouble(db, store_id)
  if (trouble) return trouble
  const { can } = await access({ db }, store_id)
  const closed = [kindCapability[kind], audienceCapability(audience_ids)].find(
    capability => capability && !can(capability),
  )
  return closed ? holdCause('notIncluded', closedMessage(closed)) : null
}

/** The cause when the store has no paid plan; null when it has one. */
export async function subscriptionTrouble(
  { kysely }: Pick<Db, 'kysely'>,
  storeId: string,
): Promise<HoldCause | null> {
  const store = await kysely
    .selectFrom('stores')
    .select([
      'plan_id',
      'subscription_status as subscriptionStatus',
      'has_subscribed as hasSubscribed',
    ])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  return store.plan_id === null || hasLapsed(store) ? holdCause('notSubscribed') : null
}

/**
 * The cause when this cycle's visitors have reached the plan's limit; null otherwise. During the
 * trial there is no limit (requirements 12.7).
 */
export async function limitTrouble(
  { db, clock }: DbAndClock,
  storeId: string,
): Promise<HoldCause | null> {
  const store = await db.kysely
    .selectFrom('stores as s')
    .innerJoin('plans as p', 'p.plan_id', 's.plan_id')
    .select([
      's.usage_reset',
      's.created_at',
      's.trial_end',
      's.subscription_status',
      'p.monthly_visitors',
    ])
    .where('s.store_id', '=', storeId)
    .executeTakeFirst()
  const now = clock()
  if (
    !store ||
    store.monthly_visitors >= unlimitedVisitors ||
    (store.subscription_status === 'Active' && isOnTrial(store.trial_end, now))
  )
    return null
  return (await visitorsInCycle(db, storeId, store.usage_reset ?? store.created_at, now)) >=
    store.monthly_visitors
    ? holdCause('visitorLimit')
    : null
}

async function shopTrouble(context: EngineContext, test: TestRow): Promise<HoldCause | null> {
  if (test.kind === 'Price') {
    const trouble = await productTrouble(context, test.store_id, test.test_id)
    return trouble && holdCause(trouble.cause, trouble.message)
  }
  const kind = targetKind(test.kind)
  if (!kind) return null
  const hosts = await shopHosts(context.db.kysely, test.store_id)
  const { control, variant } = await armStates(context, hosts, test)
  const messages = [control, variant].flatMap(state => (state.exists ? [] : [state.message!]))
  if (messages.length > 0)
    return holdCause(
      ({ template: 'templateGone', theme: 'themeGone', url: 'pageGone' } as const)[kind],
      messages.join(' '),
    )
  if (kind !== 'theme') return null
  const live = await liveTheme(context.platform, hosts.shop)
  const begun = test.live_theme_id ?? test.control_target?.themeId
  if (live.id !== begun)
    return holdCause(
      'themePublishedOver',
      `${holdCauses.themePublishedOver.message} ${live.name} is live now.`,
    )
  const other = (await context.platform.themes(hosts.shop)).find(
    ({ id }) =>
      id !== live.id && [test.control_target?.themeId, test.variant_target?.themeId].includes(id),
  )
  const lacks = other && (await themeLacks(context.platform, hosts.shop, other))
  return lacks ? holdCause('themeIncomplete', lacks) : null
}

async function splitTrouble(
  { kysely }: Pick<Db, 'kysely'>,
  { store_id, test_id }: TestRow,
): Promise<HoldCause | null> {
  const {
    rows: [row],
  } = await sql<{ kind: TestSummary['verdict']['kind'] | null }>`
    select summary->'verdict'->>'kind' as kind from test_summaries where store_id = ${store_id} and test_id = ${test_id}`.execute(
    kysely,
  )
  // While forged visitors are being set aside, the split is still changing.
  return row?.kind === 'splitBroken' && !(await isMoving(kysely, store_id))
    ? holdCause('splitBroken')
    : null
}

/**
 * Checks a store's running tests and puts those on hold that cannot continue. Then undoes what
 * ended tests and deleted drafts have left in the shop. Stops early when the process is stopping,
 * and runs again later.
 */
export async function checkTests(
  context: EngineContext,
  { storeId, signal }: Pick<JobRun, 'storeId' | 'signal'>,
): Promise<void> {
  const {
    db: { kysely },
    journal,
    log,
  } = context
  const store = await kysely
    .selectFrom('stores')
    .select('status')
    .where('store_id', '=', storeId)
    .executeTakeFirst()
  if (store?.status !== 'installed') return
  const running = await kysely
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('status', '=', 'Active')
    .orderBy('start_at')
    .orderBy('test_id')
    .execute()
  for (const test of running) {
    signal.throwIfAborted()
    const trouble = await testTrouble(context, test)
    if (trouble) await holdTests(context, storeId, trouble, [test.test_id])
  }
  for (const testId of await testsToUndo(kysely, storeId)) {
    signal.throwIfAborted()
    // The merchant may be applying it by now.
    const { undone, kept } = await journal.restore(storeId, {
      testId,
      isWanted: async () => (await testsToUndo(kysely, storeId)).includes(testId),
    })
    log.info({ storeId, testId, undone, kept: kept.length }, 'put back what a test had changed')
    await forgetPictures(kysely, storeId)
  }
}

/**
 * Does what follows a change of status, in its transaction: requests a new script if the set of
 * running tests has changed, and adds a job that undoes what an ended test changed in the shop.
 * Returns true if the caller must publish after the commit.
 */
export async function afterChange(
  trx: Trx,
  { publisher, jobs, clock }: Pick<EngineContext, 'publisher' | 'jobs' | 'clock'>,
  test: TestRow,
  to: TestStatus,
): Promise<boolean> {
  if (to === 'Ended' && (await testsToUndo(trx, test.store_id)).length > 0)
    await jobs.add(trx, {
      storeId: test.store_id,
      kind: 'testCheck',
      key: 'testCheck',
      runAt: clock(),
    })
  if (test.status !== 'Active' && to !== 'Active') return false
  await publisher.request(trx, test.store_id)
  return true
}
