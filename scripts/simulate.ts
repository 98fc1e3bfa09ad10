import { binaryChance } from '../domain/stats/binary.ts'
import { visitorsNeeded } from '../domain/stats/power.ts'
import { normalQuantile } from '../domain/stats/special.ts'
import { decide } from '../domain/verdict.ts'

// npm run simulate: how often daily looking for 28 days calls a winner or loser, under our rule and under a plain 95/5 rule.
const day = 86_400_000, days = 28, rate = 0.03, perDay = 1000, tests = 2000

/** Small, seeded and even enough for this: the same figures on every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Buyers among n visitors at rate p, by the normal approximation with a continuity correction: n p is 30 and more here. */
const buyers = (next: () => number, n: number, p: number): number =>
  Math.min(n, Math.max(0, Math.round(n * p + Math.sqrt(n * p * (1 - p)) * normalQuantile(Math.min(1 - 1e-12, Math.max(1e-12, next()))))))

type Calls = { ours: 'winner' | 'loser' | 'noDifference'; plain: 'winner' | 'loser' | 'noDifference' }

function runTest(next: () => number, lift: number): Calls {
  const control = { n: 0, x: 0 }, variant = { n: 0, x: 0 }
  const plannedVisitors = days * perDay * 2
  let ours: Calls['ours'] | null = null, plain: Calls['plain'] | null = null
  for (let d = 1; d <= days; d++) {
    control.n += perDay
    variant.n += perDay
    control.x += buyers(next, perDay, rate)
    variant.x += buyers(next, perDay, rate * (1 + lift))
    const chance = binaryChance(control, variant)
    if (!plain && (chance >= 0.95 || chance <= 0.05)) plain = chance >= 0.95 ? 'winner' : 'loser'
    if (!ours) {
      const { variances, means } = compareMoments(control, variant)
      const { kind } = decide({
        stored: null, splitBroken: false, isReady: true, chanceToWin: chance, lift: null, difference: means[1] - means[0],
        standardError: Math.sqrt(variances[0] + variances[1]), visitors: control.n + variant.n, plannedVisitors,
        startAt: 0, endsAt: days * day, endedAt: null, now: d * day,
      })
      if (kind === 'winner' || kind === 'loser' || kind === 'noDifference') ours = kind
    }
  }
  return { ours: ours ?? 'noDifference', plain: plain ?? 'noDifference' }
}

// The moments alone: the interval and the losses, which the rule does not need, are the dear part of a comparison.
function compareMoments(a: { n: number; x: number }, b: { n: number; x: number }) {
  const p = [a.x / a.n, b.x / b.n] as const
  return { means: p, variances: [(p[0] * (1 - p[0])) / a.n, (p[1] * (1 - p[1])) / b.n] as const }
}

const share = (calls: Calls[], which: keyof Calls, kinds: Calls['ours'][]): string =>
  `${((100 * calls.filter(c => kinds.includes(c[which])).length) / calls.length).toFixed(1)}%`

console.log(`${tests} tests each, ${days} days, ${perDay} visitors a day and arm, ${rate * 100}% buy; looked at daily.`)
console.log(`Needed to find +10%: ${Math.ceil(visitorsNeeded(rate, [rate * (1 - rate), rate * (1 - rate)], [0.5, 0.5], 0.1)!)} visitors.\n`)
for (const lift of [0, 0.15, 0.25]) {
  const next = random(20261121 + lift * 100)
  const calls = Array.from({ length: tests }, () => runTest(next, lift))
  const kinds: Calls['ours'][] = lift === 0 ? ['winner', 'loser'] : ['winner']
  console.log(`${lift === 0 ? 'No difference, called winner or loser' : `True lift +${lift * 100}%, called winner`}: our rule ${share(calls, 'ours', kinds)}, plain 95/5 daily ${share(calls, 'plain', kinds)}`)
}
