import { changeActs } from '../change-acts.ts'
import { applyChanges } from '../changes.ts'
import type { MakeChanges } from './loaded-parts.ts'

/** The part for changes with the acts of all kinds: a file of the platform's serves all shops. */
export const makeChanges: MakeChanges = (tests, applied) =>
  applyChanges(changeActs, tests as Parameters<typeof applyChanges>[1], applied)
