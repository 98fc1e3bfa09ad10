import t from 'tap'
import type { Call } from '../../domain/call.ts'
import { staffContract, type StaffCallName } from '../../domain/staff-contract.ts'
import { userCalls } from '../../domain/staff-calls/users.ts'
import { fc } from '../properties.ts'
import { fault, fingerprint, requests, requestsPerCall, send } from './fuzz/requests.ts'
import { password, startOffice, tokenIn } from './staff-office.ts'

/** Staff's own calls with fuzzed requests: never a 500, and a broken one stores nothing. Those that act on stores are fuzzed with theirs. */
const { engine: { engine: { app }, db }, smtp, call, signIn, member, close } = await startOffice()
t.teardown(close)
await call('setPassword', { body: { token: tokenIn((await smtp.next()).text), password } })
const others = [await member('one@twinshelf.test'), await member('two@twinshelf.test')]
const ids = others.map(({ id }) => id)

for (const name of Object.keys(userCalls) as StaffCallName[])
  t.test(name, async t => {
    const each: Call = staffContract[name]
    // Signing out for real ends the session that is used.
    const { token } = await signIn()
    const drawn = fc.sample(requests(each, ids), requestsPerCall)
    const faults: string[] = []
    const ask = async (request: (typeof drawn)[number]) => {
      const found = fault(each, request, await send(options => app.inject(options), name, request, token))
      if (found) faults.push(`${found}\n  ${JSON.stringify(request).slice(0, 400)}`)
    }
    for (const request of drawn.filter(({ isBroken }) => !isBroken)) await ask(request)
    const before = await fingerprint(db)
    for (const request of drawn.filter(({ isBroken }) => isBroken)) await ask(request)
    t.same(faults, [])
    t.equal(await fingerprint(db), before, 'broken requests stored nothing')
  })
