import type { Test } from '../tests/ab-test.ts'
import type { PerArm } from '../arm.ts'
import { formatChance, formatLift, formatNearDate } from '../figures.ts'
import type { Goal } from './goal.ts'
import { thingOf } from './part-words.ts'
import type { GoalResult, TestSummary } from './summary.ts'
import { count } from './verdict-next.ts'
import { day } from '../time-units.ts'

/** The colour of a badge. */
export type Tone = 'good' | 'bad' | 'neutral' | 'warn' | 'accent'

/** A verdict in a few words. */
export type VerdictBadge = { label: string; tone: Tone }

/** What the words of a verdict are made from. */
export type WordsInput = {
  test: Pick<
    Test,
    | 'kind'
    | 'isImported'
    | 'goal'
    | 'weights'
    | 'status'
    | 'variantTitle'
    | 'startAt'
    | 'endsAt'
    | 'endedAt'
    | 'launchAt'
    | 'appliedArm'
    | 'sendsByScript'
    | 'appliedAt'
    | 'minimumEffect'
    | 'plannedVisitors'
  > & { summary: TestSummary }
  currency: string
  timeZone: string
  now: Date
}

/**
 * A verdict for people, in plain sentences: the result, why, and what to do next. `cost`: what a
 * wrong choice would cost, only for goals that are worth money. `since`: says that a reached
 * verdict stays when today's figures differ from it.
 */
export type VerdictWords = VerdictBadge & {
  headline: string
  reason: string
  next: string
  cost: string | null
  since: string | null
}

/** "12.8% ", or an empty text without a lift, that is when the control's value was zero. */
export const sizeOf = (lift: number | null): string =>
  lift === null ? '' : `${formatLift(Math.abs(lift)).replace('+', '')} `

/** Says what the data gates still need, or for a test that is over, what they would have needed. */
export function wanted(
  { missing }: Pick<GoalResult, 'missing'>,
  goal: Goal,
  isOver = false,
): string {
  if (!missing) return 'The arms can be compared.'
  const { visitors, conversions, conversionsPerArm = [0, 0] } = missing
  const per = Math.max(...visitors),
    inAll = Math.max(conversions, conversionsPerArm[0] + conversionsPerArm[1])
  const parts = [
    per > 0 ? `${count(per, 'more visitor')} in ${armsOf(visitors)}` : '',
    inAll > 0 ? count(inAll, `more ${thingOf(goal)}`) + shareOf(conversionsPerArm, inAll) : '',
  ].filter(Boolean)
  if (isOver) return `To compare them, ${parts.join(' and ')} would have been needed.`
  return `Before the arms are compared, ${parts.join(' and ')} ${parts.length > 1 || !parts[0]!.startsWith('1 ') ? 'are' : 'is'} needed.`
}

const armsOf = ([control, variant]: PerArm<number>): string =>
  control > 0 && variant > 0 ? 'each arm' : control > 0 ? 'the control' : 'the variant'

/**
 * Which arm must have the missing conversions: " in the variant", or " (at least 3 in the variant)"
 * when only some of them must be there.
 */
function shareOf(perArm: PerArm<number>, inAll: number): string {
  const [control, variant] = perArm
  if (control + variant === 0) return ''
  if (control + variant === inAll) return ` in ${armsOf(perArm)}`
  if (control > 0 && variant > 0 && control !== variant)
    return ` (at least ${control} in the control and ${variant} in the variant)`
  return ` (at least ${Math.max(control, variant)} in ${armsOf(perArm)})`
}

/** Why a lead is not a verdict yet. */
export const untilThen = ({ test: { endsAt }, timeZone, now }: WordsInput): string =>
  `Until the planned end${endsAt ? ` (${formatNearDate(endsAt, timeZone, now)})` : ''} we only name a winner or loser if the difference is too big to be luck.`

/** The arm with the better chance to win; null when the chance is shown as 50.0%. */
export function aheadOf({
  chanceToWin,
}: {
  chanceToWin: number | null
}): 'control' | 'variant' | null {
  const chance = chanceToWin ?? 0.5
  return formatChance(chance) === formatChance(0.5) ? null : chance > 0.5 ? 'variant' : 'control'
}

/** The merchant's name for the variant, in quotation marks, or "The variant". */
export const variantName = ({ test }: WordsInput): string =>
  test.variantTitle && test.variantTitle !== 'Variant' ? `“${test.variantTitle}”` : 'The variant'

/** A split: "50.0 / 50.0". */
export const shares = ([a, b]: readonly [number, number]): string =>
  `${((100 * a) / (a + b)).toFixed(1)} / ${((100 * b) / (a + b)).toFixed(1)}`

/**
 * Whether the verdict was reached more than a day after the planned end: until then there was too
 * little data, the split was broken, or no summary was computed.
 */
export const isLate = ({
  test: {
    endsAt,
    summary: {
      verdict: { reachedAt },
    },
  },
}: WordsInput): boolean =>
  reachedAt !== null && endsAt !== null && Date.parse(reachedAt) - Date.parse(endsAt) > day

/** Makes the first letter a capital. */
export const capital = (words: string): string => words[0]!.toUpperCase() + words.slice(1)

/** Says when the verdict was reached. Call it only when there is a `reachedAt`. */
export function reachedOn(input: WordsInput): string {
  const {
    test: {
      endsAt,
      summary: { verdict },
    },
    timeZone,
    now,
  } = input
  const on = formatNearDate(verdict.reachedAt!, timeZone, now)
  if (isLate(input))
    return `on ${on}, when a verdict could first be taken after the planned end on ${formatNearDate(endsAt!, timeZone, now)}`
  return endsAt && verdict.reachedAt! < endsAt
    ? `on ${on}, clear enough to say so before the planned end`
    : `at the planned end on ${on}`
}
