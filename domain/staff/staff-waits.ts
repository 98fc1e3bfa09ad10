import { paths } from '../paths.ts'
import type { AppStats } from './staff-app-stats.ts'
import { type ApiHealth, type StoreTrouble, storeTroubles } from './staff-health.ts'
import type { StaffTrends } from './staff-overview.ts'
import { type TestTrouble, testTroubles } from './staff-tests.ts'

/** The data of the panel's first page. */
export type Overview = {
  stats: AppStats
  trends: StaffTrends
  tests: { troubled: number; troubles: Record<TestTrouble, number> }
  stores: { troubled: number; troubles: Record<StoreTrouble, number> }
  trials: { all: number; endThisWeek: number }
  api: ApiHealth
}
/** Something that staff should look at, and the page for it. */
export type Waits = { text: string; href: string }

const testWords: Record<TestTrouble, [one: string, many: string]> = {
  onHold: ['test on hold', 'tests on hold'],
  splitBroken: ['test with a broken traffic split', 'tests with a broken traffic split'],
  noVisitors: ['test without visitors', 'tests without visitors'],
  checkFailed: ['test that could not be checked', 'tests that could not be checked'],
  notPublished: ['test that is not published', 'tests that are not published'],
  closed: ['test whose feature is closed', 'tests whose feature is closed'],
}
const storeWords: Record<StoreTrouble, [one: string, many: string]> = {
  scriptFailing: ['store whose shop refuses the script', 'stores whose shops refuse the script'],
  scriptAmiss: ['store with the wrong script', 'stores with the wrong script'],
  noScript: ['store without a script', 'stores without a script'],
  noEvents: ['store without visitors for two days', 'stores without visitors for two days'],
  subscription: ['lapsed subscription', 'lapsed subscriptions'],
  overLimit: ['store over its visitor limit', 'stores over their visitor limit'],
  webhooksLost: ['shop that did not report everything', 'shops that did not report everything'],
}

/** What needs attention, the most urgent first; empty when nothing does. */
export function waitsOf({
  tests,
  stores,
  api,
}: Pick<Overview, 'tests' | 'stores' | 'api'>): Waits[] {
  const health = paths.admin('health/api'),
    leads = paths.admin('leads')
  return [
    ...(api.disk.isHeldBack
      ? [{ text: 'the disk is nearly full and shoppers’ events are not taken', href: health }]
      : []),
    ...(api.database.isMigrated ? [] : [{ text: 'the database is not up to date', href: health }]),
    ...(api.backups?.problem ? [{ text: 'backups fail', href: health }] : []),
    ...(api.isOneAddress ? [{ text: 'all visitors seem to have one address', href: health }] : []),
    ...testTroubles
      .filter(name => tests.troubles[name] > 0)
      .map(name => ({
        text: counted(tests.troubles[name], testWords[name]),
        href: `${paths.admin('health/tests')}?trouble=${name}`,
      })),
    ...storeTroubles
      .filter(name => stores.troubles[name] > 0)
      .map(name => ({
        text: counted(stores.troubles[name], storeWords[name]),
        href: paths.admin('health/stores'),
      })),
    ...(api.leads.open > 0
      ? [
          {
            text: counted(api.leads.open, ['plan request to answer', 'plan requests to answer']),
            href: `${leads}?state=open`,
          },
        ]
      : []),
    ...(api.leads.failing > 0
      ? [
          {
            text: counted(api.leads.failing, [
              'plan request that could not be mailed',
              'plan requests that could not be mailed',
            ]),
            href: leads,
          },
        ]
      : []),
    ...(api.jobs.errored > 0
      ? [{ text: counted(api.jobs.errored, ['failed job', 'failed jobs']), href: health }]
      : []),
    ...(api.analytics.failing > 0
      ? [
          {
            text: counted(api.analytics.failing, [
              'store that Google Analytics refuses',
              'stores that Google Analytics refuses',
            ]),
            href: health,
          },
        ]
      : []),
  ]
}

const counted = (n: number, [one, many]: [string, string]): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`
