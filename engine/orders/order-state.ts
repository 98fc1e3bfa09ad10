import { rows as query, run } from '../db/raw.ts'
import type { Trx } from '../db/types.ts'
import { capOf, crossedBy } from './order-cap.ts'
import { foldOrders, type SummedTest } from './order-fold.ts'
import { orderRows, rowColumns } from './order-rows.ts'

/** The state of a test's sums (test_order_states) with the changes since. */
type State = { cap: number | null; seen: number; compared_at: Date }
type Mark = { mark_id: number; order_id: string | null; visitor_id: string | null }

/**
 * `ordersChanged`: that of test_changes. `unsureUntil`: until then a change of the test's own
 * times may have been uncommitted.
 */
export type Summing = SummedTest & { ordersChanged: number; unsureUntil: Date }

/**
 * Brings the sums of a test's orders up to date (decision 092): by the orders that were marked
 * since the last time, if each change left a mark. Otherwise, and as long as a change of the
 * test's own times may have been uncommitted, it looks at every order for those that count
 * differently now. Makes all sums again if there are none. The transaction must be repeatable read;
 * it fails with 40001 if another process sums up the same test.
 */
export async function sumOrders(trx: Trx, test: Summing, now: Date): Promise<void> {
  const { storeId, testId, ordersChanged } = test
  const marked = 'from order_marks where store_id = $1 and test_id = $2'
  const [state] = await query<State & { marks: Mark[] }>(
    trx,
    `select cap, orders_changed as seen, compared_at, (select coalesce(json_agg(m), '[]') from (select mark_id, order_id, visitor_id ${marked}) m) as marks
    from test_order_states where store_id = $1 and test_id = $2 for update`,
    [storeId, testId],
  )
  const isDue = state && test.unsureUntil >= state.compared_at
  if (state && !isDue && state.seen === ordersChanged) return
  const marks =
    state?.marks ??
    (await query<Mark>(trx, `select mark_id, order_id, visitor_id ${marked}`, [storeId, testId]))
  const isMarked = state && !isDue && state.seen + marks.length === ordersChanged
  let cap = state?.cap ?? null
  if (!state) await foldOrders(trx, test, null, cap)
  else if (isMarked) await foldOrders(trx, test, await ofMarks(trx, test, marks), cap)
  else await foldOrders(trx, test, await ofMarks(trx, test, await differing(trx, test)), cap)
  const next = await capOf(trx, storeId, testId)
  if (next !== cap) {
    await foldOrders(trx, test, await crossedBy(trx, storeId, testId, [cap, next]), next)
    cap = next
  }
  await run(
    trx,
    `insert into test_order_states (store_id, test_id, cap, orders_changed, compared_at) values ($1, $2, $3, $4, $5)
    on conflict (store_id, test_id) do update set cap = excluded.cap, orders_changed = excluded.orders_changed, compared_at = excluded.compared_at`,
    [storeId, testId, cap, ordersChanged, isMarked ? state.compared_at : now],
  )
  if (marks.length > 0)
    await run(
      trx,
      'delete from order_marks where store_id = $1 and test_id = $2 and mark_id = any($3::bigint[])',
      [storeId, testId, marks.map(mark => mark.mark_id)],
    )
}

/** Forgets the sums of these tests, so that they are made again from every order. */
export const forgetOrderSums = (
  trx: Trx,
  storeId: string,
  testIds: readonly string[],
): Promise<number> =>
  run(trx, 'delete from test_order_states where store_id = $1 and test_id = any($2::uuid[])', [
    storeId,
    testIds,
  ])

/**
 * All orders of the marked visitors, and of the visitors that the marked orders belong to or
 * belonged to.
 */
async function ofMarks(
  trx: Trx,
  { storeId, testId }: SummedTest,
  marks: readonly Pick<Mark, 'order_id' | 'visitor_id'>[],
): Promise<string[]> {
  const own = (table: string, ofTest: string) => ({
    byOrder: `select x.order_id, x.visitor_id from named cross join lateral (select * from ${table} x where x.store_id = $1 ${ofTest} and x.order_id = named.id offset 0) x`,
    byVisitor: `select x.order_id from visitors v cross join lateral (select * from ${table} x where x.store_id = $1 ${ofTest} and x.visitor_id = v.visitor_id offset 0) x`,
  })
  const now = own('orders', 'and $2::uuid is not null'),
    then = own('test_orders', 'and x.test_id = $2')
  const found = await query<{ order_id: string }>(
    trx,
    `
    with named as (select distinct id from unnest($3::text[]) n(id)),
    visitors as materialized (
      select visitor_id from (${now.byOrder} union ${then.byOrder}) x where visitor_id is not null
      union select unnest($4::text[]))
    select id as order_id from named union ${now.byVisitor} union ${then.byVisitor}`,
    [
      storeId,
      testId,
      marks.flatMap(mark => mark.order_id ?? []),
      marks.flatMap(mark => mark.visitor_id ?? []),
    ],
  )
  return found.map(row => row.order_id)
}

/** The orders whose rows are not as they should be. */
async function differing(
  trx: Trx,
  { storeId, testId, from, to }: SummedTest,
): Promise<{ order_id: string; visitor_id: null }[]> {
  const stored = `select ${rowColumns} from test_orders where store_id = $1 and test_id = $2`
  return query(
    trx,
    `
    with made as materialized (${orderRows()}), kept as materialized (${stored})
    select distinct order_id, null as visitor_id from ((table made except table kept) union all (table kept except table made)) d`,
    [storeId, testId, from, to ?? 'infinity'],
  )
}
