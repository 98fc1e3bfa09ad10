import { fc } from '../../properties.ts'
import t from 'tap'
import { refundedTax, wholeTaxes } from '../../../domain/prices/included-tax.ts'

t.test('parts of a minor unit go to the lines with the largest remainders', t => {
  t.same(wholeTaxes([166_667, 166_667, 166_666], 100_000), [2, 2, 1])
  t.same(wholeTaxes([150_000, 50_000], 100_000), [2, 0])
  t.same(wholeTaxes([], 1), [])
  t.same(wholeTaxes([300, 0], 1), [300, 0])
  t.end()
})

t.test('the lines’ taxes make the rounded sum, and none is a minor unit off', t => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(10_000_000), { maxLength: 30 }),
      fc.constantFrom(1, 10, 10_000),
      (exact, unit) => {
        const whole = wholeTaxes(exact, unit),
          sum = (values: number[]) => values.reduce((all, value) => all + value, 0)
        return (
          sum(whole) === Math.round(sum(exact) / unit) &&
          whole.every((tax, i) => Math.abs(tax - exact[i]! / unit) < 1)
        )
      },
    ),
  )
  t.end()
})

t.test('a whole refund has the whole tax, a part of it its share', t => {
  t.equal(refundedTax(1597, 10_000, 10_000), 1597)
  t.equal(refundedTax(1597, 5_000, 10_000), 799)
  t.equal(refundedTax(0, 0, 0), 0)
  t.end()
})
