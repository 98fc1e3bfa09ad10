import t from 'tap'
import { staffContract, type StaffCallName } from '../../../domain/staff/staff-contract.ts'
import { userCalls } from '../../../domain/staff-calls/users.ts'
import { fuzzCall } from './run.ts'
import { password, startOffice, tokenIn } from '../support/staff-office.ts'

/** Staff's own calls with fuzzed requests: never a 500, and a broken one stores nothing. Those that act on stores are fuzzed with theirs. */
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
    // Signing out for real ends the session that is used.
    const { token } = await signIn()
    await fuzzCall(t, { app, db, settled: runJobs }, name, staffContract[name], ids, token)
  })
