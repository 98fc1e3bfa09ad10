import t from 'tap'
import {
  doChargesHold,
  recentBuyers,
  toleratedShare,
  wrongChargeEvidence,
} from '../../../domain/prices/charge-rule.ts'
import { mulberry32 } from '../../mulberry32.ts'

t.test(
  'one or two wrongly charged buyers never hold a test; 3 of up to 10 do, 4 of up to 19, 5 of up to 30',
  async t => {
    for (let judged = 2; judged <= recentBuyers; judged++)
      for (const wrong of [0, 1, 2])
        t.notOk(doChargesHold({ wrong, judged }), `${wrong} of ${judged}`)
    const first = [3, 4, 5].map(wrong =>
      Array.from({ length: recentBuyers }, (_, i) => i + 1).findLast(
        judged => judged >= wrong && doChargesHold({ wrong, judged }),
      ),
    )
    t.same(first, [10, 19, 30])
  },
)

t.test('the evidence is the log ratio of the two likelihoods', async t => {
  for (const [wrong, judged] of [
    [0, 5],
    [1, 1],
    [3, 12],
    [9, 30],
  ] as const) {
    const likelihood = (share: number) => share ** wrong * (1 - share) ** (judged - wrong)
    // Midpoint rule over all shares above the tolerated one.
    const steps = 200_000,
      width = (1 - toleratedShare) / steps
    let mean = 0
    for (let i = 0; i < steps; i++) mean += likelihood(toleratedShare + (i + 0.5) * width) / steps
    t.ok(
      Math.abs(wrongChargeEvidence(wrong, judged) - Math.log(mean / likelihood(toleratedShare))) <
        1e-6,
      `${wrong} of ${judged}`,
    )
  }
})

/**
 * Number of buyers until a test is held, at most `most`. The first `before` buyers pay the right
 * price, later ones a wrong price with the chance `share`.
 */
function untilHeld(
  share: number,
  before: number,
  most: number,
  uniform: () => number,
): number | null {
  const recent = Array.from({ length: Math.min(before, recentBuyers) }, () => false)
  for (let n = 1; n <= most; n++) {
    recent.push(uniform() < share)
    if (recent.length > recentBuyers) recent.shift()
    if (
      recent.at(-1) &&
      doChargesHold({ wrong: recent.filter(Boolean).length, judged: recent.length })
    )
      return n
  }
  return null
}

t.test(
  'error rates: tests with a few wrong orders keep running, tests with broken prices are held soon',
  async t => {
    const uniform = mulberry32(45)
    const times = (share: number, before: number, most: number, runs: number) =>
      Array.from({ length: runs }, () => untilHeld(share, before, most, uniform))
    for (const [share, limit] of [
      [0.0025, 0.002],
      [0.005, 0.005],
      [0.01, 0.2],
    ] as const) {
      const held = times(share, 0, 1_000, 1_000).filter(n => n !== null).length / 1_000
      t.comment(`${share * 100}% wrong: ${held} of tests with 1,000 buyers held`)
      t.ok(held <= limit, `${share}: ${held}`)
    }
    for (const [share, before, limit] of [
      [1, 0, 3],
      [0.5, 0, 10],
      [0.5, 5_000, 14],
      [0.1, 5_000, 120],
    ] as const) {
      const median = times(share, before, 5_000, 401)
        .map(n => n ?? Infinity)
        .sort((a, b) => a - b)[200]!
      t.comment(`${share * 100}% wrong after ${before} right: held after ${median} buyers (median)`)
      t.ok(median <= limit, `${share} after ${before}: ${median}`)
    }
  },
)
