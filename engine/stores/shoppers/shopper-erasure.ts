import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PerArm } from '../../../domain/arm.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import { isImported } from '../../../domain/imports/imported.ts'
import { shopperTables } from '../../../domain/stores/shoppers/shopper-tables.ts'
import { rows as query, run } from '../../db/raw.ts'
import type { ErasedOrders } from './erased-orders.ts'
import { eventParts, type Shopper, wholeShopper } from './shoppers.ts'
import type { Trx } from '../../db/types.ts'

/** Rows that are only kept for 48 hours in any case, so they are deleted. */
const ofNetworks = ['network_visitors', 'network_meetings']

const random = (): string => randomBytes(16).toString('hex')

/**
 * Removes a shopper's identity from all stored data (decision 048). What they did stays in the
 * figures, but under new random ids that are stored nowhere else. So nobody can find it by the ids
 * that the shop, the platform or the browser knows. The caller must hold the store's lock. Returns
 * the number of rows by table.
 */
export async function unlinkShopper(
  trx: Trx,
  storeId: string,
  named: Shopper,
  erased: Pick<ErasedOrders, 'note'>,
): Promise<Record<string, number>> {
  const { visitors, orders } = await wholeShopper(trx, storeId, named),
    counts: Record<string, number> = {}
  // A rollup may be summing up an order of the shopper: it adds a row to test_orders and deletes
  // the order's mark. Either it commits before this lock, and its row is found below; or it fails
  // at the mark and begins again with what is here by then.
  await run(
    trx,
    'select from order_marks where store_id = $1 and (visitor_id = any($2::text[]) or order_id = any($3::text[])) for update',
    [storeId, visitors, orders],
  )
  const count = (table: string, rows: number) => {
    if (rows > 0) counts[table] = (counts[table] ?? 0) + rows
  }
  const { parts, met } = await eventsOf(trx, storeId, visitors),
    sessionSalt = random(),
    freshIds = new Map<string, string>()
  const session = (column: string) => `left(md5($4 || ${column}), 24)`
  for (const visitor of visitors)
    freshIds.set(visitor, await freshId(trx, storeId, visitor, met.get(visitor) ?? []))
  for (const part of parts)
    count(
      'events',
      await run(
        trx,
        `update ${part} set visitor_id = $3::jsonb ->> visitor_id, session_id = ${session('session_id')}, path = '/erased', landing = regexp_replace(landing, '^[^?]*', '/'),
        referrer = regexp_replace(referrer, '^(https?://[^/?#]+).*$', '\\1/') where store_id = $1 and visitor_id = any($2::text[])`,
        [storeId, visitors, JSON.stringify(Object.fromEntries(freshIds)), sessionSalt],
      ),
    )
  for (const [visitor, fresh] of freshIds) {
    const values = [storeId, visitor, fresh]
    for (const table of ['test_visitors', 'visitor_sessions'])
      count(
        table,
        await run(
          trx,
          `update ${table} set visitor_id = $3, session_id = ${session('session_id')} where store_id = $1 and visitor_id = $2`,
          [...values, sessionSalt],
        ),
      )
    for (const table of ofNetworks)
      count(
        table,
        await run(trx, `delete from ${table} where store_id = $1 and visitor_id = $2`, [
          storeId,
          visitor,
        ]),
      )
    for (const [table, { visitor: column }] of Object.entries(shopperTables))
      if (column && !['events', 'test_visitors', 'visitor_sessions', ...ofNetworks].includes(table))
        count(
          table,
          await run(
            trx,
            `update ${table} set visitor_id = $3 where store_id = $1 and visitor_id = $2`,
            values,
          ),
        )
    count(
      'shopper_exports',
      await run(trx, `delete from shopper_exports where store_id = $1 and body->'visitors' ? $2`, [
        storeId,
        visitor,
      ]),
    )
  }
  await run(trx, 'delete from order_pixels where store_id = $1 and of_order = any($2::text[])', [
    storeId,
    orders,
  ])
  for (const order of orders) {
    const [found] = await query<{ name: string | null }>(
      trx,
      'select name from orders where store_id = $1 and order_id = $2',
      [storeId, order],
    )
    const values = [storeId, order, `erased-${random()}`]
    await run(
      trx,
      'update orders set first_order = $3 where store_id = $1 and first_order = $2',
      values,
    )
    await run(
      trx,
      `update orders set order_id = $3, name = 'Erased' where store_id = $1 and order_id = $2`,
      values,
    )
    if (!visitors.length) count('orders', 1)
    for (const table of ['test_orders', 'order_marks'])
      await run(
        trx,
        `update ${table} set order_id = $3 where store_id = $1 and order_id = $2`,
        values,
      )
    count(
      'price_checks',
      await run(
        trx,
        `update price_checks set order_id = $3, message = case when message is not null then 'Erased on request.' end where store_id = $1 and order_id = $2`,
        values,
      ),
    )
    // A rollup may have read the message and not stored its summary yet. This makes another one
    // follow.
    await run(
      trx,
      `update test_changes c set changed = changed + 1 where store_id = $1
        and exists (select from price_checks p where p.store_id = c.store_id and p.test_id = c.test_id and p.order_id = $2 and p.message is not null)`,
      [storeId, values[2]],
    )
    count(
      'shopper_exports',
      await run(trx, `delete from shopper_exports where store_id = $1 and body->'orders' ? $2`, [
        storeId,
        order,
      ]),
    )
    await erased.note(trx, storeId, order)
    if (found?.name) await forgetName(trx, storeId, found.name, count)
  }
  return counts
}

/**
 * Removes an order's name from the reason why a test was held, from the figures of a price test,
 * and from a test's history.
 */
async function forgetName(
  trx: Trx,
  storeId: string,
  name: string,
  count: (table: string, rows: number) => void,
): Promise<void> {
  const named = `${name.replace(/[^A-Za-z0-9]/gu, char => `\\${char}`)}(?![0-9A-Za-z])`
  count(
    'tests',
    await run(
      trx,
      `update tests set hold_cause = regexp_replace(hold_cause::text, $2, 'an erased order', 'g')::jsonb where store_id = $1 and hold_cause::text ~ $2`,
      [storeId, named],
    ),
  )
  count(
    'test_summaries',
    await run(
      trx,
      `update test_summaries set summary = jsonb_set(summary, '{charges,latest}', to_jsonb(regexp_replace(summary->'charges'->>'latest', $2, 'an erased order', 'g'))) where store_id = $1 and summary->'charges'->>'latest' ~ $2`,
      [storeId, named],
    ),
  )
  count(
    'test_events',
    await run(
      trx,
      `update test_events set detail = regexp_replace(detail, $2, 'an erased order', 'g') where store_id = $1 and detail ~ $2`,
      [storeId, named],
    ),
  )
}

/**
 * Finds the tables with events of these visitors, and the tests that those events name. Each table
 * is read once for all visitors: no index leads from a visitor to their events, and a shopper may
 * have as many visitors as orders.
 */
async function eventsOf(
  trx: Trx,
  storeId: string,
  visitors: readonly string[],
): Promise<{ parts: string[]; met: Map<string, Set<string>> }> {
  const parts: string[] = [],
    met = new Map<string, Set<string>>()
  for (const part of await eventParts(trx)) {
    const found = await query<{ visitor: string; tests: string[] }>(
      trx,
      `select e.visitor_id as visitor, coalesce(array_agg(distinct t.id::text) filter (where t.id is not null), '{}') as tests
        from ${part} e left join lateral unnest(e.tests) t(id) on true where e.store_id = $1 and e.visitor_id = any($2::text[]) group by 1`,
      [storeId, visitors],
    )
    if (found.length > 0) parts.push(part)
    for (const { visitor, tests } of found) {
      const known = met.get(visitor)
      if (known) for (const id of tests) known.add(id)
      else met.set(visitor, new Set(tests))
    }
  }
  return { parts, met }
}

/**
 * Returns an unused id that the hash assigns to the same arms, so that recomputed figures come out
 * the same. Each further test makes such ids rarer. So only as many tests are considered as a short
 * search can satisfy: first the running ones, then those that ended last. Recounting an older test
 * leaves this shopper out. Visitors may choose their own ids, so the search must have a limit.
 */
async function freshId(
  trx: Trx,
  storeId: string,
  visitor: string,
  named: Iterable<string>,
): Promise<string> {
  const met = new Set(named)
  for (const { id } of await query<{ id: string }>(
    trx,
    'select test_id as id from test_visitors where store_id = $1 and visitor_id = $2',
    [storeId, visitor],
  ))
    met.add(id)
  const all = await query<{ id: string; weights: PerArm<number> }>(
    trx,
    `select test_id as id, weights from tests where store_id = $1 and test_id = any($2::uuid[]) order by (status = 'Ended'), ended_at desc, test_id`,
    [storeId, [...met]],
  )
  const tests: { id: string; weights: PerArm<number>; arm: number }[] = []
  let rarity = 1
  for (const { id, weights } of all) {
    const arm = assign(id, visitor, weights)
    rarity /= weights[arm] || 1
    if (rarity > maxTries / 16) break
    tests.push({ id, weights, arm })
  }
  const prefix = isImported(visitor) ? 'import-' : ''
  for (let tried = 1; ; tried++) {
    const id = prefix + random()
    if (tried === maxTries || tests.every(test => assign(test.id, id, test.weights) === test.arm))
      return id
    if (tried % 1_000 === 0) await nextTurn()
  }
}
/** About half a second. With this limit a search fails once in millions. */
const maxTries = 131_072
