import * as Type from 'typebox'
import { goalNames } from './goal.ts'
import { speedMetrics } from './speed.ts'

/** What the engine knows of a test's result at one moment. Money in minor units of the store's currency; rates and lifts are fractions. */
const Maybe = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Both = <T extends Type.TSchema>(schema: T) => Type.Tuple([schema, schema])

export const ArmFigures = Type.Object({
  visitors: Type.Integer(),
  /** What the goal counts: buyers, orders, clickers or adders (goal.ts `counted`). */
  count: Type.Integer(),
  /** The goal's plain value (rate, or minor units), null with nothing to divide by. */
  value: Maybe(Type.Number()),
  /** The mean the inference used: orders capped for the money goals. */
  inferred: Maybe(Type.Number()),
  /** Expected loss of choosing this arm, relative to control's mean; and in minor units a month for CVR, AOV and RPV. */
  loss: Maybe(Type.Number()),
  lossPerMonth: Maybe(Type.Number()),
})
export const GoalResult = Type.Object({
  goal: Type.Enum(goalNames),
  arms: Both(ArmFigures),
  /** Null until the data gates of docs/statistics.md are met, and while the split is broken (uncompared.ts). */
  chanceToWin: Maybe(Type.Number()),
  lift: Maybe(Type.Number()),
  /** The 90% credible interval of the lift. */
  interval: Maybe(Both(Type.Number())),
  /** What each gate still asks for while one is shut: visitors in each arm, conversions in both together, and conversions in each arm. */
  missing: Maybe(
    Type.Object({
      visitors: Both(Type.Integer()),
      conversions: Type.Integer(),
      conversionsPerArm: Type.Optional(Both(Type.Integer())),
    }),
  ),
})
export type GoalResult = Type.Static<typeof GoalResult>

export const verdictKinds = [
  'collecting',
  'tooEarly',
  'leaning',
  'winner',
  'loser',
  'noDifference',
  'splitBroken',
] as const
export const Verdict = Type.Object({
  kind: Type.Enum([...verdictKinds]),
  /** When a winner, loser or no-difference verdict was first reached and stored; null for the passing ones. */
  reachedAt: Maybe(Type.String()),
  /** The lift and chance of the primary goal when it was reached. */
  lift: Maybe(Type.Number()),
  chanceToWin: Maybe(Type.Number()),
})
export type Verdict = Type.Static<typeof Verdict>

export const SplitCheck = Type.Object({
  observed: Both(Type.Integer()),
  /** p of Pearson's chi-square, null with no visitors; broken below 0.001. */
  p: Maybe(Type.Number()),
  broken: Type.Boolean(),
})
export type SplitCheck = Type.Static<typeof SplitCheck>

export const exclusions = [
  'noExposure',
  'beforeExposure',
  'bothArms',
  'bot',
  'testOrder',
  'noConsent',
  'renewal',
  'paused',
  'network',
] as const
export type Exclusion = (typeof exclusions)[number]
const LedgerLine = Type.Object({
  orders: Type.Integer(),
  amount: Type.Number(),
  refunds: Type.Number(),
})
/** Every order of the shop while the test ran: in an arm, or out with a reason. The parts sum to `total`. */
export const Ledger = Type.Object({
  arms: Both(LedgerLine),
  excluded: Type.Array(
    Type.Object({
      reason: Type.Enum([...exclusions]),
      orders: Type.Integer(),
      amount: Type.Number(),
      refunds: Type.Number(),
    }),
  ),
  total: LedgerLine,
})
export type Ledger = Type.Static<typeof Ledger>
export const StageCounts = Type.Object({
  assigned: Type.Integer(),
  applied: Type.Integer(),
  exposed: Type.Integer(),
  recorded: Type.Integer(),
})

/** Page speed of one arm by one of the browser's own measures (speed.ts): tested pages measured, and what three quarters of them keep below. */
export const SpeedRow = Type.Object({
  metric: Type.Enum([...speedMetrics]),
  arms: Both(Type.Object({ pages: Type.Integer(), p75: Maybe(Type.Number()) })),
})
export type SpeedRow = Type.Static<typeof SpeedRow>

/** The result as it would be with flagged bots counted as visitors, on the primary goal; `kind` as if no verdict had been stored. */
export const WithBots = Type.Object({
  visitors: Both(Type.Integer()),
  chanceToWin: Maybe(Type.Number()),
  lift: Maybe(Type.Number()),
  kind: Type.Enum([...verdictKinds]),
})
export type WithBots = Type.Static<typeof WithBots>

/** Visitors who met the test and are set aside with their network, per arm; of how many networks; and how many networks were only warned about. */
export const AsideCounts = Type.Object({
  visitors: Both(Type.Integer()),
  networks: Type.Integer(),
  warned: Type.Integer(),
})
export type AsideCounts = Type.Static<typeof AsideCounts>

/**
 * Of a price test, since it last started or was resumed: buyers whose orders were held against the prices they were shown,
 * those charged otherwise, and orders without cart attributes, of whose arm nothing is known. `latest` is the newest mismatch in words.
 */
export const ChargeCounts = Type.Object({
  judged: Type.Integer(),
  wrong: Type.Integer(),
  unmarked: Type.Integer(),
  latest: Maybe(Type.String()),
})
export type ChargeCounts = Type.Static<typeof ChargeCounts>

export const TestSummary = Type.Object({
  /** Visitors counted, per arm. */
  visitors: Both(Type.Integer()),
  /** One per goal, in the order of goal.ts. */
  goals: Type.Array(GoalResult),
  split: SplitCheck,
  splitByDevice: Type.Array(
    Type.Object({ device: Type.String(), observed: Both(Type.Integer()), p: Maybe(Type.Number()) }),
  ),
  verdict: Verdict,
  stages: Both(StageCounts),
  ledger: Ledger,
  /** Flagged visitors left out, per arm; visitors met in both arms; events set aside. */
  bots: Both(Type.Integer()),
  bothArms: Type.Integer(),
  setAside: Type.Integer(),
  /** Left out of a summary from before networks were known. */
  aside: Type.Optional(AsideCounts),
  /** Of a price test alone. */
  charges: Type.Optional(ChargeCounts),
  /** Null without a bot. */
  withBots: Maybe(WithBots),
  /** Of the visitors counted, those whose browser said that they consented; the others were not asked. Who refuses is in no arm. */
  consented: Both(Type.Integer()),
  /** One row per measure, in the order of speed.ts. */
  speed: Type.Array(SpeedRow),
  cappedOrders: Type.Integer(),
  /** Order value above which the inference cuts, minor units; null below 100 orders. */
  orderCap: Maybe(Type.Number()),
  /** Whole test: when enough visitors will have come at the present pace; null unless the traffic is enough. */
  estimatedCompletionDate: Maybe(Type.String()),
  /** Whether enough visitors come within 90 days. Unknown before the first full day has passed, and of a test that has not begun or is over. */
  traffic: Type.Optional(Type.Enum(['unknown', 'enough', 'notEnough'])),
  /** With not enough traffic: the smallest change that 28 days can find. */
  smallestEffect: Type.Optional(Maybe(Type.Number())),
  updatedAt: Type.String(),
})
export type TestSummary = Type.Static<typeof TestSummary>

/**
 * One day of one metric (metric.ts): per arm the day's visitors, what the metric counts (minor units where that is
 * money; buyers and the like where it is a rate), what that is divided by (null for a plain count) and the value; and,
 * for the five goals, the chance to win of everything up to the day's end, null while the split is broken.
 */
export const DailyPoint = Type.Object({
  day: Type.String(),
  arms: Both(
    Type.Object({
      visitors: Type.Integer(),
      count: Type.Number(),
      denominator: Maybe(Type.Integer()),
      value: Maybe(Type.Number()),
    }),
  ),
  chanceToWin: Maybe(Type.Number()),
  paused: Type.Enum(['no', 'partly', 'wholly']),
})
export type DailyPoint = Type.Static<typeof DailyPoint>

/**
 * Stored per test, arm and day, additive over days. Squares and cross products are those of a visitor's running
 * totals (total² after the order less total² before it), so that sums over days are sums over visitors of totals.
 * Capped figures use the test's present order cap.
 */
export type DayTotals = {
  day: string
  arm: 0 | 1
  visitors: number
  clickers: number
  adders: number
  /** Of these visitors, those who saw one page in the session that brought them into the test. */
  bounces: number
  /** Sessions of counted visitors from their exposure on, by the day of their begin. */
  sessions: number
  /** Visitors whose first counted order fell on this day. */
  buyers: number
  orders: number
  revenue: number
  cappedRevenue: number
  cappedRevenueSquares: number
  orderSquares: number
  cappedRevenueOrders: number
}
