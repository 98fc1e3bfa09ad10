import t from 'tap'
import type { TestEvent } from '../../../domain/tests/ab-test.ts'
import { timelineOf } from '../../../domain/tests/test-timeline.ts'
import type { TestStatus } from '../../../domain/tests/test-status.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 0, minute)).toISOString()
const event = (
  minute: number,
  kind: TestEvent['kind'],
  detail: string | null = null,
  value: number | null = null,
): TestEvent => ({ kind, at: at(minute), detail, value })
const told = (
  events: TestEvent[],
  statuses: [minute: number, status: TestStatus][] = [],
  automaticallyEndAt: string | null = null,
) =>
  timelineOf({
    events,
    statusHistory: statuses.map(([minute, status]) => ({ status, appliedOn: at(minute) })),
    automaticallyEndAt,
    launchAt: null,
  }).map(({ line }) => (line.detail ? `${line.title}: ${line.detail}` : line.title))

t.test('every kind of event has a text', async t => {
  t.same(
    told(
      [
        event(0, 'Created'),
        event(1, 'Start'),
        event(2, 'Modified', 'Name changed'),
        event(3, 'Visitors', null, 10_000),
        event(4, 'Progress', null, 0.5),
        event(5, 'Progress', null, 1),
        event(6, 'Lift', null, 0.128),
        event(7, 'Duration'),
        event(8, 'End'),
      ],
      [
        [1, 'Active'],
        [8, 'Ended'],
      ],
    ),
    [
      'Created',
      'Started',
      'Modified: Name changed',
      '10,000 visitors',
      'Half of the planned visitors',
      'All of the planned visitors',
      'Verdict reached: Lift +12.8%',
      'Planned end reached',
      'Ended',
    ],
  )
})

t.test(
  'a pause, a hold and a suspension have different words, and so does the event after each',
  async t => {
    t.same(
      told(
        [
          event(1, 'Start'),
          event(2, 'Paused'),
          event(3, 'Start', 'Resumed'),
          event(4, 'Paused', 'The shop has no page at /pages/gone.'),
          event(5, 'Paused'),
          event(6, 'Paused', null),
          event(7, 'Start', 'Resumed'),
          event(8, 'Paused'),
          event(9, 'Start', 'Resumed'),
        ],
        [
          [1, 'Active'],
          [2, 'Paused'],
          [3, 'Active'],
          [4, 'OnHold'],
          [5, 'Suspended'],
          [6, 'OnHold'],
          [7, 'Active'],
          [8, 'Suspended'],
          [9, 'Active'],
        ],
      ),
      [
        'Started',
        'Paused',
        'Resumed',
        'Put on hold: The shop has no page at /pages/gone.',
        'Suspended: There was no active subscription.',
        'On hold again: The subscription is active again, but the test is still on hold for its earlier cause.',
        'Resumed',
        'Suspended: There was no active subscription.',
        'Resumed: The subscription is active again.',
      ],
    )
    t.same(
      told(
        [event(1, 'Start'), event(2, 'Paused', 'At the limit.'), event(3, 'Paused', 'No page.')],
        [
          [1, 'Active'],
          [2, 'OnHold'],
          [3, 'OnHold'],
        ],
      ).at(-1),
      'Still on hold: No page.',
      'now for another cause',
    )
    t.same(
      told(
        [event(1, 'Start'), event(2, 'Paused'), event(3, 'Paused'), event(4, 'Paused')],
        [
          [1, 'Active'],
          [2, 'Paused'],
          [3, 'Suspended'],
          [4, 'Paused'],
        ],
      ).at(-1),
      'Paused as before: The subscription is active again.',
    )
  },
)

t.test('the end of a test says what ended it', async t => {
  t.same(
    told(
      [event(1, 'Start'), event(9, 'End')],
      [
        [1, 'Active'],
        [9, 'Ended'],
      ],
      at(9),
    ).at(-1),
    'Ended: At its automatic end.',
  )
  t.same(
    told(
      [event(1, 'Start'), event(9, 'End')],
      [
        [1, 'Active'],
        [9, 'Ended'],
      ],
      at(30),
    ).at(-1),
    'Ended',
  )
  t.same(
    told(
      [event(1, 'Start'), event(5, 'Paused'), event(9, 'End')],
      [
        [1, 'Active'],
        [5, 'OnHold'],
        [9, 'Ended'],
      ],
    ).at(-1),
    'Ended: It was on hold.',
  )
})

t.test('applying an arm and undoing it have different words', async t => {
  t.same(
    told([
      event(1, 'Modified', 'Variant applied, but not to what is no longer there: Ash mug'),
      event(2, 'Modified', 'Control applied'),
      event(3, 'Modified', 'Control applied'),
      event(4, 'Modified', 'Variant applied'),
      event(5, 'Modified', 'Schedule changed'),
      event(6, 'Modified', 'Variant set anew'),
    ]),
    [
      'Variant applied: But not to what is no longer there: Ash mug.',
      'Variant undone, control applied',
      'Control applied',
      'Variant applied',
      'Schedule changed',
      'Variant replaced',
    ],
  )
})
