import t from 'tap'
import type { PriceRule } from '../../../domain/prices/price-rule.ts'
import type { TestProduct } from '../../../domain/products/product.ts'
import {
  formOfRule,
  postedPrices,
  postedRule,
  previewRule,
  priceField,
  readPrice,
  readRule,
  type RuleForm,
  variantName,
} from '../../../domain/products/product-form.ts'
import {
  changeWords,
  clearedWords,
  priceLaunch,
  pricesSummary,
  removedWords,
  ruleWords,
  totalWords,
} from '../../../domain/products/product-form-words.ts'
import { readPick, variantsText } from '../../../domain/products/product-pick.ts'
import { fc } from '../../properties.ts'

const at = '2026-11-02T09:00:00.000Z'
const product = (
  id: string,
  title: string,
  prices: [title: string, control: number, variant: number][],
  over: Partial<TestProduct> = {},
): TestProduct => ({
  id,
  testDraftId: 'd',
  testId: null,
  productId: `p-${id}`,
  title,
  handle: id,
  path: `/products/${id}`,
  image: null,
  currency: 'USD',
  rule: null,
  variantCount: prices.length,
  variants: prices.map(([name, controlPrice, variantPrice], i) => ({
    id: `${id}${i}`,
    title: name,
    price: controlPrice,
    compareAtPrice: null,
    controlPrice,
    variantPrice,
    createdAt: at,
    updatedAt: at,
  })),
  errors: [],
  conflicts: [],
  createdAt: at,
  updatedAt: at,
  ...over,
})
const mug = product('a', 'Mug', [
    ['Small', 3400, 2999],
    ['Large', 4000, 4000],
  ]),
  bowl = product('b', 'Bowl', [['Bowl', 1800, 1999]])

t.test('a typed price is read in all usual spellings', async t => {
  const good: [string, string, number][] = [
    ['29.99', 'USD', 2999],
    [' 29,99 ', 'USD', 2999],
    ['1,299.00', 'USD', 129_900],
    ['1,299', 'USD', 129_900],
    ['34', 'USD', 3400],
    ['34.', 'USD', 3400],
    ['.5', 'USD', 50],
    ['34.500', 'USD', 3450],
    ['007', 'USD', 700],
    ['0.01', 'USD', 1],
    ['99999999.99', 'USD', 9_999_999_999],
    ['1500', 'JPY', 1500],
    ['1,500', 'JPY', 1500],
    ['1500.00', 'JPY', 1500],
    ['12.345', 'KWD', 12_345],
  ]
  for (const [text, currency, value] of good)
    t.same(readPrice(text, currency), { value }, `${text} ${currency}`)
  const bad: [string, string, RegExp][] = [
    ['', 'USD', /^Write a price, for example 29\.99\.$/],
    ['abc', 'USD', /“abc” is not a price/],
    ['$5', 'USD', /not a price/],
    ['1.2.3', 'USD', /not a price/],
    ['1e3', 'USD', /not a price/],
    ['NaN', 'USD', /not a price/],
    ['1,2,3', 'USD', /not a price/],
    ['0', 'USD', /above 0/],
    ['0.00', 'USD', /above 0/],
    ['-5', 'USD', /above 0/],
    ['−5', 'USD', /above 0/],
    ['.', 'USD', /not a price/],
    ['29.999', 'USD', /at most 2 decimals/],
    ['0.001', 'USD', /at most 2 decimals/],
    ['15.5', 'JPY', /has no decimals/],
    ['1.2345', 'KWD', /at most 3 decimals/],
    ['100000000', 'USD', /highest price is \$99,999,999\.99/],
    ['9999999999999999', 'USD', /highest price/],
  ]
  for (const [text, currency, problem] of bad)
    t.match(readPrice(text, currency), { problem }, `“${text}” ${currency}`)
})

t.test('typed prices that differ are stored; a wrong one is named at its field', async t => {
  const typed = {
    [priceField('a', 'a0')]: '29.99',
    [priceField('a', 'a1')]: '35',
    [priceField('b', 'b0')]: '17.5',
    [priceField('gone', 'x')]: '1',
    title: 'Prices',
  }
  t.same(postedPrices([mug, bowl], typed), {
    changes: [
      { rowId: 'a', prices: [{ variantId: 'a1', price: 3500 }] },
      { rowId: 'b', prices: [{ variantId: 'b0', price: 1750 }] },
    ],
    problems: [],
  })
  t.match(
    postedPrices([mug, bowl], {
      ...typed,
      [priceField('a', 'a1')]: 'x',
      [priceField('b', 'b0')]: '0',
    }).problems,
    [{ field: 'prices.a.a1' }, { field: 'prices.b.b0' }],
  )
  t.same(postedPrices([mug, bowl], {}), { changes: [], problems: [] })
})

t.test('a price that the shop cannot charge is named at its field, typed or by a rule', async t => {
  const own = mug.variants[1]!,
    field = priceField('a', 'a1')
  const typed = (minor: number, way: 'transform' | 'discount' | 'none') =>
    postedPrices([mug], { [field]: (minor / 100).toFixed(2) }, { way }).problems
  for (const way of ['transform', 'discount'] as const)
    t.same(typed(own.controlPrice - 1, way), [], way)
  t.same(typed(own.controlPrice + 1, 'transform'), [])
  t.match(typed(own.controlPrice + 1, 'discount'), [{ field, message: /only lower prices: Mug, / }])
  t.match(typed(own.controlPrice - 1, 'none'), [{ field, message: /keeps its price/ }])
  const ruled = (value: number) => previewRule([bowl, mug], { kind: 'percent', value }, 'discount')
  t.equal(ruled(-10).problem, null)
  t.match(ruled(10).problem, /only lower prices: Bowl can cost at most/)
})

t.test('typed rules are read or refused', async t => {
  const good: [RuleForm, string, PriceRule][] = [
    [{ way: 'set', value: '29.99', isCharm: false }, 'USD', { kind: 'set', value: 2999 }],
    [
      { way: 'more', value: '5', isCharm: true },
      'USD',
      { kind: 'amount', value: 500, rounding: 'charm' },
    ],
    [{ way: 'less', value: '2,50', isCharm: false }, 'USD', { kind: 'amount', value: -250 }],
    [
      { way: 'more', value: '0', isCharm: true },
      'USD',
      { kind: 'amount', value: 0, rounding: 'charm' },
    ],
    [
      { way: 'percentMore', value: '12.5 %', isCharm: false },
      'USD',
      { kind: 'percent', value: 12.5 },
    ],
    [
      { way: 'percentLess', value: '99.9', isCharm: true },
      'JPY',
      { kind: 'percent', value: -99.9 },
    ],
  ]
  for (const [form, currency, value] of good)
    t.same(readRule(form, currency), { value }, JSON.stringify(form))
  const bad: [RuleForm['way'], string, RegExp][] = [
    ['percentLess', '100', /lowered by less than 100%/],
    ['percentLess', '250', /lowered by less than 100%/],
    ['percentLess', '-10', /without a sign/],
    ['percentMore', '', /number of percent/],
    ['percentMore', 'ten', /number of percent/],
    ['percentMore', '99999999', /at most/],
    ['set', '0', /price is above 0/],
    ['set', '-1', /price is above 0/],
    ['set', 'x', /not a price/],
    ['more', '-5', /without a sign/],
    ['less', 'x', /not an amount/],
    ['less', '1.234', /An amount in USD has at most 2/],
    ['more', '', /Write an amount/],
    ['more', '100000000', /highest amount/],
  ]
  for (const [way, value, problem] of bad)
    t.match(readRule({ way, value, isCharm: false }, 'USD'), { problem }, `${way} ${value}`)
})

t.test('a rule shown in its fields and read again is the same rule', async () => {
  const rule = fc.oneof(
    fc.record({
      kind: fc.constantFrom('set' as const, 'amount' as const),
      value: fc.integer({ min: 1, max: 1_000_000 }),
    }),
    fc.record({
      kind: fc.constant('amount' as const),
      value: fc.integer({ min: -1_000_000, max: -1 }),
    }),
    fc.record({
      kind: fc.constant('percent' as const),
      value: fc.integer({ min: -9_999, max: 100_000 }).map(n => n / 100),
      rounding: fc.constant('charm' as const),
    }),
  )
  fc.assert(
    fc.property(rule, fc.constantFrom('USD', 'KWD'), (made: PriceRule, currency) => {
      const read = readRule(formOfRule(made, currency), currency)
      return (
        'value' in read &&
        JSON.stringify(read.value) ===
          JSON.stringify({
            kind: made.kind,
            value: made.value || 0,
            ...(made.rounding && { rounding: made.rounding }),
          })
      )
    }),
  )
})

t.test('a preview lists each price, and a product without a price under the rule', async t => {
  const { changes, problem } = previewRule([mug, bowl], {
    kind: 'percent',
    value: -10,
    rounding: 'charm',
  })
  t.same([changes.map(({ price }) => price), problem], [[3099, 3599, 1599], null])
  t.match(
    previewRule([mug, bowl], { kind: 'amount', value: -2000 }).problem,
    /^The rule leaves Bowl without a price/,
  )
  t.equal(variantName('Mug', 'Default Title'), 'Mug')
})

t.test('prices in words', async t => {
  t.equal(totalWords([mug, bowl]), '2 products, 3 variants')
  t.equal(totalWords([bowl]), '1 product, 1 variant')
  t.equal(ruleWords(mug), 'Prices set by hand')
  const ruled = (rule: PriceRule) => ruleWords({ ...mug, rule })
  t.same(
    [
      ruled({ kind: 'percent', value: -10, rounding: 'charm' }),
      ruled({ kind: 'amount', value: 500 }),
      ruled({ kind: 'set', value: 2999 }),
      ruled({ kind: 'amount', value: 0, rounding: 'charm' }),
    ],
    ['10% less, rounded to .99', '$5.00 more', 'All at $29.99', 'The shop’s price, rounded to .99'],
  )
  t.same([changeWords(3400, 2999), changeWords(5, 5)], ['−11.8%', 'Same'])
  t.equal(pricesSummary([]), 'None chosen')
  t.equal(
    pricesSummary([mug, bowl]),
    '2 products, 3 variants; 2 prices change: from Mug, Small $34.00 → $29.99 (−11.8%) to Bowl $18.00 → $19.99 (+11.1%)',
  )
  t.equal(
    pricesSummary([bowl]),
    '1 product, 1 variant; 1 price changes: Bowl $18.00 → $19.99 (+11.1%)',
  )
  t.match(pricesSummary([product('c', 'Cup', [['Cup', 100, 100]])]), /no price differs yet/)
  t.equal(
    clearedWords({ cleared: 3, removed: 1, remaining: 1 }),
    '2 products have the shop’s present prices now. 1 product that the shop no longer has was removed. 1 product still has errors.',
  )
  t.match(clearedWords({ cleared: 0, removed: 0, remaining: 0 }), /There were no errors/)
  t.match(
    [removedWords(0), removedWords(2)],
    [/No product is in another/, /2 products .* were removed/],
  )
})

t.test('the confirmation before new prices go live lists their facts', async t => {
  const half = { weights: [0.5, 0.5] as [number, number], startsAt: null, timeZone: 'UTC' }
  t.same(priceLaunch([mug, bowl, product('c', 'Cup', [['Cup', 100, 100]])], half), {
    lead: 'About 50% of visitors will see and pay new prices for 2 products.',
    isLater: false,
    facts: [
      ['Prices changed', '2 of 4'],
      ['Largest increase', 'Bowl $18.00 → $19.99 (+11.1%)'],
      ['Largest decrease', 'Mug, Small $34.00 → $29.99 (−11.8%)'],
      ['Starts', 'As soon as you launch'],
    ],
  })
  t.match(
    priceLaunch([bowl], { ...half, weights: [0.75, 0.25], startsAt: '2026-11-25T09:00:00.000Z' }),
    {
      lead: 'About 25% of visitors will see and pay new prices for 1 product.',
      isLater: true,
      facts: [{}, {}, ['Largest decrease', 'None'], ['Starts', /25 Nov/]],
    },
  )
})

t.test('the dialog’s address is read, and invalid parameters are ignored', async t => {
  t.same(
    readPick({
      search: ' mug ',
      at: 'forward:abc:d',
      picked: ['1', '2', '1', ''],
      variants: variantsText('gid://x/1:2', { direction: 'backward', cursor: 'c:1' }),
    }),
    {
      search: 'mug',
      at: { direction: 'forward', cursor: 'abc:d' },
      picked: ['1', '2'],
      variants: { productId: 'gid://x/1:2', at: { direction: 'backward', cursor: 'c:1' } },
    },
  )
  t.same(readPick({ at: 'sideways:abc', variants: '%E0%A4%A', picked: 'x'.repeat(65) }), {
    search: '',
    at: null,
    picked: [],
    variants: null,
  })
  t.equal(readPick({ variants: '%E0%A4%A' }).variants, null, 'an invalid product id is ignored')
  t.equal(readPick({ variants: 'x'.repeat(65) }).variants, null)
  t.match(readPick({ at: 'forward:abc', fresh: '1', search: ['', 'b'] }), { at: null, search: 'b' })
})

t.test('each product’s rule fields are read separately', async t => {
  t.same(
    postedRule(
      {
        'rule.all.way': 'percentMore',
        'rule.all.value': '5',
        'rule.all.charm': 'on',
        'rule.7.value': '9',
      },
      'all',
    ),
    { way: 'percentMore', value: '5', isCharm: true },
  )
  t.same(postedRule({ 'rule.7.way': 'toString', 'rule.7.value': ['5', '6'] }, '7'), {
    way: 'percentLess',
    value: '',
    isCharm: false,
  })
  t.same(postedRule({}, 'all'), { way: 'percentLess', value: '', isCharm: false })
})
