import {
  staffContract,
  type StaffCallName,
  type StaffInput,
  type StaffOutput,
} from '../../domain/staff/staff-contract.ts'
import { askApi } from './api-call.ts'

export type StaffCall = <N extends StaffCallName>(
  name: N,
  input: StaffInput<N>,
) => Promise<StaffOutput<N>>

/** Calls the engine's API as a member of staff, who signs in as on the page. */
export async function asStaff(
  engineOrigin: string,
  { email, password }: { email: string; password: string },
): Promise<StaffCall> {
  let token: string | null = null
  const call: StaffCall = async (name, input) =>
    (await askApi(engineOrigin, name, staffContract[name], input, token)) as StaffOutput<
      typeof name
    >
  token = (await call('staffSignIn', { body: { email, password } })).token
  return call
}
