import t from 'tap'
import {
  canMove,
  refusedMove,
  testStatuses,
  type Actor,
  type TestStatus,
} from '../../../domain/tests/test-status.ts'

// The table of status changes (requirements 14.11), row by row: from, to, and who may do it.
const allowed: [TestStatus, TestStatus, Actor][] = [
  ['Scheduled', 'Active', 'system'],
  ['Scheduled', 'Active', 'merchant'],
  ['Scheduled', 'OnHold', 'system'],
  ['Scheduled', 'Ended', 'merchant'],
  ['Active', 'Paused', 'merchant'],
  ['Active', 'Ended', 'merchant'],
  ['Active', 'Ended', 'system'],
  ['Paused', 'Ended', 'system'],
  ['OnHold', 'Ended', 'system'],
  ['Suspended', 'Ended', 'system'],
  ['Active', 'OnHold', 'system'],
  ['Active', 'Suspended', 'system'],
  ['OnHold', 'Active', 'system'],
  ['OnHold', 'Suspended', 'system'],
  ['Paused', 'Suspended', 'system'],
  ['Paused', 'Active', 'merchant'],
  ['Paused', 'Ended', 'merchant'],
  ['OnHold', 'Active', 'merchant'],
  ['OnHold', 'Ended', 'merchant'],
  ['Suspended', 'Active', 'system'],
  ['Suspended', 'Paused', 'system'],
  ['Suspended', 'OnHold', 'system'],
  ['Suspended', 'Ended', 'merchant'],
]

t.test('every pair of statuses is allowed or refused as the table says', async t => {
  const key = (from: string, to: string, who: string) => `${who}: ${from} → ${to}`
  const rows = new Set(allowed.map(row => key(...row)))
  for (const who of ['merchant', 'system'] as const)
    for (const from of testStatuses)
      for (const to of testStatuses)
        t.equal(canMove(who, from, to), rows.has(key(from, to, who)), key(from, to, who))
})

t.test('a refusal names both states', async t => {
  t.equal(refusedMove('Ended', 'Active'), 'A test that is ended cannot become running.')
})
