import { sql, type Kysely } from 'kysely'
import type { HoldCause } from '../../domain/tests/hold-cause.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { hasLapsed, type Standing } from '../../domain/stores/store-subscription.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { startTrouble } from './test-checks.ts'
import { runOrHold } from './test-starts.ts'
import { changeStatus, type TestRow } from './test-statuses.ts'
import type { Trx } from '../db/types.ts'

const suspendable: TestStatus[] = ['Active', 'OnHold', 'Paused']
type Subscribed = Pick<Standing, 'subscriptionStatus' | 'hasSubscribed'>

/**
 * Suspends the store's running, held and paused tests, because its subscription is frozen,
 * cancelled or expired. They stay suspended until it is active again. Does nothing if the
 * subscription has not lapsed, or not any more.
 */
export async function suspendTests(context: EngineContext, storeId: string): Promise<void> {
  await move(context, storeId, hasLapsed, suspendable, (trx, test) =>
    changeStatus(trx, test, 'Suspended', context.clock()),
  )
}

/**
 * Gives suspended tests their earlier status back, because the subscription is active again. A test
 * that ran is put on hold if something prevents it from running now. Does nothing if the
 * subscription is not active, or not any more.
 */
export async function resumeSuspended(context: EngineContext, storeId: string): Promise<void> {
  const troubles = await troublesOf(context, storeId)
  await move(context, storeId, isActive, ['Suspended'], async (trx, test) => {
    const before = await statusBefore(trx, test)
    if (before === 'Active') await runOrHold(trx, context, test, troubles.get(test.test_id) ?? null)
    else await changeStatus(trx, test, before, context.clock())
  })
}

const isActive = ({ subscriptionStatus }: Subscribed): boolean => subscriptionStatus === 'Active'

/**
 * What prevents each test that ran from running, by test id. If the shop does not answer for one
 * test, neither that test nor the others stay suspended: `letRun` still checks our own database,
 * and the shop is asked again within minutes.
 */
async function troublesOf(
  context: EngineContext,
  storeId: string,
): Promise<Map<string, HoldCause | null>> {
  const {
    db: { kysely },
    log,
  } = context
  const troubles = new Map<string, HoldCause | null>()
  for (const test of await kysely
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('status', '=', 'Suspended')
    .execute()) {
    if ((await statusBefore(kysely, test)) !== 'Active') continue
    try {
      troubles.set(test.test_id, await startTrouble(context, test))
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      log.warn(
        { err: error, storeId, testId: test.test_id },
        'test could not be checked in its shop',
      )
    }
  }
  return troubles
}

async function statusBefore(
  on: Kysely<Schema>,
  { store_id, test_id }: TestRow,
): Promise<TestStatus> {
  const {
    rows: [before],
  } = await sql<{ status: TestStatus }>`
    select status from test_history where store_id = ${store_id} and test_id = ${test_id} and status <> 'Suspended' order by seq desc limit 1`.execute(
    on,
  )
  return before?.status ?? 'Paused'
}

async function move(
  { db: { kysely }, publisher }: EngineContext,
  storeId: string,
  isMeant: (store: Subscribed) => boolean,
  from: TestStatus[],
  act: (trx: Trx, test: TestRow) => Promise<unknown>,
): Promise<void> {
  const hasMoved = await kysely.transaction().execute(async trx => {
    // Another process may have stored a newer state of the subscription since ours, and moved the
    // tests already. With this lock, a state that is newer still is stored only after our move.
    const store = await trx
      .selectFrom('stores')
      .select(['subscription_status as subscriptionStatus', 'has_subscribed as hasSubscribed'])
      .where('store_id', '=', storeId)
      .forShare()
      .executeTakeFirstOrThrow()
    if (!isMeant(store)) return false
    const tests = await trx
      .selectFrom('tests')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('status', 'in', from)
      .orderBy('test_id')
      .forUpdate()
      .execute()
    for (const test of tests) await act(trx, test)
    if (tests.length > 0) await publisher.request(trx, storeId)
    return tests.length > 0
  })
  if (hasMoved) await publisher.publish(storeId)
}
