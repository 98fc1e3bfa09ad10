import type { Test } from '../../domain/tests/ab-test.ts'
import { formatChance, formatCount, formatDay, formatFigure } from '../../domain/figures.ts'
import { metrics } from '../../domain/reports/metric.ts'
import type { DailyPoint } from '../../domain/reports/summary.ts'
import { trendDays } from '../../domain/trend.ts'
import { isSplitBroken } from '../../domain/reports/uncompared.ts'
import type { ChartProps } from '../../islands/reports/chart-frame.ts'
import type { ChartSeries } from '../../islands/reports/chart-scale.ts'
import { Island } from '../island.tsx'
import { calendar, lineOf, notes, rounded } from './chart-lines.ts'
import type { Overview } from './report-links.ts'
import { MetricChooser } from './report-metric.tsx'

export type ChartsProps = {
  test: Test
  shown: Overview
  /** By day: `daily` has the metric shown, `running` the goal's chance to win. */
  daily: DailyPoint[]
  running: DailyPoint[]
  currency: string
  timeZone: string
  /** The other parameters of the address, as hidden fields of the form that replaces it. */
  carried?: Record<string, string>
}

/**
 * The running chance to win and a metric day by day: a chart each, and the same figures as a table.
 */
export function ReportCharts({
  test,
  shown,
  daily,
  running,
  currency,
  timeZone,
  carried,
}: ChartsProps) {
  const metric = shown.metric ?? shown.goal
  if (running.every(d => d.arms[0].visitors + d.arms[1].visitors === 0)) {
    return (
      <section class="card card-body">
        <p class="note">Charts appear with the first visitor of the test.</p>
      </section>
    )
  }
  const { label, unit } = metrics[metric]
  const withYear = trendDays(daily.length) > 0
  const range = `${formatDay(daily[0]!.day, withYear)} to ${formatDay(daily.at(-1)!.day, withYear)}`
  const frame = (days: DailyPoint[]) => ({
    currency,
    ...calendar(test, days, timeZone),
    paused: days.map(d => d.paused),
  })
  const rows = (days: DailyPoint[], cells: (day: DailyPoint) => string[]) =>
    days.map(d => ({ day: d, name: formatDay(d.day, withYear), cells: cells(d) }))
  const lines: ChartSeries[] = [
    { label: 'Control', arm: 'control', ...lineOf(metric, daily, 0) },
    { label: 'Variant', arm: 'variant', ...lineOf(metric, daily, 1) },
  ]
  return (
    <div class="columns report-charts">
      {isSplitBroken(test) ? (
        <VisitorsByDay {...{ running, range, rows }} frame={frame(running)} />
      ) : (
        <ChartCard
          title="Running chance to win"
          id="chance"
          heading="Running chance to win"
          island={
            <Island
              isLater
              id="chart-chance"
              name="chart"
              props={{
                ...frame(running),
                unit: 'chance',
                label: `Running chance to win, ${range}`,
                series: [
                  {
                    label: 'Chance to win',
                    arm: 'variant',
                    values: running.map(d => rounded(d.chanceToWin)),
                  },
                ],
              }}
            />
          }
          head={['Visitors', 'Chance to win']}
          rows={rows(running, d => [
            formatCount(d.arms[0].visitors + d.arms[1].visitors),
            d.chanceToWin === null ? '–' : formatChance(d.chanceToWin),
          ])}
        />
      )}
      <ChartCard
        title={`Daily ${label.toLowerCase()}`}
        id="daily"
        heading={
          <>
            Daily <span class="chart-metric">{label.toLowerCase()}</span>
          </>
        }
        chooser={<MetricChooser test={test} shown={shown} {...(carried && { carried })} />}
        note={notes(metric, daily, lines)}
        island={
          <Island
            isLater
            id="chart-daily"
            name="chart"
            props={{
              ...frame(daily),
              unit,
              label: `Daily ${label.toLowerCase()} by arm, ${range}`,
              series: lines,
            }}
          />
        }
        head={['Control', 'Variant']}
        rows={rows(daily, d => [
          formatFigure(unit, d.arms[0].value, currency),
          formatFigure(unit, d.arms[1].value, currency),
        ])}
      />
    </div>
  )
}

type ByDayProps = {
  running: DailyPoint[]
  range: string
  frame: Pick<ChartProps, 'currency' | 'from' | 'days' | 'paused' | 'plannedEnd'>
  rows: (days: DailyPoint[], cells: (day: DailyPoint) => string[]) => CardProps['rows']
}
/**
 * With a broken split there is no chance to win to show. The visitors of each arm show on which day
 * it broke.
 */
function VisitorsByDay({ running, range, frame, rows }: ByDayProps) {
  const line = (arm: 0 | 1) => ({
    values: running.map(d => (d.paused === 'wholly' ? null : d.arms[arm].visitors)),
  })
  return (
    <ChartCard
      title="Daily visitors"
      id="visitors"
      heading="Daily visitors"
      note="No chance to win: the traffic split is broken. Look at the day on which the lines separate."
      island={
        <Island
          isLater
          id="chart-visitors"
          name="chart"
          props={{
            ...frame,
            unit: 'count',
            label: `Daily visitors by arm, ${range}`,
            series: [
              { label: 'Control', arm: 'control', ...line(0) },
              { label: 'Variant', arm: 'variant', ...line(1) },
            ],
          }}
        />
      }
      head={['Control', 'Variant']}
      rows={rows(running, d => d.arms.map(arm => formatCount(arm.visitors)))}
    />
  )
}

type CardProps = {
  title: string
  id: string
  heading: preact.ComponentChildren
  chooser?: preact.ComponentChildren
  note?: string
  island: preact.ComponentChildren
  head: string[]
  rows: { day: DailyPoint; name: string; cells: string[] }[]
}
function ChartCard({ title, id, heading, chooser, note, island, head, rows }: CardProps) {
  const words = { no: '', partly: ' (paused in part)', wholly: ' (paused)' }
  return (
    <section class="card chart" aria-labelledby={`${id}-title`}>
      <div class="card-head">
        <h2 id={`${id}-title`}>{heading}</h2>
        {chooser}
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            class="chart-switch"
            id={`${id}-as-table`}
            hx-preserve="true"
          />
          Show as table
        </label>
      </div>
      <div class="card-body">
        {island}
        <div class="chart-table" tabindex={0} role="region" aria-label={`${title} as a table`}>
          <table class="table table-sticky">
            <thead>
              <tr>
                <th scope="col">Day</th>
                {head.map(name => (
                  <th key={name} scope="col" class="num">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ day, name, cells }) => (
                <tr key={day.day}>
                  <th scope="row">
                    {name}
                    {words[day.paused]}
                  </th>
                  {cells.map((cell, i) => (
                    <td key={i} class="num">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {note && <p class="note chart-note">{note}</p>}
      </div>
    </section>
  )
}
