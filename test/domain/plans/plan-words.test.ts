import t from 'tap'
import { invalidDiscount } from '../../../domain/plans/discount.ts'
import { unlimitedVisitors, visitorSteps } from '../../../domain/plans/plan.ts'
import { billedText, planName, planTitle, stepWords } from '../../../domain/plans/plan-words.ts'

const plan = {
  id: 'core',
  level: 1,
  title: 'Core',
  limit: 100_000,
  price: 99,
  isAnnual: false,
  requireAppointment: false,
  available: true,
}
const offer = {
  plan,
  text: '',
  act: 'subscribe' as const,
  isCurrent: false,
  discounted: null,
  annually: null,
  isDiscounted: false,
  saving: null,
}
const discount = { isValid: true, valueType: 0 as const, value: 20 }

t.test('plans and steps of the slider have names that can be read aloud', async t => {
  t.equal(planName(plan), 'Core 100k')
  t.equal(planTitle({ ...plan, isAnnual: true }), 'Core 100k (Annually)')
  t.same(visitorSteps.map(stepWords), [
    '50,000 visitors a month',
    '100,000 visitors a month',
    '250,000 visitors a month',
    '500,000 visitors a month',
    '1,000,000 visitors a month',
    'More than 1,000,000 visitors a month',
  ])
})

t.test('the line under the price says how a plan is billed and what is saved', async t => {
  t.equal(billedText(offer, invalidDiscount), 'Billed every 30 days')
  t.equal(
    billedText({ ...offer, annually: 74, saving: 297 }, invalidDiscount),
    '$74 a month when billed annually',
  )
  const annual = { ...offer, plan: { ...plan, price: 891, isAnnual: true } }
  t.equal(billedText(annual, invalidDiscount), '$891 billed annually')
  t.equal(
    billedText({ ...annual, saving: 297 }, invalidDiscount),
    '$891 billed annually. Save $297 a year',
  )
  t.equal(
    billedText({ ...annual, saving: 297, discounted: 59 }, discount),
    'Save $297 a year, and 20% with your code',
  )
  t.equal(billedText({ ...annual, discounted: 59 }, discount), 'Save 20% with your code')
  t.equal(
    billedText({ ...offer, plan: { ...plan, limit: unlimitedVisitors } }, invalidDiscount),
    'A price that is agreed with you',
  )
})
