import { formatChance, formatNearDate } from '../figures.ts'
import { goals, type Goal } from './goal.ts'
import type { Verdict } from './summary.ts'
import type { TestStatus } from '../tests/test-status.ts'
import { decisionRule } from './verdict.ts'
import {
  aMonth,
  applyNext,
  collectOn,
  compareOn,
  isOver,
  keepControl,
  primary,
  runOn,
  startsOn,
} from './verdict-next.ts'
import {
  aheadOf,
  capital,
  isLate,
  reachedOn,
  shares,
  sizeOf,
  untilThen,
  variantName,
  type VerdictBadge,
  type VerdictWords,
  wanted,
  type WordsInput,
} from './verdict-facts.ts'

/**
 * The badge of a verdict, for example in the list. "Leaning" names the arm that is ahead. A test
 * that has ended without enough data is not "Collecting".
 */
export function verdictBadge(
  { kind, chanceToWin }: Pick<Verdict, 'kind' | 'chanceToWin'>,
  status?: TestStatus,
): VerdictBadge {
  switch (kind) {
    case 'winner':
      return { label: 'Winner', tone: 'good' }
    case 'loser':
      return { label: 'Loser', tone: 'bad' }
    case 'noDifference':
      return { label: 'No clear difference', tone: 'neutral' }
    case 'splitBroken':
      return { label: 'Split broken', tone: 'bad' }
    case 'leaning':
      return { label: leaningLabels[aheadOf({ chanceToWin }) ?? 'neither'], tone: 'neutral' }
    case 'tooEarly':
      return { label: 'Too early', tone: 'neutral' }
    case 'collecting':
      return { label: status === 'Ended' ? 'Not enough data' : 'Collecting', tone: 'neutral' }
  }
}

const leaningLabels = {
  control: 'Leaning control',
  variant: 'Leaning variant',
  neither: 'Even so far',
}

export function verdictWords(input: WordsInput): VerdictWords {
  const { verdict } = input.test.summary
  return {
    ...verdictBadge(verdict, input.test.status),
    ...words[verdict.kind](input),
    cost: costWords(input),
    since: sinceWords(input),
  }
}

type Words = Pick<VerdictWords, 'headline' | 'reason' | 'next'>

/** The words of each verdict: the headline, why, and what to do next. */
export const words: Record<Verdict['kind'], (input: WordsInput) => Words> = {
  winner: input => {
    const {
      test: {
        goal,
        summary: { verdict },
      },
    } = input
    return {
      headline: `${variantName(input)} ${effect[goal](sizeOf(verdict.lift), true)}.`,
      reason: `The chance to win was ${formatChance(verdict.chanceToWin!)} ${reachedOn(input)}.`,
      next: applyNext(input),
    }
  },
  loser: input => {
    const {
      test: {
        goal,
        summary: { verdict },
      },
    } = input
    return {
      headline: `${variantName(input)} ${effect[goal](sizeOf(verdict.lift), false)}.`,
      reason: `The chance that it is better was ${formatChance(verdict.chanceToWin!)} ${reachedOn(input)}.`,
      next: keepControl(input),
    }
  },
  noDifference: input => {
    const { test, timeZone, now } = input
    return {
      headline: `No clear difference in ${goals[test.goal].label.toLowerCase()}.`,
      reason: `${capital(isLate(input) ? reachedOn(input) + ',' : `at the planned end${test.endsAt ? ` on ${formatNearDate(test.endsAt, timeZone, now)}` : ''}`)} the chance to win was ${formatChance(test.summary.verdict.chanceToWin!)}, between 5% and 95%.`,
      next: `${isOver(input) ? 'Keep' : 'End the test and keep'} whichever arm you like better, or test a bolder change.`,
    }
  },
  splitBroken: ({
    test: {
      weights,
      summary: { split },
    },
  }) => ({
    headline: 'The traffic split is not what was planned, so no winner can be named.',
    reason: `Visitors were split ${shares(split.observed)} instead of ${shares(weights)}. By chance, this happens in fewer than 1 of 1,000 tests.`,
    next: 'See below where visitors are lost, fix that and start a new test.',
  }),
  leaning: input => {
    const { verdict } = input.test.summary
    return {
      headline:
        aheadOf(verdict) === null
          ? 'Neither arm is ahead.'
          : `The ${aheadOf(verdict)} is ahead, but it could still be chance.`,
      reason: isOver(input)
        ? `The test was ended before its planned end, so there is no verdict. The chance to win stood at ${formatChance(verdict.chanceToWin!)}.`
        : `The chance to win is ${formatChance(verdict.chanceToWin!)} today. ${untilThen(input)}`,
      next: isOver(input) ? 'Run it again for its full length to know.' : runOn(input),
    }
  },
  tooEarly: input => ({
    headline: 'Too early to say.',
    reason: isOver(input)
      ? 'The test ended in its first week, before a verdict is possible.'
      : `There is no verdict in the first ${decisionRule.earliestDay} days: people buy differently on weekdays and weekends.`,
    next: isOver(input) ? 'Run it again for its full length to know.' : runOn(input),
  }),
  collecting: input =>
    isIncomparable(input)
      ? alike(input)
      : {
          headline: isOver(input)
            ? 'The test ended with too little data to compare the arms.'
            : input.test.status === 'Scheduled'
              ? 'Not started yet.'
              : 'Collecting data.',
          reason:
            input.test.status === 'Scheduled'
              ? startsOn(input)
              : wanted(primary(input), input.test.goal, isOver(input)),
          next: collectOn(input),
        },
}

/**
 * Whether the data gates are met but there is no chance to win: an arm's orders are worth nothing,
 * or all the same.
 */
const isIncomparable = (input: WordsInput): boolean =>
  primary(input).missing === null && primary(input).chanceToWin === null

function alike(input: WordsInput): Words {
  const hasRevenue = primary(input).arms.some(({ value }) => value !== null && value > 0)
  return {
    headline: isOver(input) ? 'The test ended with nothing to compare.' : 'Nothing to compare yet.',
    reason: hasRevenue
      ? 'All orders are worth the same, so a difference cannot be told from chance.'
      : 'No order brought any revenue, so there is nothing to compare.',
    next: compareOn(input),
  }
}

/** What a lift means for each goal, in words. `size` is empty when it is unknown. */
const effect: Record<Goal, (size: string, up: boolean) => string> = {
  ConversionRate: (size, up) => `turns ${size}${up ? 'more' : 'fewer'} visitors into buyers`,
  AverageOrderValue: (size, up) => `makes orders ${size}${up ? 'larger' : 'smaller'}`,
  RevenuePerSession: (size, up) => `brings ${size}${up ? 'more' : 'less'} revenue per visitor`,
  ClickThroughRate: (size, up) => `gets ${size}${up ? 'more' : 'fewer'} visitors to click`,
  AddToCartRate: (size, up) => `gets ${size}${up ? 'more' : 'fewer'} visitors to add to cart`,
}

/**
 * The expected loss (docs/statistics.md) of the arm that the merchant would choose, a month, in the
 * store's currency, at the present traffic. It uses today's figures, even when the verdict was
 * reached earlier. Null for clicks and carts, which have no price.
 */
function costWords(input: WordsInput): string | null {
  const {
    test: {
      summary: {
        verdict: { kind },
      },
    },
    currency,
  } = input
  if (kind === 'splitBroken' || kind === 'collecting') return null
  const result = primary(input)
  if (result.chanceToWin === null) return null
  const ahead = aheadOf(result)
  const picked = kind === 'winner' ? 'variant' : kind === 'loser' ? 'control' : ahead
  // When the arms are even, both cost the same.
  const cost = result.arms[picked === 'control' ? 0 : 1].lossPerMonth
  if (cost === null) return null
  const isReached = kind === 'winner' || kind === 'loser' || kind === 'noDifference'
  const arm = picked ? `the ${picked}` : 'either arm',
    choice = isReached
      ? `keeping ${arm}`
      : isOver(input)
        ? `choosing ${arm}`
        : `choosing ${arm} today`
  return `Risk of ${choice}: ${aMonth(cost, currency)} on average (what a wrong choice would cost × how likely it is).`
}

/**
 * Says that the stored verdict stays, when today's chance to win would give another one. Null
 * otherwise.
 */
function sinceWords(input: WordsInput): string | null {
  const { kind, reachedAt } = input.test.summary.verdict
  const { chanceToWin } = primary(input)
  if (reachedAt === null || chanceToWin === null) return null
  const verdictNow =
    chanceToWin >= decisionRule.winner
      ? 'winner'
      : chanceToWin <= decisionRule.loser
        ? 'loser'
        : 'noDifference'
  return verdictNow === kind
    ? null
    : `Today’s chance to win is ${formatChance(chanceToWin)}. The verdict stays: it is taken once, because looking again and again finds differences that are not there.`
}
