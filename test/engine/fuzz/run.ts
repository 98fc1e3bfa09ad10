import type { Test } from 'tap'
import type { Call } from '../../../domain/api/call.ts'
import { type CallName, contract } from '../../../domain/api/contract.ts'
import type { StaffCallName } from '../../../domain/staff/staff-contract.ts'
import type { Engine } from '../../../engine/app.ts'
import { fc } from '../../properties.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'
import { fault, fingerprint, requests, requestsPerCall, send } from './requests.ts'
import { furnish } from './furnish.ts'

/**
 * Sends fuzzed requests of these calls to an engine with a real shop: no answer is a 500, and a
 * broken request changes nothing.
 */
export async function fuzz(t: Test, names: CallName[]): Promise<void> {
  const started = await startWithShop({}, { AUTH_PER_ADDRESS: '1000000' }, withAllChanges)
  t.teardown(started.close)
  const {
    engine: { app, runJobs },
    db,
    shop,
    token,
  } = started
  const settled = async () => {
    await shop.delivered()
    await runJobs()
  }
  const { ids, storeId } = await furnish(started)
  for (const name of names)
    t.test(name, async t => {
      // With the real store id, these two would end the store or session that the other calls use.
      const known =
        name === 'uninstall' || name === 'endSessions' ? ids.filter(id => id !== storeId) : ids
      await fuzzCall(t, { app, db, settled }, name, contract[name], known, token)
    })
}

/** `settled` waits for the work that requests have started. */
type Fuzzed = Pick<Engine, 'app' | 'db'> & { settled: () => Promise<void> }

/**
 * Fuzzes one call with a valid token; `ids` are ids that exist. Valid requests go first, then
 * broken ones, which must change nothing.
 */
export async function fuzzCall(
  t: Test,
  { app, db, settled }: Fuzzed,
  name: CallName | StaffCallName,
  call: Call,
  ids: string[],
  token: string,
): Promise<void> {
  const drawn = fc.sample(requests(call, ids), requestsPerCall)
  const faults: string[] = []
  const ask = async (request: (typeof drawn)[number]) => {
    const found = fault(
      call,
      request,
      await send(options => app.inject(options), name, request, token),
    )
    if (found) faults.push(`${found}\n  ${JSON.stringify(request).slice(0, 400)}`)
  }
  for (const request of drawn.filter(({ isBroken }) => !isBroken)) await ask(request)
  await settled()
  const before = await fingerprint(db)
  for (const request of drawn.filter(({ isBroken }) => isBroken)) await ask(request)
  t.same(faults, [])
  t.equal(await fingerprint(db), before, 'broken requests stored nothing')
}
