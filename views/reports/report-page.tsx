import type { Test } from '../../domain/tests/ab-test.ts'
import type { DailyPoint } from '../../domain/reports/summary.ts'
import { Icon } from '../icons.tsx'
import { ReportCharts } from './report-charts.tsx'
import { ReportGoals } from './tabs/report-goals.tsx'
import type { Capability } from '../../domain/access.ts'
import type { OpenDialog } from './report-head.tsx'
import { chosenOf, type Overview } from './report-links.ts'
import { PrintGoals } from './report-print.tsx'
import { ReportFrame } from './tabs/report-tabs.tsx'
import { ReportTimeline } from './report-timeline.tsx'
import { ReportTrust } from './report-trust.tsx'
import { ReportVerdict } from './report-verdict.tsx'

export type ReportProps = {
  test: Test
  /** What is shown below the verdict, which is always about the primary goal. */
  shown: Overview
  daily: DailyPoint[]
  running: DailyPoint[]
  store: { name: string; domain: string; currency: string; timeZone: string }
  now: Date
  /** The capability that the test needs and the store no longer has. */
  closed?: Capability | null
  /** Whether the plan opens the types of orders. */
  showsTypes?: boolean
  orderWindow?: string | null
  carried?: Record<string, string>
  notice?: { tone: 'good' | 'bad'; text: string }
  dialog?: OpenDialog | undefined
}

/** The report's overview: did it work, by how much, and can the figures be trusted? */
export function ReportPage({
  test,
  shown,
  daily,
  running,
  store,
  now,
  carried,
  notice,
  dialog,
  closed = null,
  showsTypes,
  orderWindow = null,
}: ReportProps) {
  const { currency, timeZone } = store
  return (
    <ReportFrame
      test={test}
      tab="overview"
      chosen={chosenOf(test, shown)}
      store={store}
      now={now}
      closed={closed}
      dialog={dialog}
    >
      {notice && (
        <div
          class="banner"
          data-tone={notice.tone}
          role={notice.tone === 'bad' ? 'alert' : 'status'}
        >
          <Icon name={notice.tone === 'bad' ? 'warning' : 'check'} />
          <div>{notice.text}</div>
        </div>
      )}
      <ReportVerdict test={test} now={now} currency={currency} timeZone={timeZone} />
      <div class="stack report-result" id="result">
        <ReportGoals test={test} shown={shown} store={store} now={now} />
        <PrintGoals test={test} currency={currency} />
        <ReportCharts
          test={test}
          shown={shown}
          daily={daily}
          running={running}
          currency={currency}
          timeZone={timeZone}
          {...(carried && { carried })}
        />
      </div>
      <div class="columns-wide-narrow">
        <ReportTrust
          test={test}
          store={store}
          shown={shown}
          orderWindow={orderWindow}
          {...(showsTypes !== undefined && { showsTypes })}
        />
        <ReportTimeline test={test} timeZone={timeZone} now={now} />
      </div>
    </ReportFrame>
  )
}
