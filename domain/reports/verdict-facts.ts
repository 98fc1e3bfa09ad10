import type { Test } from '../tests/ab-test.ts'
import type { PerArm } from '../arm.ts'
import { formatChance, formatLift, formatNearDate } from '../figures.ts'
import type { Goal } from './goal.ts'
import { thingOf } from './part-words.ts'
import type { GoalResult, TestSummary } from './summary.ts'
import { count } from './verdict-next.ts'
import { day } from '../time-units.ts'

/** How a badge is coloured. */
export type Tone = 'good' | 'bad' | 'neutral' | 'warn' | 'accent'

/** A verdict in a word. */
export type VerdictBadge = { label: string; tone: Tone }

/** What a verdict's words are made of. */
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
    | 'appliedAt'
    | 'minimumEffect'
    | 'plannedVisitors'
  > & { summary: TestSummary }
  currency: string
  timeZone: string
  now: Date
}

/**
 * A verdict for people: what is so, why, and what to do next. Plain sentences, no jargon. `cost`: what it would cost to
 * be wrong, of the goals that are worth money. `since`: that a verdict which was reached stays, where today's figures differ.
 */
export type VerdictWords = VerdictBadge & {
  headline: string
  reason: string
  next: string
  cost: string | null
  since: string | null
}

/** "12.8% ", or nothing: where control's value was zero there is no lift. */
export const sizeOf = (lift: number | null): string =>
  lift === null ? '' : `${formatLift(Math.abs(lift)).replace('+', '')} `

/** What the data gates still ask for, or asked for to the end. */
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

/** Where those have to come about who are wanted: " in the variant", or " (at least 3 in the variant)" of more. */
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

/** The arm with the better chance; none where both read 50.0%. */
export function aheadOf({
  chanceToWin,
}: {
  chanceToWin: number | null
}): 'control' | 'variant' | null {
  const chance = chanceToWin ?? 0.5
  return formatChance(chance) === formatChance(0.5) ? null : chance > 0.5 ? 'variant' : 'control'
}

/** What the merchant calls the variant. */
export const variantName = ({ test }: WordsInput): string =>
  test.variantTitle && test.variantTitle !== 'Variant' ? `“${test.variantTitle}”` : 'The variant'

/** A split in words: 50/50. */
export const shares = ([a, b]: readonly [number, number]): string =>
  `${((100 * a) / (a + b)).toFixed(1)} / ${((100 * b) / (a + b)).toFixed(1)}`

/** Reached after the planned end: there was too little data then, a broken split, or nobody who looked. */
export const isLate = ({
  test: {
    endsAt,
    summary: {
      verdict: { reachedAt },
    },
  },
}: WordsInput): boolean =>
  reachedAt !== null && endsAt !== null && Date.parse(reachedAt) - Date.parse(endsAt) > day

/** The same words with a capital at the beginning. */
export const capital = (words: string): string => words[0]!.toUpperCase() + words.slice(1)

/** When enough visitors will have come, in words. */
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
