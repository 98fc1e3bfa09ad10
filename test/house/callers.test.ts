import t from 'tap'
import type { Call } from '../../domain/api/call.ts'
import { contract } from '../../domain/api/contract.ts'
import { staffContract } from '../../domain/staff/staff-contract.ts'
import { filesOf, text } from './tree.ts'

/**
 * Whether the source makes this call: on a client (`api.name(…)`), by its name as an argument
 * (`send('name', …)`), or by its name in a table of files. A property or a text of the same name,
 * such as `paths.name(…)`, is no call.
 */
function isMade(source: string, name: string, isFile: boolean): boolean {
  const clients = String.raw`\b(?:api|call|upstream)|[aA]piOf\(\w+\)|\bstaffApi\(\w+, \w+\)`,
    client = String.raw`(?:${clients})\s*\.${name}\b`,
    argument = String.raw`\b(?:send|attempt|forStaff|act|download|downloadOf\(\w+\))\(\s*'${name}'`,
    table = String.raw`^  \w+: '${name}',$`
  return new RegExp([client, argument, ...(isFile ? [table] : [])].join('|'), 'm').test(source)
}
const app = filesOf('server/**/*.ts').map(text).join('\n')

t.test('every call has a caller in the app, or is marked as one for other clients', async t => {
  for (const [name, call] of Object.entries<Call>({ ...contract, ...staffContract }))
    t.equal(
      isMade(app, name, 'file' in call),
      !call.forOtherClients,
      call.forOtherClients ? `${name} is marked, and has no caller` : `${name} has a caller`,
    )
})

t.test('words that only look like a call are none', async t => {
  for (const made of [
    'await api.plans({})',
    'apiOf(request)\n    .plans({})',
    'staffApiOf(request).plans',
    "send('plans', {})",
    "forStaff(\n  'plans',",
  ])
    t.ok(isMade(made, 'plans', false), made)
  for (const other of [
    'shell.plans',
    'paths.plans()',
    "paths.settings('plans')",
    "  kind: 'plans',",
    'api.plansOf({})',
  ])
    t.notOk(isMade(other, 'plans', false), other)
})
