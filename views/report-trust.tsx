import type { ComponentChildren } from 'preact'
import type { Test } from '../domain/ab-test.ts'
import { formatCount, formatDate, formatRate } from '../domain/figures.ts'
import { formatMoney } from '../domain/money.ts'
import { differ, keptShare, ledgerGap, losesUnevenly } from '../domain/stage-check.ts'
import type { Exclusion } from '../domain/summary.ts'
import { Icon } from './icons.tsx'

type Store = { currency: string; timeZone: string }
type Tone = 'good' | 'warn' | 'bad' | 'neutral'
type Outcome = { tone: Tone; words: string }

const passed = (words = 'Passed'): Outcome => ({ tone: 'good', words })
const waiting: Outcome = { tone: 'neutral', words: 'Nothing to check yet' }

/** Is the measurement sound? One line per check, with what it rests on below. */
export function ReportTrust({ test, store }: { test: Test; store: Store }) {
  const { split, ledger } = test.summary
  const checks = { split: splitOutcome(test), stages: stagesOutcome(test), ledger: ledgerOutcome(test, store.currency), bots: botsOutcome(test) }
  const outcomes = Object.values(checks)
  const good = outcomes.filter(o => o.tone === 'good').length
  const tone = outcomes.some(o => o.tone === 'bad') ? 'bad' : outcomes.some(o => o.tone === 'warn') ? 'warn' : good === outcomes.length ? 'good' : 'neutral'
  return (
    <section class="card" aria-labelledby="trust">
      <div class="card-head">
        <h2 id="trust">Can you trust it?</h2>
        <span class="note"><span class="badge" data-tone={tone}><Icon name={tone === 'good' ? 'check' : tone === 'neutral' ? 'clock' : 'warning'} />{good} of {outcomes.length} checks passed</span></span>
      </div>
      <Check title={<abbr title="Sample ratio mismatch: visitors per arm against the planned split">Traffic split check</abbr>} outcome={checks.split}>
        <p class="note">{splitWords(test)}</p>
        {split.observed[0] + split.observed[1] > 0 && test.summary.splitByDevice.length > 0 && <SplitByDevice test={test} />}
      </Check>
      <Check title="From assigned to recorded" outcome={checks.stages}>
        <Stages test={test} />
        <p class="note">{bothArmsWords(test.summary.bothArms)} {setAsideWords(test.summary.setAside)}</p>
      </Check>
      <Check title="Order ledger" outcome={checks.ledger}>
        <LedgerTable ledger={ledger} currency={store.currency} total={`Shop’s own total, ${span(test, store.timeZone)}`} />
      </Check>
      <Check title="Bots" outcome={checks.bots}><p class="note">{botsWords(test)}</p></Check>
    </section>
  )
}

function Check({ title, outcome, children }: { title: ComponentChildren; outcome: Outcome; children: ComponentChildren }) {
  const icon = { good: 'check', warn: 'warning', bad: 'warning', neutral: 'clock' } as const
  return (
    <div class="trust-check">
      <h3>{title}</h3>
      <span class="status" data-tone={outcome.tone}><Icon name={icon[outcome.tone]} />{outcome.words}</span>
      {children}
    </div>
  )
}

function splitOutcome({ summary: { split } }: Test): Outcome {
  if (split.p === null) return waiting
  return split.broken ? { tone: 'bad', words: 'Broken' } : passed()
}
const pValue = (p: number) => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`)
const ratio = ([a, b]: readonly [number, number]) => { const n = a + b; return n > 0 ? `${formatRate(a / n, 1)} / ${formatRate(b / n, 1)}` : '–' }

function splitWords({ weights, summary: { split } }: Test): string {
  const planned = `Planned ${formatRate(weights[0], 1)} / ${formatRate(weights[1], 1)}`
  if (split.p === null) return `${planned}. No visitor has been counted yet.`
  const seen = `${planned}, seen ${ratio(split.observed)}.`
  return split.broken
    ? `${seen} Chance alone hardly ever makes a gap this large (${pValue(split.p)}), so visitors are lost in one arm and no winner is named. The steps below show where.`
    : `${seen} A gap like this is ordinary chance (${pValue(split.p)}).`
}

function SplitByDevice({ test }: { test: Test }) {
  return (
    <details class="trust-more">
      <summary>By device</summary>
      <div class="table-scroll">
        <table class="table">
          <thead><tr><th scope="col">Device</th><th scope="col" class="num">Control</th><th scope="col" class="num">Variant</th><th scope="col" class="num">Seen</th><th scope="col" class="num"><abbr title="How often chance alone makes a gap at least this large">p</abbr></th></tr></thead>
          <tbody>
            {test.summary.splitByDevice.map(({ device, observed, p }) => (
              <tr key={device}><th scope="row">{device.charAt(0).toUpperCase() + device.slice(1)}</th><td class="num">{formatCount(observed[0])}</td><td class="num">{formatCount(observed[1])}</td><td class="num">{ratio(observed)}</td><td class="num">{p === null ? '–' : p < 0.001 ? '< 0.001' : p.toFixed(3)}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function stagesOutcome({ summary: { stages } }: Test): Outcome {
  if (stages[0].assigned + stages[1].assigned === 0) return waiting
  return losesUnevenly(stages) ? { tone: 'warn', words: 'Uneven' } : passed()
}

function Stages({ test }: { test: Test }) {
  const columns = [
    ['Assigned', 'Given an arm on a tested page'], ['Applied', 'The arm was put on the page'],
    ['Exposed', 'The visitor met the difference'], ['Recorded', 'Counted in the figures'],
  ] as const
  const arms = [['Control', 'arm-mark arm-mark-control'], ['Variant', 'arm-mark']] as const
  return (
    <div class="table-scroll">
      <table class="table">
        <thead><tr><th scope="col">Arm</th>{columns.map(([name, meaning]) => <th key={name} scope="col" class="num"><abbr title={meaning}>{name}</abbr></th>)}<th scope="col" class="num">Kept</th></tr></thead>
        <tbody>
          {arms.map(([name, mark], i) => {
            const counts = test.summary.stages[i as 0 | 1]
            const kept = keptShare(counts)
            return (
              <tr key={name}>
                <th scope="row"><span class="arm"><span class={mark} />{name}</span></th>
                <td class="num">{formatCount(counts.assigned)}</td><td class="num">{formatCount(counts.applied)}</td><td class="num">{formatCount(counts.exposed)}</td><td class="num">{formatCount(counts.recorded)}</td>
                <td class="num">{kept === null ? '–' : formatRate(kept, 1)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const bothArmsWords = (n: number) => n === 0 ? 'No visitor was seen in both arms.'
  : n === 1 ? '1 visitor was seen in both arms and is counted in neither.' : `${formatCount(n)} visitors were seen in both arms and are counted in neither.`
const setAsideWords = (n: number) => n === 0 ? ''
  : `${formatCount(n)} ${n === 1 ? 'event was' : 'events were'} set aside: of an arm that does not fit the visitor, of a visitor who was given to another test, from a far-off time, or while the test did not run.`

const reasons: Record<Exclusion, string> = {
  noExposure: 'never met the test', beforeExposure: 'before meeting the test', bothArms: 'seen in both arms',
  bot: 'bot', testOrder: 'test order', noConsent: 'no consent', renewal: 'renewal of a subscription',
}

function ledgerOutcome({ summary: { ledger } }: Test, currency: string): Outcome {
  const gap = ledgerGap(ledger)
  if (gap.orders !== 0 || gap.amount !== 0 || gap.refunds !== 0) return { tone: 'bad', words: `Off by ${formatCount(Math.abs(gap.orders))} orders, ${formatMoney(Math.abs(gap.amount), currency)}` }
  return ledger.total.orders === 0 ? waiting : passed('Closes to the cent')
}

function LedgerTable({ ledger, currency, total }: { ledger: Test['summary']['ledger']; currency: string; total: string }) {
  const cells = ({ orders, amount, refunds }: { orders: number; amount: number; refunds: number }) => (
    <><td class="num">{formatCount(orders)}</td><td class="num">{formatMoney(amount, currency)}</td><td class="num">{refunds === 0 ? '–' : formatMoney(refunds, currency)}</td></>
  )
  return (
    <div class="table-scroll">
      <table class="table ledger-table">
        <thead><tr><th scope="col">Orders of the shop</th><th scope="col" class="num">Orders</th><th scope="col" class="num">Amount</th><th scope="col" class="num"><abbr title="Paid back since. Refunded orders stay where they are; their amounts are not reduced.">Refunds</abbr></th></tr></thead>
        <tbody>
          <tr><th scope="row">Control arm</th>{cells(ledger.arms[0])}</tr>
          <tr><th scope="row">Variant arm</th>{cells(ledger.arms[1])}</tr>
          {ledger.excluded.filter(line => line.orders > 0).map(line => <tr key={line.reason} class="ledger-part"><th scope="row">Left out: {reasons[line.reason]}</th>{cells(line)}</tr>)}
        </tbody>
        <tfoot><tr><th scope="row">{total}</th>{cells(ledger.total)}</tr></tfoot>
      </table>
    </div>
  )
}

function span({ startAt, endedAt, summary }: Test, zone: string): string {
  if (!startAt) return 'not started'
  const from = formatDate(startAt, zone, false), to = formatDate(endedAt ?? summary.updatedAt, zone, false)
  return from === to ? from : `${from} to ${to}`
}

function botsOutcome({ summary: { bots, visitors } }: Test): Outcome {
  const all = bots[0] + bots[1] + visitors[0] + visitors[1]
  if (all === 0) return waiting
  const share = `${formatRate((bots[0] + bots[1]) / all, 1)} of visitors`
  return differ([bots[0], bots[0] + visitors[0]], [bots[1], bots[1] + visitors[1]]) ? { tone: 'warn', words: share } : passed(share)
}
function botsWords({ summary: { bots, visitors } }: Test): string {
  if (bots[0] + bots[1] === 0) return 'None was met so far. Bots are flagged and left out.'
  const share = (i: 0 | 1) => formatRate(bots[i] / Math.max(1, bots[i] + visitors[i]), 1)
  return `${formatCount(bots[0] + bots[1])} flagged and left out: ${share(0)} in control, ${share(1)} in the variant.`
}
