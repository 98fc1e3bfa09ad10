import type { Test } from '../domain/ab-test.ts'
import { formatCount, formatRate } from '../domain/figures.ts'
import { differ } from '../domain/stage-check.ts'
import { passed, waiting, type Outcome } from './report-check.tsx'
import { ordersPath } from './report-links.ts'

export function consentOutcome({ summary: { visitors, consented } }: Test): Outcome {
  const [all, said] = [visitors[0] + visitors[1], consented[0] + consented[1]]
  if (all === 0) return waiting
  if (differ([consented[0], visitors[0]], [consented[1], visitors[1]])) return { tone: 'warn', words: 'Uneven' }
  return passed(said === 0 ? 'Not asked' : `${formatRate(said / all, 1)} said yes`)
}

/** Each arm's share of visitors who said yes to being counted. Who refuses is in no arm, and only their orders are known. */
export function Consent({ test: { id, summary: { visitors, consented, ledger } } }: { test: Test }) {
  const refused = ledger.excluded.find(({ reason }) => reason === 'noConsent')?.orders ?? 0
  return (
    <>
      <p class="note">{words(visitors, consented)}</p>
      {refused > 0 && <p class="note"><a href={ordersPath(id, { part: 'noConsent' })}>{refused === 1 ? '1 order' : `${formatCount(refused)} orders`} of shoppers who refused</a> {refused === 1 ? 'stands' : 'stand'} in the ledger as left out.</p>}
    </>
  )
}

function words(visitors: readonly [number, number], consented: readonly [number, number]): string {
  const refusal = 'Who refuses sees the original and is in no arm.'
  if (visitors[0] + visitors[1] === 0) return refusal
  if (consented[0] + consented[1] === 0) return `Your shop has asked none of these visitors for consent. ${refusal}`
  const share = (i: 0 | 1) => (visitors[i] === 0 ? 'nobody' : formatRate(consented[i] / visitors[i], 1))
  const rest = consented[0] + consented[1] < visitors[0] + visitors[1] ? ' The others were not asked.' : ''
  const apart = differ([consented[0], visitors[0]], [consented[1], visitors[1]]) ? ' Chance hardly makes such a gap: look at whether your consent banner is shown alike in both arms.' : ''
  return `Of those counted, ${share(0)} in control and ${share(1)} in the variant said yes.${rest}${apart} ${refusal}`
}
