import type { Test } from '../../domain/tests/ab-test.ts'
import { formatChance, formatCount, formatDay, formatFigure } from '../../domain/figures.ts'
import { metrics, type Metric } from '../../domain/reports/metric.ts'
import type { DailyPoint } from '../../domain/reports/summary.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import { trendDays, trendOf } from '../../domain/trend.ts'
import { isSplitBroken } from '../../domain/reports/uncompared.ts'
import type { ChartProps } from '../../islands/reports/chart-frame.ts'
import { highest, ticks, type ChartSeries } from '../../islands/reports/chart-scale.ts'
import { Island } from '../island.tsx'
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

/** The running chance to win and a metric day by day: a chart each, and the same figures as a table. */
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
/** With a broken split there is no chance to win to show. The visitors of each arm show on which day it broke. */
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

/** Share of the visitors of a usual (median) day. A day with fewer was cut short, and its rate is mostly chance. */
const shortDay = 0.2

const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(6))

function lineOf(
  metric: Metric,
  daily: DailyPoint[],
  arm: 0 | 1,
): { values: (number | null)[]; trend?: (number | null)[] } {
  const values = drawn(metric, daily, arm).map(rounded)
  const length = trendDays(daily.length)
  return length > 0
    ? { values, trend: trendOf(metric, daily, arm, length).map(rounded) }
    : { values }
}

/**
 * The figures of the line. The rate of a day that was cut short, as the first and the last often are, says nothing
 * and would set the whole scale, so it is only in the table. A count of such a day is shown. A day of pause has no
 * figures: a few acts may have been recorded in the minutes before every page knew about the pause.
 */
function drawn(metric: Metric, daily: DailyPoint[], arm: 0 | 1): (number | null)[] {
  const isShort = metrics[metric].per === null ? [] : shortDays(daily)
  return daily.map((point, i) =>
    point.paused === 'wholly' || isShort[i] ? null : point.arms[arm].value,
  )
}
function shortDays(daily: DailyPoint[]): boolean[] {
  const visitors = daily.map(({ arms }) => arms[0].visitors + arms[1].visitors)
  const some = visitors.filter(n => n > 0).toSorted((a, b) => a - b)
  const usual = some.at(Math.floor(some.length / 2)) ?? 0
  return visitors.map(n => n < shortDay * usual)
}

function notes(metric: Metric, daily: DailyPoint[], lines: ChartSeries[]): string {
  const length = trendDays(daily.length)
  const hides =
    metrics[metric].per !== null &&
    shortDays(daily).some((isShort, i) => isShort && daily[i]!.arms.some(arm => arm.value !== null))
  const limit = ticks(metrics[metric].unit, highest(lines)).at(-1)!,
    cuts = lines.some(({ values }) => values.some(value => value !== null && value > limit))
  return [
    length > 0 ? `Bold lines cover ${length} days at a time, faint lines single days.` : '',
    cuts ? 'Days too high for the chart are only shown in the table.' : '',
    hides ? 'Days with very little traffic are only shown in the table.' : '',
  ]
    .filter(Boolean)
    .join(' ')
}

const utc = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** The days of the axis: those with figures and, until the test has ended, those up to its planned end. */
function calendar(
  { endsAt, endedAt }: Test,
  daily: DailyPoint[],
  timeZone: string,
): { from: string; days: number; plannedEnd: number | null } {
  const from = daily[0]!.day
  if (!endsAt) return { from, days: daily.length, plannedEnd: null }
  const planned = Math.round(
    (utc(new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(endsAt))) - utc(from)) /
      dayLength,
  )
  const days = endedAt ? daily.length : Math.max(daily.length, planned)
  return { from, days, plannedEnd: planned > 0 && planned <= days ? planned : null }
}
