import t from 'tap'
import { startEngine } from '../support/engine.ts'
import { like } from '../support/like.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'
import { beacon, collect, deliver, event, order, visitorIn } from '../support/traffic.ts'

const { engine, db, shop, now, call, close } = await startEngine()
t.teardown(close)
const storeId = (await call('storeInfo', {})).id
const testId = await seedTest(db, storeId, { title: 'Met', start_at: now.at, updated_at: now.at })
const ofTest = async () => (await call('figuresRevision', { query: { test: testId } })).revision
const ofStore = async () => (await call('figuresRevision', { query: {} })).revision
const visitor = visitorIn(testId, 0, 'one')
const meet = () =>
  collect(
    engine.app,
    beacon(visitor, { [testId]: [0, 7] }, [event('exposure', now.at.getTime(), [testId])], {
      sent: now.at.getTime(),
    }),
    { origin: shop.origin },
  )

t.test('the revision changes only when shown figures change', async t => {
  await engine.rollUp()
  const steps: [
    what: string,
    change: () => Promise<unknown>,
    isNews: boolean,
    isNewsOfStore?: boolean,
  ][] = [
    [
      'a visitor',
      async () => {
        t.equal((await meet()).statusCode, 204)
        await engine.rollUp()
      },
      true,
    ],
    [
      'nothing',
      async () => {
        now.at = new Date(now.at.getTime() + 90_000)
        await engine.rollUp()
      },
      false,
    ],
    [
      'an order',
      async () => {
        t.equal(
          (await deliver(engine.app, order('1', visitor, now.at.getTime(), '30.00'))).statusCode,
          200,
        )
        await engine.rollUp()
      },
      true,
    ],
    [
      'another name',
      () => call('updateTest', { params: { id: testId }, body: { title: 'Met again' } }),
      true,
    ],
    [
      'a pause',
      async () => {
        now.at = new Date(now.at.getTime() + 1000)
        await call('updateTest', { params: { id: testId }, body: { status: 'Paused' } })
      },
      true,
    ],
    [
      'a draft',
      () => call('createDraft', { body: { kind: 'PageElement', title: 'Later' } }),
      false,
      true,
    ],
  ]
  for (const [what, change, isNews, isNewsOfStore = isNews] of steps) {
    const before = [await ofTest(), await ofStore()]
    await change()
    const after = [await ofTest(), await ofStore()]
    t.same(
      after.map((revision, i) => revision !== before[i]),
      [isNews, isNewsOfStore],
      what,
    )
    t.match(after.join(), /^[\d-]+,[\d-]+$/)
  }
})

t.test('the revision is the one that the page has', async t => {
  t.equal((await call('test', { params: { id: testId } })).revision, await ofTest())
  t.equal((await call('tests', { query: {} })).revision, await ofStore())
})

t.test('a test of another store is a 404', async t => {
  const other = await seedStore(db, { shop: secondShop, domain: secondShop }),
    theirs = await seedTest(db, other, { title: 'Theirs' })
  await t.rejects(call('figuresRevision', { query: { test: theirs } }), like({ status: 404 }))
  const before = await ofStore()
  await seedTest(db, other, { title: 'Theirs too' })
  t.equal(await ofStore(), before)
})
