import { binaryChance } from '../domain/stats/binary.ts'
import { decide } from '../domain/verdict.ts'
import type { DecisionInput } from '../domain/verdict.ts'

// npm run simulate: how often daily looking for 28 days calls a winner or loser, under our rule and under a plain 95/5 rule.
const dayLength = 86_400_000
const plan = { days: 28, perArmAndDay: 1000, rate: 0.03, seed: 20261121 } as const

type Call = 'winner' | 'loser' | 'noDifference'
/** What one simulated test was called, by each rule looked at daily, and by 95/5 looked at once, at the planned end. */
type Calls = { ours: Call; daily: Call; once: Call }

/** The calls of `tests` simulated tests with this true lift: the same on every run. */
export function simulate(tests: number, lift: number): Calls[] {
  const next = random(plan.seed)
  const buyers = [binomial(plan.perArmAndDay, plan.rate), binomial(plan.perArmAndDay, plan.rate * (1 + lift))] as const
  return Array.from({ length: tests }, () => runTest(() => [buyers[0](next()), buyers[1](next())]))
}

/** Share of the calls by one rule that are among `kinds`. */
export const shareOf = (calls: Calls[], rule: keyof Calls, kinds: Call[]): number => calls.filter(c => kinds.includes(c[rule])).length / calls.length

function runTest(buyersOfDay: () => [control: number, variant: number]): Calls {
  const control = { n: 0, x: 0 }, variant = { n: 0, x: 0 }
  let ours: DecisionInput['stored'] = null, daily: Call | null = null, once: Call = 'noDifference'
  for (let day = 1; day <= plan.days; day++) {
    const [a, b] = buyersOfDay()
    control.n += plan.perArmAndDay
    variant.n += plan.perArmAndDay
    control.x += a
    variant.x += b
    const chanceToWin = binaryChance(control, variant), p = control.x / control.n, q = variant.x / variant.n
    once = chanceToWin >= 0.95 ? 'winner' : chanceToWin <= 0.05 ? 'loser' : 'noDifference'
    if (once !== 'noDifference') daily ??= once
    const verdict = decide({
      stored: ours, splitBroken: false, isReady: control.x + variant.x >= 25, chanceToWin, lift: q / p - 1,
      difference: q - p, standardError: Math.sqrt((p * (1 - p)) / control.n + (q * (1 - q)) / variant.n),
      visitors: control.n + variant.n, plannedVisitors: plan.days * plan.perArmAndDay * 2,
      startAt: 0, endsAt: plan.days * dayLength, endedAt: null, now: day * dayLength,
    })
    if (verdict.reachedAt) ours = verdict
  }
  return { ours: ours!.kind as Call, daily: daily ?? 'noDifference', once }
}

/** Small, seeded and even enough for this (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Binomial draws by inverting the exact distribution: from a uniform number to a count. */
function binomial(n: number, p: number): (uniform: number) => number {
  const cumulated: number[] = []
  let mass = (1 - p) ** n, sum = 0
  for (let k = 0; k <= n && sum < 1 - 1e-15; k++) {
    cumulated.push(sum += mass)
    mass *= ((n - k) / (k + 1)) * (p / (1 - p))
  }
  return uniform => {
    const k = cumulated.findIndex(upTo => uniform < upTo)
    return k < 0 ? cumulated.length - 1 : k
  }
}

if (import.meta.main) {
  const tests = 5000, percent = (share: number) => `${(100 * share).toFixed(1)}%`.padStart(7)
  console.log(`${tests} tests each, ${plan.days} days, ${plan.perArmAndDay} visitors a day and arm, ${100 * plan.rate}% of them buy.\n`)
  console.log(`${' '.repeat(42)}our rule, daily  95/5, daily  95/5, once at the end`)
  for (const lift of [0, 0.15, 0.25]) {
    const calls = simulate(tests, lift), kinds: Call[] = lift === 0 ? ['winner', 'loser'] : ['winner']
    const [ours, daily, once] = (['ours', 'daily', 'once'] as const).map(rule => percent(shareOf(calls, rule, kinds)))
    console.log(`${(lift === 0 ? 'No difference, called winner or loser' : `True lift +${100 * lift}%, called winner`).padEnd(42)}${ours!.padStart(15)}${daily!.padStart(13)}${once!.padStart(23)}`)
  }
}
