import type { ExportedTest } from '../domain/export.ts'
import { exclusionWords } from '../domain/export-orders.ts'
import { formatDate, formatTime } from '../domain/figures.ts'
import { goals } from '../domain/goal.ts'
import { decimalMoney } from '../domain/money.ts'
import { statusLabels } from '../domain/test-status.ts'
import type { TestStatus } from '../domain/test-status.ts'
import { byteOrderMark } from './csv.ts'

type About = ExportedTest & { title: string; store: string; status: TestStatus; hypothesis: string; startAt: Date | null; endedAt: Date | null; timeZone: string; madeAt: Date }

/** What lies beside it in the archive, for who opens it a year later. */
export function aboutText({ title, store, status, hypothesis, startAt, endedAt, timeZone, madeAt, goal, titles, currency, summary }: About): string {
  const moment = (at: Date | null) => (at ? `${formatDate(at, timeZone)}, ${formatTime(at, timeZone)}` : 'not yet')
  const { ledger } = summary
  const line = (what: string, { orders, amount, refunds }: { orders: number; amount: number; refunds: number }) =>
    `  ${what}: ${orders} orders, ${decimalMoney(amount, currency)} ${currency}, of which ${decimalMoney(refunds, currency)} ${currency} was refunded`
  return byteOrderMark + [
    title, '='.repeat(Math.min(title.length, 80)), '',
    `Shop: ${store}`, `Status: ${statusLabels[status]}`, `Began: ${moment(startAt)}`, `Ended: ${moment(endedAt)}`, `Made: ${moment(madeAt)}`, `Times and days are those of the shop (${timeZone}).`,
    `Deciding goal: ${goals[goal].label}`, `Control: ${titles[0]}`, `Variant: ${titles[1]}`, ...(hypothesis ? ['', 'What was believed:', hypothesis] : []), '',
    'The files',
    '  results.csv  every goal and arm over the whole test; rates, lifts and chances are fractions (0.05 is 5%)',
    '  daily.csv    each day and arm with every metric',
    '  orders.csv   every order of the shop while the test ran: in an arm, or left out and why',
    `  Money is in ${currency}, after discounts, before tax and shipping. Refunds stand in a column of their own.`, '',
    `The orders, as last summed up (${moment(new Date(summary.updatedAt))})`,
    line('Control', ledger.arms[0]), line('Variant', ledger.arms[1]),
    ...ledger.excluded.filter(part => part.orders > 0).map(part => line(`Left out, ${exclusionWords[part.reason]}`, part)), line('All', ledger.total), '',
  ].join('\r\n')
}
