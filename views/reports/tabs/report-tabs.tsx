import type { ComponentChildren } from 'preact'
import type { Test } from '../../../domain/tests/ab-test.ts'
import { paths } from '../../../domain/paths.ts'
import { Icon } from '../../icons.tsx'
import { Island } from '../../island.tsx'
import { swaps } from '../../list-links.tsx'
import { ReportHead, type OpenDialog } from '../report-head.tsx'
import { chosenQuery, type Chosen } from '../report-links.ts'
import { PrintHead } from '../report-print.tsx'
import type { Capability } from '../../../domain/access.ts'
import { reportTabs, tabLabel, type ReportTab } from '../../../domain/reports/report-tab.ts'
import { TestClosed } from '../../tests/test-closed.tsx'
import { TestStopped } from '../../tests/test-stopped.tsx'

type FrameProps = {
  test: Test
  tab: ReportTab
  /** Choices that the links to all tabs carry along. */
  chosen: Chosen
  /** The filters of this tab's figures, in words. */
  narrowed?: readonly string[]
  store: { name: string; domain: string; timeZone: string }
  now: Date
  /** The capability that the test needs and the store no longer has. */
  closed?: Capability | null
  dialog?: OpenDialog | undefined
  children: ComponentChildren
}

/**
 * The frame around every tab of a report. htmx replaces only the tab, so that the page keeps its
 * scroll position.
 */
export function ReportFrame({
  test,
  tab,
  chosen,
  narrowed = [],
  store,
  now,
  closed = null,
  dialog,
  children,
}: FrameProps) {
  return (
    <>
      <ReportHead test={test} timeZone={store.timeZone} now={now} dialog={dialog} />
      <TestStopped test={test} />
      <TestClosed status={test.status} closed={closed} />
      <Island
        isLater
        id="downloads"
        name="downloads"
        props={{ orders: test.summary.ledger.total.orders }}
      />
      <div id="panel" class="stack report-panel">
        <nav class="tabs" aria-label="Report" {...swaps('#panel')}>
          {reportTabs.map(name => (
            <a
              key={name}
              id={`tab-${name}`}
              href={hrefOf(test.id, name, chosen)}
              aria-current={name === tab ? 'page' : undefined}
            >
              {tabLabel(name)}
            </a>
          ))}
        </nav>
        <PrintHead test={test} store={store} now={now} narrowed={narrowed} />
        {tab !== 'overview' && test.summary.split.broken && (
          <div class="banner" data-tone="bad" role="status">
            <Icon name="warning" />
            <div>
              The traffic split is broken, so control and variant cannot be compared.{' '}
              <a href={`${hrefOf(test.id, 'overview', chosen)}#trust`}>See where</a>
            </div>
          </div>
        )}
        {children}
      </div>
    </>
  )
}

/**
 * Path of a tab with all choices. The overview and the products cover the whole test and ignore
 * filters, but carry them along for the other tabs.
 */
function hrefOf(testId: string, tab: ReportTab, chosen: Chosen): string {
  const query = chosenQuery(chosen),
    path = tab === 'overview' ? paths.report(testId) : paths.report(testId, tab)
  return query.size > 0 ? `${path}?${query}` : path
}
