import type { Test } from '../../domain/tests/ab-test.ts'
import { formatCount, formatRate } from '../../domain/figures.ts'
import { untoldFacts } from '../../domain/imports/import-facts.ts'
import { worstStep } from '../../domain/reports/stage-check.ts'
import { Icon } from '../icons.tsx'
import { Bots, botsOutcome } from './report-bots.tsx'
import { Charges, chargesOutcome } from './report-charges.tsx'
import { Check, notInFile, outcomeIcons, passed, waiting, type Outcome } from './report-check.tsx'
import { Consent, consentOutcome } from './report-consent.tsx'
import { Ledger, ledgerOutcome } from './report-ledger.tsx'
import type { Overview } from './report-links.ts'
import { Networks, networksOutcome } from './report-networks.tsx'
import { PageSpeed, speedOutcome } from './report-speed.tsx'
import { Stages, stagesOutcome } from './report-stages.tsx'

type Store = { currency: string; timeZone: string }

/** Is the measurement sound? One line per check, with the figures behind it below. */
export function ReportTrust({
  test,
  store,
  shown,
  showsTypes = true,
  orderWindow = null,
}: {
  test: Test
  store: Store
  /** Whether the plan opens the types of orders. */
  showsTypes?: boolean
  /** What to know when the test began before the orders that we can still read. */
  orderWindow?: string | null
  shown?: Overview
}) {
  const checks = {
    split: splitOutcome(test),
    stages: stagesOutcome(test),
    ledger: ledgerOutcome(test, store.currency),
    bots: botsOutcome(test),
    consent: consentOutcome(test),
    speed: speedOutcome(test),
  }
  const networks = networksOutcome(test),
    charges = chargesOutcome(test)
  const outcomes = [
    ...Object.values(checks).filter(outcome => outcome !== notInFile),
    ...[charges, networks].filter(outcome => outcome !== null),
  ]
  const good = outcomes.filter(o => o.tone === 'good').length
  const tone = outcomes.some(o => o.tone === 'bad')
    ? 'bad'
    : outcomes.some(o => o.tone === 'warn')
      ? 'warn'
      : good === outcomes.length
        ? 'good'
        : 'neutral'
  return (
    <section class="card report-trust" aria-labelledby="trust">
      <div class="card-head">
        <h2 id="trust">Can you trust it?</h2>
        <span class="note">
          <span class="badge" data-tone={tone}>
            <Icon name={outcomeIcons[tone]} />
            {outcomes.every(outcome => outcome.tone === 'neutral')
              ? 'Checks start with the first visitors'
              : `${good} of ${outcomes.length} checks passed`}
          </span>
        </span>
      </div>
      <Check
        title={
          <abbr title="Sample ratio mismatch: visitors per arm against the planned split">
            Traffic split check
          </abbr>
        }
        outcome={checks.split}
      >
        <p class="note">{splitWords(test)}</p>
        {test.summary.split.p !== null && test.summary.splitByDevice.length > 0 && (
          <SplitByDevice test={test} />
        )}
        {test.notInFile.includes('device') && (
          <p class="note">
            The file does not say {untoldFacts.device}, so there is no split by device.
          </p>
        )}
      </Check>
      <Check title="From assigned to recorded" outcome={checks.stages}>
        <Stages test={test} />
      </Check>
      <Check title="Order ledger" outcome={checks.ledger} id="ledger">
        <Ledger test={test} store={store} shown={shown} showsTypes={showsTypes} />
        {orderWindow && <p class="note">{orderWindow}</p>}
      </Check>
      {charges && (
        <Check title="Prices charged" outcome={charges}>
          <Charges charges={test.summary.charges!} />
        </Check>
      )}
      <Check title="Bots" outcome={checks.bots}>
        <Bots test={test} />
      </Check>
      {networks && (
        <Check title="Networks that stand out" outcome={networks}>
          <Networks aside={test.summary.aside!} />
        </Check>
      )}
      <Check title="Consent" outcome={checks.consent}>
        <Consent test={test} shown={shown} />
      </Check>
      <Check title="Page speed" outcome={checks.speed}>
        <PageSpeed test={test} />
      </Check>
    </section>
  )
}

function splitOutcome({ summary: { split } }: Test): Outcome {
  if (split.p === null) return waiting
  return split.broken ? { tone: 'bad', words: 'Broken' } : passed()
}
const pValue = (p: number) => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`)
const ratio = ([a, b]: readonly [number, number]) => {
  const n = a + b
  return n > 0 ? `${formatRate(a / n, 1)} / ${formatRate(b / n, 1)}` : '–'
}

function splitWords({ isImported, weights, summary: { split, stages } }: Test): string {
  const planned = `Planned ${formatRate(weights[0], 1)} / ${formatRate(weights[1], 1)}`
  if (split.p === null) return `${planned}. No visitor has been counted yet.`
  const seen = `${planned}, seen ${ratio(split.observed)}.`
  if (!split.broken) return `${seen} A gap this small is normal (${pValue(split.p)}).`
  const where = isImported
    ? 'The file does not say where.'
    : worstStep(stages)
      ? 'The steps below show where.'
      : 'No step below loses more visitors in one arm, so they are lost before they get an arm: check what stops the script from running or leads people past the tested page.'
  return `${seen} A gap this large is almost never chance (${pValue(split.p)}): one arm is losing visitors, so no winner is named. ${where}`
}

function SplitByDevice({ test }: { test: Test }) {
  return (
    <details class="trust-more">
      <summary>By device</summary>
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col" class="num">
                Control
              </th>
              <th scope="col" class="num">
                Variant
              </th>
              <th scope="col" class="num">
                Seen
              </th>
              <th scope="col" class="num">
                <abbr title="How often chance alone makes a gap this large or larger">p</abbr>
              </th>
            </tr>
          </thead>
          <tbody>
            {test.summary.splitByDevice.map(({ device, observed, p }) => (
              <tr key={device}>
                <th scope="row">{device.charAt(0).toUpperCase() + device.slice(1)}</th>
                <td class="num">{formatCount(observed[0])}</td>
                <td class="num">{formatCount(observed[1])}</td>
                <td class="num">{ratio(observed)}</td>
                <td class="num">{p === null ? '–' : p < 0.001 ? '< 0.001' : p.toFixed(3)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
