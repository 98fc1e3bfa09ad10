import t from 'tap'
import {
  cycleDays,
  inDays,
  isOnTrial,
  nextTurn,
  timeSubscriptionEnd,
  timeToTrialEnd,
  timeToUsageReset,
  trialDaysLeft,
} from '../../../domain/stores/store-status.ts'
import { subscriptionStatuses } from '../../../domain/stores/store.ts'

const now = new Date('2026-11-21T12:00:00Z')
const day = 86_400_000
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString()

t.test('times to trial end, usage reset and subscription end are never negative', async t => {
  for (const [given, expected] of [
    [at(1), 1],
    [at(0), 0],
    [at(-1), 0],
    [at(3 * day), 3 * day],
    [null, null],
  ] as const) {
    t.equal(timeToTrialEnd({ trialEnd: given }, now), expected)
    t.equal(timeToUsageReset({ usageReset: given }, now), expected)
    t.equal(timeSubscriptionEnd({ currentSubscriptionEnd: given }, now), expected)
  }
  t.equal(timeSubscriptionEnd({}, now), null)
})

t.test('the days left of a trial include the day that began', async t => {
  for (const [left, days] of [
    [14 * day, 14],
    [13 * day + 1, 14],
    [13 * day, 13],
    [1, 1],
    [0, 0],
    [-day, 0],
  ] as const)
    t.equal(trialDaysLeft({ trialEnd: at(left) }, now), days)
  t.equal(trialDaysLeft({ trialEnd: null }, now), 0)
  t.same(
    [isOnTrial(new Date(at(1)), now), isOnTrial(now, now), isOnTrial(null, now)],
    [true, false, false],
  )
})

t.test('times are said in days', async t => {
  t.same([0, 1, day, day + 1, 12 * day].map(inDays), [
    'today',
    'in 1 day',
    'in 1 day',
    'in 2 days',
    'in 12 days',
  ])
})

t.test('usage resets each cycle; the next reset follows from any earlier one', async t => {
  t.equal(cycleDays, 30)
  for (const [turn, expected] of [
    [at(1), at(1)],
    [at(0), at(30 * day)],
    [at(-1), at(30 * day - 1)],
    [at(-30 * day), at(30 * day)],
    [at(-30 * day - 1), at(30 * day - 1)],
    [at(-60 * day + 5), at(5)],
  ] as const)
    t.equal(nextTurn(new Date(turn), cycleDays, now)!.toISOString(), expected, turn)
  t.equal(nextTurn(null, cycleDays, now), null)
})

t.test('the seven subscription statuses', async t =>
  t.same(subscriptionStatuses, [
    'Active',
    'Cancelled',
    'Declined',
    'Expired',
    'Frozen',
    'Pending',
    'Accepted',
  ]),
)
