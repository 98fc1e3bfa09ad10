import t from 'tap'
import { fc } from '../../properties.ts'
import { sequenceHalfWidth } from '../../../domain/stats/sequence.ts'
import { decide, type DecisionInput } from '../../../domain/reports/verdict.ts'

const day = 86_400_000,
  startAt = Date.parse('2026-11-02T10:00:00Z'),
  endsAt = startAt + 28 * day
/** The half-width exactly as docs/statistics.md writes it, with the same symbols. */
function literal(se: number, N: number, planned: number): number {
  const alpha = 0.05,
    ln = Math.log,
    rho2 = (-2 * ln(alpha) + ln(1 - 2 * ln(alpha))) / planned
  return (
    se *
    Math.sqrt(N) *
    Math.sqrt(((2 * (N * rho2 + 1)) / (N ** 2 * rho2)) * ln(Math.sqrt(N * rho2 + 1) / alpha))
  )
}

t.test(
  'the confidence sequence follows the formula of docs/statistics.md and is narrowest at N*',
  async t => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
        fc.integer({ min: 200, max: 1e9 }),
        fc.integer({ min: 1, max: 1e9 }),
        (se, visitors, planned) => {
          const want = literal(se, visitors, planned)
          return Math.abs(sequenceHalfWidth(se, visitors, planned) - want) <= 1e-12 * want
        },
      ),
    )
    // At a given N the plan N* = N gives the narrowest sequence, within 0.1%.
    for (const visitors of [500, 40_000, 3e6])
      for (const times of [0.01, 0.3, 0.8, 1.25, 3, 100])
        t.ok(
          sequenceHalfWidth(1, visitors, visitors * times) >
            sequenceHalfWidth(1, visitors, visitors) * 0.999,
          `${visitors} × ${times}`,
        )
  },
)

/** The list under "Decision" in docs/statistics.md as code. */
function asWritten({
  now,
  endedAt,
  chanceToWin,
  difference,
  standardError,
  visitors,
  plannedVisitors,
}: DecisionInput): string {
  const until = Math.min(now, endedAt ?? Infinity),
    days = (until - startAt) / day
  if (days >= 28)
    return chanceToWin! >= 0.95 ? 'winner' : chanceToWin! <= 0.05 ? 'loser' : 'noDifference'
  if (days < 7) return 'tooEarly'
  const width = literal(standardError!, visitors, plannedVisitors),
    excludesZero = difference! - width > 0 || difference! + width < 0
  return excludesZero ? (difference! > 0 ? 'winner' : 'loser') : 'leaning'
}
const inputs: fc.Arbitrary<DecisionInput> = fc
  .record({
    chanceToWin: fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(0.05, 0.95, 0, 1),
    ),
    standardError: fc.double({ min: 1e-6, max: 1, noNaN: true }),
    times: fc.double({ min: -6, max: 6, noNaN: true }),
    visitors: fc.integer({ min: 200, max: 1e6 }),
    plannedVisitors: fc.integer({ min: 1, max: 1e6 }),
    age: fc.oneof(fc.double({ min: 0, max: 60, noNaN: true }), fc.constantFrom(7, 28)),
    ended: fc.option(fc.double({ min: 1, max: 60, noNaN: true })),
  })
  .map(({ times, age, ended, ...rest }) => ({
    ...rest,
    difference: times * rest.standardError,
    lift: times / 100,
    stored: null,
    splitBroken: false,
    isReady: true,
    startAt,
    endsAt,
    endedAt: ended === null ? null : startAt + ended * day,
    now: startAt + age * day,
  }))

t.test('the code decides like every row of the page', async t => {
  fc.assert(
    fc.property(inputs, input => {
      const { kind, reachedAt } = decide(input)
      return (
        kind === asWritten(input) &&
        (reachedAt !== null) === ['winner', 'loser', 'noDifference'].includes(kind)
      )
    }),
    { numRuns: 2000 },
  )
  const at = (over: Partial<DecisionInput>) =>
    decide({
      stored: null,
      splitBroken: false,
      isReady: true,
      chanceToWin: 0.96,
      lift: 0.1,
      difference: 0.002,
      standardError: 0.001,
      visitors: 10_000,
      plannedVisitors: 50_000,
      startAt,
      endsAt,
      endedAt: null,
      now: startAt + 28 * day,
      ...over,
    })
  t.same(at({}), {
    kind: 'winner',
    reachedAt: new Date(endsAt).toISOString(),
    lift: 0.1,
    chanceToWin: 0.96,
  })
  t.equal(at({ now: endsAt - 1 }).kind, 'leaning', 'a millisecond before the planned end')
  t.equal(
    at({ endsAt: endsAt + 3 * day }).kind,
    'leaning',
    'three whole days of pause have moved the planned end',
  )
  t.equal(
    at({ endsAt: Infinity, now: endsAt + 9 * day }).kind,
    'leaning',
    'while the test is paused the planned end does not come',
  )
  t.equal(
    at({ isReady: false }).kind,
    'collecting',
    'no verdict before the data gates, even after the planned end',
  )
  t.equal(at({ chanceToWin: null, difference: null, standardError: null }).kind, 'collecting')
  t.equal(
    at({ now: endsAt - 1, standardError: 0 }).kind,
    'leaning',
    'without variance there is no winner',
  )
  t.equal(at({ splitBroken: true }).kind, 'splitBroken')
})

t.test(
  '"A verdict is stored when it is first reached … and is not taken again afterwards", with any later data',
  async () => {
    fc.assert(
      fc.property(inputs, fc.array(inputs, { minLength: 1, maxLength: 10 }), (first, later) => {
        let stored = decide(first)
        if (!stored.reachedAt) return true
        const kept = stored
        for (const input of later) stored = decide({ ...input, stored })
        return (
          stored === kept &&
          decide({ ...later[0]!, stored, splitBroken: true }).kind === 'splitBroken' &&
          decide({ ...later[0]!, stored, isReady: false, chanceToWin: null }) === kept
        )
      }),
    )
  },
)
