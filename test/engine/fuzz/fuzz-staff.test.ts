import t from 'tap'
import { staffContract, type StaffCallName } from '../../../domain/staff/staff-contract.ts'
import { userCalls } from '../../../domain/staff-calls/users.ts'
import { fuzzCall } from './run.ts'
import { password, startOffice, tokenIn } from '../support/staff-office.ts'

/**
 * Fuzzed requests of staff's own calls: no answer is a 500, and a broken request stores nothing.
 * fuzz-admin.test.ts has the calls that act on stores.
 */
const {
  engine: {
    engine: { app, runJobs },
    db,
  },
  smtp,
  call,
  signIn,
  member,
  close,
} = await startOffice()
t.teardown(close)
await call('setPassword', { body: { token: tokenIn((await smtp.next()).text), password } })
const others = [await member('one@twinshelf.test'), await member('two@twinshelf.test')]
const ids = others.map(({ id }) => id)

for (const name of Object.keys(userCalls) as StaffCallName[])
  t.test(name, async t => {
    // A call may sign the session out, so each call gets a new session.
    const { token } = await signIn()
    await fuzzCall(t, { app, db, settled: runJobs }, name, staffContract[name], ids, token)
  })
