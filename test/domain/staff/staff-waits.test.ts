import t from 'tap'
import { storeTroubles } from '../../../domain/staff/staff-health.ts'
import { type TestFacts, testTroubles, troublesOf } from '../../../domain/staff/staff-tests.ts'
import { waitsOf } from '../../../domain/staff/staff-waits.ts'

const none = <T extends string>(names: readonly T[]) =>
  Object.fromEntries(names.map(name => [name, 0])) as Record<T, number>
const nothing = { message: '', at: '2026-11-01T00:00:00Z', shop: 'a.test' }
const api = {
  version: '1',
  node: '24',
  startedAt: '2026-11-01T00:00:00Z',
  memory: 1,
  database: { kind: 'pglite' as const, milliseconds: 1, bytes: 1, migrations: 1, isMigrated: true },
  disk: { space: { free: 10, size: 20 }, isHeldBack: false },
  backups: { newestAt: null, problem: null },
  jobs: {
    due: 0,
    oldestDueAt: null,
    later: 0,
    active: 0,
    retrying: 0,
    errored: 0,
    newestError: null,
  },
  scripts: { waiting: 0, failing: 0, newestError: null },
  reportsWaiting: 0,
  hubConnections: 0,
  isOneAddress: false,
  analytics: { enabled: 0, failing: 0, newestError: null },
  leads: { address: null, isMailOn: true, open: 0, failing: 0 },
}
const tests = { troubled: 0, troubles: none(testTroubles) },
  stores = { troubled: 0, troubles: none(storeTroubles) }

t.test(
  'without problems there is no line; each problem has a line with its count and links to its page',
  async t => {
    t.same(waitsOf({ tests, stores, api }), [])
    const waits = waitsOf({
      tests: { troubled: 2, troubles: { ...tests.troubles, onHold: 2 } },
      stores: { troubled: 1, troubles: { ...stores.troubles, subscription: 1 } },
      api: {
        ...api,
        jobs: { ...api.jobs, errored: 1, newestError: { ...nothing, kind: 'uninstall' } },
        disk: { space: null, isHeldBack: true },
        backups: { newestAt: null, problem: 'No room.' },
        database: { ...api.database, isMigrated: false },
        isOneAddress: true,
        leads: { ...api.leads, open: 2, failing: 1 },
      },
    })
    t.same(
      waits.map(({ text }) => text),
      [
        'the disk is nearly full and shoppers’ events are not taken',
        'the database is not up to date',
        'backups fail',
        'all visitors seem to have one address',
        '2 tests on hold',
        '1 lapsed subscription',
        '2 plan requests to answer',
        '1 plan request that could not be mailed',
        '1 failed job',
      ],
    )
    t.same(
      waits.map(({ href }) => href),
      [
        '/admin/health/api',
        '/admin/health/api',
        '/admin/health/api',
        '/admin/health/api',
        '/admin/health/tests?trouble=onHold',
        '/admin/health/stores',
        '/admin/leads?state=open',
        '/admin/leads',
        '/admin/health/api',
      ],
    )
  },
)

t.test('the problems of a running or held test', async t => {
  const now = new Date('2026-11-20T12:00:00Z'),
    since = new Date('2026-11-10T12:00:00Z')
  const sound: TestFacts = {
    status: 'Active',
    holdCause: null,
    verdict: 'collecting',
    isSplitBroken: false,
    since,
    yesterday: '2026-11-19',
    lastDay: '2026-11-19',
    checkError: null,
    publishError: null,
    closed: null,
  }
  const said = (over: Partial<TestFacts>) =>
    troublesOf({ ...sound, ...over }, now).map(({ trouble, message }) => `${trouble}: ${message}`)
  t.same(said({}), [])
  t.same(said({ lastDay: '2026-11-18' }), ['noVisitors: The last visitor came on 2026-11-18.'])
  t.same(said({ lastDay: null }), ['noVisitors: It has not had a visitor yet.'])
  for (const recent of [null, new Date('2026-11-19T12:00:00Z')])
    t.same(said({ since: recent, lastDay: null }), [], 'the test has run for less than a day')
  t.same(said({ verdict: 'splitBroken' }), [
    'splitBroken: The arms do not get the visitors they should.',
  ])
  t.same(said({ isSplitBroken: true, checkError: 'No answer.', publishError: 'Refused.' }), [
    'splitBroken: The arms do not get the visitors they should.',
    'checkFailed: No answer.',
    'notPublished: Refused.',
  ])
  t.same(said({ closed: 'UrlRedirectTests' }), [
    'closed: Its store no longer has this feature: URL redirect tests. It runs to its end, and cannot start again after a pause.',
  ])
  t.same(
    said({
      status: 'OnHold',
      closed: 'PriceTesting',
      holdCause: { cause: 'pageGone', message: 'The page is gone.' } as TestFacts['holdCause'],
    }),
    [
      'onHold: The page is gone.',
      'closed: Its store no longer has this feature: Price testing. It cannot start again.',
    ],
  )
  t.same(
    said({
      status: 'OnHold',
      closed: 'PriceTesting',
      holdCause: { cause: 'notIncluded', message: 'Not included.' } as TestFacts['holdCause'],
    }),
    ['onHold: Not included.'],
    'a hold for the same reason says it already',
  )
  const held = { status: 'OnHold', lastDay: null, checkError: 'No answer.' } as const
  t.same(
    said({
      ...held,
      holdCause: { cause: 'pageGone', message: 'The page is gone.' } as TestFacts['holdCause'],
    }),
    ['onHold: The page is gone.'],
    'a held test has only the reason of its hold',
  )
  t.same(
    said({
      ...held,
      isSplitBroken: true,
      holdCause: { cause: 'splitBroken', message: 'Broken.' } as TestFacts['holdCause'],
    }),
    ['onHold: Broken.'],
    'a broken split is listed once',
  )
  t.equal(said(held).length, 1)
})
