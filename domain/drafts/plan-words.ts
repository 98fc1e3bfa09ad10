import { planLimits, type SamplePlan } from '../reports/estimate.ts'
import { formatCount, formatDate, formatRate } from '../figures.ts'

export type PlanFacts = Omit<SamplePlan, 'neededVisitors'> & {
  dailyVisitors: number
  source: 'shop' | 'guess' | 'none'
  hasHistory: boolean
  endsAt: string
}
/** `isEnough` is false when the shop has too little traffic, or too little history to know. */
export type PlanWords = { title: string; text: string; isEnough: boolean }

/** Says how long a test would take, "84 days, planned end 14 Feb 2027", and why. */
export function planWords(
  plan: PlanFacts,
  { minimumEffect, timeZone }: { minimumEffect: number; timeZone: string },
): PlanWords {
  const { days, endsAt, plannedVisitors, source, hasHistory, traffic, daysNeeded, smallestEffect } =
    plan
  const length = `${days} days, planned end ${formatDate(endsAt, timeZone)}`,
    daily = dailyWords(plan),
    effect = effectWords(minimumEffect)
  switch (traffic) {
    case 'unknown':
      return {
        title: `At least ${length}`,
        isEnough: !hasHistory,
        text: hasHistory
          ? 'No visitors came to the tested pages in the last 28 days. Enter the visitors you expect to plan its length.'
          : `Your shop has too little history to say more. About ${formatCount(plannedVisitors)} visitors are needed in all; enter the visitors you expect to plan its length.`,
      }
    case 'notEnough':
      return {
        title: length,
        isEnough: false,
        text: `Not enough traffic: to find a change of ${effect}, ${daily} take ${formatCount(daysNeeded!)} days. ${findable(smallestEffect!)}`,
      }
    case 'enough':
      return {
        title: length,
        isEnough: true,
        text: `${formatCount(plannedVisitors)} visitors are needed in all to find a change of ${effect}. ${source === 'guess' ? `You expect ${daily}.` : `By the last 28 days, ${daily} take part.`}`,
      }
  }
}

/** "about 120 visitors a day" */
export const dailyWords = ({ dailyVisitors: daily }: Pick<PlanFacts, 'dailyVisitors'>): string =>
  `about ${daily < 10 ? Number(daily.toFixed(1)) : formatCount(Math.round(daily))} visitors a day`

/** "7.5%" */
export const effectWords = (effect: number): string => `${Number((effect * 100).toFixed(2))}%`

/**
 * With too little traffic, says which smallest change 28 days can find. A change above 100% is not
 * worth naming.
 */
export const findable = (smallestEffect: number): string =>
  `In ${planLimits.effectDays} days ${smallestEffect > 1 ? 'no change below 100% could be told from chance' : `it can find a change of ${formatRate(smallestEffect, 0)} or more`}.`
