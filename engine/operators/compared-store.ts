import type { Reconciled } from '../../domain/platform/reconciled.ts'
import type { EngineContext } from '../context.ts'
import type { JobRun } from '../jobs/jobs.ts'

/** A store that is being compared with the platform. */
export type ComparedStore = {
  storeId: string
  shop: string
  /** The platform's name. */
  platform: string
  installedAt: Date
  /** Changes of orders before this were read by the run before; null at the first. */
  readUntil: Date | null
  /** This run looks at what happened before this. */
  until: Date
  /**
   * The tests that ran when the comparison began. A repair lets another job check them at once, and
   * a test that this job puts on hold was found by the comparison all the same.
   */
  running: readonly string[]
  run: Pick<JobRun, 'id' | 'signal'>
}
/** A part of the comparison. It may run again after a crash. Returns what it found and repaired. */
export type Step = (context: EngineContext, store: ComparedStore) => Promise<Reconciled>
