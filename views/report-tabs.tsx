import type { ComponentChildren } from 'preact'
import type { Test } from '../domain/ab-test.ts'
import { paths } from '../domain/paths.ts'
import { routeNamed } from '../domain/routes.ts'
import { Icon } from './icons.tsx'
import { Island } from './island.tsx'
import { swaps } from './list-links.tsx'
import { ReportHead, type OpenDialog } from './report-head.tsx'
import { noFilters, reportTabs, tabPath, type ReportTab, type TabFilters } from './report-tab-links.tsx'
import { TestStopped } from './test-stopped.tsx'

export const tabLabel = (tab: ReportTab): string => (tab === 'overview' ? 'Overview' : routeNamed(`report-${tab}`).title)

type FrameProps = {
  test: Test
  tab: ReportTab
  /** Go along to the other tabs that have them. */
  filters?: TabFilters
  timeZone: string
  now: Date
  dialog?: OpenDialog | undefined
  children: ComponentChildren
}

/** What every tab of a report has around it. A tab is swapped in place, so that the page keeps where it was scrolled to. */
export function ReportFrame({ test, tab, filters = noFilters, timeZone, now, dialog, children }: FrameProps) {
  return (
    <>
      <ReportHead test={test} timeZone={timeZone} now={now} dialog={dialog} />
      <TestStopped test={test} />
      <Island id="downloads" name="downloads" props={{ orders: test.summary.ledger.total.orders }} />
      <div id="panel" class="stack report-panel">
        <nav class="tabs" aria-label="Report" {...swaps('#panel')}>
          {reportTabs.map(name => <a key={name} id={`tab-${name}`} href={hrefOf(test.id, name, filters)} aria-current={name === tab ? 'page' : undefined}>{tabLabel(name)}</a>)}
        </nav>
        {tab !== 'overview' && test.summary.split.broken && (
          <div class="banner" data-tone="bad" role="status"><Icon name="warning" /><div>The traffic split is broken, so control and variant cannot be compared. <a href={`${paths.report(test.id)}#trust`}>See where</a></div></div>
        )}
        {children}
      </div>
    </>
  )
}

/** The overview and the products are of the whole test: no filter is laid on them. */
const hrefOf = (testId: string, tab: ReportTab, { device, visitors, channels, country }: TabFilters): string =>
  tab === 'overview' ? paths.report(testId) : tab === 'products' ? tabPath({ testId, tab }) : tabPath({ testId, tab, device, visitors, channels, country })
