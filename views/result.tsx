import { formatChance, formatLift } from '../domain/figures.ts'
import { mainMarks, placeOn, type LiftAxis } from '../domain/reports/lift-axis.ts'
import type { Verdict } from '../domain/reports/summary.ts'
import { statusLabels, type TestStatus } from '../domain/tests/test-status.ts'
import { verdictBadge } from '../domain/reports/verdict-words.ts'
import { Icon, type IconName } from './icons.tsx'

/** The parts of a result, which look the same in the list and in the report. */
export type Tone = 'good' | 'bad' | 'neutral'

const percent = (x: number) => `${Math.round(x * 10) / 10}%`

export const Lift = ({ value, tone }: { value: number | null; tone: Tone }) =>
  value === null ? (
    <span class="muted">–</span>
  ) : (
    <span class="lift" data-tone={tone}>
      {formatLift(value)}
    </span>
  )

/**
 * The header of an interval's column. Only the main marks have words, because more would overlap in
 * a narrow column.
 */
export const IntervalAxis = ({ axis }: { axis: LiftAxis }) => (
  <svg class="interval-axis" aria-hidden="true">
    {mainMarks(axis).map(mark => (
      <text
        key={mark}
        class={mark === 0 ? undefined : mark < 0 ? 'at-start' : 'at-end'}
        x={percent(placeOn(axis, mark))}
        y="11"
        text-anchor="middle"
      >
        {mark === 0 ? '0' : formatLift(mark).replace('.0', '')}
      </text>
    ))}
  </svg>
)

type IntervalProps = {
  lift: number | null
  interval: readonly [number, number] | null
  axis: LiftAxis
  tone: Tone
  /** Puts the words below the drawing, where only a phone's card shows them. */
  hasWords?: boolean
}

/** The lift's 90% credible interval to scale, zero marked. Without a figure only the grid. */
export function Interval({ lift, interval, axis, tone, hasWords = false }: IntervalProps) {
  if (lift === null || !interval)
    return (
      <svg class="interval" aria-hidden="true" dangerouslySetInnerHTML={{ __html: grid(axis) }} />
    )
  const words = `90% interval ${formatLift(interval[0])} to ${formatLift(interval[1])}`,
    drawing = { __html: grid(axis) + range(lift, interval, axis) }
  if (!hasWords)
    return (
      <svg
        class="interval"
        data-tone={tone}
        role="img"
        aria-label={`Lift ${formatLift(lift)}, ${words}`}
        dangerouslySetInnerHTML={drawing}
      />
    )
  return (
    <>
      <svg class="interval" data-tone={tone} aria-hidden="true" dangerouslySetInnerHTML={drawing} />
      <span class="interval-words">{words}</span>
    </>
  )
}

const grid = (axis: LiftAxis): string =>
  axis.marks
    .map(mark => {
      const x = percent(placeOn(axis, mark))
      return `<line class="${mark === 0 ? 'zero' : 'grid'}" x1="${x}" x2="${x}" y2="100%"/>`
    })
    .join('')

/**
 * The ends are in a nested drawing as wide as the range, so that each place is written only once: a
 * list has fifty of these.
 */
function range(lift: number, [low, high]: readonly [number, number], axis: LiftAxis): string {
  const [from, to] = [placeOn(axis, low), placeOn(axis, high)]
  const start =
    low >= axis.from
      ? '<line class="cap" y1="23" y2="31"/>'
      : '<path class="cap" d="M4 23-1 27 4 31"/>'
  const end =
    high <= axis.to
      ? '<line class="cap" x1="100%" x2="100%" y1="23" y2="31"/>'
      : '<svg x="100%"><path class="cap" d="M-4 23 1 27-4 31"/></svg>'
  // Browsers do not draw a nested drawing without a width.
  return `<svg x="${percent(from)}" width="${percent(Math.max(to - from, 0.1))}"><rect class="range" y="23" width="100%" height="8" rx="2"/>${start}${end}</svg><circle class="point" cx="${percent(placeOn(axis, lift))}" cy="27" r="5"/>`
}

/** How likely the variant is the better arm, ticks at 5% and 95%. */
export function Chance({ value, tone }: { value: number; tone: Tone }) {
  return (
    <div class="chance" data-tone={tone}>
      <svg
        aria-hidden="true"
        dangerouslySetInnerHTML={{
          __html: `<rect class="track" y="4" width="100%" height="6" rx="3"/><rect class="fill" y="4" width="${percent(value * 100)}" height="6" rx="3"/>${chanceTicks}`,
        }}
      />
      <b>{formatChance(value)}</b>
    </div>
  )
}
const chanceTicks = [5, 95]
  .map(x => `<line class="tick" x1="${x}%" x2="${x}%" y1="2" y2="12"/>`)
  .join('')

const statusLooks: Record<TestStatus, { icon: IconName; tone: string }> = {
  Scheduled: { icon: 'clock', tone: 'neutral' },
  Active: { icon: 'running', tone: 'accent' },
  Paused: { icon: 'pause', tone: 'neutral' },
  OnHold: { icon: 'warning', tone: 'warn' },
  Suspended: { icon: 'warning', tone: 'bad' },
  Ended: { icon: 'stop', tone: 'neutral' },
}
export const StatusBadge = ({ status }: { status: TestStatus }) => (
  <span class="status" data-tone={statusLooks[status].tone}>
    <Icon name={statusLooks[status].icon} />
    {statusLabels[status]}
  </span>
)
export const DraftBadge = () => (
  <span class="status" data-tone="neutral">
    <Icon name="draft" />
    Draft
  </span>
)

/** The icon of each verdict. verdict-words.ts has its words and tone. */
export const verdictIcons: Record<Verdict['kind'], IconName> = {
  winner: 'winner',
  loser: 'loser',
  noDifference: 'level',
  leaning: 'half',
  tooEarly: 'clock',
  collecting: 'draft',
  splitBroken: 'warning',
}

/** A verdict that was reached has a background; one that may still change is only a word. */
export function VerdictBadge({
  verdict,
  status,
}: {
  verdict: Pick<Verdict, 'kind' | 'chanceToWin'>
  status?: TestStatus
}) {
  const { label, tone } = verdictBadge(verdict, status)
  return (
    <span class={tone === 'neutral' ? 'status' : 'badge'} data-tone={tone}>
      <Icon name={verdictIcons[verdict.kind]} />
      {label}
    </span>
  )
}
