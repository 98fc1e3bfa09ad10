import t from 'tap'
import {
  circleProblem,
  sentFrom,
  sentOnMessage,
  sentTests,
} from '../../../domain/tests/redirect-chains.ts'
import { partsFor } from '../../../domain/script/needed-parts.ts'
import { publishedTest, safeTests } from '../../../domain/script/published-config.ts'
import { fc } from '../../properties.ts'

const sends = (control: string, variant: string) => ({
  control,
  variant,
  pages: [control.replace(/#.*/, '')],
})
const ways = (...all: ReturnType<typeof sends>[]) =>
  sentTests(all).map(({ pages, sent }) => `${pages.join()} → ${sent}`)

t.test('applied redirects have no id and no arms, and need the part that sends on', async t => {
  const tests = sentTests([sends('/a', '/b?x=1#top')])
  t.same(tests, [{ id: '', weights: [1, 0], pages: ['/a'], sent: '/b?x=1#top' }])
  t.same([...partsFor({ tests })], ['sent'], 'nobody is counted, so nothing is measured')
  t.same(safeTests(tests).map(publishedTest), tests)
  t.same(safeTests([{ ...tests[0]!, sent: 'javascript:alert(1)' }]), [])
})

t.test(
  'a chain leads to its end at once, and the newest of two of one page is followed',
  async t => {
    t.same(ways(sends('/b', '/c'), sends('/a', '/B/'), sends('/x', '/a?y=1')), [
      '/b → /c',
      '/a → /c',
      '/x → /c',
    ])
    t.same(ways(sends('/b', '/new'), sends('/b', '/old'), sends('/a', '/b')), [
      '/b → /new',
      '/b → /old',
      '/a → /new',
    ])
    t.same(ways(sends('/b?x=1', '/c'), sends('/a', '/b')), ['/b?x=1 → /c', '/a → /b'])
  },
)

t.test('nobody is sent round in a circle, whatever is stored', async t => {
  t.same(ways(sends('/a', '/b'), sends('/b', '/a'), sends('/x', '/a')), ['/x → /a'])
  t.same(ways(sends('/a', '/a?v=2')), [], 'a page is not sent to itself')
  const page = fc.constantFrom('/a', '/b', '/c', '/d', '/e')
  fc.assert(
    fc.property(fc.array(fc.tuple(page, page), { maxLength: 8 }), pairs => {
      const tests = sentTests(pairs.map(([from, to]) => sends(from, to)))
      // Where one page leads is never a page that is left at once.
      return tests.every(({ sent }) => !tests.some(({ pages }) => pages.includes(sent!)))
    }),
  )
})

t.test('which redirect sends the visitors of a page on, in words', async t => {
  const all = [{ ...sends('/a', '/b'), title: 'Guide' }]
  t.equal(sentFrom('/A/?n=1', all), all[0])
  t.equal(sentFrom('/b', all), undefined)
  t.equal(sentOnMessage('/a', all[0]!), 'The applied test “Guide” sends the visitors of /a to /b.')
})

t.test('a circle with an applied redirect says what to undo', async t => {
  const ba = { control: '/b', variant: '/a', title: 'Back' },
    ab = { control: '/a', variant: '/b' }
  t.equal(
    circleProblem(ab, [{ ...ba, isApplied: true }]),
    '“Back” leads from there back to /a: the tests would go in a circle. Name another page, or apply the control of that test first.',
  )
  t.equal(
    circleProblem(ab, [{ ...ba, isApplied: false }], false),
    '“Back” leads from there back to /a: the tests would go in a circle. End that test first.',
  )
})
