import t from 'tap'
import { armsRule, isOneSided } from '../../../domain/events/network-arms.ts'
import { binomialTest } from '../../../domain/stats/binomial.ts'
import { brokenSplit, splitCheck } from '../../../domain/stats/split.ts'
import { mulberry32 } from '../../mulberry32.ts'

/** The binomial probabilities of 0 to `tries` successes. */
function outcomes(tries: number, chance: number): number[] {
  const found = [(1 - chance) ** tries]
  for (let k = 1; k <= tries; k++)
    found.push((found[k - 1]! * ((tries - k + 1) / k) * chance) / (1 - chance))
  return found
}

t.test('the exact test equals the sum of the outcomes’ probabilities', async t => {
  for (const [tries, chance] of [
    [1, 0.5],
    [20, 0.5],
    [37, 0.2],
    [90, 0.95],
  ] as const) {
    const each = outcomes(tries, chance)
    for (let k = 0; k <= tries; k++) {
      const sum = (from: number, to: number) => each.slice(from, to).reduce((a, b) => a + b, 0)
      const exact = Math.min(1, 2 * Math.min(sum(0, k + 1), sum(k, tries + 1)))
      const found = binomialTest(k, tries, chance)
      if (Math.abs(found / exact - 1) > 1e-9) t.fail(`${k} of ${tries}: ${found}, not ${exact}`)
    }
  }
  t.equal(binomialTest(0, 0, 0.5), 1)
  t.equal((binomialTest(40, 40, 0.5) / (2 * 0.5 ** 40)).toFixed(9), '1.000000000')
})

t.test('a network is one-sided when chance cannot explain its split', async t => {
  const even = [0.5, 0.5] as [number, number]
  t.notOk(isOneSided([0, 0], even))
  t.notOk(isOneSided([0, 34], even), '34 visitors in one arm pass')
  t.ok(isOneSided([0, 35], even))
  t.ok(isOneSided([35, 0], even))
  t.notOk(isOneSided([500, 700], even))
  t.ok(isOneSided([500, 750], even), 'visitors added to the other arm do not hide it')
  t.notOk(
    isOneSided([400, 0], [95, 5]),
    'nearly all belong in this arm; weights need not sum to one',
  )
  t.ok(isOneSided([0, 9], [95, 5]))
  t.notOk(isOneSided([0, 500], [0, 1]), 'the other arm gets no visitors')
})

/**
 * How often per window an honest network's last `size` visitors are one-sided. After a verdict
 * there is no other for one window.
 */
function verdictsPerWindow(size: number, limit: number, windows: number, seed: number): number {
  const uniform = mulberry32(seed)
  const odd = Array.from({ length: size + 1 }, (_, k) =>
    isOneSided([size - k, k], [0.5, 0.5], limit),
  )
  const last = new Uint8Array(size)
  let variant = 0,
    verdicts = 0,
    wait = size
  for (let n = 0; n < size * windows; n++) {
    variant -= last[n % size]!
    variant += last[n % size] = uniform() < 0.5 ? 0 : 1
    if (--wait > 0 || !odd[variant]) continue
    verdicts++
    wait = size
  }
  return verdicts / windows
}

t.test('an honest network is set aside less than once in 3,000 years of a shop', async t => {
  // Each new visitor is one look. Within a window the limit u is passed by chance about u² times as
  // often as at one look.
  const looks = (u: number, limit: number) => u * u * limit
  for (const [limit, u, windows] of [
    [1e-2, 2.576, 4_000],
    [1e-3, 3.291, 20_000],
    [1e-4, 3.891, 60_000],
  ] as const)
    for (const size of [40, 200]) {
      const rate = verdictsPerWindow(size, limit, windows, size)
      t.ok(
        rate <= looks(u, limit) * 1.1,
        `${size} visitors, p < ${limit}: ${rate.toExponential(1)} a window, at most ${looks(u, limit).toExponential(1)}`,
      )
    }
  // 10,000 visitors a day in five tests; networks as in network-rule.test.ts. Only networks with 35
  // visitors in 48 hours can be judged.
  const ranks = Math.floor(20_000 / (35 * (Math.log(4_000) + 0.577)))
  const aYear = (365 / 2) * ranks * 5 * looks(6.467, armsRule.limit)
  t.ok(1 / aYear > 3_000, `once in ${Math.round(1 / aYear)} years`)
  for (const size of [40, 200, 2_000])
    t.equal(verdictsPerWindow(size, armsRule.limit, 1_000, size), 0)
})

t.test('a variant that really fails to show still breaks the split', async t => {
  // From one moment the variant fails. The busiest networks soon look one-sided and are set aside;
  // the other networks still break the split.
  const uniform = mulberry32(7)
  for (const before of [0, 500, 10_000]) {
    const seen: [number, number] = [before / 2, before / 2],
      ofNetwork = new Map<number, number>(),
      aside = new Set<number>()
    let after = 0
    while ((splitCheck(seen, [0.5, 0.5]) ?? 1) >= brokenSplit && after < 5_000) {
      after++
      const network = Math.floor(4_000 ** uniform())
      if (aside.has(network)) continue
      const own = (ofNetwork.get(network) ?? 0) + 1
      ofNetwork.set(network, own)
      seen[0]++
      if (!isOneSided([own, 0], [0.5, 0.5])) continue
      aside.add(network)
      seen[0] -= own
    }
    t.comment(`${before} before: ${after} after, ${aside.size} networks set aside`)
    t.ok(after < 1_000, `${after} visitors without the variant after ${before}`)
  }
})
