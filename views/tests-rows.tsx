import type { TestListItem } from '../domain/ab-test.ts'
import type { Output } from '../domain/contract.ts'
import { fullDaysOf } from '../domain/daily-visitors.ts'
import { formatCount, formatDate, formatMoment, formatNearDate } from '../domain/figures.ts'
import { goals } from '../domain/goal.ts'
import { liftAxis, type LiftAxis } from '../domain/lift-axis.ts'
import { paths } from '../domain/paths.ts'
import { plannedDays } from '../domain/planned-end.ts'
import { shopTime } from '../domain/shop-time.ts'
import { testKinds } from '../domain/test-kind.ts'
import { isBrokenVerdict, notCompared } from '../domain/uncompared.ts'
import { SortHead, swaps, type ListState } from './list-links.tsx'
import { Chance, Interval, IntervalAxis, Lift, StatusBadge, VerdictBadge, type Tone } from './result.tsx'
import { DraftMenu, RowMenu } from './row-menu.tsx'
import { Sparkline } from './sparkline.tsx'
import { Tick, TickHead } from './tests-chosen.tsx'

const headSwaps = swaps('#rows')
const goalName = (goal: TestListItem['goal']) => <abbr title={goals[goal].label}>{goals[goal].short}</abbr>
const dayLength = 86_400_000

export function TestRows({ state, tests, timeZone, now }: { state: ListState; tests: TestListItem[]; timeZone: string; now: Date }) {
  const axis = liftAxis(tests.flatMap(({ result }) => result ?? []))
  return (
    <>
      <thead {...headSwaps}>
        <tr>
          <TickHead />
          <SortHead state={state} sort="title" label="Test" class="col-test" />
          <th scope="col" class="col-status">Status</th>
          <SortHead state={state} sort="visitors" label="Visitors" class="col-count num" />
          <SortHead state={state} sort="lift" label="Lift" class="col-lift-figure num" />
          <th scope="col"><span class="visually-hidden">Interval</span><IntervalAxis axis={axis} /></th>
          <SortHead state={state} sort="chanceToWin" label="Chance to win" class="col-chance" />
          <th scope="col" class="col-verdict">Verdict</th>
          <th scope="col" class="col-acts"><span class="visually-hidden">Actions</span></th>
        </tr>
      </thead>
      <tbody>{tests.map(test => <TestRow key={test.id} state={state} test={test} axis={axis} timeZone={timeZone} now={now} />)}</tbody>
    </>
  )
}

function TestRow({ state, test, axis, timeZone, now }: { state: ListState; test: TestListItem; axis: LiftAxis; timeZone: string; now: Date }) {
  const { result, verdict } = test
  const tone = toneOf(test)
  return (
    <tr>
      <Tick id={test.id} title={test.title} />
      <th scope="row"><a class="cell-link" href={paths.report(test.id)}><b>{test.title}</b><span>{testKinds[test.kind].label} · {test.isImported ? <span class="demo-label" title="Taken in from a file of a past experiment">Imported</span> : pagesOf(test)}</span></a></th>
      <td><StatusBadge status={test.status} /><Sub text={progressOf(test, timeZone, now)} /></td>
      <td class="num">{formatCount(test.visitors)}{test.daily && <Sparkline days={fullDaysOf(test.daily, shopTime(test.endedAt ?? now.toISOString(), timeZone).slice(0, 10))} />}</td>
      <td class="num"><Lift value={result?.lift ?? null} tone={tone} /><span class="cell-sub">{goalName(test.goal)}</span></td>
      <td class="interval-cell"><Interval lift={result?.lift ?? null} interval={result?.interval ?? null} axis={axis} tone={tone} /></td>
      <td><ChanceCell result={result} verdict={verdict} tone={tone} /></td>
      <td>{verdict ? <VerdictBadge verdict={verdict} status={test.status} /> : <span class="muted">–</span>}<Sub text={remainderOf(test, timeZone, now)} /></td>
      <td class="col-acts"><RowMenu state={state} test={test} /></td>
    </tr>
  )
}

const Sub = ({ text }: { text: string | null }) => text && <span class="cell-sub">{text}</span>

/** Colour says something only once a verdict is reached: before, a lead is a lead of chance. */
const toneOf = ({ verdict }: TestListItem): Tone =>
  verdict?.kind === 'winner' ? 'good' : verdict?.kind === 'loser' ? 'bad' : 'neutral'

function ChanceCell({ result, verdict, tone }: Pick<TestListItem, 'result' | 'verdict'> & { tone: Tone }) {
  if (!result) return <span class="muted">–</span>
  if (result.chanceToWin !== null) return <Chance value={result.chanceToWin} tone={tone} />
  if (isBrokenVerdict(verdict)) return <span class="muted" title={notCompared}>Not compared</span>
  const { missing, arms } = result
  if (!missing) return <span class="muted">–</span>
  const lack = Math.max(...missing.visitors)
  if (lack > 0) {
    const have = arms[missing.visitors[0] === lack ? 0 : 1].visitors
    return <>{formatCount(have)} of {formatCount(have + lack)}<span class="cell-sub">visitors per arm</span></>
  }
  const { conversions, conversionsPerArm: [control, variant] = [0, 0] } = missing
  // Once there are enough in all, what an arm still lacks of its own.
  const [have, short, where] = conversions > 0 ? [arms[0].count + arms[1].count, conversions, ''] : control > variant ? [arms[0].count, control, ' in control'] : [arms[1].count, variant, ' in the variant']
  return <>{formatCount(have)} of {formatCount(have + short)}<span class="cell-sub">{goals[result.goal].counted.toLowerCase()}{where}</span></>
}

function pagesOf({ kind, pages: [first, ...others] }: TestListItem): string {
  if (first === undefined || first === '*') return testKinds[kind].where
  return others.length > 0 ? `${first} and ${others.length} more` : first
}

function progressOf({ status, startAt, endsAt, endedAt, createdAt }: TestListItem, timeZone: string, now: Date): string | null {
  if (endedAt) return formatDate(endedAt, timeZone)
  if (!startAt) return `Created ${formatNearDate(createdAt, timeZone, now)}`
  if (status !== 'Active') return `Since ${formatNearDate(startAt, timeZone, now)}`
  const day = Math.max(1, Math.ceil((now.getTime() - Date.parse(startAt)) / dayLength))
  const planned = endsAt === null ? null : plannedDays(startAt, endsAt)
  return planned !== null && day <= planned ? `Day ${day} of ${planned}` : `Day ${day}`
}

function remainderOf({ status, endsAt, verdict, appliedAt }: TestListItem, timeZone: string, now: Date): string | null {
  if (appliedAt) return `Applied ${formatDate(appliedAt, timeZone)}`
  if (status === 'Ended') return verdict?.reachedAt ? `Since ${formatNearDate(verdict.reachedAt, timeZone, now)}` : null
  if (!endsAt) return null
  const days = Math.ceil((Date.parse(endsAt) - now.getTime()) / dayLength)
  return days < 1 ? 'Planned end passed' : days === 1 ? '1 day left' : `${formatCount(days)} days left`
}

export function DraftRows({ state, drafts, timeZone }: { state: ListState; drafts: Output<'tests'>['drafts']; timeZone: string }) {
  return (
    <>
      <thead {...headSwaps}>
        <tr>
          <TickHead />
          <SortHead state={state} sort="title" label="Draft" class="col-test" />
          <th scope="col">Kind</th><th scope="col">Goal</th>
          <SortHead state={state} sort="createdAt" label="Created" />
          <th scope="col">Last saved</th>
          <th scope="col" class="col-acts"><span class="visually-hidden">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        {drafts.map(draft => (
          <tr key={draft.id}>
            <Tick id={draft.id} title={draft.title.trim() || 'Untitled draft'} />
            <th scope="row"><a class="cell-link" href={paths.draft(draft.id)}><b>{draft.title || 'Untitled draft'}</b></a></th>
            <td>{testKinds[draft.kind].label}</td>
            <td>{goalName(draft.goal)}</td>
            <td>{formatDate(draft.createdAt, timeZone)}</td>
            <td>{formatMoment(draft.updatedAt, timeZone)}</td>
            <td class="col-acts"><DraftMenu state={state} draft={draft} /></td>
          </tr>
        ))}
      </tbody>
    </>
  )
}
