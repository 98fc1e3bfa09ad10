import type { Test } from '../domain/ab-test.ts'
import type { Goal } from '../domain/goal.ts'
import type { DailyPoint } from '../domain/summary.ts'
import { Icon } from './icons.tsx'
import { ReportCharts } from './report-charts.tsx'
import { ReportGoals } from './report-goals.tsx'
import type { OpenDialog } from './report-head.tsx'
import { ReportFrame } from './report-tabs.tsx'
import { ReportTimeline } from './report-timeline.tsx'
import { ReportTrust } from './report-trust.tsx'
import { ReportVerdict } from './report-verdict.tsx'

export type ReportProps = {
  test: Test
  /** The goal shown below the verdict, which is always about the primary one. */
  goal: Goal
  daily: DailyPoint[]
  store: { currency: string; timeZone: string }
  now: Date
  notice?: { tone: 'good' | 'bad'; text: string }
  dialog?: OpenDialog | undefined
}

/** The report's overview: did it work, by how much, and can the figures be trusted? */
export function ReportPage({ test, goal, daily, store, now, notice, dialog }: ReportProps) {
  return (
    <ReportFrame test={test} tab="overview" timeZone={store.timeZone} now={now} dialog={dialog}>
      {notice && <div class="banner" data-tone={notice.tone} role={notice.tone === 'bad' ? 'alert' : 'status'}><Icon name={notice.tone === 'bad' ? 'warning' : 'check'} /><div>{notice.text}</div></div>}
      <ReportVerdict test={test} now={now} {...store} />
      <div class="stack report-result" id="result">
        <ReportGoals test={test} goal={goal} store={store} />
        <ReportCharts test={test} goal={goal} daily={daily} {...store} />
      </div>
      <div class="columns-wide-narrow">
        <ReportTrust test={test} store={store} />
        <ReportTimeline test={test} timeZone={store.timeZone} />
      </div>
    </ReportFrame>
  )
}
