/**
 * The statuses of a test and their allowed changes (requirements 14.11). A draft is not a status.
 * Keep schemas out of this file, because browsers load it too.
 */
export const testStatuses = [
  'Scheduled',
  'Active',
  'Paused',
  'OnHold',
  'Suspended',
  'Ended',
] as const
export type TestStatus = (typeof testStatuses)[number]

/** The names of the statuses for merchants. */
export const statusLabels: Record<TestStatus, string> = {
  Scheduled: 'Scheduled',
  Active: 'Running',
  Paused: 'Paused',
  OnHold: 'On hold',
  Suspended: 'Suspended',
  Ended: 'Ended',
}

export type Actor = 'merchant' | 'system'
const merchant: Record<TestStatus, TestStatus[]> = {
  Scheduled: ['Active', 'Ended'],
  Active: ['Paused', 'Ended'],
  Paused: ['Active', 'Ended'],
  OnHold: ['Active', 'Ended'],
  Suspended: ['Ended'],
  Ended: [],
}
const system: Record<TestStatus, TestStatus[]> = {
  Scheduled: ['Active', 'OnHold'],
  Active: ['OnHold', 'Suspended', 'Ended'],
  Paused: ['Suspended', 'Ended'],
  OnHold: ['Active', 'Suspended', 'Ended'],
  Suspended: ['Active', 'Paused', 'OnHold', 'Ended'],
  Ended: [],
}

/** Whether `actor` may move a test from one status to another. */
export const canMove = (actor: Actor, from: TestStatus, to: TestStatus): boolean =>
  (actor === 'merchant' ? merchant : system)[from].includes(to)

/** The message of a refused change. It names both statuses as merchants know them. */
export const refusedMove = (from: TestStatus, to: TestStatus): string =>
  `A test that is ${statusLabels[from].toLowerCase()} cannot become ${statusLabels[to].toLowerCase()}.`
