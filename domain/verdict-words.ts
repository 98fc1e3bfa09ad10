import { formatChance, formatCount, formatDate, formatLift, formatRate } from './figures.ts'
import { goals, type Goal } from './goal.ts'
import { formatMoney } from './money.ts'
import type { Test } from './ab-test.ts'
import type { GoalResult, TestSummary, Verdict } from './summary.ts'

export type Tone = 'good' | 'bad' | 'neutral' | 'warn' | 'accent'
export type VerdictBadge = { label: string; tone: Tone }

/** The short word of a verdict, as the list shows it. A leaning names the arm it leans to. */
export function verdictBadge({ kind, chanceToWin }: Pick<Verdict, 'kind' | 'chanceToWin'>): VerdictBadge {
  switch (kind) {
    case 'winner': return { label: 'Winner', tone: 'good' }
    case 'loser': return { label: 'Loser', tone: 'bad' }
    case 'noDifference': return { label: 'No clear difference', tone: 'neutral' }
    case 'splitBroken': return { label: 'Split broken', tone: 'bad' }
    case 'leaning': return { label: (chanceToWin ?? 0.5) >= 0.5 ? 'Leaning variant' : 'Leaning control', tone: 'neutral' }
    case 'tooEarly': return { label: 'Too early', tone: 'neutral' }
    case 'collecting': return { label: 'Collecting', tone: 'neutral' }
  }
}

export type WordsInput = {
  test: Pick<Test, 'goal' | 'weights' | 'status' | 'variantTitle' | 'startAt' | 'endsAt' | 'endedAt' | 'appliedAt' | 'minimumEffect' | 'plannedVisitors'> & { summary: TestSummary }
  currency: string
  timeZone: string
  now: Date
}
/** A verdict for people: what is so, why, and what to do next. Plain sentences, no jargon. */
export type VerdictWords = VerdictBadge & { headline: string; reason: string; next: string }

export function verdictWords(input: WordsInput): VerdictWords {
  return { ...verdictBadge(input.test.summary.verdict), ...words[input.test.summary.verdict.kind](input) }
}

type Words = Pick<VerdictWords, 'headline' | 'reason' | 'next'>
const words: Record<Verdict['kind'], (input: WordsInput) => Words> = {
  winner: input => {
    const { test: { summary: { verdict } } } = input
    return {
      headline: `${variantName(input)} ${effect[input.test.goal](Math.abs(verdict.lift ?? 0), true)}.`,
      reason: `The chance to win was ${formatChance(verdict.chanceToWin!)} ${reachedOn(input)}.`,
      next: isOver(input) ? 'Keep the variant.' : 'End the test and keep the variant; running on measures the difference more finely, but does not change the verdict.',
    }
  },
  loser: input => {
    const { test: { summary: { verdict } } } = input
    return {
      headline: `${variantName(input)} ${effect[input.test.goal](Math.abs(verdict.lift ?? 0), false)}.`,
      reason: `The chance that it is better was ${formatChance(verdict.chanceToWin!)} ${reachedOn(input)}.`,
      next: isOver(input) ? 'Keep the control.' : `End the test and keep the control${costOfWaiting(input)}.`,
    }
  },
  noDifference: ({ test, timeZone }) => ({
    headline: `No clear difference in ${goals[test.goal].label.toLowerCase()}.`,
    reason: `At the planned end${test.endsAt ? ` on ${formatDate(test.endsAt, timeZone, false)}` : ''} the chance to win was ${formatChance(test.summary.verdict.chanceToWin!)}, between 5% and 95%.`,
    next: 'Keep whichever arm you like better, or test a bolder change.',
  }),
  splitBroken: ({ test: { weights, summary: { split } } }) => ({
    headline: 'The traffic split is not what was planned, so no winner can be named.',
    reason: `Visitors came ${shares(split.observed)} instead of ${shares(weights)}; chance alone does that less than once in 1,000 tests.`,
    next: 'See below at which stage an arm loses visitors, mend it and start a new test.',
  }),
  leaning: input => {
    const { test: { summary: { verdict }, endsAt, status }, timeZone } = input
    const leader = (verdict.chanceToWin ?? 0.5) >= 0.5 ? 'The variant' : 'The control'
    const over = status === 'Ended'
    return {
      headline: `${leader} is ahead, but it could still be chance.`,
      reason: over
        ? `The test was ended before its planned end, so no verdict was taken. The chance to win stood at ${formatChance(verdict.chanceToWin!)}.`
        : `The chance to win is ${formatChance(verdict.chanceToWin!)} today. Before the planned end only a difference too large for luck counts, however often you look.`,
      next: over ? 'Run it again for its full length to know.' : `${goOn(input)}${endsAt ? ` until ${formatDate(endsAt, timeZone, false)}` : ''}: ${toGo(input)}.${pace(input)}`,
    }
  },
  tooEarly: input => ({
    headline: 'Too early to say.',
    reason: isOver(input) ? 'The test was ended in its first week, before any verdict could be given.' : 'No verdict is given in the first 7 days: weekdays and weekends buy differently.',
    next: isOver(input) ? 'Run it again for its full length to know.' : `${goOn(input)}: ${toGo(input)}.${pace(input)}`,
  }),
  collecting: input => ({
    headline: isOver(input) ? 'The test ended with too little data to compare the arms.' : 'Collecting data.',
    reason: wanted(primary(input), input.test.goal),
    next: isOver(input) ? 'Test a page with more visitors, or let the test run longer.' : input.test.status === 'Active' ? 'Nothing to do: the figures appear as soon as there is enough.' : 'Resume the test to collect more.',
  }),
}

/** How a lift reads in each goal, given its size. */
const effect: Record<Goal, (size: number, up: boolean) => string> = {
  ConversionRate: (size, up) => `turns ${percent(size)} ${up ? 'more' : 'fewer'} visitors into buyers`,
  AverageOrderValue: (size, up) => `makes orders ${percent(size)} ${up ? 'larger' : 'smaller'}`,
  RevenuePerSession: (size, up) => `brings ${percent(size)} ${up ? 'more' : 'less'} revenue per visitor`,
  ClickThroughRate: (size, up) => `gets ${percent(size)} ${up ? 'more' : 'fewer'} visitors to click`,
  AddToCartRate: (size, up) => `gets ${percent(size)} ${up ? 'more' : 'fewer'} visitors to add to cart`,
}

/** "12 more days or 3,100 more visitors"; one of them when the other is already there. */
export function toGo({ test, now }: Pick<WordsInput, 'test' | 'now'>): string {
  const days = test.endsAt ? Math.ceil((Date.parse(test.endsAt) - now.getTime()) / 86_400_000) : 0
  const visitors = test.plannedVisitors - test.summary.visitors[0] - test.summary.visitors[1]
  const parts = [days > 0 ? count(days, 'more day') : '', visitors > 0 ? count(visitors, 'more visitor') : ''].filter(Boolean)
  return parts.join(' or ') || 'the last figures are coming in'
}

/** What the data gates still ask for. */
export function wanted({ missing }: Pick<GoalResult, 'missing'>, goal: Goal): string {
  if (!missing) return 'The arms can be compared.'
  const per = Math.max(...missing.visitors)
  const thing = { Buyers: 'buyer', Orders: 'order', Clicked: 'visitor who clicks', 'Added to cart': 'visitor who adds to cart' }[goals[goal].counted]
  const parts = [per > 0 ? `${count(per, 'more visitor')} in ${missing.visitors.every(v => v > 0) ? 'each arm' : 'one arm'}` : '', missing.conversions > 0 ? count(missing.conversions, `more ${thing}`) : ''].filter(Boolean)
  return `Before the arms are compared, ${parts.join(' and ')} ${parts.length > 1 || !parts[0]!.startsWith('1 ') ? 'are' : 'is'} needed.`
}

const goOn = ({ test }: WordsInput): string => (test.status === 'Active' ? 'Keep it running' : 'Resume it and keep it running')

/** Whether the present traffic will do, with a space before it. */
function pace({ test: { endsAt, minimumEffect, summary }, timeZone }: WordsInput): string {
  const { estimatedCompletionDate: date, smallestEffect } = summary
  const effect = formatRate(minimumEffect, 0)
  if (smallestEffect) return ` There is not enough traffic to find a change of ${effect} within 90 days; 28 days can find one of ${formatRate(smallestEffect, 0)} or more.`
  return date && endsAt && date > endsAt ? ` To find a change as small as ${effect}, visitors enough come by ${formatDate(date, timeZone, false)}.` : ''
}

const primary = ({ test }: WordsInput): GoalResult => test.summary.goals.find(g => g.goal === test.goal)!
const variantName = ({ test }: WordsInput): string => (test.variantTitle && test.variantTitle !== 'Variant' ? `“${test.variantTitle}”` : 'The variant')
const isOver = ({ test }: WordsInput): boolean => test.status === 'Ended'
const percent = (size: number): string => formatLift(size).replace('+', '')
const shares = ([a, b]: readonly [number, number]): string => `${((100 * a) / (a + b)).toFixed(1)} / ${((100 * b) / (a + b)).toFixed(1)}`

function reachedOn({ test: { endsAt, summary: { verdict } }, timeZone }: WordsInput): string {
  const day = formatDate(verdict.reachedAt!, timeZone, false)
  return endsAt && verdict.reachedAt! < endsAt ? `on ${day}, clear enough to say so before the planned end` : `at the planned end on ${day}`
}

function costOfWaiting(input: WordsInput): string {
  const cost = primary(input).arms[1].lossPerMonth
  return cost && cost > 0 ? `: showing the variant to everyone would cost about ${formatMoney(cost, input.currency, true)} a month` : ''
}

function count(n: number, one: string): string {
  const [more, noun, ...rest] = one.split(' ')
  const plural = n === 1 ? noun : `${noun}s`
  const verbs = n === 1 ? rest : rest.map(w => (w === 'clicks' ? 'click' : w === 'adds' ? 'add' : w))
  return [formatCount(n), more, plural, ...verbs].join(' ')
}
