import { splitWord, type ExportedTest } from '../../domain/reports/export.ts'
import { whyLeftOut } from '../../domain/tests/exclusion-words.ts'
import {
  formatChance,
  formatCount,
  formatDate,
  formatLift,
  formatTime,
} from '../../domain/figures.ts'
import { goals } from '../../domain/reports/goal.ts'
import { decimalMoney } from '../../domain/money.ts'
import type { TestSummary } from '../../domain/reports/summary.ts'
import { statusLabels } from '../../domain/tests/test-status.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import { verdictBadge } from '../../domain/reports/verdict-words.ts'
import { byteOrderMark } from './csv.ts'

type About = ExportedTest & {
  title: string
  store: string
  hypothesis: string
  startAt: Date | null
  endedAt: Date | null
  timeZone: string
  madeAt: Date
  /** Whether the plan opens the types of orders. */
  showsTypes: boolean
}

/** The text of about.txt, which explains the archive's files to people who open it a year later. */
export function aboutText({
  title,
  store,
  isImported,
  status,
  hypothesis,
  startAt,
  endedAt,
  timeZone,
  madeAt,
  goal,
  titles,
  currency,
  summary,
  showsTypes,
}: About): string {
  const moment = (at: Date | null) =>
    at ? `${formatDate(at, timeZone)}, ${formatTime(at, timeZone)}` : 'not yet'
  const { ledger } = summary
  const line = (
    what: string,
    { orders, amount, refunds }: { orders: number; amount: number; refunds: number },
  ) =>
    `  ${what}: ${formatCount(orders)} ${orders === 1 ? 'order' : 'orders'}, ${decimalMoney(amount, currency)} ${currency}, of which ${decimalMoney(refunds, currency)} ${currency} was refunded`
  return (
    byteOrderMark +
    [
      title,
      '='.repeat(Math.min(title.length, 80)),
      '',
      `Shop: ${store}`,
      `Status: ${statusLabels[status]}`,
      `Began: ${moment(startAt)}`,
      `Ended: ${moment(endedAt)}`,
      `Made: ${moment(madeAt)}`,
      `Times and days are those of the shop (${timeZone}).`,
      `Deciding goal: ${goals[goal].label}`,
      `Control: ${titles[0]}`,
      `Variant: ${titles[1]}`,
      ...(hypothesis ? ['', 'Hypothesis:', hypothesis] : []),
      '',
      `Verdict: ${verdictLine(summary.verdict, status, at => moment(new Date(at)))}`,
      `Split check: ${splitLine(summary.split)}`,
      ...capLine(summary, currency),
      '',
      'The files',
      '  results.csv  every goal and arm over the whole test; rates, lifts and chances are fractions (0.05 is 5%)',
      '  daily.csv    each day and arm with every metric',
      '  orders.csv   every order of the shop while the test ran: in an arm, or left out and why;',
      `               what your plan does not report of visitors${isImported ? ', and what the imported file does not say,' : ''} stays empty`,
      `  Money is in ${currency}, after discounts, before tax and shipping. Refunds stand in a column of their own.`,
      '',
      `The orders, as last summed up (${moment(new Date(summary.updatedAt))})`,
      line('Control', ledger.arms[0]),
      line('Variant', ledger.arms[1]),
      ...ledger.excluded
        .filter(part => part.orders > 0)
        .map(part =>
          line(`Left out, ${whyLeftOut(part.reason, { showsTypes, place: 'file' })}`, part),
        ),
      line('All', ledger.total),
      '',
    ].join('\r\n')
  )
}

function verdictLine(
  verdict: TestSummary['verdict'],
  status: TestStatus,
  moment: (at: string) => string,
): string {
  const { reachedAt, lift, chanceToWin } = verdict
  const figures =
    lift === null || chanceToWin === null
      ? ''
      : ` (lift ${formatLift(lift)}, chance to win ${formatChance(chanceToWin)})`
  return `${verdictBadge(verdict, status).label}${reachedAt ? `, reached on ${moment(reachedAt)}` : ''}${figures}`
}

function splitLine(split: TestSummary['split']): string {
  if (split.p === null) return 'no visitor has been counted yet'
  const seen = `${formatCount(split.observed[0])} visitors in control, ${formatCount(split.observed[1])} in the variant, p ${split.p < 0.001 ? '< 0.001' : `= ${split.p.toFixed(3)}`}`
  return `${splitWord(split)} (${seen})${split.broken ? '. Visitors are lost in one arm: lifts and chances would compare unlike groups, so none is given and no winner is named.' : ''}`
}

function capLine({ orderCap, cappedOrders }: TestSummary, currency: string): string[] {
  if (orderCap === null) return []
  const cap = decimalMoney(Math.round(orderCap), currency)
  return [
    `Order cap: for lifts and chances an order counts ${cap} ${currency} at most; ${formatCount(cappedOrders)} ${cappedOrders === 1 ? 'order was' : 'orders were'} above it. Totals are not capped.`,
  ]
}
