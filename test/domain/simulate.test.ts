import t from 'tap'
import { shareOf, simulate } from '../../scripts/simulate.ts'

t.test('"Looking daily for 28 days at a plain 95/5 rule … in about 46% of tests with no difference; this rule does so in about 10%"', async t => {
  const calls = simulate(600, 0)
  const [ours, daily, once] = (['ours', 'daily', 'once'] as const).map(rule => shareOf(calls, rule, ['winner', 'loser']))
  // Bounds are three standard errors of 600 tests.
  t.ok(Math.abs(ours! - 0.1) < 0.037, `our rule ${ours}`)
  t.ok(Math.abs(daily! - 0.46) < 0.061, `95/5 daily ${daily}`)
  t.ok(ours! - once! < 0.01, `hardly more than one look at the end, ${once}`)
})

t.test('"… at full power": a true lift is found as often as by one look at the end', async t => {
  const calls = simulate(400, 0.15)
  t.ok(shareOf(calls, 'ours', ['winner']) >= shareOf(calls, 'once', ['winner']) - 0.005)
})
