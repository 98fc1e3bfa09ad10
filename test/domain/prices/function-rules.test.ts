import t from 'tap'
import {
  functionFields,
  ledgerFields,
  ledgerKeys,
  ledgerRules,
  maxLedgerField,
} from '../../../domain/prices/function-rules.ts'
import type { PriceRuleSet } from '../../../domain/prices/price-test.ts'

const rule = (id: string, prices: Record<string, number>): PriceRuleSet => ({
  id,
  weights: [0.4, 0.6],
  prices,
})
const shop = { currency: 'USD', markets: { 7: [100, 95] as [number, number], 9: 0 as const } }
const rules = [rule('a', { 1: 1700, 2: 900 }), rule('b', { 2: 950 })]

t.test('the switch names the tests; each product variant has its own prices', async t => {
  t.same(functionFields(rules, shop), {
    switch: '{"v":1,"currency":"USD","tests":{"a":0.4,"b":0.4},"markets":{"7":[100,95],"9":0}}',
    prices: { 1: '[["a",1700]]', 2: '[["a",900],["b",950]]' },
  })
  t.same(functionFields([], { currency: 'USD', markets: {} }), {
    switch: '{"v":1,"currency":"USD","tests":{},"markets":{}}',
    prices: {},
  })
})

t.test('more tests than a function can read are refused, with what to do', async t => {
  const many = Array.from({ length: 300 }, (_, i) => rule(crypto.randomUUID(), { [i]: 100 }))
  t.match(functionFields(many, shop), {
    problem: /^Your shop can charge .* End a price test first/,
  })
  t.ok('switch' in functionFields(many.slice(0, 150), shop), '150 tests are not too many')
})

t.test('the rules are kept for ourselves, split where they are large', async t => {
  const large = rule(
    'a',
    Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${46_000_000_000 + i}`, 1900])),
  )
  for (const set of [[], rules, [large, ...rules]]) {
    const { fields = [] } = ledgerFields(set) as { fields: { key: string; value: string }[] }
    t.same(
      fields.map(({ key }) => key),
      ledgerKeys.slice(0, fields.length),
    )
    for (const { value } of fields) t.ok(Buffer.byteLength(value) <= maxLedgerField)
    t.same(ledgerRules(fields.map(({ value }) => value)), set)
  }
  t.same(ledgerRules([]), [])
  t.match(ledgerFields(Array(4).fill(large)), { problem: /Test fewer products/ })
})
