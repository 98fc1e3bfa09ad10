import t from 'tap'
import { assign } from '../../../domain/tests/assignment.ts'
import { cartAttribute } from '../../../domain/events/event.ts'
import {
  heldMessage,
  isUnmarked,
  judgedTests,
  lineMismatches,
  mismatchMessage,
  type PricedTest,
} from '../../../domain/prices/line-check.ts'
import { priceAttribute, testedPrice } from '../../../domain/prices/price-test.ts'
import { fc } from '../../properties.ts'

const test: PricedTest = {
  id: 'test-1',
  weights: [0.5, 0.5],
  prices: { '10': [3400, 2900], '11': [3800, 3300] },
  isMet: false,
}
const other: PricedTest = { ...test, id: 'test-2', prices: { '20': [1000, 1100] } }
const ids = Array.from({ length: 60 }, (_, i) => `visitor-${i}`)
const [inControl, inVariant] = ([0, 1] as const).map(arm =>
  ids.find(id => assign(test.id, id, test.weights) === arm)!,
) as [string, string]
const named = (visitor: string, tests = test.id) => ({
  [cartAttribute]: visitor,
  [priceAttribute]: tests,
})
const line = (unitPrice: number, variantId = '10') => ({ variantId, title: 'Mug', unitPrice })
const of = (attributes: Record<string, string>, ...lines: ReturnType<typeof line>[]) => ({
  attributes,
  lines,
})

t.test('the arm’s price is right, and every other price is a mismatch', async t => {
  t.same(lineMismatches([test], of(named(inVariant), line(2900), line(3300, '11'))), [])
  t.same(lineMismatches([test], of(named(inVariant), line(2900), line(3800, '11'))), [
    {
      testId: 'test-1',
      title: 'Mug',
      arm: 'variant',
      expected: 3300,
      charged: 3800,
      cause: 'other',
    },
  ])
  t.same(lineMismatches([test], of(named(inControl), line(3400))), [])
  t.match(lineMismatches([test], of(named(inControl), line(2900))), [
    { arm: 'control', expected: 3400, charged: 2900 },
  ])
})

t.test('a buyer in no test pays control’s price, with any other cart attributes', async t => {
  for (const attributes of [
    {},
    { [cartAttribute]: inVariant },
    { [priceAttribute]: test.id },
    named(inVariant, 'test-2'),
    named(inVariant, `${test.id}:1`),
  ]) {
    t.same(lineMismatches([test], of(attributes, line(3400))), [], JSON.stringify(attributes))
    t.match(
      lineMismatches([test], of(attributes, line(2900))),
      [{ arm: 'control', expected: 3400 }],
      JSON.stringify(attributes),
    )
  }
})

t.test('a visitor with an exposure is in the test even without the cart attribute', async t => {
  const met = { ...test, isMet: true }
  t.match(lineMismatches([met], of({ [cartAttribute]: inVariant }, line(3400))), [
    { arm: 'variant', expected: 2900, charged: 3400 },
  ])
  t.same(lineMismatches([met], of({ [cartAttribute]: inControl }, line(3400))), [])
})

t.test('one mismatch per test; untested products and unknown prices are not judged', async t => {
  const order = of(
    named(inVariant, 'test-1,test-2'),
    line(1),
    line(2, '11'),
    line(3, '20'),
    line(4, '99'),
  )
  t.same(
    lineMismatches([test, other], order).map(({ testId, charged }) => [testId, charged]),
    [
      ['test-1', 1],
      ['test-2', 3],
    ],
  )
  t.same(
    lineMismatches([test], {
      attributes: {},
      lines: [
        { variantId: '10', title: 'Mug' },
        { variantId: 'constructor', title: 'x', unitPrice: 1 },
      ],
    }),
    [],
  )
  t.same(lineMismatches([], order), [])
})

t.test('a price that the shop’s price rule computed is never a mismatch', async () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ids, '', '__proto__'),
      fc.constantFrom('', 'test-1', 'test-2', 'test-2,test-1', 'x'),
      fc.constantFrom('10', '11'),
      (visitor, tests, variantId) => {
        const attributes = {
          ...(visitor && { [cartAttribute]: visitor }),
          ...(tests && { [priceAttribute]: tests }),
        }
        const rule = { id: test.id, weights: test.weights, prices: { '10': 2900, '11': 3300 } }
        const charged =
          testedPrice([rule], attributes[cartAttribute], attributes[priceAttribute], variantId) ??
          test.prices[variantId]![0]
        return lineMismatches([test], of(attributes, line(charged, variantId))).length === 0
      },
    ),
  )
})

t.test('the cause of a mismatch follows from the cart’s attributes', async t => {
  const met = { ...test, isMet: true }
  const causes = (test: PricedTest, attributes: Record<string, string>, charged: number) =>
    lineMismatches([test], of(attributes, line(charged))).map(({ cause }) => cause)
  t.same(causes(test, {}, 2900), ['express'], 'the order has no attribute of the app')
  t.same(
    causes(met, { [cartAttribute]: inVariant }, 3400),
    ['cleared'],
    'the visitor met the test, but the cart lost the attribute',
  )
  t.same(causes(met, named(inVariant, 'test-2'), 3400), ['cleared'])
  t.same(causes(met, named(inVariant), 3400), ['other'])
  t.same(causes(test, named(inControl), 3300), ['other'])
})

t.test('an order is judged for tests whose products it has with a known price', async t => {
  t.same(judgedTests([test, other], { lines: [line(1), line(2, '99')] }), ['test-1'])
  t.same(
    judgedTests([test, other], {
      lines: [
        { variantId: '20', title: 'Mug' },
        { variantId: 'constructor', title: 'x', unitPrice: 1 },
      ],
    }),
    [],
  )
  t.ok(isUnmarked({ note: 'x' }))
  t.notOk(isUnmarked({ [priceAttribute]: 'test-1' }))
})

t.test(
  'what the buyer saw in their market counts before the price in the shop’s currency',
  async t => {
    const market = { currency: 'EUR', rate: 0.92, step: 100, ending: 95 }
    const paid = (shownPrice: number, unitPrice?: number) => ({
      market,
      attributes: named(inVariant),
      lines: [
        {
          variantId: '10',
          title: 'Mug',
          shownPrice,
          ...(unitPrice !== undefined && { unitPrice }),
        },
      ],
    })
    // €26.68 for $29.00 is rounded up to €26.95. The shop may receive any amount for it.
    t.same(lineMismatches([test], paid(2695, 2929)), [])
    t.same(lineMismatches([test], paid(2695)), [])
    t.same(judgedTests([test], paid(2695)), ['test-1'])
    const [mismatch] = lineMismatches([test], paid(3195, 2900))
    t.match(mismatch, { arm: 'variant', expected: 2695, charged: 3195, currency: 'EUR' })
    t.match(
      mismatchMessage('#1042', mismatch!, 'USD'),
      /^Order #1042 was charged €31\.95 for Mug, but visitors of the variant should pay €26\.95\. /,
    )
    const { market: _, ...unknown } = paid(3195)
    t.same(judgedTests([test], unknown), [], 'a market that we do not know is not judged')
  },
)

t.test('the messages name order, prices and cause', async t => {
  const [mismatch] = lineMismatches([test], of(named(inVariant), line(3400)))
  t.equal(
    mismatchMessage('#1042', mismatch!, 'USD'),
    'Order #1042 was charged $34.00 for Mug, but visitors of the variant should pay $29.00. The cart’s attributes were in order, so something else set this price: look for other apps that change cart prices, and for an order that was edited by hand.',
  )
  t.match(
    mismatchMessage('#1042', mismatch!, 'JPY'),
    /^Order #1042 was charged ¥3,400 for Mug, but visitors of the variant should pay ¥2,900\. /,
  )
  t.equal(
    heldMessage({ wrong: 3, judged: 7 }, 'Order #1042.'),
    '3 of the last 7 buyers were charged a different price from the one they saw. Order #1042.',
  )
})
