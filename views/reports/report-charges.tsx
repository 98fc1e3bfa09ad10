import type { Test } from '../../domain/tests/ab-test.ts'
import { formatCount } from '../../domain/figures.ts'
import type { ChargeCounts } from '../../domain/reports/summary.ts'
import { passed, type Outcome } from './report-check.tsx'

/**
 * Null when there is nothing to say: in a test of another kind, and before the first order with
 * tested products.
 */
export function chargesOutcome({ summary: { charges } }: Test): Outcome | null {
  if (!charges || charges.judged + charges.unmarked === 0) return null
  if (charges.wrong > 0)
    return {
      tone: 'warn',
      words: `${formatCount(charges.wrong)} of ${formatCount(charges.judged)} charged a different price`,
    }
  return charges.latest
    ? { tone: 'warn', words: 'An order was charged a different price' }
    : passed('All charged as shown')
}

/** Whether buyers paid what they were shown. */
export function Charges({
  charges: { judged, wrong, unmarked, latest },
}: {
  charges: ChargeCounts
}) {
  return (
    <>
      {judged > 0 && (
        <p class="note">
          {wrong === 0
            ? `${buyers(judged)} paid the price of their arm.`
            : `Of ${buyers(judged)}, ${formatCount(wrong)} ${wrong === 1 ? 'was' : 'were'} charged a different price from the one they saw. The test keeps running while this is rare. If it becomes frequent, we put the test on hold.`}
        </p>
      )}
      {latest && <p class="note">{latest}</p>}
      {unmarked > 0 && (
        <p class="note">
          {formatCount(unmarked)} {unmarked === 1 ? 'order' : 'orders'} with tested products came
          without cart attributes, as express checkouts do. They pay the control’s price. Only where
          the checkout pixel named the visitor do we know what the buyer saw.
        </p>
      )}
    </>
  )
}

const buyers = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'buyer' : 'buyers'}`
