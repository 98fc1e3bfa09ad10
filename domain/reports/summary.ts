import * as Type from 'typebox'
import { orderWays } from '../orders/order-visitor.ts'
import { goalNames } from './goal.ts'
import { speedMetrics } from './speed.ts'

/**
 * The schema of a test's result at one moment. Money is in minor units of the store's currency;
 * rates and lifts are fractions.
 */
const Maybe = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Both = <T extends Type.TSchema>(schema: T) => Type.Tuple([schema, schema])

export const ArmFigures = Type.Object({
  visitors: Type.Integer(),
  /** What the goal counts: buyers, orders, clickers or adders (goal.ts `counted`). */
  count: Type.Integer(),
  /** The value of the goal (rate, or minor units); null with nothing to divide by. */
  value: Maybe(Type.Number()),
  /** The mean that the inference used; for the money goals with orders capped. */
  inferred: Maybe(Type.Number()),
  /**
   * Expected loss of choosing this arm. `loss`: relative to the control's mean. `lossPerMonth`: in
   * minor units a month, only for CVR, AOV and RPV.
   */
  loss: Maybe(Type.Number()),
  lossPerMonth: Maybe(Type.Number()),
})
export const GoalResult = Type.Object({
  goal: Type.Enum(goalNames),
  arms: Both(ArmFigures),
  /**
   * Null until the data gates of docs/statistics.md are met, and while the split is broken
   * (uncompared.ts).
   */
  chanceToWin: Maybe(Type.Number()),
  lift: Maybe(Type.Number()),
  /** The 90% credible interval of the lift. */
  interval: Maybe(Both(Type.Number())),
  /**
   * What the data gates still need: visitors per arm, conversions of both arms together,
   * conversions per arm. Null when all are met.
   */
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
  /**
   * When a winner, loser or no-difference verdict was first reached and stored; null for the other
   * verdicts, which can change.
   */
  reachedAt: Maybe(Type.String()),
  /** The lift and the chance to win of the primary goal when the verdict was reached. */
  lift: Maybe(Type.Number()),
  chanceToWin: Maybe(Type.Number()),
})
export type Verdict = Type.Static<typeof Verdict>

export const SplitCheck = Type.Object({
  observed: Both(Type.Integer()),
  /**
   * The p-value of Pearson's chi-square test; null without visitors. The split is broken below
   * 0.001.
   */
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
  'expressCheckout',
  'attributeCleared',
] as const
export type Exclusion = (typeof exclusions)[number]
const LedgerLine = Type.Object({
  orders: Type.Integer(),
  amount: Type.Number(),
  refunds: Type.Number(),
})
/**
 * Every order of the shop while the test ran: in an arm, or left out with a reason. The parts sum
 * to `total`.
 */
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
  /**
   * The same orders by the way in which their visitor is known; they sum to `total`. Missing in
   * older summaries and for imported tests.
   */
  ways: Type.Optional(
    Type.Array(Type.Object({ way: Type.Enum([...orderWays]), orders: Type.Integer() })),
  ),
})
export type Ledger = Type.Static<typeof Ledger>
export const StageCounts = Type.Object({
  assigned: Type.Integer(),
  applied: Type.Integer(),
  exposed: Type.Integer(),
  recorded: Type.Integer(),
  /**
   * Visitors with an exposure: those recorded, and those who met both arms. Missing in older
   * summaries.
   */
  met: Type.Optional(Type.Integer()),
})

/**
 * Page speed of the arms by one measure of the browser (speed.ts). `pages`: measured views of
 * tested pages. `p75`: the value that three quarters of them are below.
 */
export const SpeedRow = Type.Object({
  metric: Type.Enum([...speedMetrics]),
  arms: Both(Type.Object({ pages: Type.Integer(), p75: Maybe(Type.Number()) })),
})
export type SpeedRow = Type.Static<typeof SpeedRow>

/**
 * The result of the primary goal if flagged bots counted as visitors. `kind` ignores a stored
 * verdict.
 */
export const WithBots = Type.Object({
  visitors: Both(Type.Integer()),
  chanceToWin: Maybe(Type.Number()),
  lift: Maybe(Type.Number()),
  kind: Type.Enum([...verdictKinds]),
})
export type WithBots = Type.Static<typeof WithBots>

/**
 * `visitors`: exposed visitors that are set aside with their network, per arm. `networks`: the
 * number of these networks. `warned`: networks with only a warning.
 */
export const AsideCounts = Type.Object({
  visitors: Both(Type.Integer()),
  networks: Type.Integer(),
  warned: Type.Integer(),
})
export type AsideCounts = Type.Static<typeof AsideCounts>

/**
 * Charges of a price test since it last started or was resumed. `judged`: buyers whose orders were
 * compared with the prices that they saw. `wrong`: those who were charged a different price.
 * `unmarked`: orders without cart attributes, whose arm is unknown. `latest`: the newest wrong
 * charge, in words.
 */
export const ChargeCounts = Type.Object({
  judged: Type.Integer(),
  wrong: Type.Integer(),
  unmarked: Type.Integer(),
  latest: Maybe(Type.String()),
})
export type ChargeCounts = Type.Static<typeof ChargeCounts>

export const TestSummary = Type.Object({
  /** Counted visitors, per arm. */
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
  /**
   * `bots`: visitors left out as bots, per arm. `bothArms`: visitors who met both arms. `setAside`:
   * events that are not counted.
   */
  bots: Both(Type.Integer()),
  bothArms: Type.Integer(),
  setAside: Type.Integer(),
  /** Missing in summaries that are older than the check of networks. */
  aside: Type.Optional(AsideCounts),
  /** Only in price tests. */
  charges: Type.Optional(ChargeCounts),
  /** Null without bots. */
  withBots: Maybe(WithBots),
  /**
   * Counted visitors whose browser reported their consent. The other counted visitors were not
   * asked: visitors who refuse are in neither arm.
   */
  consented: Both(Type.Integer()),
  /** One row per measure, in the order of speed.ts. */
  speed: Type.Array(SpeedRow),
  cappedOrders: Type.Integer(),
  /** The inference caps orders at this value, in minor units; null below 100 orders. */
  orderCap: Maybe(Type.Number()),
  /**
   * When enough visitors for the whole test will have come at the present pace; null unless there
   * is enough traffic.
   */
  estimatedCompletionDate: Maybe(Type.String()),
  /**
   * Whether enough visitors come within 90 days. Unknown before the first full day has passed, and
   * for a test that has not begun or is over.
   */
  traffic: Type.Optional(Type.Enum(['unknown', 'enough', 'notEnough'])),
  /** When there is not enough traffic: the smallest change that 28 days can find. */
  smallestEffect: Type.Optional(Maybe(Type.Number())),
  updatedAt: Type.String(),
})
export type TestSummary = Type.Static<typeof TestSummary>

/**
 * One day of one metric (metric.ts). Per arm: the day's visitors; `count`, what the metric counts
 * (minor units for money, for example buyers for a rate); `denominator`, what it is divided by
 * (null for a plain count); and the value.
 * `chanceToWin`: for the five goals, from all data up to the day's end; null while the split is
 * broken.
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
 * Figures of one test, arm and day, as they are stored. All of them can be added over days. For
 * squares and cross products, each order adds the change in its visitor's total (total² after the
 * order minus total² before it), so that a sum over days equals the sum over visitors of their
 * squared totals. Capped figures use the test's present order cap.
 */
export type DayTotals = {
  day: string
  arm: 0 | 1
  visitors: number
  clickers: number
  adders: number
  /** The visitors among these who saw only one page in the session of their exposure. */
  bounces: number
  /** Sessions of counted visitors since their exposure, on the day when the session began. */
  sessions: number
  /** Visitors whose first counted order was on this day. */
  buyers: number
  orders: number
  revenue: number
  cappedRevenue: number
  cappedRevenueSquares: number
  orderSquares: number
  cappedRevenueOrders: number
}
