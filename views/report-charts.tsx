import type { Test } from '../domain/ab-test.ts'
import { formatChance, formatCount, formatDay, formatGoal } from '../domain/figures.ts'
import { goals, type Goal } from '../domain/goal.ts'
import type { DailyPoint } from '../domain/summary.ts'
import { Island } from './island.tsx'

type ChartsProps = { test: Test; goal: Goal; daily: DailyPoint[]; currency: string; timeZone: string }

/** The running chance to win and the goal day by day: a drawing each, and the same figures as a table. */
export function ReportCharts({ test, goal, daily, currency, timeZone }: ChartsProps) {
  const label = goals[goal].label.toLowerCase()
  if (daily.every(d => d.arms[0].visitors + d.arms[1].visitors === 0)) {
    return <section class="card card-body"><p class="note">The charts begin with the first visitor of the test. Nobody has met it yet.</p></section>
  }
  const frame = { currency, ...calendar(test, daily, timeZone), paused: daily.map(d => d.paused) }
  const range = `${formatDay(daily[0]!.day)} to ${formatDay(daily.at(-1)!.day)}`
  const money = goals[goal].money
  return (
    <div class="columns">
      <ChartCard title="Running chance to win" id="chance"
        island={<Island id="chart-chance" name="chart" props={{
          ...frame, unit: 'chance', label: `Running chance to win, ${range}`,
          series: [{ label: 'Chance to win', arm: 'variant', values: daily.map(d => d.chanceToWin) }],
        }} />}
        head={['Visitors', 'Chance to win']}
        rows={daily.map(d => ({ day: d, cells: [formatCount(d.arms[0].visitors + d.arms[1].visitors), d.chanceToWin === null ? '–' : formatChance(d.chanceToWin)] }))} />
      <ChartCard title={`Daily ${label}`} id="daily" note="Days with less than a fifth of a usual day’s visitors stand in the table alone"
        island={<Island id="chart-daily" name="chart" props={{
          ...frame, unit: money ? 'money' : 'rate', label: `Daily ${label} by arm, ${range}`,
          series: [
            { label: 'Control', arm: 'control', values: drawn(daily, 0) },
            { label: 'Variant', arm: 'variant', values: drawn(daily, 1) },
          ],
        }} />}
        head={['Control', 'Variant']}
        rows={daily.map(d => ({ day: d, cells: [formatGoal(goal, d.arms[0].value, currency), formatGoal(goal, d.arms[1].value, currency)] }))} />
    </div>
  )
}

type CardProps = { title: string; id: string; note?: string; island: preact.ComponentChildren; head: string[]; rows: { day: DailyPoint; cells: string[] }[] }
function ChartCard({ title, id, note, island, head, rows }: CardProps) {
  const words = { no: '', partly: ' (paused in part)', wholly: ' (paused)' }
  return (
    <section class="card chart" aria-labelledby={`${id}-title`}>
      <div class="card-head"><h2 id={`${id}-title`}>{note ? <abbr title={note}>{title}</abbr> : title}</h2><label class="switch"><input type="checkbox" role="switch" class="chart-switch" />Show as table</label></div>
      <div class="card-body">
        {island}
        <div class="chart-table" tabindex={0} role="region" aria-label={`${title} as a table`}>
          <table class="table table-sticky">
            <thead><tr><th scope="col">Day</th>{head.map(name => <th key={name} scope="col" class="num">{name}</th>)}</tr></thead>
            <tbody>
              {rows.map(({ day, cells }) => <tr key={day.day}><th scope="row">{formatDay(day.day)}{words[day.paused]}</th>{cells.map((cell, i) => <td key={i} class="num">{cell}</td>)}</tr>)}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  )
}

/** Of the visitors of a usual (median) day. Below it the day was cut short, and its rate is mostly chance. */
const shortDay = 0.2

/** The figures of the line. A day cut short, as the first and the last often are, would set the whole scale: it stands in the table alone. */
function drawn(daily: DailyPoint[], arm: 0 | 1): (number | null)[] {
  const visitors = daily.map(({ arms }) => arms[0].visitors + arms[1].visitors)
  const usual = visitors.filter(n => n > 0).toSorted((a, b) => a - b).at(Math.floor(visitors.filter(n => n > 0).length / 2)) ?? 0
  return daily.map((point, i) => (visitors[i]! < shortDay * usual ? null : point.arms[arm].value))
}

const dayLength = 86_400_000
const utc = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** The days of the axis: those with figures, and while the test may still run those up to its planned end. */
function calendar({ endsAt, endedAt }: Test, daily: DailyPoint[], timeZone: string): { days: string[]; plannedEnd: number | null } {
  const days = daily.map(d => d.day)
  if (!endsAt) return { days, plannedEnd: null }
  const start = utc(days[0]!)
  const planned = Math.round((utc(new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(endsAt))) - start) / dayLength)
  if (!endedAt) for (let i = days.length; i < planned; i++) days.push(new Date(start + i * dayLength).toISOString().slice(0, 10))
  return { days, plannedEnd: planned > 0 && planned <= days.length ? planned : null }
}
