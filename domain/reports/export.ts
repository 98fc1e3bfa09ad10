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

/**
 * A cell of a table for spreadsheets: text, a number, a number that is already formatted (`plain`),
 * or nothing.
 */
export type Cell = string | number | { plain: string } | null
export type Table = { header: string[]; rows: Cell[][] }

/** The data for the result tables of an export. Days are in the shop's time zone. */
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
/** Rounds rates and lifts to six decimal places, 0.0001%; more would be noise. */
const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toFixed(6))
/**
 * Converts minor units to units of the currency, rounded to two more decimal places than it has,
 * because means need them.
 */
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
/**
 * Columns that only the rows of the whole test fill: the basis of each arm's figures, the
 * comparison, and the checks.
 */
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

/** The table with one row per goal and arm, for the whole test. */
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
        // The comparison is in the variant's row.
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
        // Every row names a broken split, because it is the reason why no row has a lift.
        splitWord(split),
        split.p === null ? null : Number(split.p.toPrecision(4)),
      ]
    }),
  )
  return { header: resultHeader, rows }
}

/** The result of the split check in one word; null before the first visitor. */
export const splitWord = ({ p, broken }: TestSummary['split']): string | null =>
  p === null ? null : broken ? 'broken' : 'passed'

/**
 * The same table for each day. A single day has too little data to compare the arms, so those
 * columns are empty.
 */
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

/** The table with one row per day and arm, and one column per metric. */
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
