import t from 'tap'
import type { Call } from '../../domain/api/call.ts'
import { contract } from '../../domain/api/contract.ts'
import { staffContract } from '../../domain/staff/staff-contract.ts'
import { filesOf, text } from './tree.ts'

// A call is made as `api.name(…)`, or by its name as a text: `send('name', …)`. The outcomes have
// names of calls, and are none.
const app = filesOf('server/**/*.ts')
  .map(text)
  .join('\n')
  .replace(/\boutcomes\.\w+/g, '')
const isMade = (name: string): boolean => new RegExp(`\\.${name}\\b|'${name}'`).test(app)

t.test('every call has a caller in the app, or is marked as one for other clients', async t => {
  for (const [name, call] of Object.entries<Call>({ ...contract, ...staffContract }))
    t.equal(
      isMade(name),
      !call.forOtherClients,
      call.forOtherClients ? `${name} is marked, and has no caller` : `${name} has a caller`,
    )
})
