import t from 'tap'
import { readFileSync } from 'node:fs'
import { fc } from '../../properties.ts'
import { assign, bucket, fnv1a32 } from '../../../domain/tests/assignment.ts'

type Cases = {
  fnv1a32: [string, string][]
  bucket: [string, string, number][]
  assignment: [string, string, string, [number, number], 0 | 1][]
}
const cases = JSON.parse(
  readFileSync(new URL('../../cases/assignment.json', import.meta.url), 'utf8'),
) as Cases

t.test('FNV-1a gives the published values', async t => {
  for (const [text, expected] of cases.fnv1a32)
    t.equal(fnv1a32(text).toString(16).padStart(8, '0'), expected, JSON.stringify(text))
})

t.test('the two-pass bucket gives the published values', async t => {
  for (const [seed, value, expected] of cases.bucket)
    t.equal(bucket(seed, value), expected, `${seed} + ${value}`)
})

t.test('the arm follows from bucket and weights', async t => {
  for (const [what, test, visitor, weights, arm] of cases.assignment)
    t.equal(assign(test, visitor, weights), arm, what)
})

t.test('a bucket is in [0, 1) in steps of 1/10,000, and is always the same', async t => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (test, visitor) => {
      const place = bucket(test, visitor)
      return (
        place >= 0 &&
        place < 1 &&
        Math.abs(place * 10000 - Math.round(place * 10000)) < 1e-9 &&
        place === bucket(test, visitor)
      )
    }),
  )
  t.pass()
})

t.test(
  'two tests split their visitors independently of each other, and by their weights',
  async t => {
    const visitors = Array.from({ length: 20_000 }, (_, i) => `visitor-${i}`)
    const cells = [0, 0, 0, 0]
    for (const visitor of visitors)
      cells[
        assign('test-one', visitor, [0.5, 0.5]) * 2 + assign('test-two', visitor, [0.8, 0.2])
      ]!++
    const expected = [0.4, 0.1, 0.4, 0.1].map(share => share * visitors.length)
    const chiSquare = cells.reduce(
      (sum, count, i) => sum + (count - expected[i]!) ** 2 / expected[i]!,
      0,
    )
    // 16.27 is p = 0.001 at three degrees of freedom. The visitors are fixed, so this cannot fail
    // by chance.
    t.ok(chiSquare < 16.27, `chi-square ${chiSquare.toFixed(2)} of ${cells.join(', ')}`)
  },
)
