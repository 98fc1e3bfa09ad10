import { holdCause } from '../../domain/tests/hold-cause.ts'
import type { Test, TestEvent } from '../../domain/tests/ab-test.ts'
import { emptyTotals } from '../../domain/reports/goal-result.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import { speedPlace, type SpeedCounts, type SpeedMetric } from '../../domain/reports/speed.ts'
import type { DayTotals } from '../../domain/reports/summary.ts'
import { speedRows, summarise, type SummaryInput } from '../../domain/reports/summary-build.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import { day } from '../../domain/time-units.ts'
import { ago, now } from './design-examples.ts'

/**
 * Visitors and buyers of a whole test, what an order is worth in cents, and the share of visitors
 * who click.
 */
type Arm = { visitors: number; buyers: number; order?: number; clicks?: number; isHeavy?: boolean }

/**
 * An arm's figures, spread evenly over the days of the test. Order values vary about as much as in
 * a real shop.
 */
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

/**
 * Three page views for each visitor: most near the typical value, some at twice that. In a heavy
 * variant the LCP is a quarter slower.
 */
export const pages = ({ visitors, isHeavy }: Arm, metric: SpeedMetric): SpeedCounts => {
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

/** A test with the figures that follow from these visitors and buyers. */
export function testOf({
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
