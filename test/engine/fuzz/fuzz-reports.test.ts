import t from 'tap'
import type { CallName } from '../../../domain/api/contract.ts'
import { assistCalls } from '../../../domain/calls/assists.ts'
import { exportCalls } from '../../../domain/calls/exports.ts'
import { reportCalls } from '../../../domain/calls/reports.ts'
import { fuzz } from './run.ts'

await fuzz(t, Object.keys({ ...reportCalls, ...exportCalls, ...assistCalls }) as CallName[])
