import type { PerArm } from '../arm.ts'
import { nextDay } from './daily.ts'
import { armTotals, goalCount, goalValue, type ArmTotals } from './goal-result.ts'
import { goalNames, goals, type Goal } from './goal.ts'
import { tellsPages } from '../imports/imported.ts'
import { metricNames, metrics, metricValue } from './metric.ts'
import { minorDigits } from '../money.ts'
import type { DayTotals, TestSummary } from './summary.ts'
import type { TestStatus } from '../tests/test-status.ts'
import { verdictBadge } from './verdict-words.ts'

/** A cell of a table to be opened in a spreadsheet: text, a number, a number already written out, or nothing. */
export type Cell = string | number | { plain: string } | null
export type Table = { header: string[]; rows: Cell[][] }

/** What the result tables of an export are made of. Days are the shop's own. */
export type ExportedTest = {
  goal: Goal
  isImported: boolean
  status: TestStatus
  titles: PerArm<string>
  currency: string
  summary: TestSummary
  days: readonly DayTotals[]
  from: string
  to: string
  paused: ReadonlyMap<string, 'partly' | 'wholly'>
}

const arms = ['Control', 'Variant'] as const
const places = [0, 1] as const
/** Rates and lifts to a hundredth of a percent's hundredth; more would be noise. */
const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toFixed(6))
/** Minor units in the currency itself, with two digits more than it has where it is a mean. */
function money(minor: number | null, currency: string): number | null {
  const digits = minorDigits(currency)
  return minor === null ? null : Number((minor / 10 ** digits).toFixed(digits + 2))
}
const valueOf = (goal: Goal, value: number | null, currency: string) =>
  goals[goal].money ? money(value, currency) : rounded(value)
const unitOf = (goal: Goal, currency: string): string =>
  goal === 'AverageOrderValue'
    ? `${currency} per order`
    : goals[goal].money
      ? `${currency} per visitor`
      : 'share of visitors'
const plainColumns = [
  'Period',
  'Goal',
  'Deciding goal',
  'Arm',
  'Name',
  'Visitors',
  'Counted',
  'Count',
  'Value',
  'Unit',
]
/** Only of the whole test. What each arm's figures rest on, what compares the arms, and whether to trust it. */
const wholeColumns = [
  'Value used for the lift',
  'Order cap',
  'Orders capped',
  'Lift',
  'Lift, low end (90%)',
  'Lift, high end (90%)',
  'Chance to win',
  'Expected loss a month',
  'Verdict',
  'Split check',
  'Split check, p',
]
const resultHeader = [...plainColumns, ...wholeColumns]

/** One row per goal and arm, over the whole test. */
export function resultTable({
  goal: primary,
  status,
  titles,
  currency,
  summary,
}: ExportedTest): Table {
  const { split, verdict, orderCap, cappedOrders } = summary
  const rows = summary.goals.flatMap(({ goal, arms: figures, lift, interval, chanceToWin }) =>
    places.map((arm): Cell[] => {
      const { visitors, count, value, inferred, lossPerMonth } = figures[arm]
      return [
        'Whole test',
        goals[goal].label,
        goal === primary ? 'yes' : 'no',
        arms[arm],
        titles[arm],
        visitors,
        goals[goal].counted,
        count,
        valueOf(goal, value, currency),
        unitOf(goal, currency),
        valueOf(goal, inferred, currency),
        ...(goals[goal].money ? [money(orderCap, currency), cappedOrders] : [null, null]),
        // What compares the arms stands with the one that is compared.
        ...(arm === 0
          ? [null, null, null, null]
          : [
              rounded(lift),
              rounded(interval?.[0] ?? null),
              rounded(interval?.[1] ?? null),
              rounded(chanceToWin),
            ]),
        money(lossPerMonth, currency),
        arm === 1 && goal === primary ? verdictBadge(verdict, status).label : null,
        // A broken split is said on every line: it is why none of them has a lift.
        splitWord(split),
        split.p === null ? null : Number(split.p.toPrecision(4)),
      ]
    }),
  )
  return { header: resultHeader, rows }
}

/** The outcome of the split check in a word, null before the first visitor. */
export const splitWord = ({ p, broken }: TestSummary['split']): string | null =>
  p === null ? null : broken ? 'broken' : 'passed'

/** The same for each day by itself; a day alone says too little to compare the arms. */
export function dailyResultTable(test: ExportedTest): Table {
  const rows = eachDay(test).flatMap(({ day, totals }) =>
    goalNames.flatMap(goal =>
      places.map((arm): Cell[] => [
        day,
        goals[goal].label,
        goal === test.goal ? 'yes' : 'no',
        arms[arm],
        test.titles[arm],
        totals[arm].visitors,
        goals[goal].counted,
        goalCount(goal, totals[arm]),
        valueOf(goal, goalValue(goal, totals[arm]), test.currency),
        unitOf(goal, test.currency),
        ...wholeColumns.map(() => null),
      ]),
    ),
  )
  return { header: resultHeader, rows }
}

/** One row per day and arm with every metric in a column of its own. */
export function dailyTable(test: ExportedTest): Table {
  const { titles, currency, paused } = test,
    hasBounces = !test.isImported || tellsPages(test.days)
  const header = [
    'Day',
    'Arm',
    'Name',
    'Paused',
    'Visitors',
    ...metricNames.map(metric =>
      metrics[metric].unit === 'money'
        ? `${metrics[metric].label}, ${currency}`
        : metrics[metric].label,
    ),
  ]
  const rows = eachDay(test).flatMap(({ day, totals }) =>
    places.map((arm): Cell[] => [
      day,
      arms[arm],
      titles[arm],
      paused.get(day) ?? 'no',
      totals[arm].visitors,
      ...metricNames.map(metric => {
        const value =
          metric === 'BounceRate' && !hasBounces ? null : metricValue(metric, totals[arm])
        return metrics[metric].unit === 'money' ? money(value, currency) : rounded(value)
      }),
    ]),
  )
  return { header, rows }
}

function eachDay({ days, from, to }: ExportedTest): { day: string; totals: PerArm<ArmTotals> }[] {
  const byDay = Map.groupBy(days, d => d.day)
  const all: { day: string; totals: PerArm<ArmTotals> }[] = []
  for (let day = from; day <= to; day = nextDay(day))
    all.push({ day, totals: armTotals(byDay.get(day) ?? []) })
  return all
}
