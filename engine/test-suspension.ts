import { sql, type Selectable } from 'kysely'
import type { TestStatus } from '../domain/test-status.ts'
import type { Trx } from './aggregates.ts'
import type { EngineContext } from './context.ts'
import type { TestsTable } from './db/schema.ts'
import { changeStatus } from './test-statuses.ts'

const suspendable: TestStatus[] = ['Active', 'OnHold', 'Paused']

/** The subscription is frozen, cancelled or expired: what runs, waits or is paused stands still until it is active again. */
export async function suspendTests(context: EngineContext, storeId: string): Promise<void> {
  await move(context, storeId, suspendable, async () => 'Suspended')
}

/** The subscription is active again: each test is what it was before. */
export async function resumeSuspended(context: EngineContext, storeId: string): Promise<void> {
  await move(context, storeId, ['Suspended'], async (trx, test) => {
    const { rows: [before] } = await sql<{ status: TestStatus }>`
      select status from test_history where store_id = ${storeId} and test_id = ${test.test_id} and status <> 'Suspended' order by seq desc limit 1`.execute(trx)
    return before?.status ?? 'Paused'
  })
}

async function move({ db: { kysely }, clock, publisher }: EngineContext, storeId: string, from: TestStatus[], to: (trx: Trx, test: Selectable<TestsTable>) => Promise<TestStatus>): Promise<void> {
  const hasMoved = await kysely.transaction().execute(async trx => {
    const tests = await trx.selectFrom('tests').selectAll().where('store_id', '=', storeId).where('status', 'in', from).orderBy('test_id').forUpdate().execute()
    for (const test of tests) await changeStatus(trx, test, await to(trx, test), clock())
    if (tests.length > 0) await publisher.request(trx, storeId)
    return tests.length > 0
  })
  if (hasMoved) await publisher.publish(storeId)
}
