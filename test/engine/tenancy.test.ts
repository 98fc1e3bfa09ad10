import t from 'tap'
import { contract } from '../../domain/contract.ts'
import { startEngine } from './engine.ts'
import { seedStore, seedTest } from './seeds.ts'
import { secondShop } from './small-shop.ts'
import { seedSummary } from './summaries.ts'

const { engine, db, shop, call, token, close } = await startEngine()
t.teardown(close)
const own = (await call('storeInfo', {})).id
const foreign = await seedStore(db, { shop: secondShop, onboarded: false })
const { token: foreignToken } = await call('auth', { body: { idToken: await shop.idToken({ iss: `https://${secondShop}`, dest: `https://${secondShop}` }) } })
const draft = await call('createDraft', { body: { kind: 'PageElement', title: 'Ours' } })
const test = await seedTest(db, own, { status: 'Paused' })
await seedSummary(db, own, test, [10, 10])

t.test('another store’s token finds nothing by any id, and changes nothing', async t => {
  const variant = draft.hypotheses.find(h => h.arm === 'variant')!.id
  const ids: Record<string, string> = { 'test-drafts': draft.id, hypotheses: variant, tests: test }
  const bodies: Record<string, object> = { updateDraft: { title: 'Theirs' }, setDomSelectors: { domSelectors: [] }, updateTest: { title: 'Theirs', status: 'Active' } }
  const withId = Object.entries(contract).filter(([, row]) => row.path.includes(':id'))
  t.ok(withId.length >= 8)
  for (const [name, { method, path }] of withId) {
    const url = path.replace(':id', ids[path.split('/')[3]!]!).replace(':metric', 'ConversionRate')
    const response = await engine.app.inject({ method, url, ...(bodies[name] && { payload: bodies[name] }), headers: { authorization: `Bearer ${foreignToken}` } })
    t.equal(response.statusCode, 404, `${method} ${path}`)
  }
  t.match(await call('draft', { params: { id: draft.id } }), { title: 'Ours', version: 1 })
  t.match(await call('test', { params: { id: test } }), { title: 'A test', status: 'Paused' })
})

t.test('lists and store hold the caller’s own alone', async t => {
  const theirs = await call('tests', { query: {} }, foreignToken)
  t.match(theirs, { tests: [], count: 0, counts: { Paused: 0, Draft: 0 } })
  t.equal((await call('tests', { query: { status: 'Draft' } }, foreignToken)).drafts.length, 0)
  t.match(await call('storeInfo', {}, foreignToken), { id: foreign, shop: secondShop, onboarded: false })
  t.match(await call('tests', { query: {} }), { count: 1, counts: { Paused: 1, Draft: 1 } })
})

t.test('every call of the table wants a token, but for those that say otherwise', async t => {
  for (const [name, { method, path, ...row }] of Object.entries(contract)) {
    if ('token' in row) continue
    const query = name === 'validateRedirectUrl' ? '?redirectUrl=/' : name === 'urlSearch' ? '?searchText=a' : ''
    const bodies: Record<string, object> = { createDraft: { kind: 'PageElement' }, setDomSelectors: { domSelectors: [] }, updateDraft: {}, updateTest: {} }
    const response = await engine.app.inject({ method, url: path.replace(':id', draft.id).replace(':metric', 'ConversionRate') + query, ...(bodies[name] && { payload: bodies[name] }) })
    t.equal(response.statusCode, 401, name)
  }
  t.equal((await engine.app.inject('/api/v0/about')).statusCode, 200)
})

t.test('a token in the query is no token', async t => {
  t.equal((await engine.app.inject(`/api/v0/stores/info?access_token=${token}`)).statusCode, 401)
})
