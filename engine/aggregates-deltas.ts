import { stage } from '../domain/event.ts'
import { armBit, hasMetOtherArm, isCounted } from './aggregates-visitors.ts'
import type { VisitorState } from './aggregates-visitors.ts'
import { devices } from './visit-agent.ts'
import { dayIn } from './visit-day.ts'

/** Figures of test_days and test_arms, in their columns' order. */
const dayFigures = 3, armFigures = 7
export type DayDelta = { storeId: string; testId: string; day: string; arm: number; dimension: string; value: string; figures: number[] }
export type ArmDelta = { storeId: string; testId: string; arm: number; figures: number[] }

/** What a set of changed visitors adds to the stored aggregates; visitors are taken out as they were and put in as they are. */
export class Deltas {
  readonly days = new Map<string, DayDelta>()
  readonly arms = new Map<string, ArmDelta>()

  replace(store: { id: string; timeZone: string }, before: VisitorState | undefined, after: VisitorState): void {
    if (before) this.#add(store, before, -1)
    this.#add(store, after, 1)
  }

  setAside(storeId: string, testId: string, counts: [number, number]): void {
    counts.forEach((count, arm) => { this.#arm(storeId, testId, arm)[6]! += count })
  }

  #add(store: { id: string; timeZone: string }, state: VisitorState, sign: 1 | -1): void {
    if (!state.isBot) {
      const arm = this.#arm(store.id, state.testId, state.arm)
      if (state.stages & stage.assigned) arm[0]! += sign
      if (state.stages & stage.applied) arm[1]! += sign
      if (state.stages & stage.exposed) arm[2]! += sign
      if (isCounted(state)) arm[3]! += sign
      if (state.first && hasMetOtherArm(state)) arm[5]! += sign
    } else if (state.first) this.#arm(store.id, state.testId, state.arm)[4]! += sign
    if (!isCounted(state)) return

    const { first, lastClickAt, lastCartAt } = state
    const day = dayIn(store.timeZone, first!.at)
    for (const [dimension, value] of [['all', ''], ['device', devices[first!.device]]] as const) {
      const figures = this.#day(store.id, state, day, dimension, value)
      figures[0]! += sign
      // Only what comes after the exposure counts; both instants are the visitor's own clock's.
      if (lastClickAt !== null && lastClickAt >= first!.at) figures[1]! += sign
      if (lastCartAt !== null && lastCartAt >= first!.at) figures[2]! += sign
    }
  }

  #day(storeId: string, { testId, arm }: VisitorState, day: string, dimension: string, value: string): number[] {
    const key = `${testId} ${day} ${arm} ${dimension} ${value}`
    let delta = this.days.get(key)
    if (!delta) this.days.set(key, delta = { storeId, testId, day, arm, dimension, value, figures: Array<number>(dayFigures).fill(0) })
    return delta.figures
  }

  #arm(storeId: string, testId: string, arm: number): number[] {
    const key = `${testId} ${arm}`
    let delta = this.arms.get(key)
    if (!delta) this.arms.set(key, delta = { storeId, testId, arm, figures: Array<number>(armFigures).fill(0) })
    return delta.figures
  }
}

/** Whether the two differ in what decides where the visitor's orders belong. */
export const attributionDiffers = (a: VisitorState | undefined, b: VisitorState): boolean =>
  a?.first?.at !== b.first?.at || a?.isBot !== b.isBot || ((a?.seen ?? 0) & ~armBit(b.arm)) !== (b.seen & ~armBit(b.arm))
