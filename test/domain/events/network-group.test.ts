import t from 'tap'
import {
  armsRule,
  fewestDoubtful,
  isOneSided,
  oneSidedTogether,
} from '../../../domain/events/network-arms.ts'
import {
  groupAside,
  type GroupDay,
  groupDay,
  groupLimit,
  isLook,
  unusualTogether,
  usualShares,
} from '../../../domain/events/network-group.ts'
import { hasOrders, networkRule } from '../../../domain/events/network-rule.ts'
import { brokenSplit, splitCheck } from '../../../domain/stats/split.ts'
import { mulberry32 } from '../../mulberry32.ts'

const unknown = usualShares([])

t.test('a few networks together are unusual at three times the usual odds', async t => {
  t.same(unknown, [0.5, 0.5, 0.5, 0.5, 0.5])
  t.equal(groupLimit(0.5, 2), 0.75)
  t.equal(groupLimit(0.01, 2).toFixed(4), '0.5625', 'a small usual share counts as 30%')
  t.equal(groupLimit(0.01, 1), 0.75, 'and that of one network as 50%')
  t.equal(unusualTogether([24, 24], 49, unknown), 0, '48 visitors are too few')
  t.equal(unusualTogether([25, 25], 51, unknown), 2)
  t.equal(unusualTogether([100, 100, 100], 400, unknown), 0, '75% is not more than 75%')
  t.equal(unusualTogether([100, 100, 100], 399, unknown), 3)
  t.equal(unusualTogether([28, 28, 28, 28, 28, 28], 190, unknown), 0, 'six networks are too many')
  t.equal(unusualTogether([160, 20], 200, unknown), 1)
  t.same(
    groupAside([{ visitors: 100 }, { visitors: 25 }, { visitors: 24 }]),
    [{ visitors: 100 }, { visitors: 25 }],
    'a network that is much smaller stays counted',
  )
})

t.test('the usual share of several networks is believed up to half without orders', async t => {
  const days = (count: number, together: number[], hasOrdered: boolean): GroupDay[] =>
    Array.from({ length: count }, () => ({
      visitors: 100,
      together,
      hasOrdered: together.map(() => hasOrdered),
    }))
  const many = [30, 50, 60, 65, 70]
  t.same(usualShares(days(28, many, true)), [0.3, 0.5, 0.6, 0.65, 0.7])
  t.same(usualShares(days(28, many, false)), [0.3, 0.5, 0.5, 0.5, 0.5])
  t.same(usualShares(days(2, [10, 10, 10, 10, 10], true)), unknown, 'two days are too few')
  const one = (visitors: number, hasOrdered: boolean) => ({ visitors, hasOrdered })
  t.same(groupDay([one(40, true), one(20, false), one(30, false)]), {
    together: [40, 60, 90, 90, 90],
    hasOrdered: [true, true, false, false, false],
  })
  t.same(groupDay([]).together, [0, 0, 0, 0, 0])
})

t.test('a shop is judged at each visitor of a quiet hour, and seldom in a busy one', async t => {
  let looks = 0
  for (let n = 0; n < 10_000; n++) if (isLook(n, n + 1)) looks++
  t.ok(isLook(0, 1) && isLook(9, 10) && isLook(0, 500))
  t.notOk(isLook(1_000, 1_001))
  t.ok(looks < 200, `${looks} looks at 10,000 visitors`)
})

type Shop = {
  perDay: number
  /** The share of the shop's `mobile` busiest networks together. */
  top: number
  mobile: number
  rate: number
  days: number
  /** On one day in ten: this many times the usual visitors of an hour, 70% from these networks. */
  burst?: number
  /** On one day in ten: this many people of one office within an hour. */
  office?: number
}

/**
 * Simulates an honest shop as network-rule.test.ts does, but with several busy networks, campaigns
 * and offices. Returns the number of days on which networks were set aside together.
 */
function honestDays({ perDay, top, mobile, rate, days, burst = 0, office = 0 }: Shop): number {
  const uniform = mulberry32(perDay * 7 + mobile + burst)
  const poisson = (mean: number): number => {
    let k = 0
    for (let left = mean; left > 0; left -= 100)
      for (let p = uniform(), limit = Math.exp(-Math.min(left, 100)); p > limit; k++) p *= uniform()
    return k
  }
  const carrier = () => -1 - Math.floor(uniform() * mobile)
  const draw = () => (uniform() < top ? carrier() : Math.floor(4_000 ** uniform()))
  const past: GroupDay[] = [],
    hours: Map<number, number>[] = [],
    orders: Map<number, number>[] = []
  const sumOf = (maps: Map<number, number>[], network: number) =>
    maps.reduce((sum, map) => sum + (map.get(network) ?? 0), 0)
  let alarms = 0
  for (let d = 0; d < days; d++) {
    const usuals = usualShares(past.slice(-networkRule.days)),
      special = uniform() < 0.1 ? 8 + Math.floor(uniform() * 12) : -1
    let isAlarm = false,
      busiest: { visitors: number; hasOrdered: boolean }[] = [],
      all = 0
    for (let h = 0; h < 24; h++) {
      const coming = Array.from(
        { length: poisson(((perDay / 24) * (1 + 0.8 * Math.sin((h / 24) * 2 * Math.PI))) / 1.15) },
        draw,
      )
      if (h === special) {
        const extra = burst ? poisson((perDay / 24) * burst) : 0
        for (let n = 0; n < extra; n++) coming.push(uniform() < 0.7 ? carrier() : draw())
        for (let n = 0; n < office; n++) coming.push(-1_000 - d)
      }
      const own = new Map<number, number>(),
        bought = new Map<number, number>()
      for (const network of coming) {
        const together = uniform() < 0.1 ? 1 + Math.floor(uniform() * 4) : 1
        own.set(network, (own.get(network) ?? 0) + together)
        bought.set(network, (bought.get(network) ?? 0) + poisson(rate * together))
      }
      hours.push(own)
      orders.push(bought)
      const inDay = new Map<number, number>()
      for (const map of hours.slice(-24))
        for (const [network, n] of map) inDay.set(network, (inDay.get(network) ?? 0) + n)
      all = [...inDay.values()].reduce((a, b) => a + b, 0)
      const counts = [...inDay].sort((a, b) => b[1] - a[1]).slice(0, 25)
      // As the engine does, ask for orders only if the networks would be unusual without them.
      if (
        h < 23 &&
        unusualTogether(
          counts.map(([, n]) => n),
          all,
          usuals,
        ) === 0
      )
        continue
      busiest = counts.map(([network, visitors]) => ({
        visitors,
        hasOrdered: hasOrders({ visitors, orders: sumOf(orders.slice(-96), network) }),
      }))
      const silent = busiest.filter(({ hasOrdered }) => !hasOrdered).map(one => one.visitors)
      isAlarm ||= unusualTogether(silent, all, usuals) > 0
    }
    if (isAlarm) alarms++
    past.push({ visitors: all, ...groupDay(busiest) })
  }
  return alarms
}

t.test('an honest shop has networks set aside together on fewer than one day in 1,000', async t => {
  const rate = (shops: Shop[]) => {
    let alarms = 0,
      all = 0
    for (const shop of shops) {
      const found = honestDays(shop)
      t.comment(`${JSON.stringify(shop)}: ${found} days`)
      alarms += found
      all += shop.days
    }
    return { alarms, all }
  }
  const usual = rate([
    { perDay: 30, top: 0.35, mobile: 1, rate: 0.005, days: 600 },
    { perDay: 100, top: 0.35, mobile: 1, rate: 0.01, days: 600 },
    { perDay: 100, top: 0.4, mobile: 4, rate: 0.01, days: 600 },
    { perDay: 100, top: 0.6, mobile: 4, rate: 0.01, days: 600 },
    { perDay: 720, top: 0.5, mobile: 3, rate: 0.005, days: 200 },
    { perDay: 720, top: 0.3, mobile: 4, rate: 0.01, days: 200 },
    { perDay: 2_000, top: 0.4, mobile: 4, rate: 0.005, days: 60 },
  ])
  t.ok(usual.alarms / usual.all < 0.001, `${usual.alarms} of ${usual.all} days`)
  const special = rate([
    { perDay: 100, top: 0.2, mobile: 4, rate: 0.01, days: 600, burst: 10 },
    { perDay: 400, top: 0.2, mobile: 1, rate: 0.005, days: 300, burst: 10 },
    { perDay: 720, top: 0.1, mobile: 3, rate: 0.005, days: 200, burst: 10 },
    { perDay: 720, top: 0.1, mobile: 1, rate: 0.005, days: 200, burst: 10 },
    { perDay: 100, top: 0.05, mobile: 1, rate: 0.01, days: 600, office: 30 },
    { perDay: 720, top: 0.05, mobile: 1, rate: 0.01, days: 200, office: 30 },
  ])
  t.ok(
    special.alarms / special.all < 0.001,
    `${special.alarms} of ${special.all} days with campaigns and offices`,
  )
  // These look like forged visitors: a campaign that brings more than a usual day within an hour,
  // and a small shop that lives on one carrier, if hardly anyone orders.
  for (const shop of [
    { perDay: 100, top: 0.2, mobile: 4, rate: 0.005, days: 600, burst: 30 },
    { perDay: 100, top: 0.6, mobile: 4, rate: 0.005, days: 600 },
  ]) {
    const { alarms, all } = rate([shop])
    t.ok(alarms > 0 && alarms / all < 0.05, `${alarms} of ${all} days of an extreme shop`)
  }
})

t.test('a forger with two to five networks is stopped at a multiple of the honest visitors', t => {
  for (const [usual, honest, most] of [
    [0.5, 100, 3],
    [0.3, 1_000, 1.3],
    [0.1, 10_000, 1.3],
  ] as const)
    for (const networks of [2, 3, 5]) {
      const usuals = unknown.map(() => usual)
      let each = 0
      while (
        unusualTogether(Array<number>(networks).fill(each), honest + networks * each, usuals) === 0
      )
        each++
      t.ok(networks * each <= most * honest + networks, `${networks * each} beside ${honest}`)
    }
  t.end()
})

const even = [0.5, 0.5] as [number, number]
const beside = (count: number, forged: [number, number], networks: number) => [
  ...Array.from({ length: networks }, () => [3, 2] as [number, number]),
  ...Array.from({ length: count }, () => forged),
]

t.test('networks that send one arm are found together', async t => {
  t.same(oneSidedTogether([], even), [])
  t.same(oneSidedTogether(beside(1, [0, 34], 100), even), [], 'one network is judged alone')
  t.same(oneSidedTogether(beside(3, [0, 15], 100), even), [], '45 visitors in 3 networks of 100')
  t.same(oneSidedTogether(beside(3, [0, 19], 100), even), [100, 101, 102])
  t.same(oneSidedTogether(beside(5, [14, 0], 100), even).length, 5)
  t.same(oneSidedTogether(beside(5, [0, 10], 100), even), [], 'each is below 11')
  t.same(
    oneSidedTogether([...beside(2, [0, 20], 50), ...beside(2, [20, 0], 50)], even),
    [],
    'networks that lean to both sides do not support each other',
  )
  t.same(oneSidedTogether(beside(3, [200, 310], 100), even).length, 3, 'padding does not hide it')
  t.same(oneSidedTogether(beside(3, [0, 30], 100), [1, 0]), [], 'there is only one arm')
})

t.test('networks that are never chosen can be left out', async t => {
  const uniform = mulberry32(5)
  let found = 0
  for (let test = 0; test < 400; test++) {
    const weights: [number, number] = [
        [1, 1],
        [9, 1],
        [2, 8],
      ][test % 3] as [number, number],
      chance = weights[1] / (weights[0] + weights[1]),
      forged = uniform() < 0.5 ? 1 : 0
    const networks = Array.from({ length: 200 }, (_, i): [number, number] => {
      if (i < 8) return forged ? [0, 20 + (i % 3)] : [20 + (i % 3), 0]
      const all = Math.floor(12 * uniform())
      let variant = 0
      for (let n = 0; n < all; n++) if (uniform() < chance) variant++
      return [all - variant, variant]
    })
    const same = new Map<string, number>()
    const left = networks.filter(arms => {
      const key = arms.join(),
        count = same.get(key) ?? 0
      same.set(key, count + 1)
      return arms[0] + arms[1] >= fewestDoubtful(weights) && count < armsRule.size
    })
    t.ok(left.length < networks.length)
    const chosen = oneSidedTogether(networks, weights)
    found += chosen.length
    t.same(
      oneSidedTogether(left, weights, networks.length).map(i => left[i]),
      chosen.map(i => networks[i]),
    )
  }
  t.ok(found > 500, `${found} were chosen`)
  for (const weights of [
    [1, 1],
    [9, 1],
    [99, 1],
  ] as const)
    for (let n = 1; n < fewestDoubtful([...weights]); n++)
      for (const arms of [
        [n, 0],
        [0, n],
      ] as const)
        t.notOk(isOneSided([...arms], [...weights], armsRule.doubtful))
})

t.test('honest networks are never one-sided together', async t => {
  // The rule multiplies by the number of groups. The simulation has the same form at a limit that
  // can be seen: in 2,000 tests no group of honest networks comes near 1e-10.
  const uniform = mulberry32(11)
  for (let test = 0; test < 2_000; test++) {
    const networks = Array.from({ length: 300 }, (_, i): [number, number] => {
      const all = Math.max(1, Math.floor(600 / (i + 1)))
      let variant = 0
      for (let n = 0; n < all; n++) if (uniform() < 0.5) variant++
      return [all - variant, variant]
    })
    if (oneSidedTogether(networks, even).length > 0) t.fail(`test ${test}`)
  }
})

t.test('a variant that really fails to show breaks the split before groups are found', async t => {
  const uniform = mulberry32(7)
  for (const before of [0, 500, 10_000]) {
    const seen: [number, number] = [before / 2, before / 2],
      own = new Map<number, [number, number]>()
    let after = 0,
      aside = 0
    while ((splitCheck(seen, even) ?? 1) >= brokenSplit && after < 5_000) {
      after++
      const network = Math.floor(4_000 ** uniform()),
        arms = own.get(network) ?? [0, 0]
      arms[0]++
      own.set(network, arms)
      seen[0]++
      const list = [...own]
      for (const i of oneSidedTogether(
        list.map(([, each]) => each),
        even,
      )) {
        const [name, each] = list[i]!
        seen[0] -= each[0]
        own.delete(name)
        aside++
      }
    }
    t.comment(`${before} before: ${after} after, ${aside} networks set aside`)
    t.ok(after < 1_000, `${after} visitors without the variant after ${before}`)
  }
})
