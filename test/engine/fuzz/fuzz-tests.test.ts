import t from 'tap'
import type { CallName } from '../../../domain/api/contract.ts'
import { audienceCalls } from '../../../domain/calls/audiences.ts'
import { contentCalls } from '../../../domain/calls/contents.ts'
import { draftCalls } from '../../../domain/calls/drafts.ts'
import { templateCalls } from '../../../domain/calls/templates.ts'
import { testCalls } from '../../../domain/calls/tests.ts'
import { fuzz } from './run.ts'

await fuzz(
  t,
  Object.keys({
    ...draftCalls,
    ...contentCalls,
    ...testCalls,
    ...templateCalls,
    ...audienceCalls,
  }) as CallName[],
)
