import type { Test, TestEvent, TestListItem } from '../domain/ab-test.ts'
import { emptyTotals } from '../domain/goal-result.ts'
import type { Goal } from '../domain/goal.ts'
import { holdCause } from '../domain/hold-cause.ts'
import type { Plan } from '../domain/plan.ts'
import { speedPlace, type SpeedCounts, type SpeedMetric } from '../domain/speed.ts'
import type { StoreInfo, StoreStatus } from '../domain/store.ts'
import type { DayTotals, Verdict } from '../domain/summary.ts'
import { speedRows, summarise, type SummaryInput } from '../domain/summary-build.ts'
import type { TestStatus } from '../domain/test-status.ts'

/** What the living page of the design system shows its components with. Every figure is worked out from these by the product's own rules. */
export const now = new Date('2026-11-20T15:00:00Z')
const day = 86_400_000
const ago = (days: number) => new Date(now.getTime() - days * day).toISOString()

export const store: StoreInfo = {
  id: 'example',
  shop: 'fern-and-kiln.example',
  domain: 'fern-and-kiln.example',
  name: 'Fern & Kiln',
  createdAt: ago(90),
  updatedAt: ago(1),
  industry: 'kitchen',
  teamSize: '2-5',
  testingExperience: 'some',
  source: 'search',
  onboarded: true,
  reinstall: false,
  hasSubscribed: true,
  status: 'installed',
  planId: 'advanced-monthly',
  trial: false,
  themeId: 'kiln',
  segmentStatus: null,
  email: 'mara@example.com',
  phone: null,
  currency: 'USD',
  consentRule: 'unlessRefused',
  timeZone: 'America/New_York',
  features: [],
  storeInitials: 'FK',
  isDemo: true,
}
export const statusOf = (sessions: number): StoreStatus => ({
  nextBill: ago(-11),
  usageReset: ago(-11),
  trialEnd: ago(76),
  sessions,
  sessionLimit: 100_000,
  pendingPlan: null,
  subscriptionStatus: 'Active',
})

const plan = (
  id: string,
  title: string,
  level: number,
  price: number,
  over: Partial<Plan> = {},
): Plan => ({
  id,
  title,
  level,
  price,
  limit: 100_000,
  isAnnual: false,
  requireAppointment: false,
  available: true,
  ...over,
})
export const plans: Plan[] = [
  plan('core-monthly', 'Core', 1, 99),
  plan('core-annual', 'Core', 1, 891, { isAnnual: true }),
  plan('advanced-monthly', 'Advanced', 2, 199),
  plan('advanced-annual', 'Advanced', 2, 1791, { isAnnual: true }),
  plan('pro-monthly', 'Pro', 3, 399, { requireAppointment: true }),
]

/** Visitors and buyers of a whole test, what an order is worth in cents, and the share of visitors who click. */
type Arm = { visitors: number; buyers: number; order?: number; clicks?: number; isHeavy?: boolean }
/** Spread evenly over the days of the test; orders scatter around what they are worth as they do in a shop. */
function totals(
  { visitors, buyers, order = 4800, clicks = 0.42 }: Arm,
  arm: 0 | 1,
  days: number,
): DayTotals[] {
  return Array.from({ length: days }, (_, i) => {
    const part = (whole: number) =>
      Math.floor((whole * (i + 1)) / days) - Math.floor((whole * i) / days)
    const [people, bought] = [part(visitors), part(buyers)]
    return {
      day: ago(days - i).slice(0, 10),
      arm,
      visitors: people,
      clickers: Math.round(people * clicks),
      adders: Math.round(bought * 2.1),
      bounces: Math.round(people / 4),
      sessions: Math.round(people * 1.3),
      buyers: bought,
      orders: bought,
      revenue: bought * order,
      cappedRevenue: bought * order,
      cappedRevenueSquares: Math.round(bought * order * order * 1.3),
      orderSquares: bought,
      cappedRevenueOrders: bought * order,
    }
  })
}

const typicalSpeed: Record<SpeedMetric, number> = { lcp: 1900, cls: 60, inp: 140 }
/** Three pages of each visitor: most about what is typical, some at twice that. A heavy variant is a quarter slower to show. */
const pages = ({ visitors, isHeavy }: Arm, metric: SpeedMetric): SpeedCounts => {
  const typical = typicalSpeed[metric] * (isHeavy && metric === 'lcp' ? 1.25 : 1)
  return new Map(
    [
      [0.7, 0.5],
      [1, 1.7],
      [2, 0.8],
    ].map(([times, each]) => [speedPlace(typical * times!), Math.round(visitors * each!)]),
  )
}

type Example = {
  id: string
  title: string
  variantTitle: string
  status: TestStatus
  age: number
  length?: number
  ended?: number
  goal?: Goal
  arms: [Arm, Arm]
  reached?: 'winner' | 'loser' | 'noDifference'
  events?: TestEvent[]
}
function testOf({
  id,
  title,
  variantTitle,
  status,
  age,
  length = 28,
  ended,
  goal = 'ConversionRate',
  arms,
  reached,
  events = [],
}: Example): Test {
  const startAt = now.getTime() - age * day,
    endsAt = startAt + length * day,
    endedAt = ended === undefined ? null : now.getTime() - ended * day
  const stage = ({ visitors }: Arm, kept: number) => ({
    assigned: Math.round(visitors / kept),
    applied: Math.round(visitors / kept),
    exposed: visitors,
    recorded: visitors,
  })
  const orders = ({ buyers, order = 4800 }: Arm) => ({
    orders: buyers,
    amount: buyers * order,
    refunds: Math.round(buyers / 40) * order,
  })
  const inArms = [orders(arms[0]), orders(arms[1])] as const
  const outside = { reason: 'noExposure' as const, orders: 212, amount: 212 * 4100, refunds: 0 }
  const sum = (key: 'orders' | 'amount' | 'refunds') =>
    inArms[0][key] + inArms[1][key] + outside[key]
  const bots = ({ visitors }: Arm) => ({
    ...emptyTotals,
    visitors: Math.round(visitors / 60),
    clickers: Math.round(visitors / 90),
  })
  const consented = ({ visitors }: Arm) => Math.round(visitors * 0.62)
  const input: SummaryInput = {
    goal,
    weights: [0.5, 0.5],
    startAt,
    endsAt,
    endedAt,
    plannedVisitors: 60_000,
    minimumEffect: 0.1,
    storedVerdict: null,
    days: [...totals(arms[0], 0, age), ...totals(arms[1], 1, age)],
    recent: {
      visitors: Math.round((arms[0].visitors + arms[1].visitors) / Math.max(1, age / 7)),
      days: 7,
    },
    ranFor: (endedAt ?? now.getTime()) - startAt,
    now: now.getTime(),
    devices: [
      {
        device: 'phone',
        observed: [Math.round(arms[0].visitors * 0.7), Math.round(arms[1].visitors * 0.7)],
      },
      {
        device: 'desktop',
        observed: [Math.round(arms[0].visitors * 0.3), Math.round(arms[1].visitors * 0.3)],
      },
    ],
    stages: [
      stage(arms[0], 0.97),
      stage(arms[1], arms[1].visitors < arms[0].visitors * 0.95 ? 0.86 : 0.97),
    ],
    ledger: {
      arms: [...inArms],
      excluded: [outside],
      total: { orders: sum('orders'), amount: sum('amount'), refunds: sum('refunds') },
    },
    bots: [bots(arms[0]).visitors, bots(arms[1]).visitors],
    botTotals: [bots(arms[0]), bots(arms[1])],
    consented: [consented(arms[0]), consented(arms[1])],
    speed: speedRows((metric, arm) => pages(arms[arm], metric)),
    bothArms: 14,
    setAside: 3,
    aside: { visitors: [3, 384], networks: 1, warned: 0 },
    cappedOrders: 0,
    orderCap: null,
  }
  const fresh = summarise(input)
  // A verdict is stored when it is reached, and kept.
  const { lift, chanceToWin } = fresh.goals.find(result => result.goal === goal)!
  const summary = reached
    ? summarise({
        ...input,
        storedVerdict: { kind: reached, reachedAt: ago(2), lift, chanceToWin },
      })
    : fresh
  const instant = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  return {
    id,
    kind: 'PageElement',
    title,
    status,
    goal,
    weights: [0.5, 0.5],
    pages: ['/products/*'],
    createdAt: instant(startAt)!,
    updatedAt: instant(startAt)!,
    startAt: instant(startAt),
    endsAt: instant(endsAt),
    endedAt: instant(endedAt),
    appliedAt: null,
    isDemo: false,
    isImported: false,
    notInFile: [],
    hypothesisDescription:
      'If reviews stand above the fold, more visitors buy, because they see that others did.',
    controlTitle: 'Control',
    variantTitle,
    statusHistory: [{ status: 'Active', appliedOn: instant(startAt)! }],
    events,
    hypotheses: [],
    domSelectors: [],
    controlUrl: '',
    redirectUrl: '',
    minimumEffect: 0.1,
    plannedVisitors: 60_000,
    estimatedCompletionDate: summary.estimatedCompletionDate,
    launchAt: null,
    automaticallyEndAt: null,
    previewUrls: ['', ''],
    revision: '',
    control: null,
    variant: null,
    resourceIds: [],
    audienceIds: [],
    apiMode: null,
    holdCause: status === 'OnHold' ? holdCause('pageGone') : null,
    appliedArm: null,
    summary,
  }
}

const event = (
  kind: TestEvent['kind'],
  days: number,
  value: number | null = null,
  detail: string | null = null,
): TestEvent => ({ kind, at: ago(days), value, detail })

/** One test for each verdict. */
export const tests = {
  winner: testOf({
    id: 'winner',
    title: 'Reviews above the fold',
    variantTitle: 'Reviews first',
    status: 'Active',
    age: 20,
    arms: [
      { visitors: 29_104, buyers: 1218, order: 6318 },
      { visitors: 28_982, buyers: 1368, order: 6274, clicks: 0.436 },
    ],
    reached: 'winner',
    events: [
      event('Created', 21),
      event('Start', 20),
      event('Visitors', 18, 1000),
      event('Progress', 15, 0.25),
      event('Paused', 12),
      event('Start', 11),
      event('Visitors', 8, 10_000),
      event('Progress', 6, 0.5),
      event('Modified', 4, null, 'Its name'),
      event('Lift', 2, 0.128),
    ],
  }),
  loser: testOf({
    id: 'loser',
    title: 'Kiln theme 3.0',
    variantTitle: 'Kiln 3.0',
    status: 'Active',
    age: 16,
    arms: [
      { visitors: 14_890, buyers: 655 },
      { visitors: 15_012, buyers: 550, isHeavy: true },
    ],
    reached: 'loser',
  }),
  noDifference: testOf({
    id: 'no-difference',
    title: 'Shorter size guide',
    variantTitle: 'Short guide',
    status: 'Ended',
    age: 30,
    ended: 2,
    arms: [
      { visitors: 30_210, buyers: 1290 },
      { visitors: 30_044, buyers: 1301 },
    ],
    reached: 'noDifference',
  }),
  leaning: testOf({
    id: 'leaning',
    title: 'Delivery promise by the button',
    variantTitle: 'Ships today',
    status: 'Active',
    age: 11,
    arms: [
      { visitors: 8120, buyers: 341 },
      { visitors: 8087, buyers: 362 },
    ],
  }),
  tooEarly: testOf({
    id: 'too-early',
    title: 'Bundles on product pages',
    variantTitle: 'Bundles',
    status: 'Active',
    age: 3,
    arms: [
      { visitors: 2210, buyers: 88 },
      { visitors: 2195, buyers: 97 },
    ],
  }),
  collecting: testOf({
    id: 'collecting',
    title: 'Quieter footer',
    variantTitle: 'Quiet',
    status: 'Active',
    age: 1,
    arms: [
      { visitors: 82, buyers: 2 },
      { visitors: 77, buyers: 3 },
    ],
  }),
  splitBroken: testOf({
    id: 'split-broken',
    title: 'Gift guide of this year',
    variantTitle: 'New guide',
    status: 'OnHold',
    age: 9,
    arms: [
      { visitors: 9120, buyers: 371 },
      { visitors: 8115, buyers: 344 },
    ],
  }),
} as const satisfies Record<Verdict['kind'], Test>

/** A test as the list has it. */
export const listItem = ({ summary, ...test }: Test): TestListItem => ({
  id: test.id,
  kind: test.kind,
  title: test.title,
  status: test.status,
  goal: test.goal,
  weights: test.weights,
  pages: test.pages,
  createdAt: test.createdAt,
  updatedAt: test.updatedAt,
  startAt: test.startAt,
  endsAt: test.endsAt,
  endedAt: test.endedAt,
  appliedAt: test.appliedAt,
  isDemo: test.isDemo,
  isImported: test.isImported,
  visitors: summary.visitors[0] + summary.visitors[1],
  daily: null,
  result: summary.goals.find(({ goal }) => goal === test.goal) ?? null,
  verdict: summary.verdict,
})
