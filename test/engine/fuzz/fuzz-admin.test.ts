import t from 'tap'
import { adminCalls } from '../../../domain/staff-calls/admin.ts'
import { adminOfficeCalls } from '../../../domain/staff-calls/admin-office.ts'
import { staffLeadCalls } from '../../../domain/staff-calls/leads.ts'
import { staffContract, type StaffCallName } from '../../../domain/staff/staff-contract.ts'
import { fuzzCall } from './run.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { startPanel } from '../support/staff-panel.ts'

/**
 * Fuzzed requests of the staff panel's calls: no answer is a 500, and a broken request stores
 * nothing.
 */
const {
  own: {
    engine: { app, runJobs },
    db,
    shop,
    call,
  },
  token,
  close,
} = await startPanel()
const settled = async () => {
  await shop.delivered()
  await runJobs()
}
t.teardown(close)
const { id } = await call('storeInfo', {})
const ids = [id, await seedStore(db, { shop: 'other.demo-shop.test', name: 'Other' })]
await seedTest(db, id)

for (const name of Object.keys({
  ...adminCalls,
  ...adminOfficeCalls,
  ...staffLeadCalls,
}) as StaffCallName[])
  t.test(name, async t => {
    await fuzzCall(t, { app, db, settled }, name, staffContract[name], ids, token)
  })
