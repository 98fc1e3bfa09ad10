/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import { planLimits } from '../../domain/reports/estimate.ts'
import { formatCount, formatDate } from '../../domain/figures.ts'
import { type Goal, goals } from '../../domain/reports/goal.ts'
import {
  effectSteps,
  percentOf,
  placeOfEffect,
  planAt,
  type PlannerChoice,
  type PlannerFacts,
  plannerRows,
  stepOfEffect,
} from '../../domain/drafts/length-planner.ts'
import { planWords } from '../../domain/drafts/plan-words.ts'
import { Icon } from '../icon.tsx'

export type LengthPlannerProps = {
  facts: PlannerFacts
  choice: PlannerChoice
  /**
   * Whether the visitors per day come from the shop's own history; otherwise the form has a field
   * for them.
   */
  source: 'shop' | 'guess' | 'none'
  hasHistory: boolean
  timeZone: string
  /** Id of the form whose fields it reads and sets. */
  form: string
}

/** Of the drawing: how many days its top means, and its height in pixels. */
const maxDays = 118,
  height = 160
const yOf = (days: number): number =>
  Number((height * (1 - Math.min(days, maxDays) / maxDays)).toFixed(1))
const xOf = (effect: number): number => Number((100 * placeOfEffect(effect)).toFixed(2))

/**
 * Shows how long the test would take for the smallest change worth finding: a slider on a curve,
 * which sets the form's own field. Without a script the table shows the same for the stored draft.
 */
export function LengthPlanner({
  facts,
  choice: stored,
  source,
  hasHistory,
  timeZone,
  form: formId,
}: LengthPlannerProps) {
  const [choice, setChoice] = useState(stored)
  const [isReady, setReady] = useState(false)
  const form = useRef<HTMLFormElement | null>(null)

  useEffect(() => {
    const own = document.getElementById(formId) as HTMLFormElement | null
    if (!own) return
    form.current = own
    const ending = new AbortController()
    const read = () => setChoice(before => choiceIn(own, before, source))
    own.addEventListener('input', read, { signal: ending.signal })
    read()
    setReady(true)
    return () => ending.abort()
  }, [formId, source])

  const choose = (step: number) => {
    const field = form.current?.elements.namedItem('minimumEffect')
    if (!(field instanceof HTMLInputElement)) return
    field.value = String(effectSteps[step])
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const plan = planAt(facts, choice)
  const words = planWords(
    {
      ...plan,
      source: choice.dailyVisitors > 0 && source === 'none' ? 'guess' : source,
      hasHistory,
      dailyVisitors: choice.dailyVisitors / facts.sharedBy,
    },
    { minimumEffect: choice.minimumEffect, timeZone },
  )
  const step = stepOfEffect(choice.minimumEffect),
    isKnown = choice.dailyVisitors > 0
  return (
    <div className="planner">
      <p className="banner" data-tone={words.isEnough ? 'accent' : 'warn'} role="status">
        <Icon name={words.isEnough ? 'clock' : 'warning'} />
        <span>
          <strong>{words.title}.</strong> {words.text}
        </span>
      </p>
      {isKnown && <Curve facts={facts} choice={choice} timeZone={timeZone} />}
      {isKnown && isReady && (
        <input
          type="range"
          className="planner-slider"
          min={0}
          max={effectSteps.length - 1}
          value={step}
          aria-label="Smallest change worth finding"
          aria-valuetext={`${percentOf(choice.minimumEffect)}%, ${plan.days} days`}
          onChange={event => choose(Number(event.currentTarget.value))}
        />
      )}
      {isKnown && <p className="note">Smallest change the test can find, and the days it needs.</p>}
      <details className="planner-table">
        <summary>Show as table</summary>
        <Rows facts={facts} choice={choice} timeZone={timeZone} />
      </details>
    </div>
  )
}

type Shown = Pick<LengthPlannerProps, 'facts' | 'choice' | 'timeZone'>

/**
 * The curve of days by change. Its texts are outside the stretched part, so that they keep their
 * shape at any width.
 */
function Curve({ facts, choice }: Shown) {
  const daysAt = (percent: number) =>
    Math.max(
      planLimits.shortestDays,
      planAt(facts, { ...choice, minimumEffect: percent / 100 }).daysNeeded ?? 0,
    )
  // Start at the last point above the drawing. A text names what is higher.
  const points = effectSteps.map(percent => ({ x: xOf(percent / 100), days: daysAt(percent) })),
    first = Math.max(
      0,
      points.findLastIndex(({ days }) => days > maxDays),
    )
  const line = points
    .slice(first)
    .map(({ x: at, days }, i) => `${i === 0 ? 'M' : 'L'}${at} ${yOf(days)}`)
    .join('')
  const plan = planAt(facts, choice),
    x = `${xOf(choice.minimumEffect)}%`,
    y = yOf(Math.max(planLimits.shortestDays, plan.daysNeeded ?? 0))
  return (
    <div className="planner-curve">
      <svg
        width="100%"
        height={height + 22}
        role="img"
        aria-label={`Days needed by smallest change: ${percentOf(choice.minimumEffect)}% takes ${plan.daysNeeded! > planLimits.longestDays ? 'more than 90' : plan.days} days`}
      >
        <rect width="100%" height={yOf(planLimits.longestDays)} className="planner-over" />
        {[14, 28, 56, 84].map(days => (
          <line
            key={days}
            x1="0"
            x2="100%"
            y1={yOf(days)}
            y2={yOf(days)}
            className="planner-rule"
          />
        ))}
        <svg width="100%" height={height} viewBox={`0 0 100 ${height}`} preserveAspectRatio="none">
          <path d={line} className="planner-line" vectorEffect="non-scaling-stroke" />
        </svg>
        <line x1={x} x2={x} y1={y} y2={height} className="planner-mark" />
        <circle cx={x} cy={y} r="5" className="planner-dot" />
        <text x="4" y="16">
          Over {planLimits.longestDays} days
        </text>
        {[14, 28, 56, 84].map(days => (
          <text key={days} x="4" y={yOf(days) - 3}>
            {days} days
          </text>
        ))}
        {[1, 5, 10, 20, 100].map(percent => (
          <text
            key={percent}
            x={`${xOf(percent / 100)}%`}
            y={height + 16}
            textAnchor={percent === 1 ? 'start' : percent === 100 ? 'end' : 'middle'}
          >
            {percent}%
          </text>
        ))}
      </svg>
    </div>
  )
}

function Rows({ facts, choice, timeZone }: Shown) {
  return (
    <div className="table-scroll">
      <table className="table">
        <caption className="visually-hidden">
          Planned length by smallest change, for {goals[choice.goal].label.toLowerCase()}
        </caption>
        <thead>
          <tr>
            <th scope="col">Smallest change</th>
            <th scope="col" className="num">
              Visitors needed
            </th>
            <th scope="col" className="num">
              Days
            </th>
            <th scope="col" className="num">
              Planned end
            </th>
          </tr>
        </thead>
        <tbody>
          {plannerRows(facts, choice).map(
            ({ effect, isChosen, neededVisitors, days, traffic, endsAt }) => (
              <tr key={effect} aria-current={isChosen ? 'true' : undefined}>
                <th scope="row">
                  {effect}%{isChosen && <span className="note"> chosen</span>}
                </th>
                <td className="num">{formatCount(neededVisitors)}</td>
                <td className="num">
                  {traffic === 'unknown'
                    ? 'Not known'
                    : traffic === 'notEnough'
                      ? `Over ${planLimits.longestDays}`
                      : days}
                </td>
                <td className="num">
                  {traffic === 'enough'
                    ? formatDate(endsAt, timeZone)
                    : traffic === 'notEnough'
                      ? 'Not enough traffic'
                      : 'Not known'}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

/** The choice in the form's fields now. A field that cannot be read keeps its value from before. */
function choiceIn(
  form: HTMLFormElement,
  before: PlannerChoice,
  source: LengthPlannerProps['source'],
): PlannerChoice {
  const data = new FormData(form),
    text = (name: string) => String(data.get(name) ?? '').trim()
  const percent = Number(text('minimumEffect').replace(/\s*%$/, '').replace(',', '.')),
    goal = text('goal')
  const guess = text('expectedVisitors').replace(/[\s,]/g, '')
  return {
    goal: Object.hasOwn(goals, goal) ? (goal as Goal) : before.goal,
    minimumEffect: percent >= 1 && percent <= 100 ? percent / 100 : before.minimumEffect,
    dailyVisitors:
      source === 'shop'
        ? before.dailyVisitors
        : guess === ''
          ? 0
          : /^\d{1,8}$/.test(guess)
            ? Number(guess)
            : before.dailyVisitors,
  }
}
