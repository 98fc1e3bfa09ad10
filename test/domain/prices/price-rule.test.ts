import t from 'tap'
import {
  highestPrice,
  priceBy,
  type PriceRule,
  ruleProblem,
} from '../../../domain/prices/price-rule.ts'
import { fc } from '../../properties.ts'

const price = fc.integer({ min: 1, max: 100_000_00 })
const rule: fc.Arbitrary<PriceRule> = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    value: fc.integer({ min: 1, max: highestPrice }),
    rounding: fc.constantFrom('none', 'charm'),
  }),
  fc.record({
    kind: fc.constant('amount' as const),
    value: fc.integer({ min: -1_000_00, max: 1_000_00 }),
    rounding: fc.constantFrom('none', 'charm'),
  }),
  fc.record({
    kind: fc.constant('percent' as const),
    value: fc.double({ min: -99.9, max: 1000, noNaN: true }),
    rounding: fc.constantFrom('none', 'charm'),
  }),
)
const currencies = fc.constantFrom(['USD', 100], ['JPY', 1], ['KWD', 1000]) as fc.Arbitrary<
  [string, number]
>

t.test('a rule computes each price', async t => {
  const cases: [PriceRule, number, string, number | null][] = [
    [{ kind: 'set', value: 2500 }, 3200, 'USD', 2500],
    [{ kind: 'amount', value: 200 }, 3200, 'USD', 3400],
    [{ kind: 'amount', value: -200 }, 3200, 'USD', 3000],
    [{ kind: 'percent', value: 10 }, 3200, 'USD', 3520],
    [{ kind: 'percent', value: -12.5 }, 3210, 'USD', 2809],
    [{ kind: 'percent', value: 10, rounding: 'charm' }, 3200, 'USD', 3499],
    [{ kind: 'amount', value: 0, rounding: 'charm' }, 3250, 'USD', 3299],
    [{ kind: 'amount', value: 0, rounding: 'charm' }, 3248, 'USD', 3199],
    [{ kind: 'amount', value: 0, rounding: 'charm' }, 20, 'USD', 99],
    [{ kind: 'percent', value: 10, rounding: 'charm' }, 1500, 'JPY', 1650],
    [{ kind: 'percent', value: 0, rounding: 'charm' }, 12_345, 'KWD', 11_999],
    [{ kind: 'amount', value: -3200 }, 3200, 'USD', null],
    [{ kind: 'amount', value: -5000, rounding: 'charm' }, 3200, 'USD', null],
    [{ kind: 'percent', value: -99.9 }, 4, 'USD', null],
    [{ kind: 'percent', value: 1000 }, highestPrice, 'USD', null],
    [{ kind: 'percent', value: 10 }, 0, 'USD', null],
  ]
  for (const [rule, price, currency, expected] of cases)
    t.equal(priceBy(rule, price, currency), expected, JSON.stringify([rule, price, currency]))
})

t.test('a rule gives a whole number above 0 or no price', async () =>
  fc.assert(
    fc.property(rule, price, currencies, (rule, price, [currency]) => {
      const made = priceBy(rule, price, currency)
      return made === null || (Number.isInteger(made) && made > 0 && made <= highestPrice)
    }),
  ),
)

t.test(
  'rounding ends just below a whole unit, at most half a unit away, or at the lowest such price',
  async () =>
    fc.assert(
      fc.property(rule, price, currencies, (rule, price, [currency, unit]) => {
        const plain = priceBy({ ...rule, rounding: 'none' }, price, currency),
          charmed = priceBy({ ...rule, rounding: 'charm' }, price, currency)
        if (plain === null || charmed === null) return charmed === null
        return unit === 1
          ? charmed === plain
          : (charmed + 1) % unit === 0 &&
              (Math.abs(charmed - plain) <= unit / 2 || charmed === unit - 1)
      }),
    ),
)

t.test('a rule keeps the order of two prices', async () =>
  fc.assert(
    fc.property(rule, price, price, currencies, (rule, a, b, [currency]) => {
      const [low, high] = [
        priceBy(rule, Math.min(a, b), currency),
        priceBy(rule, Math.max(a, b), currency),
      ]
      return low === null || high === null || low <= high
    }),
  ),
)

t.test('a change of 0 keeps the price, and adding then subtracting an amount too', async () =>
  fc.assert(
    fc.property(
      price,
      fc.integer({ min: 0, max: 1_000_00 }),
      (price, amount) =>
        priceBy({ kind: 'percent', value: 0 }, price, 'USD') === price &&
        priceBy(
          { kind: 'amount', value: -amount },
          priceBy({ kind: 'amount', value: amount }, price, 'USD')!,
          'USD',
        ) === price,
    ),
  ),
)

t.test('rules outside the limits are refused', async t => {
  for (const good of [
    { kind: 'set', value: 1 },
    { kind: 'amount', value: -5 },
    { kind: 'amount', value: 0 },
    { kind: 'percent', value: -99.5 },
    { kind: 'percent', value: 12.5 },
  ] as const)
    t.equal(ruleProblem(good), null, JSON.stringify(good))
  for (const bad of [
    { kind: 'set', value: 0 },
    { kind: 'set', value: -1 },
    { kind: 'set', value: 1.5 },
    { kind: 'amount', value: 0.5 },
    { kind: 'percent', value: -100 },
  ] as const)
    t.type(ruleProblem(bad), 'string', JSON.stringify(bad))
})
