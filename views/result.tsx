import { formatChance, formatLift } from '../domain/figures.ts'
import { mainMarks, placeOn, type LiftAxis } from '../domain/lift-axis.ts'
import type { Verdict } from '../domain/summary.ts'
import { statusLabels, type TestStatus } from '../domain/test-status.ts'
import { verdictBadge } from '../domain/verdict-words.ts'
import { Icon, type IconName } from './icons.tsx'

/** A result's pieces, drawn alike in the list and in the report. */
export type Tone = 'good' | 'bad' | 'neutral'

const percent = (x: number) => `${Math.round(x * 100) / 100}%`

export const Lift = ({ value, tone }: { value: number | null; tone: Tone }) =>
  value === null ? <span class="muted">–</span> : <span class="lift" data-tone={tone}>{formatLift(value)}</span>

/** The head of an interval's column: words for the main marks alone, as others would meet in a narrow one. */
export const IntervalAxis = ({ axis }: { axis: LiftAxis }) => (
  <svg class="interval-axis" aria-hidden="true">
    {mainMarks(axis).map(mark => <text key={mark} class={mark === 0 ? undefined : mark < 0 ? 'at-start' : 'at-end'} x={percent(placeOn(axis, mark))} y="11" text-anchor="middle">{mark === 0 ? '0' : formatLift(mark).replace('.0', '')}</text>)}
  </svg>
)

/** The lift's 90% credible interval to scale, zero marked. Without a figure the grid alone. */
export function Interval({ lift, interval, axis, tone }: { lift: number | null; interval: readonly [number, number] | null; axis: LiftAxis; tone: Tone }) {
  if (lift === null || !interval) return <svg class="interval" aria-hidden="true" dangerouslySetInnerHTML={{ __html: grid(axis) }} />
  const label = `Lift ${formatLift(lift)}, 90% interval ${formatLift(interval[0])} to ${formatLift(interval[1])}`
  return <svg class="interval" data-tone={tone} role="img" aria-label={label} dangerouslySetInnerHTML={{ __html: grid(axis) + range(lift, interval, axis) }} />
}

const grid = (axis: LiftAxis): string => axis.marks.map(mark => {
  const x = percent(placeOn(axis, mark))
  return `<line class="${mark === 0 ? 'zero' : 'grid'}" x1="${x}" x2="${x}" y1="0" y2="100%"/>`
}).join('')

function range(lift: number, [low, high]: readonly [number, number], axis: LiftAxis): string {
  const [from, to] = [placeOn(axis, low), placeOn(axis, high)]
  const end = (bound: number, at: number) => {
    if (bound >= axis.from && bound <= axis.to) return `<line class="cap" x1="${percent(at)}" x2="${percent(at)}" y1="23" y2="31"/>`
    const arrow = bound < axis.from ? 'M4 23-1 27 4 31' : 'M-4 23 1 27-4 31'
    return `<svg x="${percent(at)}" overflow="visible"><path class="cap" d="${arrow}"/></svg>`
  }
  const point = `<circle class="point" cx="${percent(placeOn(axis, lift))}" cy="27" r="5"/>`
  return `<rect class="range" x="${percent(from)}" y="23" width="${percent(to - from)}" height="8" rx="2"/>${end(low, from)}${end(high, to)}${point}`
}

/** How likely the variant is the better arm, ticks at 5% and 95%. */
export function Chance({ value, tone }: { value: number; tone: Tone }) {
  return (
    <div class="chance" data-tone={tone}>
      <svg aria-hidden="true" dangerouslySetInnerHTML={{ __html: `<rect class="track" y="4" width="100%" height="6" rx="3"/><rect class="fill" y="4" width="${percent(value * 100)}" height="6" rx="3"/>${chanceTicks}` }} />
      <b>{formatChance(value)}</b>
    </div>
  )
}
const chanceTicks = [5, 95].map(x => `<line class="tick" x1="${x}%" x2="${x}%" y1="2" y2="12"/>`).join('')

const statusLooks: Record<TestStatus, { icon: IconName; tone: string }> = {
  Scheduled: { icon: 'clock', tone: 'neutral' }, Active: { icon: 'running', tone: 'accent' }, Paused: { icon: 'pause', tone: 'neutral' },
  OnHold: { icon: 'warning', tone: 'warn' }, Suspended: { icon: 'warning', tone: 'bad' }, Ended: { icon: 'stop', tone: 'neutral' },
}
export const StatusBadge = ({ status }: { status: TestStatus }) =>
  <span class="status" data-tone={statusLooks[status].tone}><Icon name={statusLooks[status].icon} />{statusLabels[status]}</span>
export const DraftBadge = () => <span class="status" data-tone="neutral"><Icon name="draft" />Draft</span>

/** A verdict's shape; its word and tone are verdict-words.ts's. */
export const verdictIcons: Record<Verdict['kind'], IconName> = {
  winner: 'winner', loser: 'loser', noDifference: 'level', leaning: 'half', tooEarly: 'clock', collecting: 'draft', splitBroken: 'warning',
}

/** What was reached stands on its own ground; what may still turn is a bare word. */
export function VerdictBadge({ verdict, status }: { verdict: Pick<Verdict, 'kind' | 'chanceToWin'>; status?: TestStatus }) {
  const { label, tone } = verdictBadge(verdict, status)
  return <span class={tone === 'neutral' ? 'status' : 'badge'} data-tone={tone}><Icon name={verdictIcons[verdict.kind]} />{label}</span>
}
