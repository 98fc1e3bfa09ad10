import type { Output } from './contract.ts'
import { planLimits } from './estimate.ts'
import { formatCount, formatRate } from './figures.ts'

/** How long a test would take, in words: "About 21 days". */
export function planWords({ days, plannedVisitors, dailyVisitors, hasHistory, isEnough, smallestEffect }: Output<'draftPlan'>): { title: string; text: string; isEnough: boolean } {
  const daily = dailyVisitors < 10 ? Number(dailyVisitors.toFixed(1)) : Math.round(dailyVisitors)
  if (!hasHistory) return { title: `At least ${days} days`, text: `Your shop’s last 28 days tell too little to say more. About ${formatCount(plannedVisitors)} visitors are needed in all.`, isEnough: true }
  if (!isEnough) return {
    title: 'Not enough traffic', isEnough: false,
    text: smallestEffect === null
      ? 'In your shop’s last 28 days nobody came to what is tested.'
      : `With about ${daily} visitors a day this takes over ${planLimits.longestDays} days. ${findable(smallestEffect)}`,
  }
  return { title: `About ${days} days`, text: `${formatCount(plannedVisitors)} visitors are needed in all, and about ${daily} a day come to what is tested.`, isEnough: true }
}

/** With too little traffic, the smallest change that 28 days can find. One of more than 100% is none to look for. */
export const findable = (smallestEffect: number): string => `In ${planLimits.effectDays} days ${smallestEffect > 1 ? 'no change below 100% could be told from chance' : `it can find a change of ${formatRate(smallestEffect, 0)} or more`}.`
