import { fc } from '../../properties.ts'
import t from 'tap'
import { ownMarket, shownAmount, type Market } from '../../../domain/prices/price-test.ts'

t.test('a market converts a price, then rounds it up to its next ending', t => {
  const euros: Market = { rate: 0.92, step: 100, ending: 95 },
    francs: Market = { rate: 0.88, step: 5, ending: 0 },
    yen: Market = { rate: 1.49, step: 100, ending: 0 }
  for (const [market, price, shown] of [
    [ownMarket, 1999, 1999],
    [{ ...ownMarket, rate: 0.79 }, 1999, 1579],
    [euros, 1800, 1695],
    [euros, 1842, 1695],
    [euros, 1843, 1795],
    [euros, 1, 95],
    [euros, 0, 0],
    [francs, 1801, 1585],
    [francs, 1807, 1590],
    [yen, 1800, 2700],
    [yen, 1812, 2700],
    [yen, 1813, 2800],
  ] as const)
    t.equal(shownAmount(price, market), shown, `${price} by ${JSON.stringify(market)}`)
  t.end()
})

t.test(
  'every price of every market has its ending, is not below the conversion, and keeps order',
  t => {
    const anyMarket = fc
      .record({
        rate: fc.double({ min: 0.001, max: 20_000, noNaN: true }),
        step: fc.constantFrom(1, 5, 10, 50, 99, 100, 1_000),
        ending: fc.nat(999),
      })
      .map(({ ending, ...market }) => ({ ...market, ending: ending % market.step }))
    const price = fc.integer({ min: 1, max: 9_999_999 })
    fc.assert(
      fc.property(anyMarket, price, price, (market, one, other) => {
        const shown = shownAmount(one, market),
          converted = Math.round(one * market.rate)
        return (
          Number.isSafeInteger(shown) &&
          (shown - market.ending) % market.step === 0 &&
          shown >= converted &&
          shown < converted + market.step &&
          (one > other || shown <= shownAmount(other, market))
        )
      }),
    )
    t.end()
  },
)
