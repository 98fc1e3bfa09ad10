import { holdCause } from '../../domain/tests/hold-cause.ts'
import type { DesignGroup } from './design.tsx'
import { now, store } from './design-examples.ts'
import { tests } from './design-example-tests.ts'
import { ReportGoals } from '../reports/tabs/report-goals.tsx'
import { ReportTimeline } from '../reports/report-timeline.tsx'
import { ReportTrust } from '../reports/report-trust.tsx'
import { TestStopped } from '../tests/test-stopped.tsx'

/** The facts of the store that the parts of a report need. */
export const report = { currency: store.currency, timeZone: store.timeZone }

const charges = {
  judged: 412,
  wrong: 2,
  unmarked: 31,
  latest:
    'Order #1042 was charged $34.00 for Ash glaze mug, but visitors of the variant should pay $29.00. The cart had lost the attribute that names the buyer’s price tests: another app or the theme cleared it before checkout.',
}

/** The parts of a report below its verdict: the result by goal, the checks and the events. */
export const reportGroups: DesignGroup[] = [
  {
    id: 'result-table',
    title: 'Result by goal',
    note: 'Five goals at a glance, the chosen one arm by arm.',
    isWide: true,
    specimens: [
      {
        caption: 'With a winner',
        view: (
          <ReportGoals
            test={tests.winner}
            shown={{ goal: 'ConversionRate', metric: null }}
            store={report}
            now={now}
          />
        ),
      },
      {
        caption: 'Of money',
        view: (
          <ReportGoals
            test={tests.winner}
            shown={{ goal: 'RevenuePerSession', metric: null }}
            store={report}
            now={now}
          />
        ),
      },
      {
        caption: 'Not enough to compare',
        view: (
          <ReportGoals
            test={tests.collecting}
            shown={{ goal: 'ConversionRate', metric: null }}
            store={report}
            now={now}
          />
        ),
      },
    ],
  },
  {
    id: 'trust',
    title: 'Trust and events',
    note: 'Is the measurement sound? One line a check. And what happened, newest first.',
    specimens: [
      { caption: 'Checks passed', view: <ReportTrust test={tests.winner} store={report} /> },
      { caption: 'Split broken', view: <ReportTrust test={tests.splitBroken} store={report} /> },
      {
        caption: 'One arm is slower, and two buyers were charged otherwise',
        view: (
          <ReportTrust
            test={{ ...tests.loser, summary: { ...tests.loser.summary, charges } }}
            store={report}
          />
        ),
      },
      {
        caption: 'Nothing measured yet',
        view: <ReportTrust test={tests.collecting} store={report} />,
      },
      {
        caption: 'Stopped by the system',
        view: (
          <div class="stack">
            <TestStopped
              test={{
                ...tests.splitBroken,
                status: 'OnHold',
                kind: 'UrlRedirect',
                holdCause: holdCause('pageGone'),
              }}
            />
            <TestStopped test={{ ...tests.splitBroken, status: 'Suspended' }} />
          </div>
        ),
      },
      {
        caption: 'Events',
        view: <ReportTimeline test={tests.winner} timeZone={store.timeZone} now={now} />,
      },
    ],
  },
]
