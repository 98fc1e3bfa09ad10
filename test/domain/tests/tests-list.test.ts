import t from 'tap'
import {
  dailyVisitorDays,
  dailyVisitors,
  fullDaysOf,
} from '../../../domain/tests/daily-visitors.ts'
import { goalNames } from '../../../domain/reports/goal.ts'
import { chosenOutcome } from '../../../domain/tests/list-chosen.ts'
import { digestLines, type ListDigest } from '../../../domain/tests/list-digest.ts'
import {
  goalOfSlug,
  goalSlug,
  isFiltered,
  kindOfSlug,
  kindSlug,
  nothingFound,
} from '../../../domain/tests/list-filter.ts'
import { isStarted, startLines } from '../../../domain/tests/start-checklist.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'

const now = new Date('2026-11-21T12:00:00Z')
const nothing: ListDigest = {
  winners: [],
  losers: [],
  undecided: [],
  onHold: [],
  suspended: [],
  unapplied: [],
}
const said = (digest: Partial<ListDigest>) =>
  digestLines({ ...nothing, ...digest }, now).map(({ count, words }) => `${count} ${words}`)

t.test('the digest lists what to do, the most urgent first', async t => {
  t.same(
    said({ winners: ['a'], losers: ['b', 'c'], undecided: ['d'], onHold: ['e'], suspended: ['f'] }),
    [
      '1 test suspended',
      '1 test on hold',
      '1 winner to apply',
      '2 losers to end',
      '1 needs more time',
    ],
  )
  t.same(said({ undecided: ['a', 'b'], onHold: ['c', 'd'] }), [
    '2 tests on hold',
    '2 need more time',
  ])
  t.same(said({}), [])
})

t.test(
  'an ended winner is listed for 30 days; it is called “ended” only next to running ones',
  async t => {
    const ended = (id: string, endedAt: string) => ({ id, endedAt })
    t.same(
      said({
        unapplied: [
          ended('a', '2026-11-20T00:00:00Z'),
          ended('b', '2026-10-22T12:00:00Z'),
          ended('c', '2026-10-22T11:59:59Z'),
        ],
      }),
      ['2 winners to apply'],
    )
    t.same(said({ winners: ['w'], unapplied: [ended('a', '2026-11-20T00:00:00Z')] }), [
      '1 running winner to apply',
      '1 ended winner to apply',
    ])
  },
)

t.test('a line about one test links to its report, a line about several to their list', async t => {
  const [one, several] = [
    digestLines({ ...nothing, losers: ['a'] }, now)[0],
    digestLines({ ...nothing, onHold: ['a', 'b'] }, now)[0],
  ]
  t.match(one, { test: 'a', tab: 'Active', order: 'worst' })
  t.match(several, { test: null, tab: 'OnHold', order: null })
})

t.test(
  'visitors per day: the sum of both arms, 0 on days without visitors, only the last days',
  async t => {
    const day = (day: string, visitors: number) => ({ day, visitors })
    t.equal(dailyVisitors([]), null)
    t.same(dailyVisitors([day('2026-11-03', 4), day('2026-11-01', 2), day('2026-11-01', 3)]), {
      from: '2026-11-01',
      visitors: [5, 0, 4],
    })
    const long = dailyVisitors([day('2026-09-01', 1), day('2026-11-01', 9)])!
    t.equal(long.visitors.length, dailyVisitorDays)
    t.equal(long.from, '2026-10-05')
    t.equal(long.visitors.at(-1), 9)
  },
)

t.test(
  'today is left out, and days after the last visitor count as days without visitors',
  async t => {
    const daily = { from: '2026-11-01', visitors: [5, 0, 4] }
    t.same(fullDaysOf(daily, '2026-11-03'), [5, 0])
    t.same(fullDaysOf(daily, '2026-11-06'), [5, 0, 4, 0, 0])
    t.same(fullDaysOf(daily, '2026-11-01'), [])
    t.equal(fullDaysOf(daily, '2027-11-01').length, dailyVisitorDays)
  },
)

t.test('each filter has a word in the address, and an unknown word is ignored', async t => {
  t.same(testKindNames.map(kindSlug), [
    'theme',
    'template',
    'page-content',
    'url-redirect',
    'page-element',
    'api',
    'price',
  ])
  t.same(
    testKindNames.map(kind => kindOfSlug(kindSlug(kind))),
    testKindNames,
  )
  t.same(
    goalNames.map(goal => goalOfSlug(goalSlug(goal))),
    goalNames,
  )
  t.same([kindOfSlug('Theme'), kindOfSlug(null), goalOfSlug('')], [null, null, null])
  t.same(
    [
      isFiltered({ search: '', kind: null, goal: null }),
      isFiltered({ search: '', kind: 'Api', goal: null }),
    ],
    [false, true],
  )
})

t.test('an empty result names the filters and links to clear them', async t => {
  t.match(nothingFound('Active', { search: 'gift', kind: null, goal: null }), {
    title: 'Nothing is called “gift”',
    clear: 'Clear the search',
  })
  t.same(nothingFound('Ended', { search: '', kind: 'Theme', goal: 'ConversionRate' }), {
    title: 'No test matches these filters',
    text: 'You filter by kind: Theme, goal: Conversion rate. They apply to this tab.',
    clear: 'Clear the filters',
  })
  t.match(nothingFound('Draft', { search: 'x', kind: 'Api', goal: null }), {
    title: 'Nothing is called “x” with these filters',
    clear: 'Clear search and filters',
  })
  t.match(nothingFound('Draft', { search: '', kind: 'Api', goal: null }), {
    title: 'No draft matches these filters',
  })
})

t.test('each first step is done or not, and one is next', async t => {
  const fresh = {
    script: false,
    draft: false,
    launch: false,
    result: false,
    scriptSwitchAt: null,
  }
  t.same(
    startLines(fresh).map(({ words, isNext }) => [words, isNext]),
    [
      ['The Twinshelf script is added to your shop with your first launch', false],
      ['Create your first draft', true],
      ['Launch your first test', false],
      ['See which version sells more', false],
    ],
  )
  t.same(
    startLines({ ...fresh, draft: true }).map(({ isDone, isNext }) => [isDone, isNext]),
    [
      [false, false],
      [true, false],
      [false, true],
      [false, false],
    ],
  )
  t.equal(startLines({ ...fresh, draft: true })[1]!.words, 'You created your first draft')
  const switchAt = 'https://shop.example/admin/themes/1'
  t.match(
    startLines({ ...fresh, scriptSwitchAt: switchAt }),
    [
      { words: /Turn on the Twinshelf script/, isDone: false, isNext: true, address: switchAt },
      { isNext: false, address: null },
      {},
      {},
    ],
    'where the merchant must switch the script on, this comes first',
  )
  t.same(
    [
      isStarted(fresh),
      isStarted({ ...fresh, script: true, draft: true, launch: true, result: true }),
    ],
    [false, true],
  )
})

t.test('the result of an act on several tests counts successes and names failures', async t => {
  const refused = (title: string) => ({ title, message: 'It is running.' })
  t.equal(chosenOutcome('end', 1, []), 'One test has ended. Everyone sees the control.')
  t.equal(chosenOutcome('end', 3, []), '3 tests have ended. Everyone sees the control.')
  t.equal(chosenOutcome('delete-drafts', 2, []), '2 drafts are deleted.')
  t.equal(
    chosenOutcome('delete', 2, [refused('Guide')]),
    '2 tests are deleted. “Guide” is not deleted: It is running.',
  )
  t.equal(chosenOutcome('delete', 0, [refused('Guide')]), '“Guide” is not deleted: It is running.')
  t.match(
    chosenOutcome('delete', 0, ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(refused)),
    /“e” is not deleted: It is running\. 2 tests failed as well\.$/,
  )
})
