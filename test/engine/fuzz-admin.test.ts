import t from 'tap'
import type { Call } from '../../domain/call.ts'
import { adminCalls } from '../../domain/staff-calls/admin.ts'
import { staffContract, type StaffCallName } from '../../domain/staff-contract.ts'
import { fc } from '../properties.ts'
import { fault, fingerprint, requests, requestsPerCall, send } from './fuzz/requests.ts'
import { seedStore, seedTest } from './seeds.ts'
import { startPanel } from './staff-panel.ts'

/** The panel's calls with fuzzed requests: never a 500, and a broken one stores nothing. */
const { own: { engine: { app }, db, call }, token, close } = await startPanel()
t.teardown(close)
const { id } = await call('storeInfo', {})
const ids = [id, await seedStore(db, { shop: 'other.demo-shop.test', name: 'Other' })]
await seedTest(db, id)

for (const name of Object.keys(adminCalls) as StaffCallName[])
  t.test(name, async t => {
    const each: Call = staffContract[name]
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
