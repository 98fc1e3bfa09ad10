import type { Test } from '../../../domain/tests/ab-test.ts'
import {
  formatChance,
  formatDate,
  formatLift,
  formatMoment,
  formatTime,
} from '../../../domain/figures.ts'
import { goalNames, goals, type Goal } from '../../../domain/reports/goal.ts'
import { isSplitBroken, notCompared } from '../../../domain/reports/uncompared.ts'
import { isMovedOn, resultOf, toneOf, whenOf } from './report-goals-result.ts'
import { ResultTable } from './report-goals-table.tsx'
import { goalSlug, overviewPath, type Overview } from '../report-links.ts'
import { capNote } from '../report-capped.tsx'

type GoalsProps = {
  test: Test
  shown: Overview
  store: { currency: string; timeZone: string }
  now: Date
}

/** All five goals at a glance, and the chosen one arm by arm. */
export function ReportGoals({ test, shown, store, now }: GoalsProps) {
  const { goal } = shown,
    result = resultOf(test, goal),
    isOver = test.status === 'Ended'
  return (
    <section class="card" aria-label="Result by goal">
      <nav class="goal-switch" aria-label="Goal">
        {goalNames.map(name => {
          const { lift, chanceToWin, missing } = resultOf(test, name)
          const href = overviewPath(test, { ...shown, goal: name })
          return (
            <a
              key={name}
              id={`goal-${goalSlug(name)}`}
              href={href}
              aria-current={name === goal ? 'true' : undefined}
              title={goals[name].label}
              hx-get={href}
              hx-target="#result"
              hx-select="#result"
              hx-swap="outerHTML show:none"
              hx-push-url="true"
              hx-sync="#panel:replace"
            >
              <span class="goal-name">
                <b>{goals[name].short}</b>
                <span class="goal-full">{goals[name].label}</span>
                {name === test.goal && <span class="primary-mark">Primary</span>}
              </span>
              <span class="goal-figure">
                {lift === null ? (
                  <span class="muted">–</span>
                ) : (
                  <span class="tone" data-tone={toneOf(test, name)}>
                    {formatLift(lift)}
                  </span>
                )}
                <small>
                  {chanceToWin !== null
                    ? `${formatChance(chanceToWin)} to win${isMovedOn(test, name, lift) ? ` ${whenOf(test)}` : ''}`
                    : isSplitBroken(test)
                      ? 'not compared'
                      : missing
                        ? isOver
                          ? 'not enough data'
                          : 'collecting'
                        : 'nothing to compare'}
                </small>
              </span>
            </a>
          )
        })}
      </nav>
      <ResultTable test={test} result={result} store={store} />
      <footer class="card-foot">
        <span>{footnote(test, goal, store.currency)}</span>
        <span class="card-foot-end">
          Updated {updated(test.summary.updatedAt, store.timeZone, now)}
        </span>
      </footer>
    </section>
  )
}

/** Only the time when the instant is today; otherwise also the day. */
const updated = (at: string, timeZone: string, now: Date): string =>
  formatDate(at, timeZone) === formatDate(now, timeZone)
    ? formatTime(at, timeZone)
    : formatMoment(at, timeZone, now)

const counts: Record<Goal, string> = {
  ConversionRate: 'Visitors who bought at least once after they saw the test.',
  AverageOrderValue: 'Revenue divided by orders, both after visitors saw the test.',
  RevenuePerSession: 'Revenue divided by all visitors of the arm, buyers or not.',
  ClickThroughRate: 'Visitors who clicked something on a tested page after they saw the test.',
  AddToCartRate: 'Visitors who added at least one item to the cart after they saw the test.',
}
const footnote = (test: Test, goal: Goal, currency: string): string =>
  [
    counts[goal],
    isSplitBroken(test) ? `${notCompared}.` : goals[goal].money && capNote(test, currency),
  ]
    .filter(Boolean)
    .join(' ')
