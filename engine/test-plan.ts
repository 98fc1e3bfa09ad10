import type { EngineContext } from './context.ts'
import type { DraftRow } from './drafts.ts'

export type TestPlan = { plannedVisitors: number; days: number }

export async function planFor(_context: EngineContext, _draft: DraftRow, _now: Date): Promise<TestPlan> {
  return { plannedVisitors: 20_000, days: 14 }
}
