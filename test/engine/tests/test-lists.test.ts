import t from 'tap'
import { startEngine } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'
import { seedSummary } from '../support/summaries.ts'
import { like } from '../support/like.ts'

const { engine, db, call, close } = await startEngine()
t.teardown(close)
const store = (await call('storeInfo', {})).id
const list = (query: Parameters<typeof call<'tests'>>[1]['query']) => call('tests', { query })
const titles = async (query: Parameters<typeof list>[0]) =>
  (await list(query)).tests.map(test => test.title)

const at = (day: number) => new Date(Date.UTC(2026, 9, day))
const seeded: [
  title: string,
  visitors: [number, number],
  lift: number | null,
  chance: number | null,
  over: Parameters<typeof seedTest>[2],
][] = [
  ['Alpha', [10, 20], 0.3, 0.99, { verdict_kind: 'winner', verdict_at: at(9) }],
  ['beta 100%', [100, 200], -0.2, 0.01, { verdict_kind: 'loser', verdict_at: at(8) }],
  ['Gamma', [0, 0], null, null, { goal: 'AddToCartRate' }],
  ['Delta', [5, 5], 0.1, 0.7, { status: 'Paused' }],
  [
    'Epsilon',
    [7, 7],
    0.2,
    0.97,
    { status: 'Ended', ended_at: at(20), verdict_kind: 'winner', verdict_at: at(19) },
  ],
]
for (const [i, [title, visitors, lift, chance, over]] of seeded.entries()) {
  const id = await seedTest(db, store, {
    title,
    start_at: at(i + 1),
    created_at: at(i + 1),
    ...over,
  })
  if (title !== 'Gamma') await seedSummary(db, store, id, visitors, lift, chance)
}
await call('createDraft', { body: { kind: 'PageElement', title: 'Later' } })
await call('createDraft', { body: { kind: 'UrlRedirect', title: 'Sooner' } })

t.test('the newest tests come first; a tab shows its own; counts are for all tabs', async t => {
  const all = await list({})
  t.same(
    all.tests.map(test => test.title),
    ['Epsilon', 'Delta', 'Gamma', 'beta 100%', 'Alpha'],
  )
  t.equal(all.count, 5)
  t.same(all.counts, {
    Scheduled: 0,
    Active: 3,
    Paused: 1,
    OnHold: 0,
    Suspended: 0,
    Ended: 1,
    Draft: 2,
  })
  t.same(await titles({ status: 'Active' }), ['Gamma', 'beta 100%', 'Alpha'])
  t.same((await list({ status: 'Paused' })).counts, all.counts)
  t.same(all.drafts, [])
})

t.test('a row has the result of its primary goal, which is empty without visitors', async t => {
  await engine.rollUp()
  const { tests } = await list({ sort: 'title', descending: false })
  t.match(tests[0], {
    title: 'Alpha',
    visitors: 30,
    result: { goal: 'ConversionRate', lift: 0.3, chanceToWin: 0.99 },
    verdict: { kind: 'leaning' },
  })
  t.match(
    tests.find(test => test.title === 'Gamma'),
    {
      visitors: 0,
      result: { goal: 'AddToCartRate', lift: null, chanceToWin: null },
      verdict: { kind: 'collecting' },
    },
  )
})

t.test('the list sorts by any column in both directions, with missing values last', async t => {
  t.same(await titles({ sort: 'title', descending: false }), [
    'Alpha',
    'beta 100%',
    'Delta',
    'Epsilon',
    'Gamma',
  ])
  t.same(await titles({ sort: 'visitors', descending: true }), [
    'beta 100%',
    'Alpha',
    'Epsilon',
    'Delta',
    'Gamma',
  ])
  t.same(await titles({ sort: 'lift', descending: true }), [
    'Alpha',
    'Epsilon',
    'Delta',
    'beta 100%',
    'Gamma',
  ])
  t.same(await titles({ sort: 'lift', descending: false }), [
    'beta 100%',
    'Delta',
    'Epsilon',
    'Alpha',
    'Gamma',
  ])
  t.same(await titles({ sort: 'chanceToWin', descending: true }), [
    'Alpha',
    'Epsilon',
    'Delta',
    'beta 100%',
    'Gamma',
  ])
  t.same(await titles({ sort: 'startAt', descending: false }), [
    'Alpha',
    'beta 100%',
    'Gamma',
    'Delta',
    'Epsilon',
  ])
})

t.test('search finds plain text in any case', async t => {
  t.same(await titles({ search: 'ALPH' }), ['Alpha'])
  t.same(await titles({ search: '%' }), ['beta 100%'], 'no wildcards')
  t.same(await titles({ search: '_' }), [])
  t.equal((await list({ search: 'a', status: 'Active' })).count, 3)
  t.same(
    (await list({ status: 'Draft', search: 'soon' })).drafts.map(d => d.title),
    ['Sooner'],
  )
})

t.test('kind and goal filter tests, drafts and their counts', async t => {
  t.same(await titles({ goal: 'AddToCartRate' }), ['Gamma'])
  t.match(await list({ kind: 'PageElement', goal: 'ConversionRate', search: 'a' }), { count: 3 })
  t.match(await list({ kind: 'Theme' }), { tests: [], count: 0, counts: { Active: 3 } })
  t.same(
    (await list({ status: 'Draft', kind: 'UrlRedirect' })).drafts.map(d => d.title),
    ['Sooner'],
  )
  t.equal((await list({ status: 'Draft', goal: 'AverageOrderValue' })).count, 0)
})

t.test('pages follow each other, and a page after the last one still has the count', async t => {
  t.same(await titles({ perPage: 2 }), ['Epsilon', 'Delta'])
  t.same(await titles({ perPage: 2, page: 2 }), ['Alpha'])
  t.match(await list({ perPage: 2, page: 9 }), { tests: [], count: 5 })
  for (const query of [
    { perPage: 101 },
    { perPage: 0 },
    { page: -1 },
    { sort: 'password' },
    { status: 'Running' },
    { kind: 'page-element' },
    { goal: 'cvr' },
    { search: 'x'.repeat(201) },
    { storeId: store },
  ])
    await t.rejects(
      list(query as object),
      like({ status: 400, problem: { fields: [{ field: Object.keys(query)[0] }] } }),
    )
})

t.test('drafts have a tab of their own', async t => {
  const drafts = await list({ status: 'Draft', sort: 'title', descending: false })
  t.match(drafts, {
    tests: [],
    count: 2,
    drafts: [
      { title: 'Later', kind: 'PageElement' },
      { title: 'Sooner', kind: 'UrlRedirect' },
    ],
  })
})

t.test('the digest lists running tests, and ended winners without an applied arm', async t => {
  const { digest, tests } = await list({})
  const idOf = (title: string) => tests.find(test => test.title === title)!.id
  t.same(digest, {
    winners: [idOf('Alpha')],
    losers: [idOf('beta 100%')],
    undecided: [idOf('Gamma')],
    onHold: [],
    suspended: [],
    unapplied: [{ id: idOf('Epsilon'), endedAt: at(20).toISOString() }],
  })
})

t.test('a verdict from before the split broke is no winner', async t => {
  const id = await seedTest(db, store, {
    title: 'Lopsided',
    start_at: at(6),
    created_at: at(6),
    verdict_kind: 'winner',
    verdict_at: at(9),
    verdict_lift: 0.4,
    verdict_chance: 0.99,
  })
  const digest = async () => {
    const { winners, undecided } = (await list({})).digest
    return [winners.includes(id), undecided.length]
  }
  t.same(await digest(), [true, 1])
  await seedSummary(db, store, id, [100, 900], null, null, true)
  t.same(await digest(), [false, 1], 'it is not undecided either: it needs a new test')
})

t.test('the digest has held and suspended tests, and winners until an arm is applied', async t => {
  const held = await seedTest(db, store, { title: 'Held', status: 'OnHold' }),
    suspended = await seedTest(db, store, { title: 'Unpaid', status: 'Suspended' })
  await seedTest(db, store, {
    title: 'API',
    kind: 'Api',
    status: 'Ended',
    ended_at: at(21),
    verdict_kind: 'winner',
    verdict_at: at(19),
  })
  t.match((await list({})).digest, { onHold: [held], suspended: [suspended] })
  t.equal((await list({})).digest.unapplied.length, 1, 'an API test is applied by its own code')
  await db.kysely
    .updateTable('tests')
    .set({ applied_at: at(22), applied_arm: 'control' })
    .where('title', '=', 'Epsilon')
    .execute()
  t.same((await list({})).digest.unapplied, [])
})

t.test('the first steps show what is done, and nothing after they are dismissed', async t => {
  const done = async () => (await list({})).start
  await db.kysely.updateTable('published_scripts').set({ url: null }).execute()
  t.same(await done(), {
    script: false,
    scriptSwitchAt: null,
    draft: true,
    launch: true,
    result: true,
  })
  await db.kysely
    .updateTable('published_scripts')
    .set({ url: 'https://shop.test/twinshelf.js' })
    .execute()
  t.equal(await done(), null, 'there is nothing left to do')
  await db.kysely.updateTable('published_scripts').set({ url: null }).execute()
  t.same(await call('dismissChecklist', {}), { ok: true })
  t.same(await call('dismissChecklist', {}), { ok: true }, 'a second dismissal changes nothing')
  t.equal((await list({})).start, null)
})
