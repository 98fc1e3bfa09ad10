import type { PerArm } from '../../../domain/arm.ts'
import { goalNames } from '../../../domain/reports/goal.ts'
import type { GoalResult, TestSummary } from '../../../domain/reports/summary.ts'
import { speedRows } from '../../../domain/reports/summary-build.ts'
import type { Db } from '../../../engine/db/connection.ts'

/**
 * Stores a summary for tests that read one. Every goal has this `lift` and `chanceToWin`; the rest
 * has default values.
 */
export async function seedSummary(
  db: Db,
  store_id: string,
  test_id: string,
  visitors: PerArm<number>,
  lift: number | null = null,
  chanceToWin: number | null = null,
  broken = false,
): Promise<void> {
  const arm = (n: number) => ({
    visitors: n,
    count: 0,
    value: 0,
    inferred: null,
    loss: null,
    lossPerMonth: null,
  })
  const goals: GoalResult[] = goalNames.map((goal, i) => ({
    goal,
    arms: [arm(visitors[0]), arm(visitors[1])],
    chanceToWin,
    lift: lift === null ? null : lift + i,
    interval: null,
    missing: null,
  }))
  const line = { orders: 0, amount: 0, refunds: 0 },
    stages = { assigned: 0, applied: 0, exposed: 0, recorded: 0 }
  const summary: TestSummary = {
    visitors,
    goals,
    split: { observed: visitors, p: null, broken },
    splitByDevice: [],
    verdict: { kind: broken ? 'splitBroken' : 'leaning', reachedAt: null, lift, chanceToWin },
    stages: [stages, stages],
    ledger: { arms: [line, line], excluded: [], total: line },
    bots: [0, 0],
    bothArms: 0,
    setAside: 0,
    withBots: null,
    consented: [0, 0],
    speed: speedRows(() => new Map()),
    cappedOrders: 0,
    orderCap: null,
    estimatedCompletionDate: null,
    updatedAt: new Date().toISOString(),
  }
  await db.kysely
    .insertInto('test_summaries')
    .values({
      store_id,
      test_id,
      summary: JSON.stringify(summary),
      days: '[]',
      order_figures: '{}',
      changed: 0,
      orders_changed: 0,
      updated_at: new Date(),
    })
    .execute()
}
