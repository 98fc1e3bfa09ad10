import t from 'tap'
import { summarise } from '../../domain/summary-build.ts'
import { verdictBadge, verdictWords } from '../../domain/verdict-words.ts'
import { dayLength, inputAt, startAt } from './results.ts'

const even = [{ visitors: 5000, buyers: 150 }, { visitors: 5000, buyers: 160 }] as Parameters<typeof inputAt>[1]
const clear = [{ visitors: 20_000, buyers: 600 }, { visitors: 20_000, buyers: 850 }] as Parameters<typeof inputAt>[1]

function say(age: number, arms: Parameters<typeof inputAt>[1], over: Parameters<typeof inputAt>[2] = {}, status: 'Active' | 'Paused' | 'Ended' = over.endedAt ? 'Ended' : 'Active') {
  const input = inputAt(age, arms, over)
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return verdictWords({
    test: {
      goal: input.goal, weights: input.weights, status, variantTitle: 'Reviews above the fold', startAt: iso(input.startAt), endsAt: iso(input.endsAt), endedAt: iso(input.endedAt),
      appliedAt: null, minimumEffect: 0.1, plannedVisitors: input.plannedVisitors, summary: summarise(input),
    },
    currency: 'USD', timeZone: 'America/New_York', now: new Date(input.now),
  })
}

t.test('each verdict says what is so, why, and what to do', async t => {
  t.same(say(7, clear), {
    label: 'Winner', tone: 'good', headline: '“Reviews above the fold” turns 41.7% more visitors into buyers.',
    reason: 'The chance to win was > 99.9% on 9 Nov, clear enough to say so before the planned end.',
    next: 'End the test and keep the variant; running on measures the difference more finely, but does not change the verdict.',
  })
  const loser = say(14, [clear[1], clear[0]])
  t.match(loser, { label: 'Loser', tone: 'bad', headline: '“Reviews above the fold” turns 29.4% fewer visitors into buyers.', reason: /< 0\.1% at the planned end on 16 Nov/, next: /^End the test and keep the control: .*\$[\d,]+ a month\.$/ })
  t.match(say(14, even), { label: 'No clear difference', reason: /^At the planned end on 16 Nov the chance to win was 71\.\d%, between 5% and 95%\.$/ })
  t.match(say(8, even), { label: 'Leaning variant', headline: 'The variant is ahead, but it could still be chance.', next: 'Keep it running until 16 Nov: 6 more days or 40,000 more visitors.' })
  t.match(say(8, [even[1], even[0]]), { label: 'Leaning control' })
  t.match(say(2, even), { label: 'Too early', next: 'Keep it running: 12 more days or 40,000 more visitors.' })
  t.match(say(2, [{ visitors: 60, buyers: 2 }, { visitors: 50, buyers: 4 }]), { label: 'Collecting', reason: 'Before the arms are compared, 50 more visitors in each arm and 19 more buyers are needed.' })
  t.match(say(2, [{ visitors: 6000, buyers: 30 }, { visitors: 6000, buyers: 4 }]), { reason: 'Before the arms are compared, 1 more buyer is needed.' })
  t.match(say(8, [{ visitors: 6000, buyers: 300 }, { visitors: 5000, buyers: 300 }]), { label: 'Split broken', tone: 'bad', reason: /54\.5 \/ 45\.5 instead of 50\.0 \/ 50\.0/ })
})

t.test('an undecided test says whether its traffic will do', async t => {
  t.match(say(8, even, { recent: { visitors: 1400, days: 7 } }).next, /There is not enough traffic to find a change of 10% within 90 days; 28 days can find one of 4\d% or more\.$/)
  t.match(say(8, even, { recent: { visitors: 28_000, days: 7 } }).next, /To find a change as small as 10%, visitors enough come by 7 Dec\.$/)
  t.notMatch(say(8, even, { recent: { visitors: 700_000, days: 7 } }).next, /enough/)
  t.match(say(8, even, {}, 'Paused').next, /^Resume it and keep it running until 16 Nov: /)
})

t.test('an ended test is not told to go on', async t => {
  for (const words of [
    say(20, clear, { endedAt: startAt + 10 * dayLength }), say(20, even, { endedAt: startAt + 10 * dayLength }), say(20, even, { endedAt: startAt + 3 * dayLength }),
    say(20, even, { endedAt: startAt + 15 * dayLength }), say(20, [{ visitors: 3, buyers: 0 }, { visitors: 3, buyers: 0 }], { endedAt: startAt + 3 * dayLength }),
  ]) t.notMatch(`${words.reason} ${words.next}`, /Keep it running|End the test|Resume|Nothing to do/, words.label)
})

t.test('every goal has its own words', async t => {
  const goals = { AverageOrderValue: /orders .* (larger|smaller)/, RevenuePerSession: /revenue per visitor/, ClickThroughRate: /visitors to click/, AddToCartRate: /add to cart/ } as const
  for (const [goal, words] of Object.entries(goals))
    t.match(verdictWords({
      test: {
        goal: goal as keyof typeof goals, weights: [0.5, 0.5], status: 'Ended', variantTitle: 'Variant', startAt: null, endsAt: '2026-11-16T10:00:00.000Z', endedAt: null, appliedAt: null, minimumEffect: 0.1, plannedVisitors: 1,
        summary: { ...summarise(inputAt(14, clear)), verdict: { kind: 'winner', reachedAt: '2026-11-16T10:00:00.000Z', lift: 0.2, chanceToWin: 0.97 } },
      }, currency: 'USD', timeZone: 'UTC', now: new Date(),
    }).headline, words)
})

t.test('badges', async t => {
  t.same(verdictBadge({ kind: 'leaning', chanceToWin: 0.4 }), { label: 'Leaning control', tone: 'neutral' })
  t.same(verdictBadge({ kind: 'collecting', chanceToWin: null }), { label: 'Collecting', tone: 'neutral' })
})
