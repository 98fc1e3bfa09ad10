import { goals, type Goal } from './goal.ts'
import type { GoalResult } from './summary.ts'
import { count } from './verdict-next.ts'

/**
 * Shown with parts of a test (a device, a product, a country). With many parts, some are ahead by
 * chance alone.
 */
export const partsAreHints =
  'Parts are hints, not verdicts: with many of them, some look ahead by chance.'

const things = {
  Buyers: 'buyer',
  Orders: 'order',
  Clicked: 'visitor who clicks',
  'Added to cart': 'visitor who adds to cart',
} as const
/** What the goal counts, for `lackWords`. */
export const thingOf = (goal: Goal): string => things[goals[goal].counted]

/**
 * What a part still needs before its arms are compared, in a few words: "40 more visitors", then
 * "12 more orders". Visitors come first, because there are no orders without them. `where`: the arm
 * that needs them; null when it does not matter.
 */
export function lackWords(
  { visitors, conversions, conversionsPerArm = [0, 0] }: NonNullable<GoalResult['missing']>,
  thing: string,
): { words: string; where: string | null } {
  const [control, variant] = visitors
  if (control + variant > 0)
    return { words: count(Math.max(control, variant), 'more visitor'), where: whereOf(visitors) }
  const inAll = Math.max(conversions, conversionsPerArm[0] + conversionsPerArm[1])
  return {
    words: count(inAll, `more ${thing}`),
    where:
      conversionsPerArm[0] + conversionsPerArm[1] === inAll ? whereOf(conversionsPerArm) : null,
  }
}

const whereOf = ([control, variant]: readonly [number, number]): string | null =>
  control > 0 && variant > 0
    ? 'per arm'
    : control > 0
      ? 'in control'
      : variant > 0
        ? 'in the variant'
        : null

/**
 * The colour of a part's lift. It is neutral unless the chance to win is outside 5–95%, which is
 * where the 90% interval excludes 0.
 */
export const partTone = (chanceToWin: number | null): 'good' | 'bad' | 'neutral' =>
  chanceToWin === null
    ? 'neutral'
    : chanceToWin > 0.95
      ? 'good'
      : chanceToWin < 0.05
        ? 'bad'
        : 'neutral'
