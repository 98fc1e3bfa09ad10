import { addressCalls } from '../calls/addresses.ts'
import type { Call, CallInput, CallOutput } from './call.ts'
import { analyticsCalls } from '../calls/analytics.ts'
import { assistCalls } from '../calls/assists.ts'
import { audienceCalls } from '../calls/audiences.ts'
import { brandCalls } from '../calls/brand.ts'
import { choiceCalls } from '../calls/choices.ts'
import { contentCalls } from '../calls/contents.ts'
import { draftCalls } from '../calls/drafts.ts'
import { exportCalls } from '../calls/exports.ts'
import { jobCalls } from '../calls/jobs.ts'
import { networkCalls } from '../calls/networks.ts'
import { pictureCalls } from '../calls/pictures.ts'
import { planCalls } from '../calls/plans.ts'
import { productCalls } from '../calls/products.ts'
import { reportCalls } from '../calls/reports.ts'
import { sessionCalls } from '../calls/session.ts'
import { storeCalls } from '../calls/store.ts'
import { templateCalls } from '../calls/templates.ts'
import { testCalls } from '../calls/tests.ts'

/**
 * Every call of the API (requirements 27.1). The engine's routes, the app's client and the OpenAPI
 * document are built from this table. A new call needs one row in calls/ and one handler in the
 * engine.
 */
export const contract = {
  ...sessionCalls,
  ...storeCalls,
  ...addressCalls,
  ...networkCalls,
  ...planCalls,
  ...brandCalls,
  ...analyticsCalls,
  ...assistCalls,
  ...productCalls,
  ...templateCalls,
  ...draftCalls,
  ...contentCalls,
  ...pictureCalls,
  ...choiceCalls,
  ...testCalls,
  ...exportCalls,
  ...reportCalls,
  ...audienceCalls,
  ...jobCalls,
} as const satisfies Record<string, Call>

export type Contract = typeof contract
export type CallName = keyof Contract
/** Calls that answer with a file. The typed client returns its bytes. */
export type FileCallName = {
  [N in CallName]: Contract[N] extends { file: readonly string[] } ? N : never
}[CallName]
export type JsonCallName = Exclude<CallName, FileCallName>
/** What a caller passes: params, query and body, each where the call declares it. */
export type Input<N extends CallName> = CallInput<Contract[N]>
export type Output<N extends CallName> = CallOutput<Contract[N]>

/** Calls that a client may still make, until its token expires, after the app was uninstalled. */
export const callsOfLeaving: readonly CallName[] = ['storeJob', 'lastUninstall']
