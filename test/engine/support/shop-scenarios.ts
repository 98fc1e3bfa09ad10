import type { PerArm } from '../../../domain/arm.ts'
import { assign as assignArm } from '../../../domain/tests/assignment.ts'
import type { Beacon, EventKind } from '../../../domain/events/event.ts'
import { fc } from '../../properties.ts'
import type { ReferenceOrder, ReferenceTest, ReferenceVisit } from './reference.ts'
import { firstShop as shop } from './small-shop.ts'
import { noon } from './traffic.ts'

// Random shops: visitors, their events and their orders. `aggregate.test.ts` counts them in two
// ways.
const minute = 60_000,
  hour = 60 * minute
const start = Date.parse('2026-11-01T00:00:00Z')
export const paused = {
  id: '11111111-1111-4111-8111-111111111111',
  weights: [0.5, 0.5] as PerArm<number>,
  active: [
    [start, noon - 4 * hour],
    [noon - 2 * hour, noon - 50 * minute],
    [noon - 20 * minute, Infinity],
  ],
  start,
  end: Infinity,
} satisfies ReferenceTest
export type Stretch = ReferenceTest['active'][number]
/** A test that ended while it was paused. */
export const ended = {
  id: '22222222-2222-4222-8222-222222222222',
  weights: [0.8, 0.2] as PerArm<number>,
  active: [[start, noon - 90 * minute]],
  start,
  end: noon - hour,
} satisfies ReferenceTest
/**
 * Moments around each pause and resume: a minute before, a minute after (pages may not know of it
 * yet), and three minutes after (every page knows).
 */
const edges = [...paused.active.flat().slice(1, -1), ended.active[0]![1]].flatMap(at =>
  [-1, 1, 3].map(n => at + n * minute),
)
const unknown = '33333333-3333-4333-8333-333333333333'

const products = ['101', '102', '103']
const visitors = ['visitor-1', 'visitor-2', 'visitor-3', 'visitor-4', 'visitor-5']
/**
 * Sources of visits, with the channel and host that the documented rules give. The host of the
 * fourth referrer is the shop's own.
 */
const sources = [
  { landing: '/', referrer: '', channel: 0, host: '' },
  { landing: '/', referrer: 'https://www.google.com/', channel: 1, host: 'google.com' },
  {
    landing: '/?utm_source=google&utm_medium=cpc',
    referrer: 'https://www.google.com/',
    channel: 2,
    host: 'google.com',
  },
  {
    landing: '/?utm_medium=email',
    referrer: 'http://localhost:3002/pages/about',
    channel: 5,
    host: '',
  },
  { landing: '/', referrer: 'https://blog.example/a?b', channel: 7, host: 'blog.example' },
]
const ids = fc.subarray([paused.id, ended.id, unknown], { minLength: 1 })
const anEvent = fc.record({
  kind: fc.constantFrom<EventKind>(
    'exposure',
    'exposure',
    'exposure',
    'view',
    'view',
    'click',
    'cart',
    'checkout',
    'vitals',
    'vitals',
  ),
  at: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -6, max: 1 }).map(n => noon + n * hour) },
    { weight: 3, arbitrary: fc.constantFrom(...edges) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        noon - 47 * hour,
        noon - 49 * hour,
        noon + 11 * minute,
        noon + 9 * minute,
        0,
        Number.MAX_SAFE_INTEGER,
      ),
    },
  ),
  tests: fc.oneof(
    { weight: 5, arbitrary: ids.map(([id]) => [id!]) },
    { weight: 1, arbitrary: ids },
  ),
  product: fc.constantFrom(null, ...products),
  vitals: fc.record(
    { lcp: fc.nat(6000), cls: fc.nat(400), inp: fc.nat(700) },
    { requiredKeys: [] },
  ),
})
const aVisit = fc.record({
  visitor: fc.constantFrom(...visitors),
  device: fc.constantFrom(0, 1, 2),
  isBot: fc.constantFrom(false, false, false, false, true),
  isNew: fc.boolean(),
  session: fc.constantFrom('session-1', 'session-1', 'session-2'),
  source: fc.constantFrom(...sources),
  country: fc.constantFrom(null, 'DE', 'US'),
  hasConsented: fc.boolean(),
  lag: fc.constantFrom(0, 0, 20_000, -3 * hour, hour),
  arms: fc.constantFrom('own', 'own', 'own', 'other'),
  claims: fc.dictionary(
    fc.constantFrom(paused.id, ended.id, unknown),
    fc.integer({ min: 0, max: 7 }),
  ),
  events: fc.array(anEvent, { minLength: 1, maxLength: 6 }),
})
const anOrder = fc.record({
  visitor: fc.constantFrom(null, 'a-stranger', ...visitors),
  at: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -12, max: 2 }).map(n => noon + n * 20 * minute) },
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
  ),
  amount: fc.integer({ min: 0, max: 20_000 }),
  units: fc.integer({ min: 1, max: 3 }),
  product: fc.constantFrom(...products),
  refunds: fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 3 }),
  test: fc.constantFrom(false, false, false, false, true),
  later: fc.constant<number>(minute),
  type: fc.constantFrom(
    'oneTime' as const,
    'oneTime' as const,
    'subscription' as const,
    'renewal' as const,
  ),
})
export const scenario = fc.record({
  visits: fc.array(aVisit, { minLength: 1, maxLength: 12 }),
  orders: fc.array(anOrder, { maxLength: 12 }),
  seed: fc.integer(),
  currency: fc.constantFrom<string>('USD', 'JPY'),
})
export type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never
/** Shoppers who all met the test in time, with so many orders that orders are capped. */
export const busy: fc.Arbitrary<Scenario> = fc.record({
  visits: fc.constant(
    visitors.map(visitor => ({
      visitor,
      device: 0 as const,
      isBot: false,
      isNew: true,
      session: 'session-1',
      source: sources[0]!,
      country: null,
      hasConsented: true,
      lag: 0 as const,
      arms: 'own' as const,
      claims: { [paused.id]: 7 },
      events: [
        {
          kind: 'exposure' as EventKind,
          at: noon - 47 * hour,
          tests: [paused.id],
          product: null,
          vitals: {},
        },
      ],
    })),
  ),
  orders: fc.uniqueArray(
    fc.record({
      visitor: fc.constantFrom(...visitors),
      at: fc.integer({ min: -5, max: 1 }).map(n => noon + n * 9 * hour),
      amount: fc.integer({ min: 0, max: 20_000 }),
      units: fc.constant(1),
      product: fc.constant(products[0]!),
      refunds: fc.constant([0]),
      test: fc.constant(false),
      later: fc.constant<number>(minute),
      type: fc.constantFrom('oneTime' as const, 'subscription' as const),
    }),
    { selector: o => o.amount, minLength: 105, maxLength: 110 },
  ),
  seed: fc.integer(),
  currency: fc.constant<string>('USD'),
})

/** The moments of all changes and three others, each also one second earlier. */
const instants = [
  ...paused.active.flat().slice(1, -1),
  noon - 5 * hour,
  noon - 10 * minute,
  noon,
].flatMap(at => [at, at, at - 1_000])
/**
 * A few shoppers who act at the same few moments. Their orders may be free, fully refunded, or
 * refunded long after the end.
 */
export const edgyShop: fc.Arbitrary<Scenario> = fc.record({
  visits: fc.array(
    fc.record({
      visitor: fc.constantFrom(...visitors.slice(0, 3)),
      device: fc.constantFrom(0, 1, 2),
      isBot: fc.constant(false),
      isNew: fc.boolean(),
      session: fc.constantFrom('session-1', 'session-2'),
      source: fc.constantFrom(...sources),
      country: fc.constantFrom(null, 'DE', 'US'),
      hasConsented: fc.boolean(),
      lag: fc.constant(0),
      arms: fc.constant('own'),
      claims: fc.constant({ [paused.id]: 7, [ended.id]: 7 }),
      events: fc.array(
        fc.record({
          kind: fc.constantFrom<EventKind>(
            'exposure',
            'exposure',
            'view',
            'click',
            'cart',
            'vitals',
          ),
          at: fc.constantFrom(...instants),
          tests: fc.constantFrom([paused.id], [ended.id], [paused.id, ended.id]),
          product: fc.constantFrom(null, '101'),
          vitals: fc.constantFrom({ lcp: 0, cls: 0, inp: 0 }, { lcp: 2_500 }),
        }),
        { minLength: 2, maxLength: 6 },
      ),
    }),
    { minLength: 2, maxLength: 6 },
  ),
  orders: fc.array(
    fc.record({
      visitor: fc.constantFrom(...visitors.slice(0, 3)),
      at: fc.constantFrom(...instants),
      amount: fc.constantFrom(0, 0, 1, 250),
      units: fc.constant(1),
      product: fc.constant('101'),
      refunds: fc.constantFrom([0], [0, 0], [0, 250], [0, 1, 250]),
      test: fc.constant(false),
      later: fc.constantFrom(minute, 3 * 24 * hour),
      type: fc.constantFrom('oneTime' as const, 'oneTime' as const, 'renewal' as const),
    }),
    { maxLength: 8 },
  ),
  seed: fc.integer(),
  currency: fc.constantFrom<string>('USD', 'JPY', 'KWD'),
})

export const edgeNames = [
  'met twice at one instant',
  'bought at the instant of meeting it',
  'a click at the instant of meeting it',
  'an order of nothing',
  'given back after the end',
  'at the instant of a pause',
  'at the instant of going on',
  'another currency',
] as const
/** The edge cases that a shop contains, in visits and orders that count. */
export function edgesOf(given: Scenario): (typeof edgeNames)[number][] {
  const runs = (at: number) => paused.active.some(([from, to]) => at >= from && at < to)
  const acts = given.visits.flatMap(visit =>
    visit.events
      .filter(({ tests }) => tests[0] === paused.id)
      .map(event => ({ ...event, visitor: visit.visitor })),
  )
  const met = acts.filter(({ kind, at }) => kind === 'exposure' && runs(at)),
    first = new Map(
      [...Map.groupBy(met, each => each.visitor)].map(
        ([visitor, all]) => [visitor, Math.min(...all.map(({ at }) => at))] as const,
      ),
    )
  const bought = given.orders.filter(
    ({ visitor, at, type }) =>
      type !== 'renewal' && at >= (first.get(visitor ?? '') ?? Infinity) && runs(at),
  )
  const moments = [...acts.filter(({ visitor }) => first.has(visitor)), ...bought].map(
    ({ at }) => at,
  )
  const is: Record<(typeof edgeNames)[number], boolean> = {
    'met twice at one instant': met.some((one, i) =>
      met.some(
        (other, j) =>
          i < j &&
          one.visitor === other.visitor &&
          one.at === other.at &&
          one.at === first.get(one.visitor),
      ),
    ),
    'bought at the instant of meeting it': bought.some(
      ({ visitor, at }) => at === first.get(visitor!),
    ),
    'a click at the instant of meeting it': acts.some(
      ({ kind, visitor, at }) => kind === 'click' && at === first.get(visitor),
    ),
    'an order of nothing': bought.some(({ amount }) => amount === 0),
    'given back after the end': bought.some(
      ({ at, later, refunds }) =>
        (refunds.at(-1) ?? 0) > 0 && at + (refunds.length - 1) * later > noon + 24 * hour,
    ),
    'at the instant of a pause': moments.some(at => paused.active.some(([, to]) => at === to)),
    'at the instant of going on': moments.some(at =>
      paused.active.slice(1).some(([from]) => at === from),
    ),
    'another currency': given.currency !== 'USD' && bought.length > 0,
  }
  return edgeNames.filter(name => is[name])
}

export function visitsOf({ visits }: Scenario): ReferenceVisit[] {
  return visits.map((visit, v) => {
    const own = (id: string, weights: PerArm<number>): 0 | 1 =>
      visit.arms === 'own'
        ? assignArm(id, visit.visitor, weights)
        : ((1 - assignArm(id, visit.visitor, weights)) as 0 | 1)
    const tests: Beacon['tests'] = {}
    for (const [id, stages] of Object.entries(visit.claims))
      tests[id] = [own(id, id === ended.id ? ended.weights : paused.weights), stages]
    return {
      received: noon,
      device: visit.device,
      isBot: visit.isBot,
      channel: visit.source.channel,
      host: visit.source.host,
      country: visit.country,
      beacon: {
        v: 1,
        shop,
        visitor: visit.visitor,
        session: visit.session,
        sent: noon - visit.lag,
        isNew: visit.isNew,
        landing: visit.source.landing,
        referrer: visit.source.referrer,
        ...(visit.hasConsented && { consent: true as const }),
        tests,
        events: visit.events.map((event, e) => ({
          id: `event-${v}-${e}-of-it`,
          at: event.at,
          kind: event.kind,
          path: '/',
          ...(event.kind === 'exposure'
            ? { tests: event.tests.slice(0, 1) }
            : event.kind === 'click' || event.kind === 'vitals'
              ? { tests: event.tests }
              : {}),
          ...(event.kind === 'vitals' && { vitals: event.vitals }),
          ...((event.kind === 'view' || event.kind === 'cart') &&
            event.product && { product: event.product }),
        })),
      },
    }
  })
}

export type Delivered = ReferenceOrder & { triggered: number; delivery: string; product: string }
export function ordersOf({
  orders,
}: Scenario): { final: ReferenceOrder; deliveries: Delivered[] }[] {
  return orders.map(({ visitor, at, amount, refunds, test, type, units, product, later }, i) => {
    const deliveries = refunds.map((refunded, n) => ({
      id: `order-${i}`,
      visitor,
      at,
      amount,
      refunded,
      test,
      type,
      units,
      product,
      triggered: at + n * later,
      delivery: `delivery-${i}-${n}`,
    }))
    return { final: deliveries.at(-1)!, deliveries }
  })
}
