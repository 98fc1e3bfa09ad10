import * as Type from 'typebox'
import { breakdownSorts } from '../breakdown.ts'
import { type Call, closed, Id, IdParam, Maybe, Page, PageSize } from '../call.ts'
import { channels } from '../channel.ts'
import { devices } from '../device.ts'
import { goalNames } from '../goal.ts'
import { DailyPoint } from '../summary.ts'

const Count = Type.Integer(), Rate = Maybe(Type.Number())
const Arm = Type.Object({
  visitors: Count, sessions: Count, orders: Count, conversions: Count, revenue: Type.Number(), clicks: Count, addToCarts: Count,
  conversionRate: Rate, averageOrderValue: Rate, revenuePerSession: Rate, clickThroughRate: Rate, addToCartRate: Rate, bounceRate: Rate,
})
/** A page of rows and how many there are in all. Lift and chance to win are of the test's own goal, null until its data gates are met in that row. */
const BreakdownPage = Type.Object({
  goal: Type.Enum(goalNames),
  rows: Type.Array(Type.Object({ value: Type.String(), label: Type.String(), arms: Type.Tuple([Arm, Arm]), lift: Rate, chanceToWin: Rate })),
  count: Count,
})

const oneChannel = `(${channels.join('|')})`
const filters = {
  device: Type.Optional(Type.Enum(['all', ...devices], { default: 'all' })),
  visitors: Type.Optional(Type.Enum(['all', 'new', 'returning'], { default: 'all' })),
  /** `all`, or channels by comma. */
  channels: Type.Optional(Type.String({ pattern: `^(all|${oneChannel}(,${oneChannel})*)$`, maxLength: 200, default: 'all' })),
  page: Page, pageSize: PageSize,
  sort: Type.Optional(Type.Enum([...breakdownSorts], { default: 'visitors' })),
  /** Left out: from the most to the least, names from A to Z. */
  descending: Type.Optional(Type.Boolean()),
}
const Filters = Type.Object(filters, closed)
const breakdown = <P extends string>(path: P, about: string) => ({ method: 'GET', path: `/api/v0/tests/:id/visitors/${path}`, about, params: Id, query: Filters, response: BreakdownPage, errors: { 403: 'The plan does not have this report, or what it is filtered by' } }) as const

export const reportCalls = {
  /** {metric}: one of spec §3's twelve. An unknown one is 404. */
  dailyBy: {
    method: 'GET', path: '/api/v0/tests/:id/daily/by-:metric', about: 'One metric of a test day by day, per arm',
    params: Type.Object({ id: IdParam, metric: Type.String({ maxLength: 40 }) }, closed),
    response: Type.Array(DailyPoint),
    errors: { 404: 'No such test, or no such metric' },
  },
  byChannel: breakdown('by-channel', 'A test’s figures by the channel that brought its visitors'),
  byOrderType: breakdown('by-order-type', 'A test’s orders by type: one-time, first of a subscription, renewal; the visitors and what they did are all of the arm’s'),
  byDevice: breakdown('by-device', 'A test’s figures by device'),
  byVisitors: breakdown('by-visitors', 'A test’s figures by new and returning visitors'),
  referrers: {
    ...breakdown('referrers', 'A test’s figures by the host that linked to the shop; the 500 with the most visitors, the others as one'),
    query: Type.Object({ ...filters, search: Type.Optional(Type.String({ maxLength: 200 })) }, closed),
  },
} as const satisfies Record<string, Call>
