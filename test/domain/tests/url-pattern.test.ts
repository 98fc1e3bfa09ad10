import t from 'tap'
import { fc } from '../../properties.ts'
import { matchesPattern } from '../../../domain/tests/url-pattern.ts'
import { patternMatcher } from '../../../domain/tests/url-patterns.ts'

const cases: [pattern: string, path: string, matches: boolean][] = [
  ['/', '/', true],
  ['/', '/products', false],
  ['/products/mug', '/products/mug', true],
  ['/products/mug', '/products/mug/', true],
  ['/products/mug/', '/products/mug', true],
  ['/Products/Mug', '/products/mug', true],
  ['/products/mug', '/products/mugs', false],
  ['/products/mug', '/shop/products/mug', false],
  ['/products/mug', '/products/mug?size=small', true],
  ['/products/mug', '/products/mug/?size=small', true],
  ['/products/mug', '/products/mug#reviews', true],
  ['/products/*', '/products/mug', true],
  ['/products/*', '/products/mug/reviews', true],
  ['/products/*', '/products', false],
  ['*', '/anything/at?all', true],
  ['/*-mug', '/products/ash-mug', true],
  ['/*-mug', '/products/ash-mugs', false],
  ['/a*b*c', '/a-b-c', true],
  ['/a*b*c', '/a-c-b', false],
  ['/ab*ba', '/aba', false],
  ['/search?q=*', '/search?q=mug', true],
  ['/search?q=*', '/search', false],
  ['/p.ges/*', '/pages/about', false],
  ['/pages/(a|b)', '/pages/a', false],
]

t.test('a pattern matches the right paths', async t => {
  for (const [pattern, path, expected] of cases)
    t.equal(
      matchesPattern(pattern, path),
      expected,
      `${pattern} ${expected ? 'is' : 'is not'} ${path}`,
    )
  for (const [pattern, path, expected] of cases)
    t.equal(patternMatcher(['/nothing', pattern])(path), expected, `in a list, ${pattern}`)
  const all = patternMatcher(cases.map(([pattern]) => pattern).filter(pattern => pattern !== '*'))
  t.same(['/pages/story', '/a-b-c', '/PRODUCTS/mug/', '/blog'].map(all), [false, true, true, false])
})

t.test('a pattern matches like the same pattern as a regular expression', async t => {
  const pieces = fc
    .array(fc.constantFrom('a', 'b', '*', '/', '-'), { maxLength: 8 })
    .map(parts => `/${parts.join('')}`)
  const paths = fc
    .array(fc.constantFrom('a', 'b', '/', '-'), { maxLength: 12 })
    .map(parts => `/${parts.join('')}`)
  const trimmed = (path: string) => path.replace(/(.)\/$/, '$1')
  fc.assert(
    fc.property(
      pieces,
      paths,
      (pattern, path) =>
        matchesPattern(pattern, path) ===
        new RegExp(`^${trimmed(pattern).replaceAll('*', '.*')}$`).test(trimmed(path)),
    ),
    { numRuns: 5000 },
  )
  t.pass()
})

t.test('a pattern is matched without trying all ways, which would not end', async t => {
  t.equal(matchesPattern(`/${'*a'.repeat(400)}*b`, `/${'a'.repeat(2000)}`), false)
})

t.test(
  'no pattern takes long, even those on which a regular expression would practically never end',
  t => {
    const path = `/${'a'.repeat(5_000)}`
    for (const pattern of [
      '*a'.repeat(1_000),
      `${'*a'.repeat(1_000)}*b`,
      `/${'*'.repeat(2_000)}b`,
      `${'*aa'.repeat(700)}b`,
    ])
      t.equal(matchesPattern(pattern, path), pattern.endsWith('a'), pattern.slice(0, 12))
    t.end()
  },
)
