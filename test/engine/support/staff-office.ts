import { Writable } from 'node:stream'
import { pino } from 'pino'
import { staffCaller, type Staff } from '../../server/support/staff.ts'
import { startEngine, type TestEngine } from './engine.ts'
import { smtpStandIn, type SmtpStandIn } from './smtp-stand-in.ts'

export const password = 'a kettle, a shelf, a lamp'

/** An engine with a mail server and its log. The first member of staff has set a password. */
export type StaffOffice = {
  engine: TestEngine
  smtp: SmtpStandIn
  log: { text: string }
  call: Staff['call']
  signIn: (email?: string, own?: string) => ReturnType<typeof signInOf>
  /** Adds a member who sets a password and signs in. */
  member: (email: string, name?: string) => Promise<{ id: string; token: string }>
  /** Moves the clock forward. */
  later: (minutes: number) => void
  close: () => Promise<void>
}
const signInOf = (call: Staff['call'], email: string, own: string) =>
  call('staffSignIn', { body: { email, password: own } })

export async function startOffice(env: Record<string, string> = {}): Promise<StaffOffice> {
  const smtp = await smtpStandIn(),
    log = { text: '' }
  const engine = await startEngine(
    { log: logInto(log) },
    {
      ...smtp.env,
      APP_ORIGIN: 'https://app.example.test',
      ADMIN_EMAIL: 'First@Twinshelf.test',
      STAFF_SIGN_INS_PER_ADDRESS: '100000',
      ...env,
    },
  )
  const call = staffCaller({ engine })
  const signIn = (email = 'first@twinshelf.test', own = password) => signInOf(call, email, own)
  return {
    engine,
    smtp,
    log,
    call,
    signIn,
    member: async (email, name = 'Somebody') => {
      const { user } = await call('addStaffUser', { body: { email, name } }, (await signIn()).token)
      await call('setPassword', { body: { token: tokenIn((await smtp.next()).text), password } })
      return { id: user.id, token: (await signIn(email)).token }
    },
    later: minutes => {
      engine.now.at = new Date(engine.now.at.getTime() + minutes * 60_000)
    },
    close: async () => {
      await engine.close()
      await smtp.close()
    },
  }
}

export const logInto = (log: { text: string }) =>
  pino(
    { level: 'trace' },
    new Writable({
      write: (chunk: Buffer, _, done) => {
        log.text += chunk.toString()
        done()
      },
    }),
  )

/** The token of the link in a mail. */
export const tokenIn = (text: string): string =>
  /https:\/\/app\.example\.test\/reset\?token=([\w-]+)/.exec(text)![1]!
