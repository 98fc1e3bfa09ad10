import t from 'tap'
import { destination, ownPage, planReturn } from '../../domain/destination.ts'

t.test('a destination is a page of the app, without what was added on the way', async t => {
  t.equal(destination('/tests/1?ask=end'), '/tests/1?ask=end')
  t.equal(destination('/recommendations?search=a?b'), '/recommendations?search=a%3Fb')
  t.equal(
    destination('/tests/1?shop=a.b&code=X&signed_in=1&from=%2Fx&asked=core&ask=end'),
    '/tests/1?ask=end',
  )
  for (const other of [
    null,
    undefined,
    '',
    'https://evil.example/tests/1',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/nowhere',
    '/admin',
    '/login',
    '/welcome/contact',
    '/overlay/noplan',
    `/tests/1?${'x'.repeat(3000)}`,
  ]) {
    t.equal(destination(other), null, String(other).slice(0, 40))
    t.equal(ownPage(other), null)
  }
})

t.test('the return from the shop’s admin names the plan, and falls back on billing', async t => {
  const plan = { id: 'core-50k-monthly' }
  const ready = { onboarded: true },
    fresh = { onboarded: false }
  t.equal(
    planReturn(fresh, plan, '/tests/1?ask=end&code=X'),
    '/tests/1?ask=end&code=X&asked=core-50k-monthly',
  )
  t.equal(
    planReturn(ready, plan, '/tests/1?hmac=a&host=b&shop=c&timestamp=1&ask=end'),
    '/tests/1?ask=end&asked=core-50k-monthly',
    'the signature of the request before is left out',
  )
  for (const from of [undefined, '//evil.example', '/overlay/selectplan']) {
    t.equal(planReturn(ready, plan, from), '/settings/billing?asked=core-50k-monthly')
    t.equal(planReturn(fresh, plan, from), '/')
  }
})
