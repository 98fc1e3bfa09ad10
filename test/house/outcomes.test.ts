import t from 'tap'
import { outcomes } from '../../server/upstream/api-outcomes.ts'
import { filesOf, text } from './tree.ts'

t.test('every outcome of the API has a caller in the app', async t => {
  const callers = filesOf('server/**/*.ts')
    .filter(file => !file.endsWith('/api-outcomes.ts'))
    .map(text)
  for (const name of Object.keys(outcomes))
    t.ok(
      callers.some(source => source.includes(`outcomes.${name}(`)),
      name,
    )
})
