import type { Capability } from '../access.ts'
import { audienceCapability } from '../audiences/audience.ts'
import { kindCapability } from './test-kind.ts'
import type { TestKind } from './test-kind.ts'

/**
 * The capability that a test needs, for its kind or its audiences, and that the store no longer
 * has. Null when it has all. A running test continues without it, but cannot start again
 * (decision 058).
 */
export const closedFor = (
  { kind, audienceIds }: { kind: TestKind; audienceIds: readonly string[] },
  can: (capability: Capability) => boolean,
): Capability | null =>
  [kindCapability[kind], audienceCapability(audienceIds)].find(needed => needed && !can(needed)) ??
  null
