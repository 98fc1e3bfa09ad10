import { setTimeout as wait } from 'node:timers/promises'
import type { StaffUser } from '../../../domain/staff-calls/users.ts'
import { developmentStaff } from '../../../engine/platform/demo/demo-staff.ts'
import { staffCaller, type Staff } from '../../server/support/staff.ts'
import { refusal } from './engine.ts'
import { startWithShop, type WithShop } from './with-shop.ts'

/**
 * An engine with a real demo shop. Its merchant and a member of staff are signed in at any time of
 * the test's clock.
 */
export type StaffPanel = {
  own: WithShop
  staff: Staff['call']
  merchant: WithShop['call']
  refusal: typeof refusal
  signedIn: StaffUser
  /**
   * Token of the first staff session. It ends after an idle hour or after twelve hours, by the
   * engine's clock.
   */
  token: string
  /** A day in milliseconds. */
  day: number
  /** Repeats `isSo` until it returns true. */
  asked: (isSo: () => Promise<boolean>) => Promise<void>
  close: () => Promise<void>
}

/** The staff member of a fresh clone of the repository. */
const member = { email: developmentStaff.email, password: developmentStaff.password }

export async function startPanel(
  over: Parameters<typeof startWithShop>[0] = {},
): Promise<StaffPanel> {
  const own = await startWithShop(over, {}, { startsSubscribed: false })
  await own.engine.samples.staff()
  const anyone = staffCaller({ engine: own })
  const { token, user } = await anyone('staffSignIn', { body: member })
  const signedInAt = own.now.at.getTime()
  let current = token
  return {
    own,
    signedIn: user,
    token,
    refusal,
    day: 86_400_000,
    close: own.close,
    staff: async (name, input) => {
      // A session ends after an idle hour, so sign in again when the test has moved the clock.
      if (own.now.at.getTime() - signedInAt > 3_600_000 && current === token)
        current = (await anyone('staffSignIn', { body: member })).token
      return anyone(name, input, current)
    },
    merchant: async (name, input) =>
      own.call(
        name,
        input,
        (await own.call('auth', { body: { idToken: await own.idToken() } })).token,
      ),
    asked: async isSo => {
      while (!(await isSo())) await wait(20)
    },
  }
}
