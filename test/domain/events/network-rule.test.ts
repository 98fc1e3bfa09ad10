import t from 'tap'
import { assign } from '../../../domain/tests/assignment.ts'
import { isSetAside, networkWords } from '../../../domain/events/network.ts'
import {
  hasOrders,
  inLastHour,
  judgeNetwork,
  networkRule,
  shareLimit,
  usualShare,
  type NetworkDay,
} from '../../../domain/events/network-rule.ts'
import { splitCheck } from '../../../domain/stats/split.ts'
import { mulberry32 } from '../../mulberry32.ts'

const hour = 3_600_000
const days = (count: number, visitors: number, busiest: number, hasOrdered = false): NetworkDay[] =>
  Array.from({ length: count }, () => ({ visitors, busiest, hasOrdered }))

t.test(
  'a network is set aside when its share of new visitors is above a floor and ten times the usual',
  async t => {
    const judge = (own: number, all: number, usual: number, orders = 0) =>
      judgeNetwork({ own, all, usual, orders })
    t.equal(judge(9, 9, 0.001), 'usual', '9 visitors are below the floor')
    t.equal(judge(10, 10, 0.001), 'setAside')
    t.equal(judge(100, 1_000, 0.001), 'usual', '10% is not more than 10%')
    t.equal(judge(101, 1_000, 0.001), 'setAside')
    t.equal(judge(299, 1_000, 0.03), 'usual', '29.9% is less than ten times the usual 3%')
    t.equal(judge(301, 1_000, 0.03), 'setAside')
    t.equal(
      judge(1_000, 1_000, 0.1),
      'usual',
      'a shop with nearly all visitors from one network is not judged',
    )
    t.equal(judge(301, 1_000, 0.03, 2), 'warned')
    t.equal(
      judge(100_000, 100_050, 0.03, 1),
      'setAside',
      'one order does not make 100,000 visitors trusted',
    )
    t.equal(judge(100_000, 100_050, 0.03, 500), 'warned')
  },
)

t.test('the usual busiest share is the median of days with enough visitors', async t => {
  t.equal(usualShare([]), networkRule.unknownUsual)
  t.equal(usualShare(days(2, 100, 2)), networkRule.unknownUsual, 'two days are too few')
  t.equal(
    usualShare(days(9, 29, 20)),
    networkRule.unknownUsual,
    'days with few visitors do not count',
  )
  t.equal(usualShare(days(3, 100, 2)), 0.02)
  t.equal(
    usualShare([...days(10, 100, 2), ...days(9, 1_000, 990)]),
    0.02,
    'nine days of an attack do not change the median',
  )
  t.equal(usualShare(days(28, 100, 30, true)), 0.3, 'a mobile network that many shoppers use')
  t.equal(
    usualShare(days(28, 100, 30)),
    networkRule.unknownUsual,
    'a network without orders does not raise the usual share',
  )
  t.equal(
    usualShare([...days(21, 100, 35), ...days(7, 100, 35, true)]),
    0.35,
    'a mobile network whose users order on one day in four',
  )
  t.equal(
    usualShare([...days(10, 1_000, 10), ...days(3, 1_000, 10, true), ...days(15, 1_100, 109)]),
    networkRule.unknownUsual,
    'orders of small networks do not make a larger network trusted',
  )
  t.equal(
    usualShare([...days(26, 100, 49), ...days(2, 100, 49, true)]),
    networkRule.unknownUsual,
    'two days with orders are too few',
  )
  t.equal(shareLimit(networkRule.unknownUsual), 0.5)
  t.equal(shareLimit(0.001), 0.1)
})

t.test('the last hour counts part of the previous clock hour', async t => {
  t.equal(inLastHour({ current: 3, previous: 8 }, 7 * hour), 11)
  t.equal(inLastHour({ current: 3, previous: 8 }, 7.5 * hour), 7)
  t.equal(inLastHour({ current: 3, previous: 8 }, 8 * hour - 1).toFixed(3), '3.000')
})

/** A seeded random generator, so that every run draws the same numbers. */
function generator(seed: number) {
  const uniform = mulberry32(seed)
  const poisson = (mean: number): number => {
    if (mean > 200)
      return Math.max(
        0,
        Math.round(
          mean +
            Math.sqrt(mean) *
              Math.sqrt(-2 * Math.log(uniform() || 1e-12)) *
              Math.cos(2 * Math.PI * uniform()),
        ),
      )
    let k = 0
    for (let p = uniform(), limit = Math.exp(-mean); p > limit; k++) p *= uniform()
    return k
  }
  return { uniform, poisson }
}

/**
 * Simulates honest shops. The networks' popularity falls as 1/rank. The busiest is a mobile network
 * with the share `top` of all visitors. Nights are quiet. A tenth of all visits bring a few others
 * of the same household or office. The share `rate` of visitors order; orders count for two days.
 * Returns the number of days on which a network was set aside.
 */
function honestDays(perDay: number, top: number, count: number, rate: number): number {
  const { uniform, poisson } = generator(perDay)
  const networks = 4_000
  const draw = (): number => (uniform() < top ? 0 : Math.floor(networks ** uniform()))
  const past: NetworkDay[] = []
  let alarms = 0,
    before = new Map<number, number>()
  for (let d = 0; d < count; d++) {
    const usual = usualShare(past.slice(-networkRule.days)),
      ofDay = new Map<number, number>(),
      ordered = new Map<number, number>(),
      ordersOf = (network: number) => (ordered.get(network) ?? 0) + (before.get(network) ?? 0)
    let isAlarm = false
    for (let h = 0; h < 24; h++) {
      const ofHour = new Map<number, number>(),
        visits = poisson(((perDay / 24) * (1 + 0.8 * Math.sin((h / 24) * 2 * Math.PI))) / 1.15)
      let all = 0
      for (let v = 0; v < visits; v++) {
        const network = draw(),
          together = uniform() < 0.1 ? 1 + Math.floor(uniform() * 4) : 1
        all += together
        ofHour.set(network, (ofHour.get(network) ?? 0) + together)
        ofDay.set(network, (ofDay.get(network) ?? 0) + together)
        ordered.set(network, (ordered.get(network) ?? 0) + poisson(rate * together))
        const hour = { own: ofHour.get(network)!, all, usual, orders: ordersOf(network) }
        isAlarm ||= judgeNetwork(hour) === 'setAside'
      }
    }
    if (isAlarm) alarms++
    const [network, busiest] = [...ofDay].sort((a, b) => b[1] - a[1])[0] ?? [0, 0]
    past.push({
      visitors: [...ofDay.values()].reduce((a, b) => a + b, 0),
      busiest,
      hasOrdered: hasOrders({ visitors: busiest, orders: ordersOf(network) }),
    })
    before = ordered
  }
  return alarms
}

t.test('an honest shop has a network set aside on fewer than one day in 1,000', async t => {
  let all = 0,
    alarms = 0
  for (const [perDay, top, rate, count] of [
    [30, 0.02, 0.02, 600],
    [100, 0.03, 0.02, 600],
    [100, 0.35, 0.01, 1_000],
    [400, 0.05, 0.02, 400],
    [400, 0.2, 0.01, 400],
    [400, 0.2, 0.005, 400],
    [2_000, 0.05, 0.02, 150],
    [10_000, 0.03, 0.02, 40],
  ] as const) {
    const found = honestDays(perDay, top, count, rate)
    t.comment(
      `${perDay} visitors a day, busiest network ${top}, ordering ${rate}: ${found} of ${count} days`,
    )
    all += count
    alarms += found
  }
  t.ok(alarms / all < 0.001, `${alarms} of ${all} days`)
})

t.test('forged visitors are set aside before they break a split', async t => {
  // A new test, and tests whose visitors came over ten days. The forger knows the hash and sends
  // visitors of one arm only.
  for (const [honest, thisHour, usual] of [
    [0, 0, networkRule.unknownUsual],
    [379, 4, 0.02],
    [5_000, 40, 0.01],
  ] as const) {
    const seen = [Math.ceil(honest / 2), Math.floor(honest / 2)] as [number, number]
    for (let n = 0, forged = 0; ; n++) {
      if (assign('a-test', `visitor-${n}`, [0.5, 0.5]) === 0) continue
      forged++
      seen[1]++
      if (judgeNetwork({ own: forged, all: forged + thisHour, usual, orders: 0 }) === 'setAside')
        break
      if (splitCheck(seen, [0.5, 0.5])! < 0.001) {
        t.fail(`broken by ${forged} beside ${honest}`)
        break
      }
    }
  }
})

t.test('the words about a network: counted or set aside, and by whose decision', async t => {
  const at = '2026-11-20T12:00:00.000Z'
  for (const [decision, aside, words] of [
    [null, false, 'Counted'],
    [{ kind: 'warned', by: 'rule', at }, false, 'Counted, because it also ordered'],
    [{ kind: 'setAside', by: 'rule', at }, true, 'Set aside automatically'],
    [{ kind: 'setAside', by: 'merchant', at }, true, 'Set aside in Preferences'],
    [{ kind: 'counted', by: 'staff', at }, false, 'Counted again by Twinshelf support'],
  ] as const)
    t.same(
      [
        isSetAside({ decision } as Parameters<typeof isSetAside>[0]),
        networkWords({ decision } as Parameters<typeof networkWords>[0]),
      ],
      [aside, words],
    )
})
