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
/** The overview of a test whose summary the product's own rules make of these. */
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
/** Two arms with about as many buyers. */
export const even: Parameters<typeof inputAt>[1] = [
  { visitors: 5000, buyers: 150 },
  { visitors: 5000, buyers: 160 },
]
/** Orders and what they brought. */
export const line = (orders: number, amount: number, refunds = 0) => ({ orders, amount, refunds })

/** No figure of the page is one that is none. */
export const honest = (t: TapTest, { text }: { text: string }, name: string) =>
  t.notMatch(text, /NaN|undefined|Infinity|\bnull\b|\$-|--/, `${name}: no figure that is none`)
