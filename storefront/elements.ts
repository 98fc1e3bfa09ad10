import type { ChangeActs } from './change-acts.ts'
import { applyChanges } from './changes.ts'
import { observe } from './observe.ts'
import type { Visit } from './core.ts'

/** Changes with their own observer. */
export const applyElements = (acts: Partial<ChangeActs>, wanted: Visit['changes'], onApplied: (test: string) => void): (() => void) => applyChanges(observe, acts, wanted, onApplied)
