import t from 'tap'
import type { CallName } from '../../../domain/api/contract.ts'
import { analyticsCalls } from '../../../domain/calls/analytics.ts'
import { brandCalls } from '../../../domain/calls/brand.ts'
import { jobCalls } from '../../../domain/calls/jobs.ts'
import { planCalls } from '../../../domain/calls/plans.ts'
import { sessionCalls } from '../../../domain/calls/session.ts'
import { storeCalls } from '../../../domain/calls/store.ts'
import { fuzz } from './run.ts'

await fuzz(
  t,
  Object.keys({
    ...sessionCalls,
    ...storeCalls,
    ...planCalls,
    ...brandCalls,
    ...analyticsCalls,
    ...jobCalls,
  }) as CallName[],
)
