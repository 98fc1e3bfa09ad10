import t from 'tap'
import { asksForUnkept, keptPath, keptReferrer } from '../../../domain/stores/kept-address.ts'

t.test('a page’s address keeps its path and its utm parameters except utm_term', async t => {
  for (const [path, kept] of [
    ['/products/mug', '/products/mug'],
    ['/products/mug?email=a@b.test&token=1', '/products/mug'],
    ['/?utm_source=a%20b&gclid=x&utm_medium=cpc#email', '/?utm_source=a%20b&utm_medium=cpc'],
    ['/?utm_term=secret&utm_campaign=&utm_content=c', '/?utm_campaign=&utm_content=c'],
    ['/?', '/'],
    ['/a#b?utm_source=c', '/a'],
    ['/?x=utm_source=1', '/'],
    ['', ''],
  ] as const)
    t.equal(keptPath(path), kept, path)
})
t.test('a referrer keeps host and path', async t => {
  for (const [referrer, kept] of [
    ['https://mail.test/inbox?user=anna&utm_source=x#top', 'https://mail.test/inbox'],
    ['https://anna:secret@mail.test/?q', 'https://mail.test/'],
    ['', ''],
    ['android-app://com.mail/', 'android-app://com.mail/'],
    ['not an address?x\ny', 'not an address'],
  ] as const)
    t.equal(keptReferrer(referrer), kept, referrer)
})
t.test('an audience that needs a part of an address that is not kept is recognised', async t => {
  for (const [field, operator, value, asks] of [
    [5, 'Contains', 'gclid', false],
    [5, 'Contains', '?gclid', true],
    [5, 'Contains', 'gclid=', true],
    [5, 'StartsWith', '/products/', false],
    [5, 'Equals', '/', true],
    [5, 'DoesNotEqual', '/', true],
    [5, 'EndsWith', 'mug', true],
    [6, 'Contains', 'google', false],
    [6, 'Contains', '?q', true],
    [1, 'Equals', 'a=b', false],
  ] as const)
    t.equal(asksForUnkept({ [field]: { operator, value } }), asks, `${operator} ${value}`)
})
