import t from 'tap'
import {
  customPrice,
  defaultVisitorStep,
  formatLimit,
  isDowngrade,
  planLevelName,
  trialDays,
  unlimitedVisitors,
  visitorSteps,
} from '../../../domain/plans/plan.ts'
import { planLevels } from '../../../domain/plans/plan-level.ts'
import { mayRepick, planButtonText, type PlanCard } from '../../../domain/plans/plan-card.ts'
import {
  annualSavingBadge,
  displayPrice,
  priceText,
  wholeDollars,
  yearlySaving,
} from '../../../domain/plans/plan-price.ts'

t.test('plan levels have fixed numbers', async t => {
  t.same(planLevels, { Grandfathered: 0, Core: 1, Advanced: 2, Pro: 3 })
  t.equal(trialDays, 14)
})

t.test(
  'plan-level name requested for a Grandfathered plan: warning logged, result "Unknown"',
  async t => {
    const warnings: string[] = []
    const names = [0, 1, 2, 3, 4].map(level =>
      planLevelName(level, message => warnings.push(message)),
    )
    t.same(names, ['Unknown', 'Core', 'Advanced', 'Pro', 'Unknown'])
    t.same(warnings, [
      'The name of plan level 0 (Grandfathered) was asked for.',
      'The name of plan level 4 was asked for.',
    ])
  },
)

t.test('a downgrade is a lower limit, annual to monthly, or a lower level', async t => {
  const plan = (level: number, limit: number, isAnnual: boolean) => ({ level, limit, isAnnual })
  const from = plan(2, 100_000, true)
  for (const [to, expected, why] of [
    [plan(2, 100_000, true), false, 'the same'],
    [plan(2, 50_000, true), true, 'lower limit'],
    [plan(2, 250_000, true), false, 'higher limit'],
    [plan(2, 100_000, false), true, 'annual to monthly'],
    [plan(1, 100_000, true), true, 'lower level'],
    [plan(3, 100_000, true), false, 'higher level'],
    [plan(3, 50_000, true), true, 'higher level but lower limit'],
    [plan(1, unlimitedVisitors, true), true, 'unlimited but lower level'],
    [plan(3, unlimitedVisitors, false), true, 'higher in all but monthly'],
  ] as const)
    t.equal(isDowngrade(from, to), expected, why)
  t.equal(isDowngrade(plan(2, 100_000, false), plan(2, 100_000, true)), false, 'monthly to annual')
  t.equal(
    isDowngrade(plan(0, unlimitedVisitors, false), plan(1, 100_000, false)),
    true,
    'from grandfathered, whose limit is higher',
  )
})

t.test(
  'slider steps: 50,000; 100,000; 250,000; 500,000; 1M; 1M+ (9999999), 100,000 by default',
  async t => {
    t.same(visitorSteps, [50_000, 100_000, 250_000, 500_000, 1_000_000, 9_999_999])
    t.same(visitorSteps.map(formatLimit), ['50k', '100k', '250k', '500k', '1M', '1M+'])
    t.equal(defaultVisitorStep, 100_000)
  },
)

t.test(
  'prices: whole dollars, annual ones per month and rounded down, words when there is no price',
  async t => {
    for (const [limit, price, isAnnual, shown] of [
      [100_000, 99, false, '$99'],
      [100_000, 891, true, '$74'],
      [100_000, 1791, true, '$149'],
      [1_000_000, 1999, false, '$1,999'],
      [1_000_001, 2999, false, "Let's talk"],
      [unlimitedVisitors, customPrice, true, "Let's talk"],
      [100_000, customPrice, false, 'Custom'],
      [100_000, customPrice, true, 'Custom'],
    ] as const)
      t.equal(priceText({ limit, price, isAnnual }), shown, `${limit} ${price} ${isAnnual}`)
    t.equal(displayPrice({ isAnnual: true }, 12 * 50 - 1), 49)
    t.equal(wholeDollars(84.15), '$84')
    t.equal(
      yearlySaving({ price: 99 }, { price: 891 }),
      297,
      'the monthly price times 12 minus the annual price',
    )
    t.equal(yearlySaving({ price: customPrice }, { price: customPrice }), null)
    t.equal(yearlySaving(undefined, { price: 1 }), null)
    t.equal(annualSavingBadge, 'Save 25%')
  },
)

t.test('plan card button text: the first matching rule applies, in this order', async t => {
  // At first every rule applies. Each row removes the condition of the rule before it.
  const card: PlanCard = {
    plan: { available: false, isAnnual: true, requireAppointment: true },
    isCurrent: true,
    hasPlan: true,
    isOnTrial: true,
    isOnboarded: false,
    isTrialOver: false,
    isReinstall: false,
    showsAnnual: false,
  }
  const steps: [text: string, change: (card: PlanCard) => PlanCard][] = [
    ['Unavailable', c => c],
    ['Current free trial', c => ({ ...c, plan: { ...c.plan, available: true } })],
    ['Current plan', c => ({ ...c, isOnTrial: false })],
    ['View annual plans', c => ({ ...c, isCurrent: false, isOnTrial: true })],
    ['Talk to sales', c => ({ ...c, showsAnnual: true })],
    ['Start free trial', c => ({ ...c, plan: { ...c.plan, requireAppointment: false } })],
    ['Update free trial', c => ({ ...c, isOnboarded: true })],
    ['Update plan', c => ({ ...c, isOnTrial: false })],
    ['Select plan', c => ({ ...c, hasPlan: false })],
  ]
  let now = card
  for (const [text, change] of steps) t.equal(planButtonText((now = change(now))), text)
  t.equal(
    planButtonText({ ...now, isOnboarded: false, isReinstall: true }),
    'Select plan',
    'no free trial for a store that was installed before',
  )
  t.equal(
    planButtonText({ ...now, isOnboarded: false, isTrialOver: true }),
    'Select plan',
    'and none for one that has had it (decision 057)',
  )
})

t.test(
  'a reinstalled store with a past subscription end and no pending plan may re-pick its current plan',
  async t => {
    const now = new Date('2026-11-21T12:00:00Z'),
      past = new Date('2026-11-21T11:59:59Z')
    const may = { isReinstall: true, pendingPlan: null, currentSubscriptionEnd: past, now }
    t.equal(mayRepick(may), true)
    t.equal(mayRepick({ ...may, currentSubscriptionEnd: now }), true, 'the subscription ends now')
    t.equal(mayRepick({ ...may, isReinstall: false }), false)
    t.equal(mayRepick({ ...may, pendingPlan: 'core-50k-monthly' }), false)
    t.equal(mayRepick({ ...may, currentSubscriptionEnd: null }), false)
    t.equal(mayRepick({ ...may, currentSubscriptionEnd: new Date('2026-11-21T12:00:01Z') }), false)
  },
)
