import t from 'tap'
import { formatChance } from '../../../domain/figures.ts'
import { goalNames, goals, type Goal } from '../../../domain/reports/goal.ts'
import { verdictKinds, type Verdict } from '../../../domain/reports/summary.ts'
import { summarise } from '../../../domain/reports/summary-build.ts'
import { testStatuses, type TestStatus } from '../../../domain/tests/test-status.ts'
import { aMonth, count } from '../../../domain/reports/verdict-next.ts'
import { verdictBadge, verdictWords } from '../../../domain/reports/verdict-words.ts'
import type { WordsInput } from '../../../domain/reports/verdict-facts.ts'
import { dayLength, dayOf, inputAt, startAt } from '../support/results.ts'

type Arms = Parameters<typeof inputAt>[1]
const even: Arms = [
  { visitors: 5000, buyers: 150 },
  { visitors: 5000, buyers: 160 },
]
const clear: Arms = [
  { visitors: 20_000, buyers: 600 },
  { visitors: 20_000, buyers: 850 },
]
const few: Arms = [
  { visitors: 60, buyers: 2 },
  { visitors: 50, buyers: 4 },
]
const options =
  /Test a bolder change, a page with more visitors, or a goal that visitors reach more often\./

type Over = Parameters<typeof inputAt>[2]
function asked(
  age: number,
  arms: Arms,
  over: Over = {},
  about: Partial<WordsInput['test']> = {},
): WordsInput {
  const input = inputAt(age, arms, over)
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return {
    test: {
      kind: 'Template',
      isImported: false,
      goal: input.goal,
      weights: input.weights,
      status: over.endedAt ? 'Ended' : 'Active',
      variantTitle: 'Reviews above the fold',
      startAt: iso(input.startAt),
      endsAt: iso(input.endsAt),
      endedAt: iso(input.endedAt),
      launchAt: null,
      appliedArm: null,
      appliedAt: null,
      minimumEffect: 0.1,
      plannedVisitors: input.plannedVisitors,
      summary: summarise(input),
      ...about,
    },
    currency: 'USD',
    timeZone: 'America/New_York',
    now: new Date(input.now),
  }
}
const say = (age: number, arms: Arms, over: Over = {}, about: Partial<WordsInput['test']> = {}) =>
  verdictWords(asked(age, arms, over, about))

t.test('each verdict says the result, the reason and what to do', async t => {
  t.same(say(7, clear), {
    label: 'Winner',
    tone: 'good',
    headline: '“Reviews above the fold” turns 41.7% more visitors into buyers.',
    reason:
      'The chance to win was > 99.9% on 9 Nov, clear enough to say so before the planned end.',
    next: 'End the test and apply the variant. A longer test measures the difference more precisely, but does not change the verdict.',
    cost: 'Risk of keeping the variant: less than $1 a month on average (what a wrong choice would cost × how likely it is).',
    since: null,
  })
  t.match(say(14, [clear[1], clear[0]]), {
    label: 'Loser',
    tone: 'bad',
    headline: '“Reviews above the fold” turns 29.4% fewer visitors into buyers.',
    reason: /< 0\.1% at the planned end on 16 Nov/,
    next: /^End the test and keep the control: .*\$[\d,]+ a month\.$/,
    cost: /^Risk of keeping the control: .* a month on average/,
  })
  t.match(say(14, even), {
    label: 'No clear difference',
    reason: /^At the planned end on 16 Nov the chance to win was 71\.\d%, between 5% and 95%\.$/,
    next: /^End the test and keep whichever/,
    cost: /^Risk of keeping the variant: about \$[\d,]+ a month/,
  })
  t.match(
    say(8, even).reason,
    'Until the planned end (16 Nov) we only name a winner or loser if the difference is too big to be luck.',
  )
  t.match(say(8, even), {
    label: 'Leaning variant',
    headline: 'The variant is ahead, but it could still be chance.',
    next: /^Keep it running until 16 Nov: 6 more days or 40,000 more visitors\./,
    cost: /^Risk of choosing the variant today: /,
  })
  t.match(say(8, [even[1], even[0]]), {
    label: 'Leaning control',
    cost: /^Risk of choosing the control today: /,
  })
  t.match(say(2, even), {
    label: 'Too early',
    next: /^Keep it running until 16 Nov: 12 more days or 40,000 more visitors\./,
  })
  t.match(say(2, few), {
    label: 'Collecting',
    reason:
      'Before the arms are compared, 50 more visitors in each arm and 19 more buyers (at least 3 in the control and 1 in the variant) are needed.',
    cost: null,
  })
  t.match(
    say(2, [
      { visitors: 6000, buyers: 30 },
      { visitors: 6000, buyers: 4 },
    ]),
    { reason: 'Before the arms are compared, 1 more buyer in the variant is needed.' },
    'enough in all, too few in one arm',
  )
  t.match(
    say(2, [
      { visitors: 90, buyers: 10 },
      { visitors: 120, buyers: 2 },
    ]),
    {
      reason:
        'Before the arms are compared, 10 more visitors in the control and 13 more buyers (at least 3 in the variant) are needed.',
    },
  )
  t.match(
    say(2, [
      { visitors: 0, buyers: 0 },
      { visitors: 0, buyers: 0 },
    ]),
    {
      reason:
        'Before the arms are compared, 100 more visitors in each arm and 25 more buyers (at least 5 in each arm) are needed.',
    },
  )
  t.match(
    say(2, [
      { visitors: 600, buyers: 10 },
      { visitors: 600, buyers: 12 },
    ]),
    { reason: 'Before the arms are compared, 3 more buyers are needed.' },
  )
  t.match(
    say(8, [
      { visitors: 6000, buyers: 300 },
      { visitors: 5000, buyers: 300 },
    ]),
    {
      label: 'Split broken',
      tone: 'bad',
      reason: /54\.5 \/ 45\.5 instead of 50\.0 \/ 50\.0/,
      cost: null,
    },
  )
})

t.test('an undecided test says whether its traffic is enough, and names other options', async t => {
  t.match(
    say(8, even, { recent: { visitors: 1400, days: 7 } }).next,
    new RegExp(
      `There is not enough traffic to find a change of 10% within 90 days\\. In 28 days it can find a change of 4\\d% or more\\. ${options.source}$`,
    ),
  )
  t.match(
    say(8, even, { recent: { visitors: 70, days: 7 } }).next,
    /within 90 days\. In 28 days no change below 100% could be told from chance\. Test a bolder/,
  )
  t.match(
    say(8, even, { recent: { visitors: 28_000, days: 7 } }).next,
    /To find a change as small as 10%, visitors enough come by 7 Dec\.$/,
  )
  t.notMatch(say(8, even, { recent: { visitors: 700_000, days: 7 } }).next, /enough/)
  t.match(
    say(8, few, { recent: { visitors: 110, days: 7 } }).next,
    /At the present pace it would take more than 90 days\. Test a bolder change/,
  )
  for (const arms of [few, even, clear])
    t.notMatch(
      say(1, arms, { recent: { visitors: 0, days: 0 } }).next,
      options,
      'the traffic is unknown on the first day',
    )
  t.equal(
    say(1, even, { recent: { visitors: 0, days: 0 } }).next,
    'Keep it running until 16 Nov: 13 more days or 40,000 more visitors.',
  )
  t.notMatch(
    say(8, few, { recent: { visitors: 0, days: 0 } }).next,
    options,
    'the traffic is unknown when the test was paused since its start',
  )
  t.match(say(15, few).next, /^The planned end has passed: /)
})

t.test('the advice depends on the state of the test', async t => {
  const next = (status: TestStatus, arms: Arms, age = 8) => say(age, arms, {}, { status }).next
  t.match(next('Paused', even), /^Resume it and keep it running until 16 Nov: /)
  t.match(next('OnHold', even), /^Fix the problem, resume it and keep it running until/)
  t.match(next('Suspended', even), /^It continues when your subscription is active again; /)
  t.match(next('OnHold', few, 2), /^Fix the problem and resume/)
  const slow = { recent: { visitors: 70, days: 7 } }
  for (const status of ['Paused', 'OnHold', 'Suspended'] as const)
    for (const arms of [few, even])
      t.notMatch(
        say(9, arms, slow, { status }).next,
        /traffic|pace/,
        `${status}: no word about traffic while no visitor can come`,
      )
  t.match(
    verdictWords({
      ...asked(
        0,
        [
          { visitors: 0, buyers: 0 },
          { visitors: 0, buyers: 0 },
        ],
        { startAt: null, endsAt: null },
        { status: 'Scheduled', launchAt: '2026-11-20T14:00:00.000Z' },
      ),
    }),
    {
      headline: 'Not started yet.',
      reason: 'It starts on 20 Nov, 09:00.',
      next: 'Nothing to do until then.',
    },
  )

  const ended = { endedAt: startAt + 10 * dayLength }
  t.equal(say(20, clear, ended).next, 'Apply the variant, so that everyone gets it.')
  t.equal(
    say(20, clear, ended, { appliedArm: 'variant', appliedAt: '2026-11-13T10:00:00.000Z' }).next,
    'The variant was applied on 13 Nov: everyone gets it.',
  )
  const sent = { appliedArm: 'variant', appliedAt: '2026-11-13T10:00:00.000Z' } as const
  t.equal(
    say(20, clear, ended, { ...sent, sendsByScript: true }).next,
    'The variant was applied on 13 Nov: our script sends everyone to its page. Search engines and visitors without scripts still get the control’s page.',
  )
  t.match(
    say(20, clear, ended, { appliedArm: 'control', appliedAt: '2026-11-13T10:00:00.000Z' }).next,
    /can still be applied/,
  )
  t.match(say(20, clear, ended, { kind: 'Api' }).next, /^Have your developer ship the variant: /)
  t.match(say(20, [clear[1], clear[0]], ended).next, 'Keep the control')
  t.match(
    say(20, [clear[1], clear[0]], ended, { appliedArm: 'variant' }).next,
    'Apply the control to undo that.',
  )
})

t.test(
  'a stored verdict stays, and later figures are shown separately as later figures',
  async t => {
    const stored: Verdict = {
      kind: 'winner',
      reachedAt: new Date(startAt + 9 * dayLength).toISOString(),
      lift: 0.128,
      chanceToWin: 0.972,
    }
    const same = say(12, clear, { storedVerdict: stored })
    t.match(
      same,
      { headline: /12\.8% more/, since: null },
      'today’s figure is only in the result row',
    )
    const faded = say(20, even, { storedVerdict: stored })
    t.match(faded, {
      label: 'Winner',
      reason: /97\.2% on 11 Nov/,
      since: /^Today’s chance to win is 71\.\d%\. The verdict stays: it is taken once, because/,
    })
    const broken = say(
      20,
      [
        { visitors: 6000, buyers: 300 },
        { visitors: 5000, buyers: 300 },
      ],
      { storedVerdict: stored },
    )
    t.match(broken, { label: 'Split broken', since: null, cost: null })
  },
)

t.test(
  'a verdict that was reached after the planned end has its real date, not the planned end',
  async t => {
    const late = {
      reachedAt: new Date(startAt + 22 * dayLength).toISOString(),
      lift: 0.01,
      chanceToWin: 0.6,
    }
    const told = (kind: 'winner' | 'loser' | 'noDifference', chanceToWin: number) =>
      say(23, even, { storedVerdict: { ...late, kind, chanceToWin } }).reason
    t.equal(
      told('noDifference', 0.6),
      'On 24 Nov, when a verdict could first be taken after the planned end on 16 Nov, the chance to win was 60.0%, between 5% and 95%.',
    )
    t.equal(
      told('winner', 0.97),
      'The chance to win was 97.0% on 24 Nov, when a verdict could first be taken after the planned end on 16 Nov.',
    )
    t.equal(
      told('loser', 0.03),
      'The chance that it is better was 3.0% on 24 Nov, when a verdict could first be taken after the planned end on 16 Nov.',
    )
    const soon = {
      ...late,
      kind: 'winner' as const,
      reachedAt: new Date(startAt + 14.9 * dayLength).toISOString(),
    }
    t.match(
      say(23, even, { storedVerdict: soon }).reason,
      /at the planned end on 17 Nov\.$/,
      'a delay below a minute is not mentioned: the engine decides once a minute',
    )
  },
)

t.test('the advice on an imported test never mentions applying an arm', async t => {
  const imported = (arms: Arms) =>
    say(14, arms, { endedAt: startAt + 14 * dayLength }, { isImported: true }).next
  t.equal(
    imported(clear),
    'This test was imported, so Twinshelf cannot apply it. Show the variant to everyone in the system where the test ran.',
  )
  t.equal(imported([clear[1], clear[0]]), 'This test was imported: keep the control where it ran.')
})

/** A summary with a verdict of this kind. Its figures may not fit the verdict. */
function ofKind(kind: Verdict['kind'], goal: Goal, status: TestStatus): WordsInput {
  const arms =
    kind === 'collecting' ? few : kind === 'loser' ? ([clear[1], clear[0]] as Arms) : clear
  const reached = kind === 'winner' || kind === 'loser' || kind === 'noDifference'
  // Add variance to the order values, as in a real shop.
  const days = arms.map(({ visitors, buyers }, i) => {
    const day = dayOf('2026-11-02', i as 0 | 1, visitors, buyers)
    return { ...day, cappedRevenueSquares: day.cappedRevenueSquares * 1.3 }
  })
  const input = asked(10, arms, { goal, days }, { goal, status })
  const { lift, chanceToWin } = input.test.summary.goals.find(result => result.goal === goal)!
  input.test.summary.verdict = {
    kind,
    reachedAt: reached ? new Date(startAt + 9 * dayLength).toISOString() : null,
    lift,
    chanceToWin,
  }
  return input
}

t.test('every verdict has whole sentences that fit each goal and each state', async t => {
  for (const kind of verdictKinds)
    for (const goal of goalNames)
      for (const status of testStatuses) {
        const name = `${kind} ${goal} ${status}`
        const { headline, reason, next, cost, since } = verdictWords(ofKind(kind, goal, status))
        for (const sentence of [headline, reason, next, cost, since])
          if (sentence !== null) t.match(sentence, /^[A-Z“].*[.]$/, name)
        const all = [headline, reason, next, cost, since].filter(Boolean).join(' ')
        t.notMatch(all, /NaN|undefined|Infinity|!|  |\.\./, name)
        t.equal(
          cost !== null,
          kind !== 'splitBroken' &&
            kind !== 'collecting' &&
            (goals[goal].money || goal === 'ConversionRate'),
          `${name}: the cost of a wrong decision`,
        )
        if (cost) t.match(cost, /(about|less than) \$[\d,]+ a month/, name)
        if (status === 'Ended')
          t.notMatch(
            all,
            /Keep it running|End the test|Resume|Nothing to do/,
            `${name}: no advice to keep the test running`,
          )
        if (kind === 'splitBroken')
          t.notMatch(all, /Reviews above the fold|ahead/, `${name}: names no winner`)
      }
})

t.test('every goal has its own words, with and without a lift', async t => {
  const words = {
    ConversionRate: /visitors into buyers/,
    AverageOrderValue: /makes orders .*larger/,
    RevenuePerSession: /revenue per visitor/,
    ClickThroughRate: /visitors to click/,
    AddToCartRate: /add to cart/,
  }
  for (const goal of goalNames) {
    const input = ofKind('winner', goal, 'Ended')
    t.match(verdictWords(input).headline, words[goal])
    input.test.summary.verdict.lift = null
    t.match(verdictWords(input).headline, words[goal])
    t.notMatch(
      verdictWords(input).headline,
      /%/,
      'control’s value was zero: there is no lift to name',
    )
  }
})

t.test('the badge of each verdict', async t => {
  t.same(verdictBadge({ kind: 'leaning', chanceToWin: 0.4 }), {
    label: 'Leaning control',
    tone: 'neutral',
  })
  t.same(verdictBadge({ kind: 'leaning', chanceToWin: 0.4997 }), {
    label: 'Even so far',
    tone: 'neutral',
  })
  t.same(verdictBadge({ kind: 'collecting', chanceToWin: null }), {
    label: 'Collecting',
    tone: 'neutral',
  })
  t.same(verdictBadge({ kind: 'collecting', chanceToWin: null }, 'Ended'), {
    label: 'Not enough data',
    tone: 'neutral',
  })
})

t.test(
  'the words do not contradict a test that ended early, had no revenue or has equal arms',
  async t => {
    const ended = { endedAt: startAt + 10 * dayLength }
    t.match(say(20, few, ended), {
      label: 'Not enough data',
      reason:
        'To compare them, 50 more visitors in each arm and 19 more buyers (at least 3 in the control and 1 in the variant) would have been needed.',
      next: /Or run it again for longer\.$/,
    })
    const unpaid: Over = {
      goal: 'RevenuePerSession',
      days: [dayOf('2026-11-02', 0, 5000, 150, 0), dayOf('2026-11-02', 1, 5000, 160, 0)],
    }
    t.match(say(20, even, { ...unpaid, ...ended }), {
      headline: 'The test ended with nothing to compare.',
      reason: 'No order brought any revenue, so there is nothing to compare.',
      next: /use another goal/,
    })
    t.match(say(8, even, unpaid), {
      label: 'Collecting',
      headline: 'Nothing to compare yet.',
      reason: /^No order brought any revenue/,
    })
    t.match(say(8, [even[0], even[0]]), {
      label: 'Even so far',
      headline: 'Neither arm is ahead.',
      cost: /^Risk of choosing either arm today: /,
    })
    t.match(say(14, [even[0], even[0]]), {
      label: 'No clear difference',
      cost: /^Risk of keeping either arm: /,
    })
  },
)

t.test(
  'dates of another year include the year, and rounding moves no chance across its limit',
  async t => {
    const late = asked(14, even)
    t.match(
      verdictWords({ ...late, now: new Date('2028-03-01T12:00:00Z') }).reason,
      /^At the planned end on 16 Nov 2026 the chance/,
    )
    late.test.summary.verdict.chanceToWin = 0.9496
    t.match(
      verdictWords(late).reason,
      'At the planned end on 16 Nov the chance to win was 94.96%, between 5% and 95%.',
    )
    t.same([0.95, 0.9499999, 0.05, 0.0504, 0.5].map(formatChance), [
      '95.0%',
      '< 95%',
      '5.0%',
      '5.04%',
      '50.0%',
    ])
  },
)

t.test('a count and its noun agree', async t => {
  t.same(
    [count(1, 'more buyer'), count(3, 'more buyer'), count(1_200, 'more visitor')],
    ['1 more buyer', '3 more buyers', '1,200 more visitors'],
  )
  t.same(
    [
      count(1, 'more visitor who clicks'),
      count(2, 'more visitor who clicks'),
      count(2, 'more visitor who adds a product'),
    ],
    ['1 more visitor who clicks', '2 more visitors who click', '2 more visitors who add a product'],
  )
  t.same(
    [aMonth(99, 'USD'), aMonth(100, 'USD'), aMonth(120_400, 'USD'), aMonth(5, 'JPY')],
    ['less than $1 a month', 'about $1 a month', 'about $1,204 a month', 'about ¥5 a month'],
  )
})
