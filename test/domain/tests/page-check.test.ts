import t from 'tap'
import { countChanges } from '../../../domain/drafts/change-kind.ts'
import { checkedWords, missingWords } from '../../../domain/tests/page-check.ts'

t.test('pages without an element are named, at most five', async t => {
  t.equal(missingWords(['/a']), 'Not found on /a.')
  t.equal(missingWords(['/a', '/b']), 'Not found on /a and /b.')
  t.equal(
    missingWords(['/a', '/b', '/c', '/d', '/e', '/f', '/g']),
    'Not found on /a, /b, /c, /d, /e and 2 more.',
  )
})

t.test('the result of the check is one line', async t => {
  t.equal(checkedWords(0, 24, []), 'Every changed element was found on all 24 pages.')
  t.equal(checkedWords(0, 1, []), 'Every changed element was found on the page.')
  t.equal(
    checkedWords(2, 3, ['/c']),
    '2 changed elements are missing on some pages. /c did not open.',
  )
  t.equal(
    checkedWords(0, 2, ['/a', '/b']),
    'None of the pages opened here. Your shop may not allow other sites to show it in a frame.',
  )
  t.equal(
    checkedWords(0, 1, ['/a']),
    'The page did not open here. Your shop may not allow other sites to show it in a frame.',
  )
})

t.test('the changes of one element are counted and named once each', async t => {
  const style = (name: string) => ({ kind: 'style' as const, name })
  t.equal(countChanges([]), 'No changes yet')
  t.equal(countChanges([{ kind: 'hide', name: '' }]), '1 change: hide')
  t.equal(
    countChanges([
      { kind: 'text', name: '' },
      style('padding-top'),
      style('padding-left'),
      style('z-index'),
      { kind: 'attribute', name: 'href' },
      { kind: 'insertAfter', name: '' },
    ]),
    '6 changes: text, padding, z-index, link, new element',
  )
})
