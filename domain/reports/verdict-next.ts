import { controlRemains } from '../tests/apply-words.ts'
import { planLimits } from './estimate.ts'
import { formatCount, formatMoment, formatNearDate, formatRate } from '../figures.ts'
import { formatMoney, minorDigits } from '../money.ts'
import { findable } from '../drafts/plan-words.ts'
import type { GoalResult } from './summary.ts'
import type { TestStatus } from '../tests/test-status.ts'
import { decisionRule } from './verdict.ts'
import type { WordsInput } from './verdict-facts.ts'
import { day } from '../time-units.ts'

/**
 * Sentences for verdict-words.ts: what the merchant should do next, by the verdict and the state of
 * the test.
 */

export const isOver = ({ test }: WordsInput): boolean => test.status === 'Ended'
export const primary = ({ test }: WordsInput): GoalResult =>
  test.summary.goals.find(g => g.goal === test.goal)!

/** For a winner: how to give it to everyone, or that this is done. */
export function applyNext(input: WordsInput): string {
  const {
    test: { kind, appliedArm, appliedAt, sendsByScript, isImported },
    timeZone,
    now,
  } = input
  if (isImported)
    return 'This test was imported, so Twinshelf cannot apply it. Show the variant to everyone in the system where the test ran.'
  const on = appliedAt ? ` on ${formatNearDate(appliedAt, timeZone, now)}` : ''
  if (appliedArm === 'variant')
    return sendsByScript
      ? `The variant was applied${on}: our script sends everyone to its page. ${controlRemains}`
      : `The variant was applied${on}: everyone gets it.`
  if (appliedArm === 'control')
    return `You have applied the control${on}; the variant can still be applied.`
  if (kind === 'Api')
    return `${isOver(input) ? 'Have' : 'End the test and have'} your developer ship the variant: an API test is applied in your shop’s own code.`
  if (isOver(input)) return 'Apply the variant, so that everyone gets it.'
  return 'End the test and apply the variant. A longer test measures the difference more precisely, but does not change the verdict.'
}

/** For a loser. */
export function keepControl(input: WordsInput): string {
  if (input.test.isImported) return 'This test was imported: keep the control where it ran.'
  if (input.test.appliedArm === 'variant')
    return 'The variant was applied anyway. Apply the control to undo that.'
  if (isOver(input)) return 'Keep the control: everyone gets it again.'
  const cost = primary(input).arms[1].lossPerMonth
  return `End the test and keep the control${cost && cost > 0 ? `: showing the variant to everyone would cost ${aMonth(cost, input.currency)}` : ''}.`
}

/**
 * For a test that must continue: until when, what is still missing, and whether there is enough
 * traffic.
 */
export function runOn(input: WordsInput): string {
  const {
    test: { endsAt, status },
    timeZone,
    now,
  } = input
  const until =
    endsAt && Date.parse(endsAt) > now.getTime()
      ? ` until ${formatNearDate(endsAt, timeZone, now)}`
      : ''
  return `${goOn[status]}${until}: ${toGo(input)}.${pace(input)}`
}
const goOn: Record<TestStatus, string> = {
  Active: 'Keep it running',
  Paused: 'Resume it and keep it running',
  OnHold: 'Fix the problem, resume it and keep it running',
  Suspended: 'It continues when your subscription is active again; keep it running',
  Scheduled: 'Let it start and keep it running',
  Ended: 'Run it again',
}

/** For a test with too little data to compare its arms. */
export function collectOn(input: WordsInput): string {
  const {
    test: { status, startAt, endsAt, summary },
    now,
  } = input
  if (status === 'Ended') return `${options} Or run it again for longer.`
  if (status === 'Scheduled') return 'Nothing to do until then.'
  if (endsAt && now.getTime() >= Date.parse(endsAt))
    return `The planned end has passed: end the test, or let it run until there is enough. ${options}`
  // Before a week has passed, the pace is not known well enough.
  const isSlow =
    status === 'Active' &&
    summary.traffic === 'notEnough' &&
    startAt !== null &&
    now.getTime() - Date.parse(startAt) >= decisionRule.earliestDay * day
  if (isSlow)
    return `${waiting[status]} At the present pace it would take more than ${planLimits.longestDays} days. ${options}`
  return waiting[status]
}
/**
 * For a test with enough data in which the goal cannot compare the arms: no order brought revenue,
 * or all are worth the same.
 */
export const compareOn = ({ test: { status } }: WordsInput): string =>
  status === 'Ended' || status === 'Scheduled'
    ? 'Check whether these orders should have brought revenue, or use another goal, such as conversion rate.'
    : waiting[status]
const waiting: Record<Exclude<TestStatus, 'Scheduled' | 'Ended'>, string> = {
  Active: 'Nothing to do: the figures appear as soon as there is enough.',
  Paused: 'Resume the test to collect more.',
  OnHold: 'Fix the problem and resume the test to collect more.',
  Suspended: 'It continues collecting when your subscription is active again.',
}
const options =
  'Test a bolder change, a page with more visitors, or a goal that visitors reach more often.'

/** For a test that has not started. */
export const startsOn = ({ test: { launchAt }, timeZone, now }: WordsInput): string =>
  launchAt ? `It starts on ${formatMoment(launchAt, timeZone, now)}.` : 'No day is set for it.'

/**
 * What a running test still needs: "12 more days or 3,100 more visitors". Names only one when the
 * other is reached.
 */
export function toGo({ test, now }: Pick<WordsInput, 'test' | 'now'>): string {
  const days = test.endsAt ? Math.ceil((Date.parse(test.endsAt) - now.getTime()) / day) : 0
  const visitors = test.plannedVisitors - test.summary.visitors[0] - test.summary.visitors[1]
  const parts = [
    days > 0 ? count(days, 'more day') : '',
    visitors > 0 ? count(visitors, 'more visitor') : '',
  ].filter(Boolean)
  return parts.join(' or ') || 'the last figures are coming in'
}

/**
 * Says that the traffic is too little or too slow, with a space before it. Empty when it is enough
 * or unknown, or the test is not active.
 */
function pace({
  test: { status, endsAt, minimumEffect, summary },
  timeZone,
  now,
}: WordsInput): string {
  const { estimatedCompletionDate: date, traffic, smallestEffect } = summary
  if (status !== 'Active') return ''
  const effect = formatRate(minimumEffect, 0)
  if (traffic === 'notEnough')
    return ` There is not enough traffic to find a change of ${effect} within ${planLimits.longestDays} days. ${smallestEffect ? `${findable(smallestEffect)} ` : ''}${options}`
  return date && endsAt && date > endsAt
    ? ` To find a change as small as ${effect}, visitors enough come by ${formatNearDate(date, timeZone, now)}.`
    : ''
}

/** "about $1,204 a month", or "less than $1 a month". Takes minor units. */
export function aMonth(minor: number, currency: string): string {
  const one = 10 ** minorDigits(currency)
  return `${minor < one ? `less than ${formatMoney(one, currency, true)}` : `about ${formatMoney(minor, currency, true)}`} a month`
}

/**
 * "3 more buyers" from 3 and "more buyer". Also makes the verb after the noun agree: "3 more
 * visitors who click".
 */
export function count(n: number, one: string): string {
  const [more, noun, ...rest] = one.split(' ')
  const plural = n === 1 ? noun : `${noun}s`
  const verbs =
    n === 1 ? rest : rest.map(w => (w === 'clicks' ? 'click' : w === 'adds' ? 'add' : w))
  return [formatCount(n), more, plural, ...verbs].join(' ')
}
