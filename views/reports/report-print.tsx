import type { Test } from '../../domain/tests/ab-test.ts'
import { dateFormat } from '../../domain/intl/formats.ts'
import { formatChance, formatCount, formatGoal, formatLift } from '../../domain/figures.ts'
import { goalNames, goals } from '../../domain/reports/goal.ts'
import { isSplitBroken, notCompared } from '../../domain/reports/uncompared.ts'
import { Capped, capNote } from './report-capped.tsx'
import { resultOf } from './tabs/report-goals-result.ts'

/**
 * Parts that only a printed report has: its store, when it was printed, and all goals arm by arm.
 */

type HeadProps = {
  test: Test
  store: { name: string; domain: string; timeZone: string }
  now: Date
  /**
   * The filters of the figures, in words. The form that shows them on the screen is not printed.
   */
  narrowed: readonly string[]
}
export function PrintHead({ test, store: { name, domain, timeZone }, now, narrowed }: HeadProps) {
  const printed = dateFormat('en-GB', {
    timeZone,
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(now)
  return (
    <div class="print-only print-head">
      <p>
        <b>{name}</b> · {domain} · printed{' '}
        <time data-printed={timeZone} datetime={now.toISOString()}>
          {printed}
        </time>{' '}
        ({timeZone})
      </p>
      <p id="print-narrowed">{narrowed.length > 0 && `Only: ${narrowed.join(' · ')}`}</p>
      {test.hypothesisDescription && <p>Hypothesis: {test.hypothesisDescription}</p>}
    </div>
  )
}

export function PrintGoals({ test, currency }: { test: Test; currency: string }) {
  const note = isSplitBroken(test) ? `${notCompared}.` : capNote(test, currency)
  return (
    <section class="card print-only" aria-labelledby="all-goals">
      <div class="card-head">
        <h2 id="all-goals">All goals</h2>
      </div>
      <table class="table print-goals">
        <thead>
          <tr>
            <th scope="col">Goal</th>
            <th scope="col">Arm</th>
            <th scope="col" class="num">
              Visitors
            </th>
            <th scope="col" class="num">
              Counted
            </th>
            <th scope="col" class="num">
              Value
            </th>
            <th scope="col" class="num">
              Lift
            </th>
            <th scope="col" class="num">
              90% interval
            </th>
            <th scope="col" class="num">
              Chance to win
            </th>
          </tr>
        </thead>
        {goalNames.map(goal => {
          const { arms, lift, interval, chanceToWin } = resultOf(test, goal),
            { label, counted } = goals[goal]
          const cells = (i: 0 | 1) => (
            <>
              <td>{i === 0 ? 'Control' : 'Variant'}</td>
              <td class="num">{formatCount(arms[i].visitors)}</td>
              <td class="num">
                {formatCount(arms[i].count)} {counted.toLowerCase()}
              </td>
              <td class="num">
                {formatGoal(goal, arms[i].value, currency)}
                {goals[goal].money && <Capped {...arms[i]} currency={currency} />}
              </td>
            </>
          )
          return (
            <tbody key={goal}>
              <tr>
                <th scope="rowgroup" rowSpan={2}>
                  {label}
                  {goal === test.goal && <span class="cell-sub">Primary goal</span>}
                </th>
                {cells(0)}
                <td />
                <td />
                <td />
              </tr>
              <tr>
                {cells(1)}
                <td class="num">{lift === null ? '–' : formatLift(lift)}</td>
                <td class="num">
                  {interval ? `${formatLift(interval[0])} to ${formatLift(interval[1])}` : '–'}
                </td>
                <td class="num">{chanceToWin === null ? '–' : formatChance(chanceToWin)}</td>
              </tr>
            </tbody>
          )
        })}
      </table>
      {note && (
        <footer class="card-foot">
          <span>{note}</span>
        </footer>
      )}
    </section>
  )
}
