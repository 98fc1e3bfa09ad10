import t from 'tap'
import { layersFor } from '../../../../engine/tests/exclusion.ts'
import { refusal } from '../../support/engine.ts'
import { like } from '../../support/like.ts'
import { seedTest } from '../../support/seeds.ts'
import { fieldsOf, startLaunchShop } from '../../support/shops/launch-shop.ts'
import { firstShop } from '../../support/small-shop.ts'

const { call, db, now, platform, shop, store, draft, checks, line, launch, endAll } =
  await startLaunchShop(t)
const day = 86_400_000

t.test('all checks of a good draft are green, except the missing browser', async t => {
  const id = await draft({ kind: 'PageElement' })
  const { version, checks: quick, browser, sharing } = await checks(id)
  t.same(
    quick.map(({ name, tone }) => [name, tone]),
    [
      'filled',
      'plan',
      'visitors',
      'script',
      'pages',
      'sharing',
      'audience',
      'schedule',
      'length',
    ].map(name => [name, 'good']),
  )
  t.match(browser, {
    state: 'none',
    checks: [{ name: 'browser', tone: 'warn', message: /cannot be opened automatically/ }],
    jobId: null,
  })
  t.same(sharing, { tests: [], days: 14, daysAlone: 14 })
  t.equal(version, (await call('draft', { params: { id } })).version)
  t.same(await call('startDraftChecks', { params: { id } }), { jobId: null })
  await t.rejects(checks('00000000-0000-4000-8000-000000000000'), like({ status: 404 }))
  await launch(id)
  t.match(await line(await draft({ kind: 'PageElement' }, '/cart'), 'script'), {
    tone: 'good',
    message: 'Installed and up to date.',
  })
  await endAll()
})

t.test(
  'a missing value is red at its field, and a launch is refused at the same fields',
  async t => {
    const empty = await draft({ kind: 'UrlRedirect', title: ' ' })
    t.match(
      (await checks(empty)).checks.filter(({ tone }) => tone === 'bad'),
      [
        { name: 'filled', field: 'title' },
        { name: 'redirect', field: 'controlUrl' },
        { name: 'redirect', field: 'redirectUrl' },
      ],
    )
    t.same(fieldsOf(await refusal(launch(empty))), ['title', 'controlUrl', 'redirectUrl'])
  },
)

t.test(
  'custom audiences need a plan that includes them, even when they are older than the plan',
  async t => {
    const { id: audience } = await call('createAudience', {
      body: { name: 'From search', values: { 2: { operator: 'Equals', value: 'search' } } },
    })
    const id = await draft({
      kind: 'UrlRedirect',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/about',
      audienceIds: [audience],
    })
    t.match(await line(id, 'plan'), { tone: 'good' })
    const { plan_id, feature_flags } = await db.kysely
      .selectFrom('stores')
      .select(['plan_id', 'feature_flags'])
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    await db.kysely
      .updateTable('stores')
      .set({ plan_id: 'core-50k-monthly', feature_flags: '[]' })
      .where('store_id', '=', store)
      .execute()
    t.match(await line(id, 'plan'), {
      tone: 'bad',
      field: 'audienceIds',
      message: /^Custom audiences come with the Advanced plan/,
    })
    t.match(await refusal(launch(id)), {
      status: 403,
      problem: { message: /^Custom audiences come with the Advanced plan/ },
    })
    await call('updateDraft', { params: { id }, body: { audienceIds: [] } })
    t.match(await line(id, 'plan'), { tone: 'good' })
    await db.kysely
      .updateTable('stores')
      .set({ plan_id, feature_flags: JSON.stringify(feature_flags) })
      .where('store_id', '=', store)
      .execute()
  },
)

t.test('tests that would share visitors are named, and both tests take longer', async t => {
  const first = await launch(await draft({ kind: 'PageElement', title: 'Badge' }))
  const id = await draft({ kind: 'PageElement', title: 'Button' }, '/*-mug')
  t.match(await checks(id), { sharing: { tests: [{ id: first.testId, title: 'Badge' }] } })
  t.match(
    await line(id, 'sharing'),
    { tone: 'warn', message: 'Launch beside “Badge”: each gets half of the visitors.' },
    'without history the number of days is unknown',
  )
  t.match((await checks(await draft({ kind: 'PageElement' }, '/cart'))).sharing, { tests: [] })
  // Ten full days with 600 visitors each: all of them see a product, a tenth buy.
  for (let n = 1; n <= 10; n++) {
    const date = new Date(now.at.getTime() - n * day),
      on = date.toISOString().slice(0, 10)
    const visitors = Array.from({ length: 600 }, (_, i) => `visitor-${n}-${i}`)
    await db.kysely
      .insertInto('store_visitors' as never)
      .values(
        visitors.map(visitor_id => ({ store_id: store, period: `day:${on}`, visitor_id })) as never,
      )
      .execute()
    await db.kysely
      .insertInto('events' as never)
      .values(
        visitors.map((visitor_id, i) => ({
          store_id: store,
          day: on,
          id: `event-${n}-${i}`,
          at: date,
          kind: 1,
          device: 0,
          set_aside: 0,
          is_bot: false,
          is_new: true,
          visitor_id,
          session_id: 'session-1',
          path: '/products/ash-glaze-mug',
          claims: '{}',
        })) as never,
      )
      .execute()
    await db.kysely
      .insertInto('orders' as never)
      .values(
        visitors
          .filter((_, i) => i % 10 === 0)
          .map((visitor_id, i) => ({
            store_id: store,
            order_id: `${n}-${i}`,
            created_at: date,
            day: on,
            visitor_id,
            amount: 5_000,
            refunded: 0,
            is_test: false,
            triggered_at: date,
          })) as never,
      )
      .execute()
  }
  const { sharing } = await checks(id)
  t.ok(
    sharing.daysAlone >= 28 && sharing.days >= Math.min(84, sharing.daysAlone * 1.8),
    `${sharing.daysAlone} and ${sharing.days} days`,
  )
  t.match(await line(id, 'sharing'), {
    message: `Launch beside “Badge”: both take about ${sharing.days - sharing.daysAlone} days longer.`,
  })
  const { testId } = await launch(id)
  const test = await call('test', { params: { id: testId } })
  t.equal(
    (Date.parse(test.endsAt!) - Date.parse(test.startAt!)) / day,
    sharing.days,
    'planned with the visitors that it will share',
  )
  t.same(
    await layersFor(db.kysely, store),
    new Map([
      [first.testId, { layer: 0, rivals: [testId] }],
      [testId, { layer: 0, rivals: [first.testId] }],
    ]),
  )
  await endAll()
  t.equal((await layersFor(db.kysely, store)).size, 0)
})

t.test(
  'the checks find an empty or deleted audience, a start in the past and a missing subscription',
  async t => {
    const { id: audience } = await call('createAudience', {
      body: { name: 'Newsletter', values: { 2: { operator: 'Equals', value: 'email' } } },
    })
    const id = await draft({ kind: 'PageElement', audienceIds: [audience] })
    t.match(await line(id, 'audience'), {
      tone: 'warn',
      field: 'audienceIds',
      message: 'None of the last 28 days’ visitors was in the audience.',
    })
    await db.kysely
      .updateTable('drafts')
      .set({ launch_at: new Date(now.at.getTime() - day) })
      .where('draft_id', '=', id)
      .execute()
    t.match(await line(id, 'schedule'), {
      tone: 'warn',
      message: /starts as soon as it is launched/,
    })
    await call('deleteAudience', { params: { id: audience } })
    t.match(await line(id, 'audience'), {
      tone: 'bad',
      field: 'audienceIds.0',
      message: 'This audience is no longer there.',
    })
    t.same(fieldsOf(await refusal(launch(id))), ['audienceIds.0'])

    const fine = await draft({ kind: 'PageElement' })
    const { plan_id } = await db.kysely
      .selectFrom('stores')
      .select('plan_id')
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    await db.kysely
      .updateTable('stores')
      .set({ plan_id: null })
      .where('store_id', '=', store)
      .execute()
    t.match(
      (await checks(fine)).checks.filter(({ tone }) => tone === 'bad'),
      [{ name: 'plan' }],
    )
    await db.kysely.updateTable('stores').set({ plan_id }).where('store_id', '=', store).execute()
  },
)

t.test('prices of zero, deleted products and products in another price test are red', async t => {
  const {
    items: [first, second, third],
  } = await platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 3 })
  const priced = async (productId: string, value: number) => {
    const id = await draft({ kind: 'Price', title: 'Dearer' })
    await call('createTestProduct', {
      body: { testDraftId: id, productId, rule: { kind: 'amount', value } },
    })
    return id
  }
  const id = await priced(first!.id, 250)
  t.match(await line(id, 'products'), {
    tone: 'good',
    message: 'All products are for sale and in no other price test.',
  })
  for (const value of [0, -1])
    await t.rejects(
      call('createTestProduct', {
        body: { testDraftId: id, productId: second!.id, rule: { kind: 'set', value } },
      }),
      like({ status: 400 }),
      `a price of ${value}`,
    )
  const { testId } = await launch(id)
  t.same(
    (await call('test', { params: { id: testId } })).pages,
    ['*'],
    'visitors can meet prices on any page',
  )
  const again = await priced(first!.id, 100)
  t.match(await line(again, 'products'), {
    tone: 'bad',
    field: 'products.0',
    message: /“Dearer”/,
  })
  t.match(await refusal(launch(again)), {
    status: 400,
    problem: { fields: [{ field: 'products.0', message: /“Dearer”/ }] },
  })
  const gone = await priced(third!.id, 100)
  await shop.app.inject({ method: 'POST', url: `/admin/products/${third!.id}/delete` })
  t.match(await line(gone, 'products'), { tone: 'bad', field: 'products.0' })
  t.same(fieldsOf(await refusal(launch(gone))), ['products.0'])
  await endAll()
})

t.test('a launch is refused when the script is gone from the shop', async t => {
  const id = await draft({ kind: 'PageElement' })
  await platform.removeScript(firstShop)
  t.match(await line(id, 'script'), {
    tone: 'bad',
    message: 'The script is no longer on your shop.',
  })
  t.match(await refusal(launch(id)), {
    status: 400,
    problem: {
      fields: [
        { field: 'script', message: /^The script is no longer on your shop\. Contact support/ },
      ],
    },
  })
})

t.test('applied winners are in no layer', async t => {
  const applied = await seedTest(db, store, { pages: '["/products/*"]', applied_arm: 'variant' }),
    running = await seedTest(db, store, { pages: '["/products/*"]' })
  t.equal((await layersFor(db.kysely, store)).size, 0)
  await db.kysely.deleteFrom('tests').where('test_id', 'in', [applied, running]).execute()
})
