import { readFileSync } from 'node:fs'
import t from 'tap'
import type { PerArm } from '../../../domain/arm.ts'
import { eventAge, clockTolerance } from '../../../domain/events/event.ts'
import { planLimits, samplePlan } from '../../../domain/reports/estimate.ts'
import {
  compareArms,
  dataGates,
  emptyTotals,
  goalResult,
  plus,
  reportLevel,
  type ArmTotals,
} from '../../../domain/reports/goal-result.ts'
import type { Goal } from '../../../domain/reports/goal.ts'
import { networkRule } from '../../../domain/events/network-rule.ts'
import { normalPdf, normalQuantile } from '../../../domain/stats/special.ts'
import { meanPosterior } from '../../../domain/stats/normal.ts'
import { sequenceHalfWidth } from '../../../domain/stats/sequence.ts'
import { brokenSplit, splitCheck } from '../../../domain/stats/split.ts'
import { decide, decisionRule, type DecisionInput } from '../../../domain/reports/verdict.ts'

// Readers check us by docs/statistics.md, so this test computes its worked example from the data on
// the page.
const page = readFileSync('docs/statistics.md', 'utf8')
const sectionOf = (title: string): string =>
  page.split(/^## /m).find(part => part.startsWith(`${title}\n`)) ?? ''
const example = sectionOf('Worked example').replaceAll('\n', ' ')

/** The page's table: the number of visitors of both arms by the orders that each made. */
const groups = [
  ...sectionOf('Worked example').matchAll(/^\| (none|\d+(?: \+ \d+)*) \| (\d+) \| (\d+) \|$/gm),
].map(([, orders, a, b]) => ({
  orders: orders === 'none' ? [] : orders!.split(' + ').map(Number),
  counts: [Number(a), Number(b)] as const,
}))
const values = groups
  .flatMap(({ orders, counts: [a, b] }) =>
    orders.flatMap(value => Array.from({ length: a + b }, () => value)),
  )
  .sort((x, y) => x - y)
/** The 99th percentile with linear interpolation. In the engine the database computes it. */
const place = 0.99 * (values.length - 1)
const cap =
  values[Math.floor(place)]! +
  (place % 1) * (values[Math.ceil(place)]! - values[Math.floor(place)]!)

function totalsOf(arm: 0 | 1): ArmTotals {
  return groups.reduce((sum, { orders, counts }) => {
    const n = counts[arm],
      d = orders.length,
      raw = orders.reduce((a, b) => a + b, 0),
      m = orders.reduce((a, b) => a + Math.min(b, cap), 0)
    return plus(sum, {
      ...emptyTotals,
      visitors: n,
      buyers: d > 0 ? n : 0,
      orders: n * d,
      revenue: n * raw,
      cappedRevenue: n * m,
      cappedRevenueSquares: n * m * m,
      orderSquares: n * d * d,
      cappedRevenueOrders: n * m * d,
    })
  }, emptyTotals)
}
const totals: PerArm<ArmTotals> = [totalsOf(0), totalsOf(1)],
  [control, variant] = totals
const count = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 0 })
const percent = (fraction: number): string =>
  `${fraction < 0 ? '−' : '+'}${Math.abs(100 * fraction).toFixed(2)}%`

t.test('our functions compute every figure of the worked example on the page', async t => {
  const stands = (...texts: string[]) =>
    texts.forEach(text => t.ok(example.includes(text), `"${text}" is on the page`))
  const byMoney = compareArms('RevenuePerSession', totals),
    [vA, vB] = byMoney.variances as [number, number],
    [mA, mB] = byMoney.means as [number, number]
  const se = Math.sqrt(vA + vB),
    z = (mB - mA) / se

  const plan = samplePlan({
    goal: 'RevenuePerSession',
    weights: [0.5, 0.5],
    minimumEffect: 0.2,
    spread: { mean: 1.8, variances: [100, 100] },
    dailyVisitors: 1750,
  })
  stands(
    `**${count(plan.plannedVisitors)}**`,
    `that is ${plan.daysNeeded} days, and ${plan.days} days are planned`,
  )

  stands(
    `${count(control.visitors)} and ${count(variant.visitors)} visitors, ${control.buyers} and ${variant.buyers} buyers, ${control.orders} and ${variant.orders} orders, $${count(control.revenue)} and $${count(variant.revenue)}`,
  )
  stands(`p = **${splitCheck([control.visitors, variant.visitors], [0.5, 0.5])!.toFixed(3)}**`)
  stands(
    `There are ${values.length} orders`,
    `0.99 · ${values.length - 1} = ${place}`,
    `is **$${cap}**`,
  )
  for (const [name, arm] of [
    ['control', control],
    ['variant', variant],
  ] as const) {
    const { mean, variance } = meanPosterior({
      n: arm.visitors,
      sum: arm.cappedRevenue,
      sumSquares: arm.cappedRevenueSquares,
    })!
    stands(
      `| ${name} | ${arm.visitors} | ${arm.cappedRevenue} | ${arm.cappedRevenueSquares} | ${mean.toFixed(6)} | ${(variance! * arm.visitors).toFixed(4)} | ${variance!.toFixed(7)} |`,
    )
  }
  stands(
    `**${percent(byMoney.lift!)}**`,
    `$${(control.revenue / control.visitors).toFixed(2)} and $${(variant.revenue / variant.visitors).toFixed(2)} per visitor`,
  )
  stands(
    `= ${se.toFixed(6)}; z = `,
    `= ${z.toFixed(5)}; Φ(z) = **${(100 * byMoney.chanceToWin!).toFixed(2)}%**`,
  )

  const z2 = normalQuantile((1 + reportLevel) / 2) ** 2,
    a = mA ** 2 - z2 * vA
  stands(
    `1.644854² = ${z2.toFixed(6)}`,
    `= ${a.toFixed(6)}; m_A · m_B = ${(mA * mB).toFixed(6)}`,
    `= ${Math.sqrt(z2 * (mB ** 2 * vA + a * vB)).toFixed(6)}`,
  )
  stands(...byMoney.interval!.map(end => `**${percent(end)}**`))

  const monthly = (12_100 * 30) / 7,
    {
      result: { arms },
    } = goalResult('RevenuePerSession', totals, monthly)
  stands(
    `φ(z) = ${normalPdf(z).toFixed(6)}`,
    `**${(100 * byMoney.loss[1]!).toFixed(3)}%**`,
    `**${(100 * byMoney.loss[0]!).toFixed(2)}%**`,
    `= ${count(monthly)},`,
  )
  stands(
    `**$${count(arms[0].lossPerMonth!)}** a month`,
    `choosing the variant **$${count(arms[1].lossPerMonth!)}**`,
  )

  const visitors = control.visitors + variant.visitors,
    half = sequenceHalfWidth(se, visitors, plan.plannedVisitors)
  const rho2 = (-2 * Math.log(0.05) + Math.log(1 - 2 * Math.log(0.05))) / plan.plannedVisitors
  stands(
    `= ${rho2.toFixed(9)}; N·ρ² + 1 = ${(visitors * rho2 + 1).toFixed(6)}`,
    `**${half.toFixed(4)}**`,
    `The difference, ${(mB - mA).toFixed(4)},`,
  )
  const day = 86_400_000
  const input: DecisionInput = {
    stored: null,
    splitBroken: false,
    isReady: true,
    chanceToWin: byMoney.chanceToWin,
    lift: byMoney.lift,
    difference: mB - mA,
    standardError: se,
    visitors,
    plannedVisitors: plan.plannedVisitors,
    startAt: 0,
    endsAt: plan.days * day,
    endedAt: null,
    now: 7 * day,
  }
  stands(
    `the report says **${decide(input).kind}**`,
    `would be a **${decide({ ...input, now: plan.days * day }).kind}**`,
  )

  const sentence = (goal: Goal): string => {
    const { chanceToWin, lift, interval } = compareArms(goal, totals)
    return `chance to win **${(100 * chanceToWin!).toFixed(2)}%**, lift ${percent(lift!)}, interval ${interval!.map(percent).join(' to ')}`
  }
  stands(sentence('ConversionRate'), sentence('AverageOrderValue'))
  const shares = compareArms('ConversionRate', totals),
    [p, q] = shares.means as [number, number],
    [vp, vq] = shares.variances as [number, number]
  stands(
    `${(100 * p).toFixed(3)}% against ${(100 * q).toFixed(3)}%`,
    `${(q - p).toFixed(7)} / √(${vp.toFixed(10)} + ${vq.toFixed(10)}) = ${((q - p) / Math.sqrt(vp + vq)).toFixed(4)}`,
  )
})

t.test('the rules on the page have the same numbers as the code', async t => {
  const stands = (title: string, ...texts: string[]) =>
    texts.forEach(text => t.ok(sectionOf(title).includes(text), `${title}: "${text}"`))
  const hours = (ms: number) => `${ms / 3_600_000} hours`
  stands(
    'What counts',
    `${networkRule.visitors} or more new visitors in an hour that are more than ${100 * networkRule.share}% of the shop's and more than ${networkRule.times} times`,
  )
  stands(
    'What counts',
    `more than ${hours(eventAge.behind)} old or ${eventAge.ahead / 60_000} minutes ahead`,
    `more than ${clockTolerance / 1000} seconds`,
  )
  stands(
    'From data to result',
    `each arm has ${dataGates.visitorsPerArm} visitors`,
    `${dataGates.conversions} conversions in both arms together, with at least ${dataGates.conversionsPerArm} in each`,
  )
  stands(
    'From data to result',
    `the **${100 * reportLevel}%** interval`,
    `p < ${brokenSplit}`,
    `at least ${100 * decisionRule.winner}% *winner*, at most ${100 * decisionRule.loser}% *loser*`,
  )
  stands(
    'From data to result',
    `Less than ${decisionRule.earliestDay} days`,
    `α = ${decisionRule.alpha}`,
  )
  const { shortestDays, longestDays, weeksOf, paceDays, effectDays } = planLimits
  stands(
    'How long a test runs',
    `at least ${shortestDays} days`,
    `more than ${longestDays} days`,
    `planned for ${Math.floor(longestDays / weeksOf) * weeksOf} days`,
    `that ${effectDays} days can find`,
    `last ${paceDays} full days`,
  )
})
