import t from 'tap'
import type { PerArm } from '../../../domain/arm.ts'
import {
  formatSpeed,
  rateSpeed,
  slowerArm,
  speedFinding,
  type SpeedMetric,
  speedPlace,
  speedQuantile,
} from '../../../domain/reports/speed.ts'

const arms = (
  control: number | null,
  variant: number | null,
  pages: [number, number] = [500, 500],
): PerArm<{ pages: number; p75: number | null }> => [
  { pages: pages[0], p75: control },
  { pages: pages[1], p75: variant },
]
const row = (metric: SpeedMetric, ...given: Parameters<typeof arms>) => ({
  metric,
  arms: arms(...given),
})

t.test('an arm is slower only when its pages are clearly slower', async t => {
  t.equal(slowerArm('lcp', arms(2_000, 2_300)), 1)
  t.equal(slowerArm('lcp', arms(2_300, 2_000)), 0)
  t.equal(slowerArm('lcp', arms(2_000, 2_200)), null, 'a difference of 10% is not clear')
  t.equal(slowerArm('lcp', arms(300, 600)), null, 'both arms are fast')
  t.equal(slowerArm('lcp', arms(2_000, 4_000, [500, 199])), null, 'too few pages')
  t.equal(slowerArm('lcp', arms(2_000, 4_000, [200, 200])), 1)
  t.equal(slowerArm('lcp', arms(null, 4_000)), null)
})

t.test('the finding about both arms', async t => {
  const visitors: PerArm<number> = [500, 500]
  t.same(speedFinding([row('lcp', null, null, [0, 0])], visitors), { kind: 'none' })
  t.same(speedFinding([row('lcp', 2_000, null, [300, 0])], visitors), { kind: 'oneArm', arm: 0 })
  t.same(speedFinding([row('lcp', null, 2_000, [0, 300])], visitors), { kind: 'oneArm', arm: 1 })
  t.same(speedFinding([row('lcp', 2_000, 2_000, [199, 199])], visitors), { kind: 'tooFew' })
  const rows = [row('lcp', 2_000, 3_000), row('cls', 50, 50), row('inp', 200, 100)]
  t.same(
    speedFinding(rows, visitors),
    {
      kind: 'slower',
      found: [
        { metric: 'lcp', arm: 1 },
        { metric: 'inp', arm: 0 },
      ],
    },
    'each slower metric names its arm, and equal metrics are left out',
  )
  t.same(speedFinding([row('lcp', 2_000, 2_000), row('inp', 100, 100, [100, 100])], visitors), {
    kind: 'alike',
    metrics: ['lcp'],
  })
  t.same(speedFinding([row('lcp', 2_000, 2_000, [250, 249])], visitors), { kind: 'fewBrowsers' })
  t.same(speedFinding([row('lcp', 2_000, 2_000, [250, 250])], visitors), {
    kind: 'alike',
    metrics: ['lcp'],
  })
})

t.test('a speed has a readable format and a rating', async t => {
  t.same(
    [
      formatSpeed('lcp', 1_840),
      formatSpeed('lcp', 1_000),
      formatSpeed('inp', 999.4),
      formatSpeed('cls', 60),
      formatSpeed('cls', 1_250),
    ],
    ['1.84 s', '1.00 s', '999 ms', '0.06', '1.25'],
  )
  t.same(
    [2_500, 2_501, 4_000, 4_001].map(value => rateSpeed('lcp', value)),
    ['good', 'middling', 'middling', 'poor'],
  )
})

t.test('the 75th percentile of page speed comes from counts per scale step', async t => {
  t.equal(speedQuantile(new Map()), null)
  t.equal(speedQuantile(new Map([[5, 0]])), null)
  t.equal(speedQuantile(new Map([[0, 9]])), 0)
  const counts = new Map<number, number>()
  for (let ms = 1; ms <= 4_000; ms++)
    counts.set(speedPlace(ms), (counts.get(speedPlace(ms)) ?? 0) + 1)
  t.ok(
    Math.abs(speedQuantile(counts)! / 3_000 - 1) < 0.02,
    'the 75th percentile of 1 to 4,000 ms is 3,000',
  )
  t.same([speedPlace(0), speedPlace(0.9), speedPlace(1), speedPlace(1e9)], [0, 0, 1, 200])
})
