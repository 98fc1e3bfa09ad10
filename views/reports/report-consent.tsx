import type { Test } from '../../domain/tests/ab-test.ts'
import { formatCount, formatRate } from '../../domain/figures.ts'
import { differ } from '../../domain/reports/stage-check.ts'
import { notInFile, passed, waiting, type Outcome } from './report-check.tsx'
import { ordersPath, type Overview } from './report-links.ts'

export function consentOutcome({ isImported, summary: { visitors, consented } }: Test): Outcome {
  if (isImported) return notInFile
  const [all, said] = [visitors[0] + visitors[1], consented[0] + consented[1]]
  if (all === 0) return waiting
  if (differ([consented[0], visitors[0]], [consented[1], visitors[1]]))
    return { tone: 'warn', words: 'Uneven' }
  return passed(said === 0 ? 'Not asked' : `${formatRate(said / all, 1)} said yes`)
}

/**
 * Each arm's share of visitors who agreed to be counted. Visitors who refuse are in neither arm.
 * Their orders do not say that consent was refused, only that the visitor is unknown.
 */
export function Consent({ test, shown }: { test: Test; shown?: Overview | undefined }) {
  if (test.isImported)
    return (
      <p class="note">The imported file does not say whether visitors were asked for consent.</p>
    )
  const { visitors, consented, ledger } = test.summary
  const unknown = ledger.excluded.find(({ reason }) => reason === 'noConsent')?.orders ?? 0
  return (
    <>
      <p class="note">{words(visitors, consented)}</p>
      {unknown > 0 && (
        <p class="note">
          <a href={ordersPath(test, { part: 'noConsent' }, shown)}>
            {unknown === 1 ? '1 order' : `${formatCount(unknown)} orders`} without a known visitor
          </a>{' '}
          (consent refused, or not bought in the online shop) {unknown === 1 ? 'is' : 'are'} listed
          in the ledger as left out.
        </p>
      )}
    </>
  )
}

function words(visitors: readonly [number, number], consented: readonly [number, number]): string {
  const refusal = 'Visitors who refuse see the original and are in neither arm.'
  if (visitors[0] + visitors[1] === 0) return refusal
  if (consented[0] + consented[1] === 0)
    return `Your shop did not ask these visitors for consent. ${refusal}`
  const share = (i: 0 | 1) =>
    visitors[i] === 0 ? 'nobody' : formatRate(consented[i] / visitors[i], 1)
  const rest =
    consented[0] + consented[1] < visitors[0] + visitors[1] ? ' The others were not asked.' : ''
  const apart = differ([consented[0], visitors[0]], [consented[1], visitors[1]])
    ? ' A gap this large is almost never chance: check that your consent banner looks the same in both arms.'
    : ''
  return `Of the visitors counted, ${share(0)} in control and ${share(1)} in the variant said yes.${rest}${apart} ${refusal}`
}
