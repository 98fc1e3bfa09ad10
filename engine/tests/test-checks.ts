import { sql } from 'kysely'
import { closedMessage } from '../../domain/access.ts'
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
import { closedFor } from '../../domain/tests/test-closed.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import { canMove, type TestStatus } from '../../domain/tests/test-status.ts'
import { access } from '../plans/access.ts'
import { visitorsInCycle } from '../events/store/periods.ts'
import { isMoving } from '../events/networks/network-moves.ts'
import { armStates } from './arm-states.ts'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import { testsToUndo } from '../journal/journal-undo.ts'
import { liveTheme } from '../themes/live-templates.ts'
import { productTrouble } from '../prices/test-products.ts'
import { switchTrouble, themeSwitchTrouble } from '../script/script-switch.ts'
import { experimentTrouble } from '../script/native-experiments.ts'
import { changeStatus, type TestRow } from './test-statuses.ts'
import { themeLacks } from '../themes/themes.ts'
import type { Trx } from '../db/types.ts'

/**
 * Puts running tests of a store on hold: the named ones, or all. `isStillTrue` is asked in the same
 * transaction; if it says no, nothing is done. Returns the ids of the tests that it put on hold.
 */
export async function holdTests(
  context: EngineContext,
  storeId: string,
  cause: HoldCauseName | HoldCause,
  testIds?: readonly string[],
  isStillTrue: (trx: Trx) => Promise<boolean> = () => Promise.resolve(true),
): Promise<string[]> {
  const {
    db: { kysely },
    clock,
    publisher,
  } = context
  const hold = typeof cause === 'string' ? holdCause(cause) : cause
  const held = await kysely.transaction().execute(async trx => {
    if (!(await isStillTrue(trx))) return []
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
  return (
    (await ownTrouble(context, test)) ??
    (await switchTrouble(context, await storeOf(context, test.store_id))) ??
    (await shopTrouble(context, test))
  )
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
  const closed = closedFor({ kind, audienceIds: audience_ids }, can)
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
  // While forged visitors are being set aside, they are still among the visitors.
  return (await visitorsInCycle(db, storeId, store.usage_reset ?? store.created_at, now)) >=
    store.monthly_visitors && !(await isMoving(db.kysely, storeId))
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
  // Visitors enter the test only from its control.
  if (live.id !== test.control_target?.themeId)
    return holdCause(
      'themePublishedOver',
      `${live.id === test.live_theme_id ? 'The control of this test is not your live theme, so no visitor enters it.' : holdCauses.themePublishedOver.message} ${live.name} is live now.`,
    )
  const other = (await context.platform.themes(hosts.shop)).find(
    ({ id }) =>
      id !== live.id && [test.control_target?.themeId, test.variant_target?.themeId].includes(id),
  )
  const clash = await experimentTrouble(context, hosts.shop, test)
  if (clash || !other) return clash
  const lacks = await themeLacks(context.platform, hosts.shop, other)
  return lacks
    ? holdCause('themeIncomplete', lacks)
    : themeSwitchTrouble(context, hosts.shop, other)
}

async function splitTrouble(
  { kysely }: Pick<Db, 'kysely'>,
  { store_id, test_id }: TestRow,
): Promise<HoldCause | null> {
  const {
    rows: [row],
  } = await sql<{ kind: TestSummary['verdict']['kind'] | null }>`
    select verdict->>'kind' as kind from test_summaries where store_id = ${store_id} and test_id = ${test_id}`.execute(
    kysely,
  )
  // While forged visitors are being set aside, the split is still changing.
  return row?.kind === 'splitBroken' && !(await isMoving(kysely, store_id))
    ? holdCause('splitBroken')
    : null
}

export const storeOf = ({ db }: EngineContext, storeId: string) =>
  db.kysely
    .selectFrom('stores')
    .select(['store_id as storeId', 'shop', 'status'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()

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
