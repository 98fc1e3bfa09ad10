import type { Test as TapTest } from 'tap'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Test } from '../../../domain/tests/ab-test.ts'
import { dailySeries } from '../../../domain/reports/daily.ts'
import type { Metric } from '../../../domain/reports/metric.ts'
import { summarise } from '../../../domain/reports/summary-build.ts'
import { tests } from '../../../views/design/design-example-tests.ts'
import { store } from '../../../views/design/design-examples.ts'
import { ReportPage } from '../../../views/reports/report-page.tsx'
import { inputAt } from '../../domain/support/results.ts'
import { textOf } from './merchant.ts'

export type Input = Parameters<typeof summarise>[0]
/** Renders the overview of a test. The product's own rules compute its summary from these arms. */
export function overview(
  age: number,
  arms: Parameters<typeof inputAt>[1],
  over: Partial<Input> = {},
  about: Partial<Test> = {},
  metric: Metric | null = null,
) {
  const input = inputAt(age, arms, over)
  const test: Test = {
    ...tests.leaning,
    goal: input.goal,
    startAt: new Date(input.startAt!).toISOString(),
    endsAt: new Date(input.endsAt!).toISOString(),
    plannedVisitors: input.plannedVisitors,
    events: [],
    summary: summarise(input),
    ...about,
  }
  const dailyOf = (wanted: Metric) =>
    dailySeries({
      metric: wanted,
      days: input.days,
      from: '2026-11-02',
      to: '2026-11-05',
      paused: new Map([
        ['2026-11-03', 'wholly'],
        ['2026-11-04', 'partly'],
      ]),
    })
  const html = renderToString(
    h(ReportPage, {
      test,
      shown: { goal: test.goal, metric },
      daily: dailyOf(metric ?? test.goal),
      running: dailyOf(test.goal),
      store,
      now: new Date(input.now),
    }),
  )
  return { html, text: textOf(html).replaceAll('&#39;', '’') }
}
/** Two arms with about the same number of buyers. */
export const even: Parameters<typeof inputAt>[1] = [
  { visitors: 5000, buyers: 150 },
  { visitors: 5000, buyers: 160 },
]
/** A line of the ledger: number of orders, their amount and refunds in minor units. */
export const line = (orders: number, amount: number, refunds = 0) => ({ orders, amount, refunds })

/** Fails when the page has an invalid figure, such as NaN or a negative price. */
export const honest = (t: TapTest, { text }: { text: string }, name: string) =>
  t.notMatch(text, /NaN|undefined|Infinity|\bnull\b|\$-|--/, `${name}: no invalid figure`)
