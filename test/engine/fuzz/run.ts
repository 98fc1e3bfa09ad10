import type { Test } from 'tap'
import type { Call } from '../../../domain/call.ts'
import { type CallName, contract } from '../../../domain/contract.ts'
import { fc } from '../../properties.ts'
import { startWithShop } from '../with-shop.ts'
import { fault, fingerprint, requests, requestsPerCall, send } from './requests.ts'
import { furnish } from './furnish.ts'

/** Sends fuzzed requests of these calls to an engine with a real shop: never a 500, a broken one changes nothing. */
export async function fuzz(t: Test, names: CallName[]): Promise<void> {
  const started = await startWithShop({}, { AUTH_PER_ADDRESS: '1000000' })
  t.teardown(started.close)
  const { engine: { app }, db, token } = started
  const { ids, storeId } = await furnish(started)
  for (const name of names)
    t.test(name, async t => {
      const call: Call = contract[name]
      // Uninstalling for real would end the others' store.
      const known = name === 'uninstall' ? ids.filter(id => id !== storeId) : ids
      const drawn = fc.sample(requests(call, known), requestsPerCall)
      const faults: string[] = []
      const send1 = async (request: (typeof drawn)[number]) => {
        const response = await send(options => app.inject(options), name, request, token)
        const found = fault(call, request, response)
        if (found) faults.push(`${found}\n  ${JSON.stringify(request).slice(0, 400)}`)
      }
      for (const request of drawn.filter(({ isBroken }) => !isBroken)) await send1(request)
      const before = await fingerprint(db)
      for (const request of drawn.filter(({ isBroken }) => isBroken)) await send1(request)
      t.same(faults, [])
      t.equal(await fingerprint(db), before, 'broken requests stored nothing')
    })
}
