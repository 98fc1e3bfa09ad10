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

/** The short word of a verdict, as the list shows it. A leaning names the arm it leans to; what has ended collects no more. */
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

/** What each verdict says: in a line, why, and what to do next. */
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
    reason: `Visitors came ${shares(split.observed)} instead of ${shares(weights)}; chance does that in fewer than 1 of 1,000 tests.`,
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

/** The gates are open and yet there is no chance to win: an arm's orders are worth nothing, or all the same. */
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

/** How a lift reads in each goal; of a size that is not known it is left out. */
const effect: Record<Goal, (size: string, up: boolean) => string> = {
  ConversionRate: (size, up) => `turns ${size}${up ? 'more' : 'fewer'} visitors into buyers`,
  AverageOrderValue: (size, up) => `makes orders ${size}${up ? 'larger' : 'smaller'}`,
  RevenuePerSession: (size, up) => `brings ${size}${up ? 'more' : 'less'} revenue per visitor`,
  ClickThroughRate: (size, up) => `gets ${size}${up ? 'more' : 'fewer'} visitors to click`,
  AddToCartRate: (size, up) => `gets ${size}${up ? 'more' : 'fewer'} visitors to add to cart`,
}

/**
 * The expected loss (docs/statistics.md) of the arm one would pick, in the store's currency a month at the present traffic:
 * by today's figures, also beside a verdict that was reached before. Clicks and carts have no price.
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
  // Of two that are even, either costs as much.
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

/** A verdict is taken once: said where today's figures, which the result row has, would give another. */
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
