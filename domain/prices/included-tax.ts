/**
 * Whole minor units of tax for each line. `exact`: what the order's own tax lines say, in parts of
 * a minor unit (`unit` parts make one). The lines with the largest remainders are rounded up, so
 * that the lines make the rounded sum: then they also make the order's subtotal before tax.
 */
export function wholeTaxes(exact: readonly number[], unit: number): number[] {
  const whole = exact.map(parts => Math.floor(parts / unit))
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
  const missing = Math.round(sum(exact.map(parts => parts % unit)) / unit)
  const raised = exact
    .map((parts, i) => ({ i, rest: parts % unit }))
    .sort((a, b) => b.rest - a.rest || a.i - b.i)
    .slice(0, missing)
  for (const { i } of raised) whole[i]!++
  return whole
}

/** The tax in a refund, where the platform says only what was refunded altogether. */
export const refundedTax = (tax: number, refunded: number, subtotal: number): number =>
  subtotal > 0 ? Math.round((tax * refunded) / subtotal) : 0
