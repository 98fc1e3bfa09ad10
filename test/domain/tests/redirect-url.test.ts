import t from 'tap'
import {
  isAt,
  isSamePage,
  leadsElsewhere,
  takeAlong,
  targetOf,
} from '../../../domain/tests/redirect-url.ts'

t.test('a redirect must lead to another address', async t => {
  for (const [control, variant, elsewhere] of [
    ['/a', '/b', true],
    ['/a', '/a', false],
    ['/a', ' /a/ ', false],
    ['/a', '/a?view=b', true],
    ['/a?view=b', '/a?view=b', false],
    ['/a?view=c', '/a?view=b', false],
    ['/a?view=b&x=1', '/a?view=b', false],
    ['/a', 'https://other.example/a', true],
    ['/a', '/a#b', false],
    ['/a', 'javascript:x', true],
    ['mailto:x', '/b', true],
  ] as const)
    t.equal(leadsElsewhere(control, variant), elsewhere, `${control} → ${variant}`)
})

t.test('two addresses are the same page without regard to their queries', async t => {
  for (const [a, b, same] of [
    ['/a', '/a?x=1', true],
    ['/a', '/a/', true],
    ['/a', '/b', false],
    ['/a', 'https://other.example/a', false],
    ['/a', 'javascript:x', false],
  ] as const)
    t.equal(isSamePage(a, b), same, `${a} ${b}`)
})

t.test('the redirect keeps the visitor’s query and hash, and their parameters win', async t => {
  const led = (to: string, from: string) => {
    const here = new URL(from, 'https://shop.example'),
      target = targetOf(to, here)!
    takeAlong(target, here)
    return target.href.replace('https://shop.example', '')
  }
  t.equal(led('/b', '/a?utm_source=x&y=2#part'), '/b?utm_source=x&y=2#part')
  t.equal(led('/b?view=c&y=1', '/a?y=2&y=3'), '/b?view=c&y=2&y=3')
  t.equal(led('/b#own', '/a'), '/b#own')
  t.equal(targetOf('javascript:alert(1)', new URL('https://shop.example/')), null)
  t.equal(targetOf('http://[', new URL('https://shop.example/')), null)
  t.ok(isAt(new URL('https://shop.example/a?x=1'), new URL('https://shop.example/a/?x=1&y=2')))
  t.notOk(isAt(new URL('https://shop.example/a?x=1'), new URL('https://shop.example/a?x=2')))
})
