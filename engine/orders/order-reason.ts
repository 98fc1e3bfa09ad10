/**
 * When the test ($1 the store, $2 the test) was not Active between its start and its end, by its history as active-spans.ts
 * reads it; null for never. It names no order, so that it is asked once a statement.
 */
const stoodStill = `(
  select range_agg(tstzrange(h.applied_on, h.until)) from (
    select status, applied_on, lead(applied_on) over (order by seq) as until from test_history where store_id = $1 and test_id = $2) h
  where h.status not in ('Active', 'Ended') and coalesce(h.until > h.applied_on, true))`

/**
 * Why an order stands in no arm, null when it does: the one rule of the ledger, its sums, its list and its export, in SQL.
 * `o` is the order, `v` its visitor in the test.
 */
// A platform may give whole seconds only: an order of the same second as the exposure came after it.
const reasonOf = (isBot: string): string => `
  case when o.visitor_id is null then 'noConsent'
    when v.first_exposed_at is null then 'noExposure'
    when ${isBot} then 'bot'
    when v.is_aside then 'network'
    when v.seen & (2 >> v.arm) <> 0 then 'bothArms'
    when o.created_at < date_trunc('second', v.first_exposed_at) then 'beforeExposure'
    when o.created_at <@ ${stoodStill} then 'paused' end`
export const visitorReason = reasonOf('v.is_bot')
/** The same were nobody flagged as a bot. */
export const unflaggedReason = reasonOf('false')

/** What the order is by itself comes first; `against` is what `visitorReason` answered. */
export const orderReason = (against = visitorReason): string =>
  `case when is_test then 'testOrder' when type = 'renewal' then 'renewal' else ${against} end`

/**
 * Orders in a test's time, as `o`: $1 the store, $2 the test, $3 and $4 its half-open span. The shop's own; of a test that
 * was imported those that came with it.
 */
export const inTest = `o.store_id = $1 and o.created_at >= $3 and o.created_at < $4
  and o.imported_for is not distinct from (select t.test_id from tests t where t.store_id = $1 and t.test_id = $2 and t.is_imported)`

/**
 * Their visitors in it. The lateral join keeps to the key: without statistics (PGlite gathers none by itself) a plain
 * one reads all visitors for each order.
 */
export const withVisitor = `
  left join lateral (select * from test_visitors v where v.store_id = o.store_id and v.test_id = $2 and v.visitor_id = o.visitor_id offset 0) v on true`

/**
 * Said before an ordered page of orders is read: without statistics all that is left would be sorted for each page, so
 * the database is told to walk the index.
 */
export const walkIndex = [
  'set local enable_sort = off',
  'set local enable_bitmapscan = off',
  'set local enable_seqscan = off',
]
