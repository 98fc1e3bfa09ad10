import * as Type from 'typebox'
import { breakdownSorts, orderTypes, productSorts } from '../reports/breakdown.ts'
import { type Call, closed, Id, IdParam, Maybe, Page, PageSize } from '../api/call.ts'
import { channels } from '../events/channel.ts'
import { devices } from '../device.ts'
import { goalNames } from '../reports/goal.ts'
import { lostReasons, orderWays } from '../orders/order-visitor.ts'
import { DailyPoint, exclusions, GoalResult } from '../reports/summary.ts'

const Count = Type.Integer(),
  Rate = Maybe(Type.Number())
const Arm = Type.Object({
  visitors: Count,
  sessions: Count,
  orders: Count,
  conversions: Count,
  revenue: Type.Number(),
  units: Count,
  clicks: Count,
  addToCarts: Count,
  conversionRate: Rate,
  averageOrderValue: Rate,
  revenuePerSession: Rate,
  clickThroughRate: Rate,
  addToCartRate: Rate,
  bounceRate: Rate,
  /**
   * For a money goal: the mean, with orders capped, from which lift and chance to win are computed.
   */
  inferred: Rate,
})
/**
 * A page of rows, and `count`, the number of all rows. Lift and chance to win are of the test's own
 * goal. They are null until the row has enough data (`missing` says what it still needs) and while
 * the split is broken. An imported test has no rows for what its file does not contain.
 */
const BreakdownPage = Type.Object({
  goal: Type.Enum(goalNames),
  rows: Type.Array(
    Type.Object({
      value: Type.String(),
      label: Type.String(),
      arms: Type.Tuple([Arm, Arm]),
      lift: Rate,
      chanceToWin: Rate,
      missing: GoalResult.properties.missing,
    }),
  ),
  count: Count,
})

const oneChannel = `(${channels.join('|')})`
const filters = {
  device: Type.Optional(Type.Enum(['all', ...devices], { default: 'all' })),
  visitors: Type.Optional(Type.Enum(['all', 'new', 'returning'], { default: 'all' })),
  /** `all`, or channels separated by commas. */
  channels: Type.Optional(
    Type.String({
      pattern: `^(all|${oneChannel}(,${oneChannel})*)$`,
      maxLength: 200,
      default: 'all',
    }),
  ),
  /** `all`, two letters (ISO 3166-1), or `unknown`. */
  country: Type.Optional(Type.String({ pattern: '^(all|[A-Z]{2}|unknown)$', default: 'all' })),
  page: Page,
  pageSize: PageSize,
  sort: Type.Optional(Type.Enum([...breakdownSorts], { default: 'visitors' })),
  /** When left out: numbers from largest to smallest, names from A to Z. */
  descending: Type.Optional(Type.Boolean()),
}
const Filters = Type.Object(filters, closed)
const breakdown = <P extends string>(path: P, about: string) =>
  ({
    method: 'GET',
    path: `/api/v0/tests/:id/visitors/${path}`,
    about,
    params: Id,
    query: Filters,
    response: BreakdownPage,
    errors: { 403: 'The plan does not have this report, or what it is filtered by' },
  }) as const

const Figures = Type.Object({
  /**
   * Counted visitors who saw the product's page after their exposure, put the product in the cart,
   * bought it.
   */
  viewers: Count,
  adders: Count,
  buyers: Count,
  units: Count,
  revenue: Type.Number(),
})
const ProductRows = Type.Object({
  /** All counted visitors of each arm: the denominator of the shares. */
  visitors: Type.Tuple([Count, Count]),
  rows: Type.Array(
    Type.Object({
      productId: Type.String(),
      title: Type.String(),
      /** Address of its picture at the shop. */ image: Maybe(Type.String()),
      arms: Type.Tuple([Figures, Figures]),
    }),
  ),
  count: Count,
})
const Line = Type.Object({ orders: Count, amount: Type.Number(), refunds: Type.Number() })
const LedgerOrder = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Type.String(),
  /** Null when the plan does not open subscription reporting. */
  type: Maybe(Type.Enum([...orderTypes])),
  amount: Type.Number(),
  refunded: Type.Number(),
  /** Address of the order's page in the shop's own admin. */
  address: Maybe(Type.String()),
  /** `arm`: the arm that the order counts in, or null; `reason` then says why it counts in none. */
  arm: Rate,
  reason: Maybe(Type.Enum([...exclusions])),
  /** How its visitor is known; null for an order of an imported file. */
  way: Maybe(Type.Enum([...orderWays])),
  /** Why its visitor is not known; null where it is. */
  lost: Maybe(Type.Enum([...lostReasons, 'disputed'])),
  /** What we know about the order's visitor in this test; null when the order has none. */
  visitor: Maybe(
    Type.Object({
      id: Type.String(),
      arm: Count,
      firstExposedAt: Maybe(Type.String()),
      device: Maybe(Type.Enum(devices)),
      channel: Maybe(Type.Enum(channels)),
      isNew: Maybe(Type.Boolean()),
      country: Maybe(Type.String()),
    }),
  ),
  lines: Type.Array(
    Type.Object({
      title: Type.String(),
      quantity: Count,
      amount: Type.Number(),
      isSubscription: Maybe(Type.Boolean()),
    }),
  ),
})

export const reportCalls = {
  /** {metric} is one of the twelve metrics (requirements 8.16). An unknown metric gives 404. */
  dailyBy: {
    method: 'GET',
    path: '/api/v0/tests/:id/daily/by-:metric',
    about: 'One metric of a test day by day, per arm',
    params: Type.Object({ id: IdParam, metric: Type.String({ maxLength: 40 }) }, closed),
    response: Type.Array(DailyPoint),
    errors: { 404: 'No such test, or no such metric' },
  },
  byChannel: breakdown('by-channel', 'A test’s figures by the channel that brought its visitors'),
  byOrderType: breakdown(
    'by-order-type',
    'A test’s orders by type: one-time, first of a subscription, renewal; the visitors and what they did are all of the arm’s',
  ),
  byDevice: breakdown('by-device', 'A test’s figures by device'),
  byVisitors: breakdown('by-visitors', 'A test’s figures by new and returning visitors'),
  byCountry: breakdown(
    'by-country',
    'A test’s figures by the country of its visitors, as the edge tells it',
  ),
  byProduct: {
    method: 'GET',
    path: '/api/v0/tests/:id/visitors/by-product',
    about:
      'What the visitors of a test did with each product: saw it, put it in the cart, bought it; units and revenue of their orders',
    params: Id,
    query: Type.Object(
      {
        page: Page,
        pageSize: PageSize,
        sort: Type.Optional(Type.Enum([...productSorts], { default: 'revenue' })),
        descending: Type.Optional(Type.Boolean()),
        /** A part of the product's title. */
        search: Type.Optional(Type.String({ maxLength: 200 })),
      },
      closed,
    ),
    response: ProductRows,
  },
  testOrders: {
    method: 'GET',
    path: '/api/v0/tests/:id/orders',
    about:
      'The orders behind a line of a test’s ledger, the newest first: each in its arm, or out with its reason',
    params: Id,
    query: Type.Object(
      {
        part: Type.Optional(
          Type.Enum(['all', 'control', 'variant', ...exclusions], { default: 'all' }),
        ),
        page: Page,
        pageSize: PageSize,
        /** The beginning of the order's name or id. */
        search: Type.Optional(Type.String({ maxLength: 100 })),
      },
      closed,
    ),
    response: Type.Object({
      rows: Type.Array(LedgerOrder),
      count: Count,
      /** The sum of all orders that match. */
      total: Line,
      /** False when the single orders of the test are no longer kept. Then there are no rows. */
      isKept: Type.Boolean(),
    }),
  },
  referrers: {
    ...breakdown(
      'referrers',
      'A test’s figures by the host that linked to the shop; the 500 with the most visitors, the others as one',
    ),
    query: Type.Object(
      { ...filters, search: Type.Optional(Type.String({ maxLength: 200 })) },
      closed,
    ),
  },
} as const satisfies Record<string, Call>
