/**
 * SQL: whether the test ($1 the store, $2 the test) counts tax that prices included as revenue. It
 * uses no column of the order, so the database computes it once per statement.
 */
export const countsTax =
  '(select t.counts_tax from tests t where t.store_id = $1 and t.test_id = $2)'

/**
 * SQL: an order's amount and refunds by the test's own rule (decision 084). The ledger, its sums,
 * its list and its export all use these. `o` is the order.
 */
export const orderAmounts = `o.amount + case when ${countsTax} then o.tax else 0 end as amount,
  o.refunded + case when ${countsTax} then o.refunded_tax else 0 end as refunded`

/** SQL: the same for the amount of a line `l` of the order. */
export const lineAmount = `l.amount + case when ${countsTax} then coalesce(l.tax, 0) else 0 end`
