import t from 'tap'
import { trendDays } from '../../../domain/staff/staff-overview.ts'
import { run } from '../../../engine/db/raw.ts'
import { seedStore } from '../support/seeds.ts'
import { startPanel } from '../support/staff-panel.ts'

const { own, staff, merchant, day, close } = await startPanel()
t.teardown(close)
const { db, now, engine } = own

t.test('what a merchant says on leaving is on the store’s page and on the first page', async t => {
  const { id } = await merchant('storeInfo', {})
  await merchant('uninstall', {
    params: { id },
    body: { category: 'missing', reason: 'We need tests of\nour blog <b>too</b>.' },
  })
  await engine.runJobs()
  const said = {
    category: 'missing',
    reason: 'We need tests of\nour blog <b>too</b>.',
    finishedAt: String,
  }
  t.match((await staff('adminStore', { params: { id } })).uninstalls, [said])
  t.match(await staff('adminTrends', {}), {
    uninstalls: {
      count: 1,
      categories: [{ category: 'missing', count: 1 }],
      newest: [{ store: { id, name: 'Fern & Kiln' }, ...said }],
    },
  })
})

t.test(
  'the newest uninstalls of thirty days are listed, the platform’s without a reason',
  async t => {
    const store = await seedStore(db, { shop: 'gone.demo-shop.test', name: 'Gone' })
    const left = (n: number, daysAgo: number, category: string | null) =>
      run(
        db.kysely,
        `insert into uninstalls (store_id, uninstall_id, category, reason, requested_at, finished_at, kept) values ($1, $2, $3, null, $4, $4, '[]')`,
        [store, `u${n}`, category, new Date(now.at.getTime() - daysAgo * day)],
      )
    for (let n = 0; n < 12; n++) await left(n, n + 1, n % 2 === 0 ? 'price' : null)
    await left(99, trendDays + 1, 'bug')
    const unfinished = await seedStore(db, { shop: 'going.demo-shop.test' })
    await run(
      db.kysely,
      `insert into uninstalls (store_id, uninstall_id, category, reason, requested_at, finished_at, kept) values ($1, 'u', 'bug', null, $2, null, '[]')`,
      [unfinished, now.at],
    )
    t.match((await staff('adminStore', { params: { id: unfinished } })).uninstalls, [
      { finishedAt: null },
    ])
    const { uninstalls } = await staff('adminTrends', {})
    t.match(uninstalls, {
      count: 13,
      categories: [
        { category: 'price', count: 6 },
        { category: 'missing', count: 1 },
      ],
    })
    t.same(
      uninstalls.newest.map(({ category }) => category),
      ['missing', 'price', null, 'price', null, 'price', null, 'price', null, 'price'],
    )
    t.equal((await staff('adminStore', { params: { id: store } })).uninstalls.length, 5)
  },
)
