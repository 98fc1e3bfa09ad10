import t from 'tap'
import {
  type DiscountCheck,
  discountApplies,
  discountedDisplayPrice,
  discountedPrice,
  discountKey,
  discountMessage,
  discountTypes,
  invalidDiscount,
} from '../../../domain/plans/discount.ts'
import { bookingUrl, leadProblems, visitorRanges } from '../../../domain/plans/lead.ts'
import { industries, keysOf } from '../../../domain/stores/store-onboarding.ts'

const plans = [
  { id: 'a', title: 'Advanced', limit: 100_000, isAnnual: true, price: 1791 },
  { id: 'm', title: 'Core', limit: 1_000_000, isAnnual: false, price: 499 },
]
const percent: DiscountCheck = { isValid: true, valueType: 0, value: 20 }
const fixed: DiscountCheck = { isValid: true, valueType: 1, value: 15 }

t.test('valueType: 0 Percentage, 1 Fixed', async t =>
  t.same(discountTypes, { Percentage: 0, Fixed: 1 }),
)

t.test('valid discount messages, x is N% or $N', async t => {
  t.equal(
    discountMessage({ ...percent, planId: 'a' }, plans),
    'Discount for 20% off Advanced 100k (Annually) applied',
  )
  t.equal(
    discountMessage({ ...fixed, planId: 'm' }, plans),
    'Discount for $15 off Core 1M (Monthly) applied',
  )
  t.equal(discountMessage(percent, plans), 'Discount for 20% off all plans applied')
  t.equal(
    discountMessage({ ...fixed, planId: null }, plans),
    'Discount for $15 off all plans applied',
  )
  t.equal(
    discountMessage({ ...percent, isValid: false }, plans),
    null,
    'treated as invalid, no message',
  )
  t.equal(discountMessage(invalidDiscount, plans), null)
  t.equal(discountMessage({ ...percent, planId: 'gone' }, plans), null)
})

t.test(
  'a discount with a planId applies only to that plan; otherwise it applies to all plans',
  async t => {
    t.same(
      ['a', 'm'].map(id => discountApplies({ ...percent, planId: 'a' }, id)),
      [true, false],
    )
    t.same(
      ['a', 'm'].map(id => discountApplies(percent, id)),
      [true, true],
    )
    t.same(
      ['a', 'm'].map(id => discountApplies({ ...percent, isValid: false }, id)),
      [false, false],
    )
  },
)

t.test(
  'a percentage reduces the price by a percent, a fixed one by an amount; divided by 12 for annual plans',
  async t => {
    t.equal(discountedPrice(percent, 500), 400)
    t.equal(discountedPrice(fixed, 500), 485)
    t.equal(
      discountedDisplayPrice(percent, plans[0]!, false),
      119,
      '1791 less 20% is 1432.8, a twelfth of it 119.4',
    )
    t.equal(discountedDisplayPrice({ ...fixed, value: 291 }, plans[0]!, false), 125)
    t.equal(discountedDisplayPrice(fixed, plans[1]!, false), 484)
  },
)

t.test('a discount is displayed only when all four hold', async t => {
  t.equal(
    discountedDisplayPrice({ ...fixed, value: 499 }, plans[1]!, false),
    null,
    'the discounted price is positive',
  )
  t.equal(discountedDisplayPrice({ ...percent, value: 100 }, plans[1]!, false), null)
  t.equal(discountedDisplayPrice({ ...fixed, value: 498 }, plans[1]!, false), 1)
  t.equal(
    discountedDisplayPrice({ ...percent, isValid: false }, plans[1]!, false),
    null,
    'the code is valid',
  )
  t.equal(
    discountedDisplayPrice({ ...percent, planId: 'a' }, plans[1]!, false),
    null,
    'the plan matches, or the discount has no plan',
  )
  t.equal(discountedDisplayPrice(percent, plans[1]!, true), null, 'the card is not disabled')
})

t.test('codes ignore case and surrounding blanks', async t =>
  t.equal(discountKey(' Kiln20 '), 'KILN20'),
)

t.test(
  'custom plan request: email is required and must be a valid address; names are not validated',
  async t => {
    for (const email of [undefined, '', '   '])
      t.same(leadProblems({ ...(email !== undefined && { email }) }), [
        { field: 'email', message: 'Value is required' },
      ])
    for (const email of [
      'mara',
      'mara@',
      '@shop.com',
      'mara@shop',
      'a b@shop.com',
      'a@b@shop.com',
      'mara@.com',
      'mara@shop..com',
      '<mara@shop.com>',
    ])
      t.same(
        leadProblems({ email }),
        [{ field: 'email', message: 'Value is not a valid email address' }],
        email,
      )
    for (const email of [
      'mara@shop.com',
      ' mara@shop.com ',
      'mara+plans@mail.shop.co.uk',
      'märä@köln.example',
      "o'neil@shop.com",
    ])
      t.same(leadProblems({ email, firstName: '', lastName: '' }), [], email)
    t.same(visitorRanges, ['1M-2M', '2M-3M', '3M-4M', '5M+'])
  },
)

t.test('industries are keys with a name each', async t => {
  t.ok(keysOf(industries).length >= 25)
  t.equal(new Set(Object.values(industries)).size, keysOf(industries).length)
})

t.test(
  'the scheduler is told who asks, for which store, and that it is about a custom price',
  async t => {
    const url = new URL(
      bookingUrl(
        'https://meet.example.test/book?team=plans',
        { firstName: 'Ann', email: 'a&b@c.de' },
        { id: 's-1', name: 'Fern & Kiln', shop: 'fern.shop.test' },
      ),
    )
    t.equal(url.origin + url.pathname, 'https://meet.example.test/book')
    t.same(Object.fromEntries(url.searchParams), {
      team: 'plans',
      firstName: 'Ann',
      lastName: '',
      email: 'a&b@c.de',
      storeName: 'Fern & Kiln',
      storeId: 's-1',
      shop: 'fern.shop.test',
      customPricing: 'true',
    })
  },
)
