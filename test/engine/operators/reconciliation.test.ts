import { sql } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { ArmIndex } from '../../../domain/arm.ts'
import type { Reconciled } from '../../../domain/platform/reconciled.ts'
import { developmentStaff } from '../../../engine/platform/demo/demo-staff.ts'
import { add } from '../../../engine/jobs/queue.ts'
import { addNightly } from '../../../engine/operators/nightly.ts'
import { staffCaller } from '../../server/support/staff.ts'
import { launchedFrom } from '../support/launched.ts'
import { meet, shopperAt } from '../support/price-shoppers.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop, secondShop } from '../support/small-shop.ts'
import { visitorIn } from '../support/traffic.ts'
import { startWithShop, withTestPrices, type WithShop } from '../support/with-shop.ts'

// Each night asks the shop about everything, which takes a while on a busy machine.
t.setTimeout(180_000)
const hour = 3_600_000,
  day = 24 * hour
/** Nobody listens there, so all deliveries are lost. */
const nowhere = { engineOrigin: 'http://localhost:1', webhookWait: day, ...withTestPrices }

/** A shop with two running price tests and a running redirect test, after its first night. */
async function furnished(world: WithShop) {
  const { call, db, now, engine, shop, platform } = world
  const { id: store } = await call('storeInfo', {})
  const {
    items: [cheap, other],
  } = await call('searchProducts', { params: { id: store }, query: { query: 'bowl', pageSize: 2 } })
  for (const [title, { id }] of [
    ['Dearer', cheap!],
    ['Gone', other!],
  ] as const) {
    const draft = await call('createDraft', { body: { kind: 'Price', title } })
    await call('createTestProduct', {
      body: { testDraftId: draft.id, productId: id, rule: { kind: 'percent', value: 10 } },
    })
    await launchedFrom(db, store, draft.id, { start_at: new Date(now.at.getTime() - hour) })
  }
  const redirect = await seedTest(db, store, {
    title: 'Redirect',
    kind: 'UrlRedirect',
    control_url: '/pages/about',
    redirect_url: '/pages/faq',
    start_at: new Date(now.at.getTime() - hour),
  })
  const inAdmin = (url: string, fields: Record<string, string> = {}) =>
    shop.app.inject({
      method: 'POST',
      url: `/admin/${url}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })
  const buys = async (arm: ArmIndex, name: string) => {
    const visitor = visitorIn(redirect, arm, name)
    await meet(engine, visitor, { [redirect]: arm }, now.at.getTime() - 60_000)
    const shopper = shopperAt(world.shopOrigin, visitor)
    await shopper.add({ id: 30100 })
    await shopper.stamp([])
    await shopper.order()
  }
  /** The next night, in which the comparison runs. Returns what it found. */
  const night = async (): Promise<Reconciled> => {
    await addNightly(db, now.at)
    const { run_at } = await db.kysely
      .selectFrom('jobs')
      .select('run_at')
      // Each store has a moment of its own, by its id.
      .where('store_id', '=', store)
      .where('kind', '=', 'reconciliation')
      .where('status', '=', 'queued')
      .executeTakeFirstOrThrow()
    now.at = run_at
    await engine.runJobs()
    await engine.rollUp()
    return found()
  }
  const compared = () =>
    db.kysely
      .selectFrom('reconciliations')
      .select(['found', 'total', 'refused_at'])
      .where('store_id', '=', store)
      .executeTakeFirst()
  const found = async () => (await compared())?.found ?? {}
  const total = async () => (await compared())?.total
  /** Figures and states, without ids and times. */
  const state = async () => {
    const read = async (text: string) => (await sql.raw(text).execute(db.kysely)).rows
    return {
      stores: await read(
        'select status, shop_name, name, email, theme_id, subscription_status, plan_id from stores order by shop',
      ),
      orders: await read(
        'select name, amount, refunded, is_test, units, left(visitor_id, 12) as visitor from orders order by name',
      ),
      tests: await read(
        `select title, status, hold_cause->>'cause' as cause from tests order by title`,
      ),
      products: await read(
        'select product_id, errors, variants from test_products order by product_id',
      ),
      capabilities: await read('select capabilities from reconciliations'),
      figures: await read(
        `select summary->'ledger' as ledger, summary->'goals' as goals from test_summaries s join tests t using (store_id, test_id) where t.title = 'Redirect'`,
      ),
      uninstalls: await read('select category, kept from uninstalls'),
    }
  }
  return {
    ...world,
    store,
    cheap: cheap!,
    other: other!,
    inAdmin,
    buys,
    night,
    found,
    total,
    compared,
    state,
    platform,
  }
}
type Furnished = Awaited<ReturnType<typeof furnished>>

t.test('what webhooks have not told, the next night finds and repairs', async t => {
  const told = await furnished(await startWithShop({}, {}, withTestPrices))
  t.teardown(told.close)
  const lost = await furnished(await startWithShop({}, {}, nowhere))
  t.teardown(lost.close)
  lost.now.at = told.now.at
  const both = [told, lost]
  /** The same happens in both shops; the deliveries of the first arrive. */
  const happens = async (what: (world: Furnished) => Promise<unknown>) => {
    for (const world of both) await what(world)
    await told.shop.delivered()
    await told.engine.runJobs()
  }
  const nights = async () => {
    const found = [await told.night(), await lost.night()]
    t.same(found[0], {}, 'with webhooks there is nothing to find')
    t.same(await lost.state(), await told.state(), 'figures and states are the same')
    return found[1]
  }
  t.same(await nights(), {}, 'at first nothing was lost')

  await happens(async ({ buys }) => {
    await buys(0, 'anna')
    await buys(1, 'bert')
  })
  t.equal((await told.state()).orders.length, 2)
  t.same((await lost.state()).orders, [])
  t.same(await nights(), { orders: 2 })
  t.same(await nights(), {}, 'once')

  await happens(async ({ buys, inAdmin, platform, merchant, shop, cheap, other }) => {
    await buys(1, 'cleo')
    await inAdmin('orders/1001/refund', { amount: '5.00', already: '0.00' })
    await inAdmin('orders/1002/cancel')
    const [variant] = cheap.variants
    await platform.setPrices(firstShop, cheap.id, [
      { variantId: variant!.id, price: variant!.price + 100 },
    ])
    await inAdmin(`products/${other.id}/delete`)
    await merchant.publishTheme(firstShop, '160002')
    await inAdmin('settings', { name: 'Fern', email: 'new@fern.example' })
    shop.capabilities.set({ redirects: 'missingPages' })
  })
  t.same(await nights(), {
    orders: 1,
    refunds: 2,
    products: 2,
    themes: 1,
    tests: 2,
    shopFacts: 1,
    capabilities: 1,
  })
  t.match(await lost.state(), {
    orders: [
      { name: '#1001', refunded: 500 },
      { name: '#1002', amount: 1800, refunded: 1800 },
      { name: '#1003', refunded: 0 },
    ],
    figures: [{ ledger: { total: { orders: 3, amount: 5400, refunds: 2300 } } }],
    tests: [
      { title: 'Dearer', status: 'OnHold' },
      { title: 'Gone', status: 'OnHold' },
      { title: 'Redirect', status: 'Active' },
    ],
  })

  await happens(async ({ inAdmin, platform }) => {
    const { id } = (await platform.subscriptions(firstShop))[0]!
    await inAdmin(`billing/${id}/freeze`)
  })
  t.same(await nights(), { subscriptions: 1 })
  t.match(await lost.total(), { orders: 3, refunds: 2, subscriptions: 1 })

  t.test('staff and metrics say what was lost', async t => {
    await lost.engine.samples.staff()
    const staff = staffCaller({ engine: lost })
    const { email, password } = developmentStaff
    const { token } = await staff('staffSignIn', { body: { email, password } })
    const [health] = (await staff('adminStoreHealth', { query: {} }, token)).stores
    t.match(health, { reconciled: { found: { subscriptions: 1 } } })
    t.ok(health!.troubles.includes('webhooksLost'))
    const metrics = await lost.engine.metrics()
    t.match(metrics, 'twinshelf_reconciled{what="orders"} 3')
    t.match(metrics, 'twinshelf_reconciled{what="uninstalls"} 0')
  })

  t.test('a shop that does not answer is asked some times, and again the next night', async t => {
    const { db, now, engine } = lost
    await lost.shop.app.close()
    await addNightly(db, now.at)
    const job = () =>
      db.kysely
        .selectFrom('jobs')
        .select(['status', 'run_at', 'message'])
        .where('kind', '=', 'reconciliation')
        .orderBy('created_at', 'desc')
        .executeTakeFirstOrThrow()
    for (let tried = 0; (await job()).status === 'queued' && tried < 10; tried++) {
      now.at = (await job()).run_at
      await engine.runJobs()
    }
    t.match(await job(), { status: 'errored', message: /compared again next night/ })
    t.match((await lost.state()).stores, [{ status: 'installed' }], 'silence is no refusal')
    await addNightly(db, now.at)
    t.match(await job(), { status: 'queued' })
  })
})

t.test('a test that another check holds meanwhile was found, too', async t => {
  // A new live theme makes a check of its own due, which ends before the orders are compared.
  const lost: Furnished = await furnished(
    await startWithShop(
      {
        wrapPlatform: platform => ({
          ...platform,
          changedOrders: async (...given) => {
            void lost.engine.runJobs()
            for (let tried = 0; (await held()).length === 0 && tried < 500; tried++) await pause(20)
            return platform.changedOrders(...given)
          },
        }),
      },
      {},
      nowhere,
    ),
  )
  t.teardown(lost.close)
  const held = () =>
    lost.db.kysely.selectFrom('tests').select('title').where('status', '=', 'OnHold').execute()
  await lost.inAdmin(`products/${lost.other.id}/delete`)
  await lost.merchant.publishTheme(firstShop, '160002')
  t.match(await lost.night(), { themes: 1, tests: 1 })
  t.same(await held(), [{ title: 'Gone' }])
})

t.test('without any webhook', async t => {
  const lost = await furnished(await startWithShop({}, {}, nowhere))
  t.teardown(lost.close)
  const { db, now, engine, store, call } = lost
  const statuses = async () =>
    (await lost.state()).stores.map(row => (row as { status: string }).status)
  const later = async (milliseconds: number) => {
    now.at = new Date(now.at.getTime() + milliseconds)
    await engine.runJobs()
    return statuses()
  }
  const waiting = async () =>
    (
      await db.kysely
        .selectFrom('jobs')
        .select('job_id')
        .where('kind', '=', 'reconciliation')
        .where('status', '=', 'queued')
        .execute()
    ).length

  t.test('an order whose buyer was erased is not stored again', async t => {
    await lost.buys(0, 'anna')
    t.same(await lost.night(), { orders: 1 })
    const {
      rows: [row],
    } = await sql<{ id: string }>`select order_id as id from orders`.execute(db.kysely)
    const payload = { visitors: [], orders: [row!.id], by: 'platform' }
    await add(db.kysely, { storeId: store, kind: 'shopperErasure', payload }, now.at)
    await engine.runJobs()
    await lost.inAdmin('orders/1001/refund', { amount: '5.00', already: '0.00' })
    t.same(await lost.night(), {})
    t.match((await lost.state()).orders, [{ name: 'Erased', refunded: 0 }])
  })

  t.test('a platform that refuses us is believed when it does so again', async t => {
    await lost.buys(1, 'bert')
    t.same(await lost.night(), { orders: 1 })
    const { figures, orders } = await lost.state()
    await lost.inAdmin('apps/twinshelf/uninstall')
    await lost.night()
    t.same(await statuses(), ['installed'], 'one refusal is not enough')
    t.same(await later(hour - 1), ['installed'], 'nor is waiting')
    t.same(await later(1), ['installed'], 'our only shop is asked for a day')
    t.same(await later(day), ['uninstalled'])
    t.match(await lost.state(), {
      tests: [{ status: 'Ended' }, { status: 'Ended' }, { status: 'Ended' }],
      uninstalls: [{ category: null }],
    })
    t.same(await lost.found(), { uninstalls: 1 })
    t.same((await lost.state()).orders, orders, 'orders stay')
    t.same((await lost.state()).figures, figures, 'and figures')
    const script = await db.kysely.selectFrom('published_scripts').select('body').executeTakeFirst()
    t.equal(script?.body, null, 'no script is served any more')
    await addNightly(db, now.at)
    t.equal(await waiting(), 0, 'a shop that left is not compared')
  })

  t.test('a refused change of a test keeps no order from being compared', async t => {
    await lost.inAdmin('apps/twinshelf/install')
    await call('auth', { body: { idToken: await lost.idToken() } })
    await lost.night()
    await sql`insert into journal_plans (store_id, plan_id, state, refusal, until, created_at)
      values (${store}, gen_random_uuid(), 'undoing', 'The price is locked.', '-infinity', now())`.execute(
      db.kysely,
    )
    await lost.inAdmin('orders/1002/refund', { amount: '5.00', already: '0.00' })
    t.same(await lost.night(), { refunds: 1 })
  })

  t.test('a shop that refuses us only once has not left', async t => {
    await lost.inAdmin('apps/twinshelf/install')
    await call('auth', { body: { idToken: await lost.idToken() } })
    t.same(await lost.night(), {}, 'the merchant is back')
    const other = await seedStore(db, { shop: secondShop, domain: secondShop })
    await lost.inAdmin('apps/twinshelf/uninstall')
    await lost.night()
    t.ok((await lost.compared())!.refused_at, 'refused once')
    await db.kysely
      .insertInto('reconciliations')
      .values({ store_id: other, ran_at: now.at })
      .execute()
    // The merchant takes the app back, and has not opened it yet.
    await lost.inAdmin('apps/twinshelf/install')
    t.same(await later(hour), ['installed', 'installed'])
    await db.kysely.deleteFrom('reconciliations').where('store_id', '=', other).execute()
    await db.kysely.deleteFrom('stores').where('store_id', '=', other).execute()
  })

  t.test('a platform that refuses every shop is not believed so soon', async t => {
    await lost.inAdmin('apps/twinshelf/install')
    await call('auth', { body: { idToken: await lost.idToken() } })
    t.same(await lost.night(), {}, 'the merchant is back')
    const other = await seedStore(db, { shop: secondShop, domain: secondShop })
    const answered = (ran_at: Date) =>
      db.kysely
        .insertInto('reconciliations')
        .values({ store_id: other, ran_at })
        .onConflict(oc => oc.column('store_id').doUpdateSet({ ran_at }))
        .execute()
    await answered(new Date(now.at.getTime() - hour))
    await lost.inAdmin('apps/twinshelf/uninstall')
    await add(db.kysely, { storeId: store, kind: 'reconciliation', key: 'reconciliation' }, now.at)
    t.same(await later(0), ['installed', 'installed'])
    t.same((await lost.compared())!.refused_at, now.at)
    t.same(await later(hour), ['installed', 'installed'])
    t.same(await later(24 * hour), ['installed', 'installed'])
    // Now the platform answers for another shop.
    await answered(now.at)
    t.same(await later(hour), ['uninstalled', 'installed'])
  })
})
