import t from 'tap'
import type { Plan } from '../../../domain/plans/plan.ts'
import { planOutcome, planOutcomeWords } from '../../../domain/plans/plan-outcome.ts'

const plan = (id: string, level: number, limit: number): Plan => ({
  id,
  level,
  title: level === 1 ? 'Core' : 'Advanced',
  limit,
  price: 99,
  isAnnual: false,
  requireAppointment: false,
  available: true,
})
const core = plan('core', 1, 100_000),
  advanced = plan('adv', 2, 100_000)

t.test('a merchant who returns from the shop’s admin sees the outcome of the plan', async t => {
  t.equal(planOutcome(advanced, { planId: 'adv', pendingPlan: null }, advanced), 'changed')
  t.equal(
    planOutcome(advanced, { planId: 'core', pendingPlan: 'adv' }, core),
    'waiting',
    'the shop has not sent the change yet',
  )
  t.equal(
    planOutcome(core, { planId: 'adv', pendingPlan: 'core' }, advanced),
    'later',
    'a smaller plan begins with the next billing cycle',
  )
  t.equal(
    planOutcome(advanced, { planId: 'core', pendingPlan: null }, core),
    'kept',
    'the merchant declined the plan',
  )
  t.equal(
    planOutcome(core, { planId: 'core', pendingPlan: 'core' }, core),
    'waiting',
    'the same plan again, after it had ended',
  )
  t.equal(
    planOutcomeWords('changed', advanced, '21 Dec 2026').text,
    'Your plan is now Advanced 100k, billed monthly. Next bill: 21 Dec 2026.',
  )
  t.equal(
    planOutcomeWords('later', core, '21 Dec 2026').text,
    'Your plan changes to Core 100k, billed monthly on 21 Dec 2026. Until then you keep your current plan.',
  )
  t.equal(planOutcomeWords('kept', advanced, null).tone, 'bad')
})
