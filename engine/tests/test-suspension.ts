import { sql, type Kysely } from 'kysely'
import type { HoldCause } from '../../domain/tests/hold-cause.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { startTrouble } from './test-checks.ts'
import { runOrHold } from './test-starts.ts'
import { changeStatus, type TestRow } from './test-statuses.ts'
import type { Trx } from '../db/types.ts'

const suspendable: TestStatus[] = ['Active', 'OnHold', 'Paused']

/**
 * Suspends the store's running, held and paused tests, because its subscription is frozen,
 * cancelled or expired. They stay suspended until it is active again.
 */
export async function suspendTests(context: EngineContext, storeId: string): Promise<void> {
  await move(context, storeId, suspendable, (trx, test) =>
    changeStatus(trx, test, 'Suspended', context.clock()),
  )
}

/**
 * Gives suspended tests their earlier status back, because the subscription is active again. A test
 * that ran is put on hold if something prevents it from running now.
 */
export async function resumeSuspended(context: EngineContext, storeId: string): Promise<void> {
  const troubles = await troublesOf(context, storeId)
  await move(context, storeId, ['Suspended'], async (trx, test) => {
    const before = await statusBefore(trx, test)
    if (before === 'Active') await runOrHold(trx, context, test, troubles.get(test.test_id) ?? null)
    else await changeStatus(trx, test, before, context.clock())
  })
}

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
  from: TestStatus[],
  act: (trx: Trx, test: TestRow) => Promise<unknown>,
): Promise<void> {
  const hasMoved = await kysely.transaction().execute(async trx => {
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
