import * as Type from 'typebox'
import { aboutCapability, type Capability } from '../access.ts'
import type { HoldCause } from '../tests/ab-test.ts'
import { Instant, Maybe } from '../api/call.ts'
import { StoreName } from './staff-list.ts'
import { Verdict, type verdictKinds } from '../reports/summary.ts'
import { testKindNames } from '../tests/test-kind.ts'
import { testStatuses } from '../tests/test-status.ts'
import { day } from '../time-units.ts'

const base = {
  id: Type.String(),
  title: Type.String(),
  kind: Type.Enum(testKindNames),
  status: Type.Enum([...testStatuses]),
  store: StoreName,
  startAt: Maybe(Instant),
  visitors: Type.Integer(),
}
export const StaffTest = Type.Object({ ...base, createdAt: Instant, verdict: Maybe(Verdict) })
export type StaffTest = Type.Static<typeof StaffTest>
export const testSorts = ['title', 'store', 'startAt', 'visitors', 'createdAt'] as const

/** Problems that a running test or a test on hold can have. */
export const testTroubles = [
  'onHold',
  'splitBroken',
  'noVisitors',
  'checkFailed',
  'notPublished',
  'closed',
] as const
export type TestTrouble = (typeof testTroubles)[number]
export const troubleLabels: Record<TestTrouble, string> = {
  onHold: 'On hold',
  splitBroken: 'Traffic split broken',
  noVisitors: 'No visitors for a day',
  checkFailed: 'Check failed',
  notPublished: 'Script not published',
  closed: 'Feature closed',
}
const Troubles = Type.Array(
  Type.Object({ trouble: Type.Enum([...testTroubles]), message: Type.String() }),
)
export const TroubledTest = Type.Object({ ...base, troubles: Troubles })
export type TroubledTest = Type.Static<typeof TroubledTest>
export const troubledSorts = ['title', 'store', 'visitors', 'startAt'] as const

export type TestFacts = {
  status: 'Active' | 'OnHold'
  holdCause: Type.Static<typeof HoldCause> | null
  verdict: (typeof verdictKinds)[number] | null
  isSplitBroken: boolean
  /** When the test got its present status. */
  since: Date | null
  /**
   * `yesterday`, in the shop's time zone. `lastDay`: the last day on which the test got a visitor.
   * Both YYYY-MM-DD.
   */
  yesterday: string
  lastDay: string | null
  /**
   * For the store: why the last check of its tests failed, and why its script could not be
   * published.
   */
  checkError: string | null
  publishError: string | null
  /** The capability that the test needs and its store no longer has (decision 058). */
  closed: Capability | null
}

/** The problems of a test, the most important first; empty when there are none. */
export function troublesOf(
  {
    status,
    holdCause,
    verdict,
    isSplitBroken,
    since,
    yesterday,
    lastDay,
    checkError,
    publishError,
    closed,
  }: TestFacts,
  now: Date,
): TroubledTest['troubles'] {
  const troubles: TroubledTest['troubles'] = []
  const add = (trouble: TestTrouble, message: string) => troubles.push({ trouble, message })
  if (status === 'OnHold') add('onHold', holdCause?.message ?? 'The system has put it on hold.')
  if (holdCause?.cause !== 'splitBroken' && (verdict === 'splitBroken' || isSplitBroken))
    add('splitBroken', 'The arms do not get the visitors they should.')
  // A test that is held for this very reason has said it above.
  if (closed !== null && holdCause?.cause !== 'notIncluded')
    add(
      'closed',
      `Its store no longer has this feature: ${aboutCapability(closed).name}. ${
        status === 'Active'
          ? 'It runs to its end, and cannot start again after a pause.'
          : 'It cannot start again.'
      }`,
    )
  if (status !== 'Active') return troubles
  if (since && now.getTime() - since.getTime() > day && (lastDay === null || lastDay < yesterday))
    add(
      'noVisitors',
      lastDay === null ? 'It has not had a visitor yet.' : `The last visitor came on ${lastDay}.`,
    )
  if (checkError !== null) add('checkFailed', checkError)
  if (publishError !== null) add('notPublished', publishError)
  return troubles
}
