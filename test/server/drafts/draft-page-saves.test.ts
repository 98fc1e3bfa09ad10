import t from 'tap'
import {
  ownSave,
  pageOfVersion,
  pageSaved,
  savedBy,
} from '../../../server/drafts/draft-page-saves.ts'

const by = (page: string, turn: number) => ({ page, turn })

t.test(
  'a page that saves again before it has heard of its last save stands on that one',
  async t => {
    t.same(ownSave('a', by('one', 1), 5, 5), { version: 5, isLate: false }, 'nothing is known yet')
    pageSaved('a', by('one', 1), 5, 6)
    t.same(ownSave('a', by('one', 2), 5, 6), { version: 6, isLate: false })
    pageSaved('a', by('one', 2), 6, 7)
    t.same(
      ownSave('a', by('one', 3), 5, 7),
      { version: 7, isLate: false },
      'however many of its saves it has not heard of',
    )
    t.same(
      ownSave('a', by('one', 2), 5, 7),
      { version: 7, isLate: true },
      'what was sent later is stored already',
    )
    t.same(
      ownSave('a', by('one', 3), 4, 7),
      { version: 4, isLate: false },
      'it began at a version that others made',
    )
  },
)

t.test(
  'what another page or somebody else has made meanwhile is not taken for its own',
  async t => {
    pageSaved('b', by('one', 1), 5, 6)
    t.same(
      ownSave('b', by('one', 2), 5, 7),
      { version: 5, isLate: false },
      'somebody has saved since',
    )
    t.same(ownSave('b', by('two', 2), 5, 6), { version: 5, isLate: false })
    t.same(ownSave('b', null, 5, 6), { version: 5, isLate: false })
    t.same(ownSave('b', by('one', 2), undefined, 6), { version: undefined, isLate: false })
    pageSaved('b', by('two', 1), 6, 7)
    t.same(
      ownSave('b', by('two', 2), 5, 7),
      { version: 5, isLate: false },
      'the second page began at what the first had made',
    )
    t.same(ownSave('b', by('two', 2), 6, 7), { version: 7, isLate: false })
  },
)

t.test('which page made a version is known until another is made', async t => {
  pageSaved('c', by('one', 1), 5, 6)
  t.same([pageOfVersion('c', 6), pageOfVersion('c', 5), pageOfVersion('d', 6)], ['one', null, null])
  pageSaved('c', null, 6, 7)
  pageSaved('c', by('two', 1), undefined, 8)
  t.equal(pageOfVersion('c', 6), 'one', 'a save that names no page belongs to none')
  for (let n = 0; n < 1_000; n++) pageSaved(`other-${n}`, by('one', 1), 1, 2)
  t.equal(pageOfVersion('c', 6), null, 'of a thousand drafts the oldest is forgotten')
  t.equal(pageOfVersion('other-0', 2), 'one')
})

t.test('who saves is read as the page sends it', async t => {
  t.same(savedBy({ savedBy: '1234-5678.3' }), by('1234-5678', 3))
  for (const text of [
    undefined,
    '',
    '1234',
    '.3',
    'a.b',
    'a.1234567',
    'a b.3',
    `${'a'.repeat(65)}.3`,
    'a.3\n',
  ])
    t.equal(savedBy({ ...(text !== undefined && { savedBy: text }) }), null, String(text))
})
