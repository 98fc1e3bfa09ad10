import t from 'tap'
import { startEngine } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'
import { seedSummary } from '../support/summaries.ts'

const { engine, db, call, token, close } = await startEngine()
t.teardown(close)
const store = (await call('storeInfo', {})).id
const get = (url: string, headers: object = {}) =>
  engine.app.inject({ url, headers: { authorization: `Bearer ${token}`, ...headers } })
const titles = async () =>
  (await call('tests', { query: { sort: 'title' } })).tests.map(test => test.title)

t.test('an answer is current at once after every kind of change', async t => {
  t.same(await titles(), [])
  const id = await seedTest(db, store, { title: 'B' })
  t.same(await titles(), ['B'], 'a row written without the API')
  await seedSummary(db, store, id, [3, 4])
  t.equal((await call('tests', { query: { sort: 'title' } })).tests[0]!.visitors, 7, 'a result')
  await call('updateTest', { params: { id }, body: { title: 'C' } })
  t.same(await titles(), ['C'], 'a title')
  const counts = async () => (await call('tests', { query: {} })).counts
  t.match(await counts(), { Active: 1, Draft: 0 })
  const draft = await call('createDraft', { body: { kind: 'PageElement' } })
  t.match(await counts(), { Draft: 1 })
  await call('deleteDraft', { params: { id: draft.id } })
  t.match(await counts(), { Draft: 0 })
  await call('updateTest', { params: { id }, body: { status: 'Ended' } })
  t.match(await counts(), { Active: 0, Ended: 1 })
  await call('deleteTest', { params: { id } })
  t.match(await counts(), { Ended: 0 })
  await db.kysely
    .updateTable('stores')
    .set({ name: 'Renamed' })
    .where('store_id', '=', store)
    .execute()
  t.equal((await call('storeInfo', {})).name, 'Renamed')
})

t.test(
  'a transaction changes no answer while it is open, and none after it is rolled back',
  async t => {
    await db.kysely
      .transaction()
      .execute(async trx => {
        await trx
          .updateTable('stores')
          .set({ name: 'Never' })
          .where('store_id', '=', store)
          .execute()
        throw new Error('undo')
      })
      .catch(() => {})
    t.equal((await call('storeInfo', {})).name, 'Renamed')
  },
)

t.test('the end of all sign-ins holds for the next call, without a call to us', async t => {
  const sessions = (by: number) =>
    db.kysely
      .updateTable('stores')
      .set(eb => ({ session_number: eb('session_number', '+', by) }))
      .where('store_id', '=', store)
      .execute()
  const paths = ['/api/v0/stores/addresses', '/api/v0/stores/info', '/api/v0/tests']
  const all = async () => [
    ...new Set((await Promise.all(paths.map(path => get(path)))).map(a => a.statusCode)),
  ]
  t.same(await all(), [200])
  await sessions(1)
  t.same(await all(), [401])
  await sessions(-1)
  t.same(await all(), [200])
  await db.kysely.updateTable('stores').set({ origin: 'https://other.example' }).execute()
  t.match((await call('storeAddresses', {})).images, ['https://other.example'])
})

t.test('an unchanged answer is not sent again: its etag stays the same', async t => {
  const first = await get('/api/v0/tests?perPage=50')
  const tag = String(first.headers['etag'])
  t.match(first.headers, { 'cache-control': 'private, no-cache', 'content-type': /json/ })
  const again = await get('/api/v0/tests?perPage=50', { 'if-none-match': tag })
  t.same([again.statusCode, again.payload], [304, ''])
  await seedTest(db, store)
  const after = await get('/api/v0/tests?perPage=50', { 'if-none-match': tag })
  t.equal(after.statusCode, 200)
  t.not(after.headers['etag'], tag)
  t.equal(
    (
      await engine.app.inject({
        url: '/api/v0/tests?perPage=50',
        headers: { 'if-none-match': tag },
      })
    ).statusCode,
    401,
    'no token, no answer',
  )
})

t.test('after changes and reads in any order, no old answer remains', async t => {
  const id = await seedTest(db, store, { title: 'Start' })
  for (let i = 0; i < 30; i++) {
    await Promise.all([
      call('tests', { query: {} }),
      call('updateTest', { params: { id }, body: { title: `Title ${i}` } }),
      call('tests', { query: {} }),
    ])
    t.ok(
      (await call('tests', { query: { perPage: 100 } })).tests.some(
        test => test.title === `Title ${i}`,
      ),
    )
    t.ok((await call('tests', { query: {} })).tests.some(test => test.title === `Title ${i}`))
  }
})
