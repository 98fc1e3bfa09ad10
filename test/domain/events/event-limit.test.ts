import t from 'tap'
import type { Beacon } from '../../../domain/events/event.ts'
import {
  addressShare,
  eventsPerMinute,
  networkShare,
  weightOf,
} from '../../../domain/events/event-limit.ts'
import { unlimitedVisitors } from '../../../domain/plans/plan.ts'

const beacon = (over: Partial<Beacon> = {}): Beacon => ({
  v: 1,
  shop: 'fern-and-kiln.demo-shop.test',
  visitor: 'a-visitor-of-the-shop',
  session: 'a-session-of-theirs',
  sent: 0,
  isNew: true,
  landing: '/products/mug?utm_source=newsletter',
  referrer: 'https://www.google.com/',
  tests: {
    'e3a7f2d0-0000-4000-8000-000000000001': [0, 7],
    'e3a7f2d0-0000-4000-8000-000000000002': [1, 7],
  },
  events: [
    {
      id: 'event-one',
      at: 0,
      kind: 'exposure',
      path: '/products/mug?utm_source=newsletter',
      tests: ['e3a7f2d0-0000-4000-8000-000000000001'],
    },
    { id: 'event-two', at: 0, kind: 'click', path: '/products/mug' },
  ],
  ...over,
})

t.test('an ordinary event weighs one, and a long event weighs by its size', async t => {
  t.equal(weightOf(beacon()), 2)
  const long = 'x'.repeat(2_048)
  t.equal(weightOf(beacon({ events: [{ id: 'event-one', at: 0, kind: 'click', path: long }] })), 4)
  t.equal(
    weightOf(beacon({ landing: long, referrer: long })),
    8,
    'an exposure stores the visit’s landing page and referrer',
  )
  t.equal(
    weightOf(
      beacon({
        landing: long,
        referrer: long,
        events: [{ id: 'event-one', at: 0, kind: 'click', path: '/' }],
      }),
    ),
    1,
    'a click does not store them',
  )
  t.equal(
    weightOf(
      beacon({
        landing: long,
        referrer: long,
        events: [{ id: 'event-one', at: 0, kind: 'view', path: '/' }],
      }),
    ),
    1,
    'a view of a later page does not store them',
  )
  t.equal(
    weightOf(
      beacon({
        landing: long,
        referrer: '',
        events: [{ id: 'event-one', at: 0, kind: 'view', path: long }],
      }),
    ),
    8,
    'the view of the first page stores them',
  )
})

t.test(
  'a shop’s limit follows the visitors of its plan, and is at least a small shop’s busiest minute',
  async t => {
    t.same(
      [null, 0, 50_000, 100_000, 1_000_000, unlimitedVisitors, 99_999_999].map(eventsPerMinute),
      [6_000, 6_000, 6_000, 10_000, 100_000, 1_000_000, 1_000_000],
    )
  },
)

t.test(
  'a network may send half of a shop’s limit, an address a fifth, and both at least 1,000 events',
  async t => {
    t.same([2, 1_500, 6_000, 10_001].map(addressShare), [1_000, 1_000, 1_200, 2_001])
    t.same([2, 1_500, 6_000, 10_001].map(networkShare), [1_000, 1_000, 3_000, 5_001])
  },
)
