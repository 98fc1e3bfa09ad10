import type { Test, TestEvent } from './ab-test.ts'
import { formatCount, formatLift } from '../figures.ts'
import { statusLabels, type TestStatus } from './test-status.ts'

export type TimelineLine = {
  title: string
  detail: string | null
  tone?: 'good' | 'bad' | 'warn' | 'accent'
  mark: TimelineMark
}
/** The icon of an event. */
export type TimelineMark =
  | 'created'
  | 'changed'
  | 'started'
  | 'stopped'
  | 'trouble'
  | 'ended'
  | 'verdict'
  | 'progress'
  | 'visitors'
  | 'applied'

type Told = Pick<Test, 'events' | 'statusHistory' | 'automaticallyEndAt' | 'launchAt'>

/**
 * A test's events in plain words, the oldest first. There are nine kinds (requirements 8.14); the
 * history of the status tells apart events of one kind, for example paused and suspended.
 */
export function timelineOf(test: Told): { event: TestEvent; line: TimelineLine }[] {
  return test.events.map((event, i) => ({
    event,
    line: words[event.kind](event, test.events.slice(0, i), test),
  }))
}

const shares: Record<string, string> = {
  '0.25': 'A quarter',
  '0.5': 'Half',
  '0.75': 'Three quarters',
  '1': 'All',
}
/** The stored words of some changes, and how the screen names them. */
const changes: Record<string, string> = {
  'Schedule changed': 'Schedule changed',
  'Variant set anew': 'Variant replaced',
}
type Words = (event: TestEvent, earlier: TestEvent[], test: Told) => TimelineLine
const words: Record<TestEvent['kind'], Words> = {
  Created: ({ detail }) => ({ title: 'Created', detail, mark: 'created' }),
  Modified: ({ detail }, earlier) =>
    applied(detail, earlier) ??
    (detail !== null && changes[detail]
      ? { title: changes[detail], detail: null, mark: 'changed' }
      : { title: 'Modified', detail, mark: 'changed' }),
  // Resuming has no kind of its own: it is a start after an earlier start.
  Start: ({ at, detail }, earlier, test) => {
    const before = statusBefore(test, at)
    if (!earlier.some(each => each.kind === 'Start'))
      return {
        title: 'Started',
        detail: detail === 'Resumed' ? null : detail,
        tone: 'accent',
        mark: 'started',
      }
    return {
      title: 'Resumed',
      detail:
        before === 'Suspended'
          ? 'The subscription is active again.'
          : detail === 'Resumed'
            ? null
            : detail,
      tone: 'accent',
      mark: 'started',
    }
  },
  Paused: ({ at, detail }, _, test) => {
    const status = statusAt(test, at),
      before = statusBefore(test, at),
      isBack = before === 'Suspended'
    if (status === 'OnHold')
      return {
        title: isBack ? 'On hold again' : before === 'OnHold' ? 'Still on hold' : 'Put on hold',
        detail:
          detail ??
          (isBack
            ? 'The subscription is active again, but the test is still on hold for its earlier cause.'
            : null),
        tone: 'bad',
        mark: 'trouble',
      }
    if (status === 'Suspended')
      return {
        title: 'Suspended',
        detail: detail ?? 'There was no active subscription.',
        tone: 'bad',
        mark: 'trouble',
      }
    return {
      title: isBack ? 'Paused as before' : 'Paused',
      detail: detail ?? (isBack ? 'The subscription is active again.' : null),
      tone: 'warn',
      mark: 'stopped',
    }
  },
  End: ({ at, detail }, _, test) => {
    const before = statusBefore(test, at)
    const isDue = test.automaticallyEndAt !== null && test.automaticallyEndAt <= at
    return {
      title: 'Ended',
      detail:
        detail ??
        (isDue
          ? 'At its automatic end.'
          : before && before !== 'Active'
            ? `It was ${statusLabels[before].toLowerCase()}.`
            : null),
      mark: 'ended',
    }
  },
  Lift: ({ detail, value }) => ({
    title: 'Verdict reached',
    detail: detail ?? (value === null ? null : `Lift ${formatLift(value)}`),
    tone: 'accent',
    mark: 'verdict',
  }),
  Progress: ({ detail, value }) => ({
    title: `${shares[String(value)] ?? 'A part'} of the planned visitors`,
    detail,
    mark: 'progress',
  }),
  Duration: ({ detail }) => ({ title: 'Planned end reached', detail, mark: 'verdict' }),
  Visitors: ({ detail, value }) => ({
    title: `${formatCount(value ?? 0)} visitors`,
    detail,
    mark: 'visitors',
  }),
}

/**
 * The line for an applied arm, which is stored as a change: "Variant applied", then what could not
 * be changed. Null for any other change.
 */
function applied(detail: string | null, earlier: TestEvent[]): TimelineLine | null {
  const [, arm, rest] = /^(Variant|Control) applied(?:, (.+))?$/.exec(detail ?? '') ?? []
  if (!arm) return null
  const last = earlier.findLast(each =>
    /^(Variant|Control) applied/.test(each.detail ?? ''),
  )?.detail
  const isUndone = arm === 'Control' && last?.startsWith('Variant') === true
  return {
    title: isUndone ? 'Variant undone, control applied' : `${arm} applied`,
    detail: rest ? `${rest[0]!.toUpperCase()}${rest.slice(1)}.` : null,
    tone: 'good',
    mark: 'applied',
  }
}

/**
 * Finds a change of status by its instant. `statusAt`: the status after it. `statusBefore`: the
 * status before it.
 */
const placeAt = ({ statusHistory }: Told, at: string) =>
  statusHistory.findLastIndex(each => each.appliedOn === at)
const statusAt = (test: Told, at: string): TestStatus | null =>
  test.statusHistory[placeAt(test, at)]?.status ?? null
const statusBefore = (test: Told, at: string): TestStatus | null =>
  test.statusHistory[placeAt(test, at) - 1]?.status ?? null
