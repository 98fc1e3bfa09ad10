import type { Test } from '../../../domain/tests/ab-test.ts'
import { formatCount, formatGoal } from '../../../domain/figures.ts'
import { goals } from '../../../domain/reports/goal.ts'
import { liftAxis } from '../../../domain/reports/lift-axis.ts'
import { formatMoney } from '../../../domain/money.ts'
import type { GoalResult } from '../../../domain/reports/summary.ts'
import { isSplitBroken } from '../../../domain/reports/uncompared.ts'
import { Capped } from '../report-capped.tsx'
import { isMovedOn, toneOf, whenOf } from './report-goals-result.ts'
import { Chance, Interval, IntervalAxis, Lift } from '../../result.tsx'

/** The result in one goal, arm by arm. */
export function ResultTable({
  test,
  result,
  store: { currency },
}: {
  test: Test
  result: GoalResult
  store: { currency: string }
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

/**
 * What is missing before the chance to win is shown. The conversions of a single arm have a line
 * only while some are missing.
 */
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
