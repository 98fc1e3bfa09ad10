import t from 'tap'
import { outcomes } from '../../server/upstream/api-outcomes.ts'
import { productCalls } from '../../domain/calls/products.ts'
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

t.test('every product call of the app says when price testing is closed', async t => {
  const names = Object.keys(productCalls).join('|')
  for (const file of filesOf('server/**/*.ts')) {
    const bare = text(file)
      .replace(/outcomes\s*\.(product|upsertProducts)\(\s*(\(\) =>\s*)?api\s*\.\w+\(/g, '')
      .match(new RegExp(`\\bapi\\s*\\.(${names})\\(`, 'g'))
    t.equal(bare, null, file)
  }
})
