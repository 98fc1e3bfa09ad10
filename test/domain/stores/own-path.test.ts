import t from 'tap'
import { ownPath } from '../../../domain/stores/own-address.ts'
import { withQuery } from '../../../server/http/query.ts'

for (const path of ['/', '/tests/list/ended?search=a%20b&page=2', '/tests/1#trust', '/a/../b'])
  t.ok(ownPath(path), path)
t.equal(ownPath('/a/../b?x=1'), '/b?x=1', 'the path is normalised')

for (const path of [
  '',
  'tests',
  'https://evil.test',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  ' //evil.test',
  'javascript:alert(1)',
  '/.//evil.test',
  '/..//evil.test',
  '/x/..//evil.test',
  `/${'a'.repeat(3000)}`,
])
  t.equal(ownPath(path), null, JSON.stringify(path.slice(0, 30)))
t.equal(ownPath(undefined), null)
// In encoded form these are paths of this app that do not exist.
for (const path of ['/%2Fevil.test', '/%5Cevil.test', '/%09/evil.test'])
  t.match(ownPath(path), /^\/%/)

t.equal(
  withQuery('/tests/1?launched', { shop: 'a.b', host: undefined }),
  '/tests/1?launched&shop=a.b',
)
t.equal(
  withQuery('/tests/1?shop=own#trust', { shop: 'other', host: 'h' }),
  '/tests/1?shop=own&host=h#trust',
)
t.equal(withQuery('/', {}), '/')
