import type { TestListItem } from '../../domain/tests/ab-test.ts'
import { fullDaysOf } from '../../domain/tests/daily-visitors.ts'
import { formatCount, formatDate, formatNearDate } from '../../domain/figures.ts'
import { goals } from '../../domain/reports/goal.ts'
import { liftAxis, type LiftAxis } from '../../domain/reports/lift-axis.ts'
import { paths } from '../../domain/paths.ts'
import { plannedDays } from '../../domain/tests/planned-end.ts'
import { shopTime } from '../../domain/stores/shop-time.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { isBrokenVerdict, notCompared } from '../../domain/reports/uncompared.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import { SortHead, type ListState } from '../list-links.tsx'
import {
  Chance,
  Interval,
  IntervalAxis,
  Lift,
  StatusBadge,
  VerdictBadge,
  type Tone,
} from '../result.tsx'
import { RowButton } from '../row-menu.tsx'
import { Sparkline } from '../sparkline.tsx'
import { ActsHead, Cell, goalName, Head, headSwaps } from './tests-cells.tsx'
import { Tick, TickHead } from './tests-chosen.tsx'

export function TestRows({
  state,
  tests,
  timeZone,
  now,
}: {
  state: ListState
  tests: TestListItem[]
  timeZone: string
  now: Date
}) {
  const axis = liftAxis(tests.flatMap(({ result }) => result ?? []))
  return (
    <>
      <thead role="rowgroup" {...headSwaps}>
        <tr role="row" data-label="Sort by">
          <TickHead />
          <SortHead state={state} sort="title" label="Test" />
          <Head>Status</Head>
          <SortHead state={state} sort="visitors" label="Visitors" class="num" />
          <SortHead state={state} sort="lift" label="Lift" class="num" />
          <Head>
            <span class="visually-hidden">Interval</span>
            <IntervalAxis axis={axis} />
          </Head>
          <SortHead state={state} sort="chanceToWin" label="Chance to win" />
          <Head>Verdict</Head>
          <ActsHead />
        </tr>
      </thead>
      <tbody role="rowgroup">
        {tests.map((test, i) => (
          <TestRow
            key={test.id}
            isScreenEnd={i === rowsOfScreen}
            test={test}
            axis={axis}
            timeZone={timeZone}
            now={now}
          />
        ))}
      </tbody>
    </>
  )
}

/** About as many rows as a window of ordinary height shows below the head of the page. */
const rowsOfScreen = 9

function TestRow({
  isScreenEnd,
  test,
  axis,
  timeZone,
  now,
}: {
  isScreenEnd: boolean
  test: TestListItem
  axis: LiftAxis
  timeZone: string
  now: Date
}) {
  const { result, verdict } = test
  const tone = toneOf(test)
  return (
    <tr role="row">
      <Tick id={test.id} title={test.title} />
      <th role="rowheader" scope="row">
        <a class="cell-link" href={paths.report(test.id)}>
          <b>{test.title}</b>
          <span>
            {testKinds[test.kind].label} ·{' '}
            {test.isImported ? (
              <span class="origin-label" title="Imported from a file of a past experiment">
                Imported
              </span>
            ) : (
              pagesOf(test)
            )}
          </span>
        </a>
      </th>
      <Cell>
        <StatusBadge status={test.status} />
        <Sub text={progressOf(test, timeZone, now)} />
      </Cell>
      <Cell class="num" label="Visitors">
        {formatCount(test.visitors)}
        {test.daily && (
          <Sparkline
            days={fullDaysOf(
              test.daily,
              shopTime(test.endedAt ?? now.toISOString(), timeZone).slice(0, 10),
            )}
          />
        )}
      </Cell>
      <Cell class="num" label="Lift">
        <Lift value={result?.lift ?? null} tone={tone} />
        <span class="cell-sub">{goalName(test.goal)}</span>
      </Cell>
      <Cell class="interval-cell">
        <Interval
          lift={result?.lift ?? null}
          interval={result?.interval ?? null}
          axis={axis}
          tone={tone}
          hasWords
        />
      </Cell>
      <Cell label="Chance to win">
        <ChanceCell result={result} verdict={verdict} tone={tone} />
      </Cell>
      <Cell>
        {verdict ? (
          <VerdictBadge verdict={verdict} status={test.status} />
        ) : (
          <span class="muted">–</span>
        )}
        <Sub text={remainderOf(test, timeZone, now)} />
      </Cell>
      <Cell class="col-acts">
        <RowButton id={test.id} title={test.title} isScreenEnd={isScreenEnd} />
      </Cell>
    </tr>
  )
}

const Sub = ({ text }: { text: string | null }) => text && <span class="cell-sub">{text}</span>

/** Results have a colour only after a verdict: before it, a lead may be chance. */
const toneOf = ({ verdict }: TestListItem): Tone =>
  verdict?.kind === 'winner' ? 'good' : verdict?.kind === 'loser' ? 'bad' : 'neutral'

function ChanceCell({
  result,
  verdict,
  tone,
}: Pick<TestListItem, 'result' | 'verdict'> & { tone: Tone }) {
  if (!result) return <span class="muted">–</span>
  if (result.chanceToWin !== null) return <Chance value={result.chanceToWin} tone={tone} />
  if (isBrokenVerdict(verdict))
    return (
      <span class="muted" title={notCompared}>
        Not compared
      </span>
    )
  const { missing, arms } = result
  if (!missing) return <span class="muted">–</span>
  const lack = Math.max(...missing.visitors)
  if (lack > 0) {
    const have = arms[missing.visitors[0] === lack ? 0 : 1].visitors
    return (
      <>
        {formatCount(have)} of {formatCount(have + lack)}
        <span class="cell-sub">visitors per arm</span>
      </>
    )
  }
  const { conversions, conversionsPerArm: [control, variant] = [0, 0] } = missing
  // Once both arms together have enough, show what a single arm still lacks.
  const [have, short, where] =
    conversions > 0
      ? [arms[0].count + arms[1].count, conversions, '']
      : control > variant
        ? [arms[0].count, control, ' in control']
        : [arms[1].count, variant, ' in the variant']
  return (
    <>
      {formatCount(have)} of {formatCount(have + short)}
      <span class="cell-sub">
        {goals[result.goal].counted.toLowerCase()}
        {where}
      </span>
    </>
  )
}

function pagesOf({ kind, pages: [first, ...others] }: TestListItem): string {
  if (first === undefined || first === '*') return testKinds[kind].where
  return others.length > 0 ? `${first} and ${others.length} more` : first
}

function progressOf(
  { status, startAt, endsAt, endedAt, createdAt }: TestListItem,
  timeZone: string,
  now: Date,
): string | null {
  if (endedAt) return formatDate(endedAt, timeZone)
  if (!startAt) return `Created ${formatNearDate(createdAt, timeZone, now)}`
  if (status !== 'Active') return `Since ${formatNearDate(startAt, timeZone, now)}`
  const day = Math.max(1, Math.ceil((now.getTime() - Date.parse(startAt)) / dayLength))
  const planned = endsAt === null ? null : plannedDays(startAt, endsAt)
  return planned !== null && day <= planned ? `Day ${day} of ${planned}` : `Day ${day}`
}

function remainderOf(
  { status, endsAt, verdict, appliedAt }: TestListItem,
  timeZone: string,
  now: Date,
): string | null {
  if (appliedAt) return `Applied ${formatDate(appliedAt, timeZone)}`
  if (status === 'Ended')
    return verdict?.reachedAt ? `Since ${formatNearDate(verdict.reachedAt, timeZone, now)}` : null
  if (!endsAt) return null
  const days = Math.ceil((Date.parse(endsAt) - now.getTime()) / dayLength)
  return days < 1
    ? 'Planned end passed'
    : days === 1
      ? '1 day left'
      : `${formatCount(days)} days left`
}
