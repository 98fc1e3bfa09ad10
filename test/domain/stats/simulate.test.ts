import t from 'tap'
import {
  falseAlarms,
  plannedLift,
  shareOf,
  simulate,
  type SimulatedGoal,
} from '../../../scripts/simulate.ts'

// `npm run simulate` plays 5,000 tests per line. Fewer are played here, so the bounds are three
// standard errors of that number.
const bound = (share: number, tests: number) => 3 * Math.sqrt((share * (1 - share)) / tests)

t.test(
  '"Looking daily for 28 days at a plain 95/5 rule … in about 46% of tests with no difference; this rule does so in about 10%"',
  async t => {
    for (const [goal, tests] of [
      ['ConversionRate', 600],
      ['RevenuePerSession', 300],
    ] as [SimulatedGoal, number][]) {
      const calls = simulate(goal, tests, 0, 56)
      const [ours, daily, once, late, again] = (
        ['ours', 'daily', 'once', 'lateOurs', 'lateAgain'] as const
      ).map(rule => shareOf(calls, rule, falseAlarms))
      t.ok(Math.abs(ours! - 0.1) < bound(0.1, tests), `${goal}, our rule ${ours}`)
      t.ok(Math.abs(daily! - 0.46) < bound(0.46, tests), `95/5 daily ${daily}`)
      t.ok(ours! - once! < 0.01, `less than 1% more than one look at the end, ${once}`)
      t.same(
        calls.map(call => call.lateOurs),
        calls.map(call => call.ours),
        `28 more days change no verdict, ${late}`,
      )
      t.ok(
        again! > 2 * ours!,
        `"looking on daily after the planned end would double the false alarms", ${again}`,
      )
    }
  },
)

t.test(
  '"… at full power": the planned lift is found as often as by one look at the end',
  async t => {
    t.ok(
      Math.abs(plannedLift('ConversionRate') - 2.8016 * Math.sqrt((4 * 0.97) / 0.03 / 56_000)) <
        0.001,
      'the formula of docs/statistics.md',
    )
    for (const [goal, tests] of [
      ['ConversionRate', 300],
      ['RevenuePerSession', 200],
      ['AverageOrderValue', 200],
    ] as [SimulatedGoal, number][]) {
      const calls = simulate(goal, tests, plannedLift(goal)),
        power = shareOf(calls, 'ours', ['winner'])
      t.ok(power >= 0.78 - bound(0.78, tests), `${goal} ${power}`)
      t.ok(power >= shareOf(calls, 'once', ['winner']) - 0.005)
    }
  },
)
