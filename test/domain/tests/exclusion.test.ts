import { readFileSync } from 'node:fs'
import t from 'tap'
import { assign } from '../../../domain/tests/assignment.ts'
import { disturbs, type Excluding, layersOf, rivalsOf } from '../../../domain/tests/exclusion.ts'
import { keptTests, reservedTest } from '../../../domain/tests/exclusion-choice.ts'
import { circleOf, leadingOn } from '../../../domain/tests/redirect-url.ts'
import { matchesPattern } from '../../../domain/tests/url-pattern.ts'
import { fc } from '../../properties.ts'
import { listsMeet } from '../support/patterns-meet-other-way.ts'

type Cases = {
  pairs: [what: string, a: Omit<Excluding, 'id'>, b: Omit<Excluding, 'id'>, disturb: boolean][]
  layers: [what: string, tests: [id: string, page: string][], layers: string[][]][]
  kept: [what: string, held: string[], rivals: Record<string, string[]>, kept: string[]][]
  visitors: [ids: string[], visitor: string, reserved: string][]
}
const { pairs, layers, kept, visitors } = JSON.parse(
  readFileSync('test/cases/exclusion.json', 'utf8'),
) as Cases

/** Whether tests of these pages disturb each other. */
const listsDisturb = (a: readonly string[], b: readonly string[]): boolean =>
  disturbs({ id: 'a', kind: 'PageElement', pages: a }, { id: 'b', kind: 'PageElement', pages: b })

t.test('which tests could disturb each other does not depend on their order', async t => {
  for (const [what, a, b, disturb] of pairs) {
    t.equal(disturbs({ ...a, id: 'a' }, { ...b, id: 'b' }), disturb, what)
    t.equal(disturbs({ ...b, id: 'b' }, { ...a, id: 'a' }), disturb, `${what}, in reverse order`)
    t.equal(disturbs({ ...a, id: 'a' }, { ...a, id: 'a' }), false, `${what}: none disturbs itself`)
  }
})

t.test('a layer has all tests that are connected by disturbing each other', async t => {
  for (const [what, tests, expected] of layers)
    t.same(
      layersOf(tests.map(([id, page]) => ({ id, kind: 'PageElement', pages: [page] }))).map(layer =>
        layer.map(({ id }) => id),
      ),
      expected,
      what,
    )
})

t.test(
  'a visitor leaves only those tests of a layer that an earlier test of the visitor disturbs directly',
  async t => {
    for (const [what, held, rivals, expected] of kept)
      t.same(
        keptTests(held, id => rivals[id]!),
        expected,
        what,
      )
    const tests: Excluding[] = [
      { id: 'a', kind: 'PageElement', pages: ['/'] },
      { id: 'b', kind: 'Price', pages: ['*'] },
      { id: 'c', kind: 'Theme', pages: ['*'] },
    ]
    t.same(
      tests.map(test => rivalsOf(test, tests)),
      [['c'], ['c'], ['a', 'b']],
    )
  },
)

t.test('redirects that lead to further redirects or in a circle are found', async t => {
  const redirect = (control: string, variant: string) => ({ control, variant })
  const [ab, bc, ca, ba, query] = [
    redirect('/a', '/b'),
    redirect('/b/', '/c'),
    redirect('/C', '/a?x=1'),
    redirect('/b', '/a'),
    redirect('/a', '/a?v=2'),
  ]
  t.same(leadingOn(ab.variant, [ab, bc, ca, ba, query]), [bc, ba])
  t.same(circleOf(ab, [ca, query]), null)
  t.same(circleOf(ab, [bc, query]), null)
  t.same(circleOf(ab, [query, bc, ba]), [ba])
  t.same(circleOf(ab, [ca, query, bc]), [bc, ca])
  t.same(
    circleOf(query, [ab, ba, redirect('/a', '/a?v=3')]),
    null,
    'a redirect to its own page makes no circle',
  )
  // Two redirects per page: there are 2 ** 200 ways through the chain.
  const chain = Array.from({ length: 200 }, (_, i) => [
    redirect(`/${i}`, `/${i + 1}`),
    redirect(`/${i}/`, `/${i + 1}?x=1`),
  ]).flat()
  t.equal(circleOf(redirect('/end', '/0'), chain), null)
  t.same(
    circleOf(redirect('/200', '/0'), chain),
    chain.filter((_, i) => i % 2 === 0),
    'the search visits each page once',
  )
  t.same(
    circleOf(redirect('/a', '/0'), [...chain, redirect('/199', '/A/'), redirect('/0', '/199')]),
    [redirect('/0', '/199'), redirect('/199', '/A/')],
    'the shortest circle',
  )
})

t.test('two patterns meet exactly when a page matches both', async t => {
  const pattern = fc
    .array(fc.constantFrom('a', 'b', '*'), { maxLength: 4 })
    .map(signs => `/${signs.join('')}`)
  // The shortest page that matches two patterns of four characters has at most eight letters.
  const pages = Array.from(
    { length: 2 ** 9 - 1 },
    (_, i) => `/${(i + 1).toString(2).slice(1).replaceAll('0', 'a').replaceAll('1', 'b')}`,
  )
  t.ok(pages.includes('/') && pages.includes('/bbbbbbbb'))
  fc.assert(
    fc.property(
      pattern,
      pattern,
      (a, b) =>
        listsDisturb([a], [b]) ===
        pages.some(page => matchesPattern(a, page) && matchesPattern(b, page)),
    ),
    { numRuns: 500 },
  )
})

t.test('two lists meet exactly when a pattern of one meets a pattern of the other', async t => {
  const sign = fc.constantFrom('a', 'a', 'b', '*', '*', '/', '?', '#', 'A', '%2A', '%', 'é')
  const pattern = fc
    .tuple(fc.constantFrom('/', '*', '/a', '/b/'), fc.array(sign, { maxLength: 6 }))
    .map(([start, signs]) => start + signs.join(''))
  const list = fc.array(pattern, { maxLength: 4 })
  const found = { true: 0, false: 0 }
  fc.assert(
    fc.property(list, list, (a, b) => {
      const expected = listsMeet(a, b)
      found[`${expected}`]++
      return listsDisturb(a, b) === expected && listsDisturb(b, a) === expected
    }),
    { numRuns: 5_000 },
  )
  t.ok(found.true > 500 && found.false > 500, JSON.stringify(found))
})

/**
 * Counts text searches while this runs: the steps of a comparison. Unlike a time, the count does
 * not depend on other programs.
 */
function stepsOf(run: () => void, limit: number): number {
  const { startsWith, indexOf } = String.prototype
  let steps = 0
  const step = () => {
    if (++steps > limit) throw new Error(`more than ${limit} steps`)
  }
  try {
    Object.assign(String.prototype, {
      startsWith(this: string, ...asked: [string, number?]) {
        step()
        return startsWith.apply(this, asked)
      },
      indexOf(this: string, ...asked: [string, number?]) {
        step()
        return indexOf.apply(this, asked)
      },
    })
    run()
  } finally {
    Object.assign(String.prototype, { startsWith, indexOf })
  }
  return steps
}

t.test('many tests of many patterns are compared in few steps, and once', async t => {
  const shapes: ((test: number, i: number) => string)[] = [
    (test, i) => `/test-${test}/${i}/*`,
    (test, i) => `/products/*/${test}-${i}`,
    (test, i) => `*/${test}?x=${i}`,
    (test, i) => (i % 2 ? `/collections/${test}/${i}` : `/collections/*/${test}-${i}`),
  ]
  for (const shape of shapes) {
    const read = (): Excluding[] =>
      Array.from({ length: 12 }, (_, test) => ({
        id: String(test),
        kind: 'PageElement',
        pages: Array.from({ length: 200 }, (_, i) => shape(test, i)),
      }))
    const [first, again] = [read(), read()]
    let layers: Excluding[][] = []
    const compare = (tests: Excluding[]) => () => {
      layers = layersOf(tests)
    }
    // Comparing each pattern with each other one would be five million comparisons.
    t.ok(stepsOf(compare(first), 1_500_000) > 0, shape(0, 0))
    t.same(layers, [])
    t.equal(
      stepsOf(compare(again), 1_000),
      0,
      'the same tests, read again, are answered from the cache',
    )
    t.same(layers, [])
  }
})

t.test('patterns of any length, and tests of thousands of pages, are compared in no time', t => {
  const long = (first: string, second: string) => `/*${`${first}*${second}`.repeat(332)}`
  const tests: Excluding[] = [0, 1].map(n => ({
    id: String(n),
    kind: 'PageElement',
    pages: Array.from({ length: 20 }, (_, i) => `${n ? long('a', 'b') : long('b', 'c')}/${n}${i}`),
  }))
  const many: Excluding = {
    id: 'many',
    kind: 'Template',
    pages: Array.from({ length: 5_000 }, (_, i) => `/products/${i}`),
  }
  // Comparing character by character, the first two would take 20 seconds. This counts reads, not
  // time.
  let asked = 0
  const counted = tests.map(test => ({
    ...test,
    pages: new Proxy([...test.pages], {
      get: (of, key, to) => (asked++, Reflect.get(of, key, to) as unknown),
    }),
  }))
  t.equal(disturbs(counted[0]!, counted[1]!), false)
  t.equal(disturbs(counted[1]!, counted[0]!), false)
  t.ok(asked < 200, 'each pattern is read once')
  t.equal(disturbs(tests[0]!, many), false)
  t.equal(disturbs({ ...tests[0]!, pages: ['/products/4999/'] }, many), true)
  t.equal(disturbs({ ...tests[0]!, pages: ['/PRODUCTS/49*9'] }, many), true)
  t.end()
})

t.test('a visitor always gets the same test of a layer, in any order of tests', async t => {
  for (const [ids, visitor, reserved] of visitors) {
    t.equal(reservedTest(ids, visitor), reserved, visitor)
    t.equal(reservedTest(ids.toReversed(), visitor), reserved, `${visitor}, in another order`)
  }
  t.equal(reservedTest([], 'visitor-anna'), undefined)
})

t.test(
  'a layer splits visitors evenly, moves none between remaining tests, and is independent of the arm',
  async t => {
    const ids = [
      '3f0c1f7e-7a52-4b5e-9a7e-2b1f5a0c9d11',
      '8d2b64c0-51f3-4f0c-8f4e-6a7b0c1d2e33',
      'c1a9e7d4-0b6f-4d2a-b3c8-9e5f7a1b6c55',
    ]
    const counts = new Map<string, [number, number]>(ids.map(id => [id, [0, 0]]))
    const all = 20_000
    for (let i = 0; i < all; i++) {
      const visitor = `visitor-${i}`
      const own = reservedTest(ids, visitor)!
      counts.get(own)![assign(own, visitor, [0.5, 0.5])]++
      const others = ids.filter(id => id !== ids[1])
      if (own !== ids[1] && reservedTest(others, visitor) !== own) t.fail(`${visitor} was moved`)
    }
    for (const [id, [control, variant]] of counts) {
      const n = control + variant
      t.ok(Math.abs(n / all - 1 / 3) < 4 * Math.sqrt(2 / 9 / all), `${id} has ${n} of ${all}`)
      t.ok(Math.abs(control / n - 0.5) < (4 * 0.5) / Math.sqrt(n), `${control} of ${n} in control`)
    }
  },
)
