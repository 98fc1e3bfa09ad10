import { type Selectable, sql } from 'kysely'
import { minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Trx } from '../db/types.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { For } from './journal-contract.ts'

type Row = Selectable<JournalTable>
export type Plan = { plan_id: string; state: 'running' | 'undoing'; refusal: string | null }

/** How long a process leases a plan for each step, in seconds. */
const lease = 120
const leased = sql<Date>`now() + make_interval(secs => ${lease})`

/** Key of the job that continues a plan after its process died. */
const planKey = (planId: string): string => `plan:${planId}`

/** Reads and writes the rows of plans. */
export function planRows({
  db: { kysely },
  clock,
  jobs,
}: {
  db: Db
  clock: () => Date
  jobs: Pick<Jobs, 'add' | 'cancel'> | undefined
}) {
  async function begin(trx: Trx, { storeId, testId }: For, planId: string): Promise<void> {
    await trx
      .insertInto('journal_plans')
      .values({
        store_id: storeId,
        plan_id: planId,
        test_id: testId,
        state: 'running',
        until: leased,
        created_at: clock(),
      })
      .execute()
    await lookAfter(trx, storeId, planId)
  }

  /** Queues the job that continues the plan if this process dies. */
  async function lookAfter(trx: Trx, storeId: string, planId: string): Promise<void> {
    await jobs?.add(trx, {
      storeId,
      kind: 'testCheck',
      key: planKey(planId),
      runAt: new Date(clock().getTime() + 2 * minute + 10_000),
    })
  }

  /** Whether the plan is still there. Then this process has it for another step. */
  const hold = (storeId: string, planId: string): Promise<boolean> =>
    kysely.transaction().execute(trx => holdIn(trx, storeId, planId))

  /**
   * The same within a transaction. The application that the plan is for keeps its lease, too:
   * otherwise another process would take a long one for dead, and apply it at the same time.
   */
  async function holdIn(trx: Trx, storeId: string, planId: string): Promise<boolean> {
    const plan = await trx
      .updateTable('journal_plans')
      .set({ until: leased })
      .where('store_id', '=', storeId)
      .where('plan_id', '=', planId)
      .returning('test_id')
      .executeTakeFirst()
    if (!plan) return false
    if (plan.test_id !== null)
      await trx
        .updateTable('tests')
        .set({ applying_until: leased })
        .where('store_id', '=', storeId)
        .where('test_id', '=', plan.test_id)
        .where('applying_arm', 'is not', null)
        .execute()
    await lookAfter(trx, storeId, planId)
    return true
  }

  const plansOf = (storeId: string, testId: string): Promise<Plan[]> =>
    kysely
      .selectFrom('journal_plans')
      .select(['plan_id', 'state', 'refusal'])
      .where('store_id', '=', storeId)
      .where('test_id', '=', testId)
      .orderBy('created_at')
      .execute()

  const batchesOf = async (storeId: string, planId: string) =>
    (
      await sql<{ batch_id: string }>`
        select batch_id from journal where store_id = ${storeId} and plan_id = ${planId}
        group by batch_id order by min(seq)`.execute(kysely)
    ).rows

  /** Forgets the steps from this one on, except one. */
  async function forgetFrom(
    storeId: string,
    planId: string,
    seq: Row['seq'],
    except: string | null,
  ): Promise<void> {
    await kysely
      .deleteFrom('journal')
      .where('store_id', '=', storeId)
      .where('plan_id', '=', planId)
      .where('seq', '>=', seq)
      .$if(except !== null, query => query.where('batch_id', '!=', except!))
      .execute()
  }

  /** Ends a plan, and forgets the rows that nothing can need. */
  async function end(
    storeId: string,
    planId: string,
    forgotten: 'all' | 'undone' | 'none',
  ): Promise<void> {
    await kysely.transaction().execute(async trx => {
      await trx
        .deleteFrom('journal_plans')
        .where('store_id', '=', storeId)
        .where('plan_id', '=', planId)
        .execute()
      if (forgotten !== 'none')
        await trx
          .deleteFrom('journal')
          .where('store_id', '=', storeId)
          .where('plan_id', '=', planId)
          .$if(forgotten === 'undone', query => query.where('state', '=', 'undone'))
          .execute()
      await jobs?.cancel(trx, storeId, planKey(planId))
    })
  }

  /** Plans whose process died or left them. */
  const left = (storeId: string) =>
    kysely
      .selectFrom('journal_plans')
      .select(['plan_id', 'test_id', 'state', 'refusal'])
      .where('store_id', '=', storeId)
      .where('until', '<', sql<Date>`now()`)
      .orderBy('created_at')
      .execute()

  async function refuse(storeId: string, planId: string, refusal: string): Promise<void> {
    await kysely
      .updateTable('journal_plans')
      .set({ state: 'undoing', refusal })
      .where('store_id', '=', storeId)
      .where('plan_id', '=', planId)
      .execute()
  }

  /** Leaves the plan to any process. */
  async function leave(storeId: string, planId: string): Promise<void> {
    await kysely
      .updateTable('journal_plans')
      .set({ until: sql`'-infinity'` })
      .where('store_id', '=', storeId)
      .where('plan_id', '=', planId)
      .execute()
  }

  return {
    leave,
    begin,
    hold,
    holdIn,
    of: plansOf,
    batches: batchesOf,
    forgetFrom,
    end,
    left,
    refuse,
  }
}
