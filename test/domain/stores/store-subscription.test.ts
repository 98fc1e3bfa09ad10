import t from 'tap'
import { type SubscriptionStatus, subscriptionStatuses } from '../../../domain/stores/store.ts'
import {
  hasLapsed,
  type Standing,
  standingOf,
  type Subscription,
  trialDaysFor,
} from '../../../domain/stores/store-subscription.ts'
import { fc } from '../../properties.ts'

const now = new Date('2026-11-21T12:00:00Z')
const day = 86_400_000
const at = (days: number) => new Date(now.getTime() + days * day)
const never: Standing = {
  subscriptionId: null,
  subscriptionStatus: null,
  hasSubscribed: false,
  planId: null,
  pendingPlan: null,
  trialEnd: null,
  currentSubscriptionEnd: null,
  nextBill: null,
  usageReset: null,
}
const one = (
  id: string,
  status: SubscriptionStatus,
  over: Partial<Subscription> = {},
): Subscription => ({
  id,
  planId: `plan-${id}`,
  status,
  createdAt: at(-1).toISOString(),
  trialEndsAt: null,
  currentPeriodEndsAt: ['Active', 'Frozen', 'Cancelled'].includes(status)
    ? at(29).toISOString()
    : null,
  ...over,
})

t.test('a first subscription that is not active has its status but no plan', async t => {
  for (const [status, pendingPlan] of [
    ['Pending', 'plan-1'],
    ['Accepted', 'plan-1'],
    ['Declined', null],
    ['Expired', null],
  ] as const) {
    const standing = standingOf([one('1', status)], never, now)
    t.match(
      standing,
      { subscriptionStatus: status, pendingPlan, planId: null, hasSubscribed: false },
      status,
    )
    t.equal(hasLapsed(standing), false, `${status} is no lapse: the store has not had a plan`)
  }
  t.match(
    standingOf([one('2', 'Pending'), one('1', 'Declined')], never, now),
    { subscriptionStatus: 'Pending', pendingPlan: 'plan-2' },
    'the newest subscription counts',
  )
})

t.test('Active: plan, trial and dates are the subscription’s, and nothing is pending', async t => {
  const trialEndsAt = at(13).toISOString()
  t.same(
    standingOf(
      [one('1', 'Active', { trialEndsAt, currentPeriodEndsAt: trialEndsAt })],
      { ...never, subscriptionStatus: 'Pending', pendingPlan: 'plan-1' },
      now,
    ),
    {
      subscriptionId: '1',
      subscriptionStatus: 'Active',
      hasSubscribed: true,
      planId: 'plan-1',
      pendingPlan: null,
      trialEnd: at(13),
      currentSubscriptionEnd: at(13),
      nextBill: at(13),
      usageReset: at(13),
    },
    'usage resets when the trial ends',
  )
  t.match(
    standingOf([one('1', 'Active')], never, now),
    { usageReset: at(30), trialEnd: null, nextBill: at(29) },
    'without a trial the cycle begins now',
  )
})

t.test('Cancelled, Expired and Frozen keep the old plan, and the status says so', async t => {
  const active = standingOf([one('1', 'Active')], never, at(-1))
  for (const status of ['Cancelled', 'Expired', 'Frozen'] as const) {
    const standing = standingOf(
      [one('1', status, { currentPeriodEndsAt: at(-0.5).toISOString() })],
      active,
      now,
    )
    t.match(
      standing,
      {
        planId: 'plan-1',
        subscriptionStatus: status,
        currentSubscriptionEnd: at(-0.5),
        nextBill: null,
        usageReset: active.usageReset,
      },
      status,
    )
    t.equal(hasLapsed(standing), true)
  }
  t.equal(hasLapsed(active), false)
})

t.test(
  'an upgrade, with webhooks in any order: the new subscription counts as soon as it is active',
  async t => {
    const active = standingOf([one('1', 'Active')], never, at(-1))
    t.match(
      standingOf([one('2', 'Pending'), one('1', 'Active')], active, now),
      { planId: 'plan-1', pendingPlan: 'plan-2', subscriptionStatus: 'Active' },
      'the new subscription waits for approval',
    )
    for (const old of ['Active', 'Cancelled'] as const)
      t.match(
        standingOf([one('2', 'Active'), one('1', old)], active, now),
        {
          planId: 'plan-2',
          pendingPlan: null,
          subscriptionStatus: 'Active',
          subscriptionId: '2',
          usageReset: active.usageReset,
        },
        `the old one is ${old}: usage continues in its cycle`,
      )
    for (const refused of ['Declined', 'Expired'] as const)
      t.match(
        standingOf([one('2', refused), one('1', 'Active')], active, now),
        { planId: 'plan-1', pendingPlan: null, subscriptionStatus: 'Active' },
        `${refused} changes nothing`,
      )
  },
)

t.test(
  'an approved downgrade waits as Accepted, and the store keeps the old plan until it starts',
  async t => {
    const active = standingOf([one('1', 'Active')], never, at(-1))
    t.match(standingOf([one('2', 'Accepted'), one('1', 'Active')], active, now), {
      planId: 'plan-1',
      pendingPlan: 'plan-2',
      subscriptionStatus: 'Active',
    })
    t.match(standingOf([one('2', 'Active'), one('1', 'Cancelled')], active, now), {
      planId: 'plan-2',
      pendingPlan: null,
    })
  },
)

t.test('a store gets one trial, and its end is remembered', async t => {
  const trial = standingOf(
    [one('1', 'Active', { trialEndsAt: at(10).toISOString() })],
    never,
    at(-4),
  )
  const changed = standingOf(
    [one('2', 'Active', { createdAt: now.toISOString() }), one('1', 'Cancelled')],
    trial,
    now,
  )
  t.same(changed.trialEnd, now, 'a plan without a trial ends the running trial')
  const downgraded = standingOf(
    [one('2', 'Active', { createdAt: at(-4).toISOString() }), one('1', 'Cancelled')],
    { ...trial, trialEnd: now },
    at(0),
  )
  t.same(downgraded.trialEnd, now, 'a downgrade that waited for the end does not end it earlier')
  t.same(
    standingOf([one('1', 'Active', { trialEndsAt: at(17).toISOString() })], trial, now).usageReset,
    at(17),
    'an extended trial moves the reset',
  )
  t.equal(trialDaysFor(null, false, now), 14, 'the first subscription')
  t.equal(trialDaysFor(null, true, now), 0, 'the store had a subscription without a trial')
  t.equal(trialDaysFor(at(-1), true, now), 0, 'the trial is over')
  t.equal(trialDaysFor(at(10), true, now), 10, 'the rest of the trial')
  t.equal(
    trialDaysFor(at(9.9), true, now),
    9,
    'whole days, rounded down: changing plans never makes a trial longer',
  )
  t.equal(trialDaysFor(at(0.9), true, now), 0)
})

t.test('a new subscription after a lapse starts a new cycle', async t => {
  const lapsed = {
    ...standingOf([one('1', 'Active')], never, at(-50)),
    subscriptionStatus: 'Cancelled' as const,
  }
  t.same(standingOf([one('2', 'Active'), one('1', 'Cancelled')], lapsed, now).usageReset, at(30))
  t.same(
    standingOf([one('1', 'Active')], { ...lapsed, subscriptionStatus: 'Frozen' }, now).usageReset,
    lapsed.usageReset,
    'unfreezing continues the old cycle',
  )
})

t.test('a plan that is not from the platform stays', async t => {
  const elsewhere: Standing = {
    ...never,
    hasSubscribed: true,
    subscriptionStatus: 'Active',
    planId: 'gift',
  }
  t.same(standingOf([], elsewhere, now), elsewhere)
  t.match(standingOf([one('1', 'Pending')], elsewhere, now), {
    planId: 'gift',
    subscriptionStatus: 'Active',
    pendingPlan: 'plan-1',
  })
})

t.test('the same subscriptions again give the same result', async t => {
  const subscription = fc.record({
    status: fc.constantFrom(...subscriptionStatuses),
    trial: fc.option(fc.integer({ min: -30, max: 30 })),
    planId: fc.constantFrom('a', 'b'),
  })
  fc.assert(
    fc.property(fc.array(subscription, { maxLength: 5 }), drawn => {
      const list = drawn.map(({ status, trial, planId }, i) =>
        one(String(i), status, {
          planId,
          trialEndsAt: trial === null ? null : at(trial).toISOString(),
          createdAt: at(-i).toISOString(),
        }),
      )
      const first = standingOf(list, never, now)
      t.same(standingOf(list, first, now), first)
      t.equal(
        first.subscriptionStatus === 'Active',
        list.some(({ status }) => status === 'Active'),
      )
    }),
    { numRuns: 200 },
  )
})
