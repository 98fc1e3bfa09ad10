import { readFileSync } from 'node:fs'
import t from 'tap'
import { keptTables } from '../../../../domain/stores/shoppers/kept-tables.ts'
import { privacyBegin, privacyTables } from '../../../../domain/stores/shoppers/privacy-page.ts'
import { shopperTables } from '../../../../domain/stores/shoppers/shopper-tables.ts'

const page = readFileSync(new URL('../../../../docs/privacy.md', import.meta.url), 'utf8')

t.test('docs/privacy.md lists every table and column as the code has them', async t => {
  const [, written] = page.split(`${privacyBegin}\n\n`)
  t.equal(written, privacyTables(), 'run `npm run privacy` after a change of the tables')
  for (const table of Object.keys(shopperTables))
    t.equal(keptTables[table], 'erased', `${table} is erased when the shop leaves`)
})
