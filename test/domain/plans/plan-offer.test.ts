import t from 'tap'
import { invalidDiscount } from '../../../domain/plans/discount.ts'
import { customPrice, type Plan, unlimitedVisitors } from '../../../domain/plans/plan.ts'
import {
  choiceAddress,
  flipped,
  highlighted,
  type Offering,
  planChoice,
  planOffer,
  planOffers,
  planPositions,
} from '../../../domain/plans/plan-offer.ts'
import { planTiers } from '../../../domain/plans/plan-level.ts'

const plan = (
  id: string,
  level: number,
  limit: number,
  price: number,
  over: Partial<Plan> = {},
): Plan => ({
  id,
  level,
  title: id,
  limit,
  price,
  isAnnual: false,
  requireAppointment: false,
  available: true,
  ...over,
})
const plans = [
  plan('core', 1, 100_000, 99),
  plan('core-a', 1, 100_000, 891, { isAnnual: true }),
  plan('core-l', 1, 250_000, 179),
  plan('adv', 2, 100_000, 199),
  plan('adv-a', 2, 100_000, 1791, { isAnnual: true }),
  plan('pro', 3, 100_000, 399, { requireAppointment: true }),
  plan('pro-yearly-only', 3, 50_000, 2151, { isAnnual: true }),
  plan('gone', 1, 100_000, 129, { available: false }),
  plan('large', 2, unlimitedVisitors, customPrice, { requireAppointment: true }),
]
const by = (id: string) => plans.find(p => p.id === id)!
const store = {
  planId: 'adv',
  hasSubscribed: true,
  trial: false,
  onboarded: true,
  reinstall: false,
}
const status = {
  subscriptionStatus: 'Active' as const,
  pendingPlan: null,
  currentSubscriptionEnd: null,
  trialEnd: null,
}
const offering: Offering = {
  store,
  status,
  plans,
  discount: invalidDiscount,
  now: new Date('2026-11-20T12:00:00Z'),
}
const look = (id: string, over: Partial<Offering> = {}, showsAnnual = by(id).isAnnual) => {
  const { text, act } = planOffer(by(id), { ...offering, ...over }, showsAnnual)
  return `${text}: ${act}`
}

t.test(
  'the chooser starts at the size in the address, else at the merchant’s plan, else at the default',
  async t => {
    const none = { visitors: null, billing: null }
    t.same(planChoice(none, { own: undefined }), { visitors: 100_000, isAnnual: false })
    t.same(planChoice(none, { own: { limit: 250_000, isAnnual: true } }), {
      visitors: 250_000,
      isAnnual: true,
    })
    t.same(
      planChoice(none, { own: { limit: 300_000, isAnnual: false } }),
      { visitors: 500_000, isAnnual: false },
      'the smallest step that includes the limit',
    )
    t.same(planChoice(none, { own: { limit: unlimitedVisitors, isAnnual: false } }), {
      visitors: unlimitedVisitors,
      isAnnual: false,
    })
    t.same(
      planChoice(
        { visitors: '50000', billing: 'monthly' },
        { own: { limit: 250_000, isAnnual: true } },
      ),
      { visitors: 50_000, isAnnual: false },
    )
    t.same(
      planChoice(
        { visitors: '50001', billing: 'yearly' },
        { own: { limit: 250_000, isAnnual: true } },
      ),
      { visitors: 250_000, isAnnual: true },
    )
    const monthly = { limit: 50_000, isAnnual: false },
      yearly = { limit: 250_000, isAnnual: true }
    t.same(
      planChoice(none, { own: monthly, wanted: yearly }),
      { visitors: 250_000, isAnnual: false },
      'a code for an annual plan does not move the toggle of a monthly store',
    )
    t.same(planChoice(none, { own: yearly, wanted: monthly }), {
      visitors: 50_000,
      isAnnual: true,
    })
    t.same(
      planChoice(none, { own: undefined, wanted: yearly }),
      { visitors: 250_000, isAnnual: true },
      'without a plan, the code decides',
    )
  },
)

t.test(
  'each level offers its plan of the size and period; a level with only an annual plan links to annual plans',
  async t => {
    const ids = (visitors: number, isAnnual: boolean) =>
      planOffers(offering, { visitors, isAnnual }).map(offer => `${offer.plan.id} ${offer.act}`)
    t.same(ids(100_000, false), ['core downgrade', 'adv none', 'pro talk'])
    t.same(ids(100_000, true), ['core-a downgrade', 'adv-a subscribe'])
    t.same(ids(50_000, false), ['pro-yearly-only flip'])
    t.same(ids(500_000, false), [])
    t.equal(look('pro-yearly-only', {}, false), 'View annual plans: flip')
  },
)

t.test('the button’s act matches its text', async t => {
  t.equal(look('adv'), 'Current plan: none')
  t.equal(look('adv', { store: { ...store, trial: true } }), 'Current free trial: none')
  t.equal(look('core'), 'Update plan: downgrade')
  t.equal(look('core-l'), 'Update plan: downgrade', 'a lower level is a downgrade at any size')
  t.equal(look('adv-a'), 'Update plan: subscribe')
  t.equal(
    look('adv', { store: { ...store, planId: 'adv-a' } }),
    'Update plan: downgrade',
    'annual to monthly',
  )
  t.equal(look('pro'), 'Talk to sales: talk')
  t.equal(look('gone'), 'Unavailable: none')
  t.equal(look('gone', { store: { ...store, planId: 'gone' } }), 'Unavailable: none')
  t.equal(
    look('core', { store: { ...store, planId: null, hasSubscribed: false, onboarded: false } }),
    'Start free trial: subscribe',
  )
  t.equal(look('core', { store: { ...store, trial: true } }), 'Update free trial: downgrade')
})

t.test(
  'a store whose subscription lapsed, or that was reinstalled after its end, may choose the same plan again',
  async t => {
    for (const subscriptionStatus of ['Cancelled', 'Expired'] as const) {
      t.equal(look('adv', { status: { ...status, subscriptionStatus } }), 'Select plan: subscribe')
      t.equal(
        look('core', { status: { ...status, subscriptionStatus } }),
        'Select plan: subscribe',
        'a lower plan starts at once',
      )
      t.equal(
        look('adv', {
          status: { ...status, subscriptionStatus },
          store: { ...store, onboarded: false },
        }),
        'Select plan: subscribe',
        'a second free trial is not promised',
      )
      t.equal(
        look('adv', {
          status: { ...status, subscriptionStatus, trialEnd: '2026-11-25T12:00:00Z' },
          store: { ...store, onboarded: false },
        }),
        'Start free trial: subscribe',
        'the trial days that are left start again',
      )
    }
    const back = {
      store: { ...store, reinstall: true },
      status: { ...status, currentSubscriptionEnd: '2026-11-01T00:00:00Z' },
    }
    t.equal(look('adv', back), 'Update plan: subscribe')
    t.equal(
      look('adv', { ...back, status: { ...back.status, pendingPlan: 'core' } }),
      'Current plan: none',
    )
    t.equal(
      look('adv', {
        ...back,
        status: { ...back.status, currentSubscriptionEnd: '2026-12-01T00:00:00Z' },
      }),
      'Current plan: none',
    )
  },
)

t.test('a discount is shown on open cards of its plans that have a price', async t => {
  const shown = (id: string, over: object) => {
    const { discounted, isDiscounted } = planOffer(
      by(id),
      { ...offering, discount: { isValid: true, valueType: 0, value: 20, ...over } },
      by(id).isAnnual,
    )
    return [discounted, isDiscounted]
  }
  t.same(shown('core', {}), [79.2, true])
  t.same(shown('core-a', {}), [59, true], 'a twelfth, rounded down')
  t.same(shown('core', { planId: 'adv-a' }), [null, false])
  t.same(shown('adv', {}), [null, false], 'the card of the current plan is closed')
  t.same(shown('gone', {}), [null, false])
  t.same(
    shown('core', { value: 100 }),
    [null, true],
    'a price of 0 is not shown, but the discount applies',
  )
  t.same(shown('core', { isValid: false }), [null, false])
  t.same(shown('large', {}), [null, true])
})

t.test('the saving of a year is shown when both periods have a price', async t => {
  const saving = (id: string) => planOffer(by(id), offering, by(id).isAnnual).saving
  t.same(['core', 'core-a', 'adv-a', 'core-l', 'pro', 'large'].map(saving), [
    297,
    297,
    597,
    null,
    null,
    null,
  ])
  const million = plan('million', 1, 1_000_000, 500),
    code = { isValid: true, valueType: 0, value: 20 } as const
  const withdrawn = plan('withdrawn', 1, 1_000_000, 3000, { isAnnual: true, available: false })
  t.equal(
    planOffer(million, { ...offering, plans: [...plans, withdrawn, million] }, false).saving,
    null,
    'no saving against a plan that is no longer available',
  )
  t.equal(
    planOffer(million, { ...offering, plans: [...plans, million], discount: code }, false)
      .discounted,
    400,
    'a plan for a million visitors still has a price',
  )
})

t.test('each tier has its number of features', async t =>
  t.same(
    planTiers.map(({ level, features }) => [level, features.length]),
    [
      [1, 7],
      [2, 7],
      [3, 6],
    ],
  ),
)

t.test(
  'the annual price on a monthly plan’s card includes the discount, if the code applies to the annual plan',
  async t => {
    const annually = (discount: Offering['discount']) =>
      planOffer(by('core'), { ...offering, discount }, false).annually
    t.equal(annually(invalidDiscount), 74)
    t.equal(annually({ isValid: true, valueType: 0, value: 20 }), 59)
    t.equal(
      annually({ isValid: true, valueType: 0, value: 20, planId: 'core' }),
      74,
      'the code is for the monthly plan only',
    )
    const withPlan = (planId: string, shown: string) =>
      planOffer(
        by(shown),
        {
          ...offering,
          store: { ...offering.store, planId, hasSubscribed: true },
          status: { ...offering.status, subscriptionStatus: 'Active' },
          discount: { isValid: true, valueType: 0, value: 20 },
        },
        false,
      ).annually
    t.equal(withPlan('core', 'core'), 74, 'the card of the current plan is disabled')
  },
)

t.test('every position of the slider and the toggle has the offers of its choice', async t => {
  const positions = planPositions(offering)
  t.same(
    positions.map(({ visitors, isAnnual }) => [visitors, isAnnual]),
    [50_000, 100_000, 250_000, 500_000, 1_000_000, unlimitedVisitors].flatMap(visitors => [
      [visitors, false],
      [visitors, true],
    ]),
  )
  for (const { offers, ...choice } of positions)
    t.same(
      offers,
      planOffers(offering, choice).map(({ other: _, ...offer }) => offer),
      JSON.stringify(choice),
    )
  t.same(JSON.parse(JSON.stringify(positions)), positions, 'they can be sent as JSON')
})

t.test('without script the slider sends its step; a number of visitors counts first', async t => {
  const at = (visitors: string | null, step: string | null) =>
    planChoice({ visitors, step, billing: null }, { own: undefined }).visitors
  t.equal(at(null, '0'), 50_000)
  t.equal(at(null, '5'), unlimitedVisitors)
  t.equal(at('250000', '0'), 250_000)
  for (const step of ['6', '-1', '01', 'goal', '']) t.equal(at(null, step), 100_000, step)
})

t.test('the address of a choice, and of the same choice in the other period', async t => {
  const choice = { visitors: 250_000, isAnnual: true }
  t.equal(choiceAddress('/plans', choice), '/plans?visitors=250000&billing=annual')
  t.equal(
    choiceAddress('', flipped(choice), { shop: 'a.test', ask: 'compare' }),
    '?visitors=250000&billing=monthly&shop=a.test&ask=compare',
  )
})

t.test('the store’s own plan is highlighted, else that of the code, else the default', async t => {
  const offers = planOffers(offering, { visitors: 100_000, isAnnual: false }),
    others = offers.filter(({ isCurrent }) => !isCurrent)
  const code = { isValid: true, valueType: 0 as const, value: 20, planId: 'core' }
  t.equal(highlighted(offers, code)?.plan.id, 'adv')
  t.equal(highlighted(others, code)?.plan.id, 'core')
  const fresh = offers.map(offer => ({ ...offer, isCurrent: false }))
  t.equal(highlighted(fresh, invalidDiscount)?.plan.id, 'adv', 'Advanced is the default level')
  t.equal(highlighted([], invalidDiscount), undefined)
})
