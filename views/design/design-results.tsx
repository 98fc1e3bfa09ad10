import { goalNames, goals } from '../../domain/reports/goal.ts'
import { liftAxis } from '../../domain/reports/lift-axis.ts'
import { testStatuses } from '../../domain/tests/test-status.ts'
import { verdictBadge } from '../../domain/reports/verdict-words.ts'
import type { DesignGroup } from './design.tsx'
import { listItem, tests } from './design-example-tests.ts'
import { now, store } from './design-examples.ts'
import { report } from './design-report.tsx'
import { resultOf, toneOf } from '../reports/tabs/report-goals-result.ts'
import { ReportVerdict } from '../reports/report-verdict.tsx'
import {
  Chance,
  DraftBadge,
  Interval,
  IntervalAxis,
  Lift,
  StatusBadge,
  VerdictBadge,
  type Tone,
} from '../result.tsx'
import { TestsEmpty } from '../tests/tests-empty.tsx'
import { TestRows } from '../tests/tests-rows.tsx'

const all = Object.values(tests)
const readings: [
  words: string,
  tone: Tone,
  lift: number | null,
  interval: readonly [number, number] | null,
  chance: number | null,
][] = [
  ['Clear of zero, better', 'good', 0.128, [0.06, 0.197], 0.9991],
  ['Clear of zero, worse', 'bad', -0.167, [-0.24, -0.09], 0.0004],
  ['Covers zero, or no verdict yet', 'neutral', 0.033, [-0.06, 0.127], 0.598],
  ['Reaches beyond the axis', 'neutral', 0.12, [-0.4, 1.64], 0.81],
  ['Far from zero', 'good', 0.61, [0.53, 0.7], 0.9999],
  ['Not enough data', 'neutral', null, null, null],
]

const readingsAxis = liftAxis(
  readings.slice(0, 4).map(([, , lift, interval]) => ({ lift, interval })),
)

const Readings = () => (
  <div class="card table-scroll">
    <table class="table table-rows">
      <caption class="visually-hidden">Readings</caption>
      <thead>
        <tr>
          <th scope="col">Reading</th>
          <th scope="col" class="col-lift-figure num">
            Lift
          </th>
          <th scope="col">
            <span class="visually-hidden">90% interval</span>
            <IntervalAxis axis={readingsAxis} />
          </th>
          <th scope="col" class="col-chance">
            Chance to win
          </th>
        </tr>
      </thead>
      <tbody>
        {readings.map(([words, tone, lift, interval, chance]) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            <td class="num">
              <Lift value={lift} tone={tone} />
            </td>
            <td class="interval-cell">
              <Interval lift={lift} interval={interval} axis={readingsAxis} tone={tone} />
            </td>
            <td>
              {chance === null ? (
                <span class="muted">–</span>
              ) : (
                <Chance value={chance} tone={tone} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Rows = () => (
  <div class="card table-scroll">
    <table role="table" class="table table-rows table-cards table-tests">
      <caption class="visually-hidden">Tests</caption>
      <TestRows
        state={{
          tab: 'Active',
          search: '',
          kind: null,
          goal: null,
          sort: 'visitors',
          descending: true,
          page: 0,
          perPage: 20,
        }}
        tests={all.map(listItem)}
        timeZone={store.timeZone}
        now={now}
      />
    </table>
  </div>
)

const moved = {
  ...tests.leaning,
  summary: {
    ...tests.leaning.summary,
    verdict: {
      kind: 'winner' as const,
      reachedAt: tests.leaning.summary.updatedAt,
      lift: 0.142,
      chanceToWin: 0.976,
    },
  },
}

export const resultGroups: DesignGroup[] = [
  {
    id: 'statuses',
    title: 'Status and verdict',
    note: 'Status: what a test is doing. Verdict: what it has found; only what was reached stands on a ground of its own.',
    specimens: [
      {
        caption: 'Status',
        view: (
          <div class="row">
            {testStatuses.map(status => (
              <StatusBadge key={status} status={status} />
            ))}
            <DraftBadge />
          </div>
        ),
      },
      {
        caption: 'Verdict',
        view: (
          <div class="row">
            {all.map(({ id, summary }) => (
              <VerdictBadge key={id} verdict={summary.verdict} />
            ))}
          </div>
        ),
      },
      {
        caption: 'Goals',
        view: (
          <div class="row">
            {goalNames.map(goal => (
              <span key={goal}>
                <abbr title={goals[goal].label}>{goals[goal].short}</abbr>{' '}
                <Lift value={resultOf(tests.winner, goal).lift} tone={toneOf(tests.winner, goal)} />
              </span>
            ))}
          </div>
        ),
      },
    ],
  },
  {
    id: 'intervals',
    title: 'Interval and chance',
    note: 'The lift’s 90% interval to scale on one axis per column that fits its rows; the dot is the lift. Chance: ticks at 5% and 95%.',
    isWide: true,
    specimens: [{ caption: 'Readings', view: <Readings /> }],
  },
  {
    id: 'verdicts',
    title: 'Verdict',
    note: 'One sentence that answers whether it worked, why that can be said, and what to do.',
    isWide: true,
    specimens: [
      ...all.map(test => ({
        caption: verdictBadge(test.summary.verdict).label,
        view: <ReportVerdict test={test} now={now} {...report} />,
      })),
      {
        caption: 'Reached, and moved on since',
        view: <ReportVerdict test={moved} now={now} {...report} />,
      },
    ],
  },
  {
    id: 'tests-list',
    title: 'Tests list',
    note: 'The whole first cell is the link; heads sort.',
    isWide: true,
    specimens: [{ caption: 'One row a verdict', view: <Rows /> }],
  },
  {
    id: 'empty',
    title: 'Empty lists',
    note: 'An empty state says what would be there, and what to do next.',
    specimens: [
      {
        caption: 'Nothing yet',
        view: (
          <div class="card">
            <TestsEmpty
              tab="Active"
              filter={{ search: '', kind: null, goal: null }}
              hasAny={false}
            />
          </div>
        ),
      },
      {
        caption: 'Nothing found',
        view: (
          <div class="card">
            <TestsEmpty tab="Ended" filter={{ search: 'gift', kind: 'Theme', goal: null }} hasAny />
          </div>
        ),
      },
    ],
  },
]
