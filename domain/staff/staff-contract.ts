import type { Call, CallInput, CallOutput } from '../api/call.ts'
import { adminCalls } from '../staff-calls/admin.ts'
import { adminOfficeCalls } from '../staff-calls/admin-office.ts'
import { staffLeadCalls } from '../staff-calls/leads.ts'
import { secondFactorCalls } from '../staff-calls/second-factor.ts'
import { signInCalls } from '../staff-calls/sign-in.ts'
import { userCalls } from '../staff-calls/users.ts'

/**
 * Every call that staff's pages make. They have a separate table, because they use another kind of
 * token: a merchant's token opens none of these calls, and a staff token opens none of the
 * merchants' calls (requirements 16.17).
 */
export const staffContract = {
  ...signInCalls,
  ...secondFactorCalls,
  ...userCalls,
  ...adminCalls,
  ...adminOfficeCalls,
  ...staffLeadCalls,
} as const satisfies Record<string, Call>

export type StaffContract = typeof staffContract
export type StaffCallName = keyof StaffContract
export type StaffInput<N extends StaffCallName> = CallInput<StaffContract[N]>
export type StaffOutput<N extends StaffCallName> = CallOutput<StaffContract[N]>
/** The typed client of staff's pages; `server/staff/staff-session.ts` makes it. */
export type StaffApi = { [N in StaffCallName]: (input: StaffInput<N>) => Promise<StaffOutput<N>> }
