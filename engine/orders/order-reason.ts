/**
 * SQL: the times when the test ($1 the store, $2 the test) was not Active between its start and its
 * end, from its history as in active-spans.ts; null if there are none. It uses no column of the
 * order, so the database computes it once per statement.
 */
const stoodStill = `(
  select range_agg(tstzrange(h.applied_on, h.until)) from (
    select status, applied_on, lead(applied_on) over (order by seq) as until from test_history where store_id = $1 and test_id = $2) h
  where h.status not in ('Active', 'Ended') and coalesce(h.until > h.applied_on, true))`

/**
 * SQL: why an order counts in no arm, or null if it counts in one. The ledger, its sums, its list
 * and its export all use this one rule. `o` is the order, `v` its visitor in the test.
 */
// A platform may send whole seconds only, so an order in the same second as the exposure counts as
// after it.
const reasonOf = (isBot: string): string => `
  case when o.visitor_id is null then case o.visitor_lost when 'express' then 'expressCheckout' when 'cleared' then 'attributeCleared' else 'noConsent' end
    when v.first_exposed_at is null then 'noExposure'
    when ${isBot} then 'bot'
    when v.is_aside then 'network'
    when v.seen & (2 >> v.arm) <> 0 then 'bothArms'
    when o.created_at < date_trunc('second', v.first_exposed_at) then 'beforeExposure'
    when o.created_at <@ ${stoodStill} then 'paused' end`
export const visitorReason = reasonOf('v.is_bot')
/** The same rule, as if no visitor were flagged as a bot. */
export const unflaggedReason = reasonOf('false')

/**
 * SQL: the order's own reasons (test order, renewal) come before the visitor's. `against`: an
 * expression for the result of `visitorReason`.
 */
export const orderReason = (against = visitorReason): string =>
  `case when is_test then 'testOrder' when type = 'renewal' then 'renewal' else ${against} end`

/**
 * SQL: how the visitor of the order `o` is known, one of `orderWays`; null for an order of an
 * imported file, which does not say it.
 */
export const orderWay = `
  case when o.imported_for is null then case when o.visitor_id is null then 'none' when o.by_pixel then 'pixel' else 'attribute' end end`
/** SQL: why the visitor of the order `o` is not known, a key of `lostWords`; null where it is. */
export const orderLost = `
  case when o.imported_for is null and o.visitor_id is null then case when o.is_disputed then 'disputed' else coalesce(o.visitor_lost, 'absent') end end`

/**
 * SQL: condition for the orders `o` in a test's time. $1 is the store, $2 the test, $3 and $4 its
 * half-open span. An imported test has only the orders that were imported with it; every other test
 * has the shop's own orders.
 */
export const inTest = `o.store_id = $1 and o.created_at >= $3 and o.created_at < $4
  and o.imported_for is not distinct from (select t.test_id from tests t where t.store_id = $1 and t.test_id = $2 and t.is_imported)`

/**
 * SQL: joins the order's visitor in the test as `v`. The lateral join makes the planner use the
 * key: without statistics (PGlite gathers none by itself) a plain join reads all visitors for each
 * order.
 */
export const withVisitor = `
  left join lateral (select * from test_visitors v where v.store_id = o.store_id and v.test_id = $2 and v.visitor_id = o.visitor_id offset 0) v on true`

/**
 * Settings for reading an ordered page of orders. Without statistics the database would sort all
 * remaining orders for each page, so these make it read in the order of the index.
 */
export const walkIndex = [
  'set local enable_sort = off',
  'set local enable_bitmapscan = off',
  'set local enable_seqscan = off',
]
