import type { Test } from '../domain/ab-test.ts'
import {
  formatChance,
  formatCount,
  formatDate,
  formatGoal,
  formatLift,
  formatMoment,
  formatTime,
} from '../domain/figures.ts'
import { goalNames, goals, type Goal } from '../domain/goal.ts'
import { liftAxis } from '../domain/lift-axis.ts'
import { formatMoney } from '../domain/money.ts'
import type { GoalResult } from '../domain/summary.ts'
import { isSplitBroken, notCompared } from '../domain/uncompared.ts'
import { goalSlug, overviewPath, type Overview } from './report-links.ts'
import { Capped, capNote } from './report-capped.tsx'
import { Chance, Interval, IntervalAxis, Lift, type Tone } from './result.tsx'

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

/** The time of today, and the day of what is older. */
const updated = (at: string, timeZone: string, now: Date): string =>
  formatDate(at, timeZone) === formatDate(now, timeZone)
    ? formatTime(at, timeZone)
    : formatMoment(at, timeZone, now)

export const resultOf = (test: Test, goal: Goal): GoalResult =>
  test.summary.goals.find(r => r.goal === goal)!

/**
 * Colour says something only once the test has its verdict: before, a lead is a lead of chance, whatever its size.
 * Then the primary goal takes the verdict's colour and the others that of an interval clear of zero.
 */
export function toneOf(test: Test, goal: Goal): Tone {
  const { kind, reachedAt } = test.summary.verdict
  if (reachedAt === null) return 'neutral'
  if (goal === test.goal) return kind === 'winner' ? 'good' : kind === 'loser' ? 'bad' : 'neutral'
  const interval = resultOf(test, goal).interval
  if (!interval) return 'neutral'
  return interval[0] > 0 ? 'good' : interval[1] < 0 ? 'bad' : 'neutral'
}

/** The verdict keeps the figure it was reached with (report-verdict.tsx); where the goal's own has moved on, it says of when it is. */
function isMovedOn(
  { goal: primary, summary: { verdict } }: Test,
  goal: Goal,
  lift: number | null,
): boolean {
  return (
    goal === primary &&
    verdict.reachedAt !== null &&
    verdict.lift !== null &&
    lift !== null &&
    formatLift(verdict.lift) !== formatLift(lift)
  )
}
const whenOf = ({ status }: Test): string => (status === 'Ended' ? 'at the end' : 'today')

function ResultTable({
  test,
  result,
  store: { currency },
}: {
  test: Test
  result: GoalResult
  store: GoalsProps['store']
}) {
  const { goal, arms, lift, interval, chanceToWin, missing } = result
  const { label, short, counted } = goals[goal]
  const tone = toneOf(test, goal)
  const axis = liftAxis([result]),
    isToday = isMovedOn(test, goal, lift)
  const withLoss = arms.some(arm => arm.lossPerMonth !== null)
  return (
    <>
      <section class="table-scroll" tabIndex={0} aria-label={`${label} by arm`}>
        <table class="table table-rows result-table">
          <caption class="visually-hidden">{label} by arm</caption>
          <thead>
            <tr>
              <th scope="col" class="col-arm">
                Arm
              </th>
              <th scope="col" class="col-number num">
                Visitors
              </th>
              <th scope="col" class="col-number num">
                {counted}
              </th>
              <th scope="col" class={goals[goal].money ? 'col-money num' : 'col-number num'}>
                {short}
              </th>
              <th scope="col" class="col-lift-figure num">
                Lift
              </th>
              <th scope="col">
                <span class="visually-hidden">90% interval of the lift</span>
                <IntervalAxis axis={axis} />
              </th>
              <th scope="col" class="col-chance">
                Chance to win
              </th>
              {withLoss && (
                <th scope="col" class="col-loss num">
                  <abbr title="What choosing this arm would cost a month on average: what a wrong choice would cost × how likely it is">
                    Expected loss
                  </abbr>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {(
              [
                ['Control', test.controlTitle, 'arm-mark arm-mark-control'],
                ['Variant', test.variantTitle, 'arm-mark'],
              ] as const
            ).map(([name, title, mark], i) => {
              const arm = arms[i as 0 | 1]
              return (
                <tr key={name}>
                  <th scope="row">
                    <span class="arm">
                      <span class={mark} />
                      <span class="cell-link">
                        <b>{name}</b>
                        {title && title !== name && <span title={title}>{title}</span>}
                      </span>
                    </span>
                  </th>
                  <td class="num">{formatCount(arm.visitors)}</td>
                  <td class="num">{formatCount(arm.count)}</td>
                  <td class="num">
                    {formatGoal(goal, arm.value, currency)}
                    {goals[goal].money && <Capped {...arm} currency={currency} />}
                  </td>
                  <td class="num">
                    {i === 0 ? (
                      <span class="muted">Baseline</span>
                    ) : (
                      <>
                        <Lift value={lift} tone={tone} />
                        {isToday && <span class="cell-sub">{whenOf(test)}</span>}
                      </>
                    )}
                  </td>
                  <td class="interval-cell">
                    <Interval
                      {...(i === 0 ? { lift: null, interval: null } : { lift, interval })}
                      axis={axis}
                      tone={tone}
                    />
                  </td>
                  <td>
                    {chanceToWin !== null && (
                      <Chance
                        value={i === 0 ? 1 - chanceToWin : chanceToWin}
                        tone={i === 0 ? 'neutral' : tone}
                      />
                    )}
                    {chanceToWin === null && <span class="muted">–</span>}
                  </td>
                  {withLoss && (
                    <td class="num">
                      {arm.lossPerMonth === null ? (
                        '–'
                      ) : (
                        <>
                          {formatMoney(arm.lossPerMonth, currency, true)}
                          <span class="cell-sub">a month</span>
                        </>
                      )}
                    </td>
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      {missing && !isSplitBroken(test) && (
        <Gates result={result} missing={missing} isOver={test.status === 'Ended'} />
      )}
    </>
  )
}

/** What has to come in before a chance to win is worth showing; the conversions of an arm stand by themselves only while it lacks some. */
function Gates({
  result,
  missing,
  isOver,
}: {
  result: GoalResult
  missing: NonNullable<GoalResult['missing']>
  isOver: boolean
}) {
  const [control, variant] = result.arms,
    { counted } = goals[result.goal]
  const gates: [string, number, number][] = [
    ['Visitors in control', control.visitors, missing.visitors[0]],
    ['Visitors in the variant', variant.visitors, missing.visitors[1]],
    [`${counted} in both arms`, control.count + variant.count, missing.conversions],
    ...(['control', 'the variant'] as const)
      .map((arm, i): [string, number, number] => [
        `${counted} in ${arm}`,
        result.arms[i as 0 | 1].count,
        missing.conversionsPerArm?.[i as 0 | 1] ?? 0,
      ])
      .filter(([, , lack]) => lack > 0),
  ]
  return (
    <div class="gates">
      <p>
        {isOver
          ? 'The test ended with too little data for a chance to win.'
          : 'The chance to win appears once there is enough data.'}
      </p>
      {gates.map(([name, have, lack]) => (
        <div key={name} class="work">
          <div class="row">
            <span>{name}</span>
            <span class="figures">
              {lack > 0
                ? `${formatCount(have)} of ${formatCount(have + lack)}`
                : `${formatCount(have)}, enough`}
            </span>
          </div>
          <progress value={have} max={Math.max(1, have + lack)} aria-label={name}>
            {have}
          </progress>
        </div>
      ))}
    </div>
  )
}

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
