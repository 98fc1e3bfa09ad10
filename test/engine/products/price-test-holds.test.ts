import { cyclePeriod } from '../../../engine/events/fold/periods.ts'
import { sql } from 'kysely'
import t from 'tap'
import { highestPrice } from '../../../domain/prices/price-rule.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { themeTarget } from '../../../domain/tests/test-target.ts'
import type { EngineContext } from '../../../engine/context.ts'
import { resumeSuspended, suspendTests } from '../../../engine/tests/test-suspension.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'
import { startPriceShop } from '../support/shops/price-shop.ts'
import { firstShop } from '../support/small-shop.ts'
import { seedSummary } from '../support/summaries.ts'

const { engine, call, db, now, platform, context, storeId, raise, draftWith, launched } =
  await startPriceShop(t)

const subscription = (subscription_status: 'Frozen' | 'Active') =>
  db.kysely
    .updateTable('stores')
    .set({ subscription_status })
    .where('store_id', '=', storeId)
    .execute()

t.test(
  'a product never gets a second running price test: not by a resume, a start or a subscription that is active again',
  async t => {
    await call('endAllTests', { body: { priceTestsOnly: true } })
    const {
      draft,
      products: [product],
    } = await draftWith()
    const beside = async (over: Parameters<typeof seedTest>[2]) => {
      const { id } = await call('createDraft', { body: { kind: 'Price' } })
      await call('createTestProduct', {
        body: { testDraftId: id, productId: product!.id, rule: raise },
      })
      return launched(id, { start_at: now.at, ...over })
    }
    const put = (id: string, status: 'Active' | 'Paused' | 'Ended') =>
      call('updateTest', { params: { id }, body: { status } })
    const statusOf = async (id: string) => (await call('test', { params: { id } })).status
    const paused = await beside({ status: 'Paused', title: 'Paused' }),
      scheduled = await beside({
        status: 'Scheduled',
        start_at: null,
        launch_at: new Date(now.at.getTime() + 86_400_000),
        title: 'Scheduled',
      })
    const { checks } = await call('draftChecks', { params: { id: draft } })
    t.match(
      checks.find(({ name }) => name === 'products'),
      {
        tone: 'warn',
        message: '“Paused” and “Scheduled” are not running and use products of this test.',
        remedy: /cannot start or resume/,
      },
    )
    const first = await launched(draft, { title: 'The first', start_at: now.at })
    await t.rejects(
      put(paused, 'Active'),
      like({
        status: 409,
        problem: {
          message:
            /paused cannot become running\. .* is in the running price test “The first” already\. End one of the two/,
        },
      }),
    )
    t.equal(await statusOf(paused), 'Paused')
    t.match(await put(scheduled, 'Active'), {
      status: 'OnHold',
      holdCause: { cause: 'productConflict', message: /The first/ },
    })
    await t.rejects(put(scheduled, 'Active'), like({ status: 409 }))
    t.match(await call('resumeOnHold', { body: {} }), {
      resumed: [],
      refused: [{ id: scheduled, message: /The first/ }],
    })
    await put(first, 'Paused')
    // Questions to the shop take time, so all three pass the checks. Still only one of them runs.
    const outcomes = await Promise.allSettled([
      put(first, 'Active'),
      put(paused, 'Active'),
      call('resumeOnHold', { body: {} }),
    ])
    const ran = [first, paused, scheduled].filter((_, i) =>
      i < 2
        ? outcomes[i]!.status === 'fulfilled'
        : (outcomes[2] as PromiseFulfilledResult<{ resumed: string[] }>).value.resumed.length > 0,
    )
    t.equal(ran.length, 1)
    t.same(
      (await Promise.all([first, paused, scheduled].map(statusOf))).filter(
        status => status === 'Active',
      ).length,
      1,
    )

    for (const id of [first, paused, scheduled]) if (!ran.includes(id)) await put(id, 'Ended')
    const whole = {
      ...context,
      publisher: { request: async () => {}, publish: async () => {} },
    } as unknown as EngineContext
    await subscription('Frozen')
    await suspendTests(whole, storeId)
    await subscription('Active')
    const other = await beside({ title: 'Launched meanwhile' })
    await resumeSuspended(whole, storeId)
    t.match(await call('test', { params: { id: ran[0]! } }), {
      status: 'OnHold',
      holdCause: { cause: 'productConflict', message: /Launched meanwhile/ },
    })
    t.equal(await statusOf(other), 'Active')
    await call('endAllTests', { body: { priceTestsOnly: true } })
  },
)

t.test(
  'prices that the shop refuses put their test on hold with the shop’s message; other tests are published and charged',
  async t => {
    const [dear, fair] = [await draftWith(), await draftWith()]
    const dearId = await launched(dear.draft, { title: 'Too dear', start_at: now.at }),
      fairId = await launched(fair.draft, { start_at: now.at })
    await sql`update test_products set variants = jsonb_set(variants, '{0,variantPrice}', ${String(highestPrice + 1)}::jsonb) where test_id = ${dearId}`.execute(
      db.kysely,
    )
    const published = () =>
      db.kysely
        .selectFrom('published_scripts')
        .select(['wanted', 'published', 'last_error'])
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
    const put = (id: string, status: 'Active' | 'Paused' | 'Ended') =>
      call('updateTest', { params: { id }, body: { status } })
    const charged = async () => (await platform.priceRules(firstShop)).map(({ id }) => id)
    await put(await seedTest(db, storeId, { start_at: now.at }), 'Paused')
    t.match(await call('test', { params: { id: dearId } }), {
      status: 'OnHold',
      holdCause: {
        cause: 'priceRefused',
        message: /^The shop refuses the prices of this test: .*price rule/,
        remedy: /prices that the shop accepts/,
      },
    })
    t.same(await charged(), [fairId])
    const row = await published()
    t.same([row.published, row.last_error], [row.wanted, null])
    t.match((await engine.app.inject(`/s/${firstShop}.js`)).payload, fairId)
    t.notMatch((await engine.app.inject(`/s/${firstShop}.js`)).payload, dearId)
    t.match(await put(dearId, 'Active'), { status: 'OnHold' }, 'after a resume it is held again')
    await put(dearId, 'Ended')
    t.match(await put(fairId, 'Ended'), { status: 'Ended' })
    t.same(await charged(), [])
    // Rules that are recorded as sent although their test was never held: after a crash, or from an
    // older version that retried them.
    await db.kysely
      .updateTable('published_scripts')
      .set({
        price_rules: JSON.stringify([
          { id: dearId, weights: [0.5, 0.5], prices: { 1: highestPrice + 1 } },
        ]),
      })
      .where('store_id', '=', storeId)
      .execute()
    await put(await seedTest(db, storeId, { start_at: now.at }), 'Ended')
    const after = await published()
    t.same([after.published, after.last_error], [after.wanted, null])
  },
)

t.test(
  'after a suspension a test runs even if the shop does not answer, unless our own data puts it on hold',
  async t => {
    const all = await platform.themes(firstShop),
      live = all.find(({ role }) => role === 'live')!,
      other = all.find(({ role }) => role !== 'live')
    const themes = {
      kind: 'Theme' as const,
      control_target: JSON.stringify({ ...themeTarget(live.id), hash: null }),
      variant_target: JSON.stringify({ ...themeTarget(other!.id), hash: null }),
      live_theme_id: live.id,
    }
    const ids = [
        await seedTest(db, storeId, themes),
        await seedTest(db, storeId, themes),
        await seedTest(db, storeId),
        await seedTest(db, storeId),
      ],
      split = ids[2]!
    await seedSummary(db, storeId, split, [100, 10], null, null, true)
    let looks = 0
    const failing = async () => {
      throw new HttpProblem(looks++ % 2 ? 404 : 502, 'Not now.')
    }
    const asked = {
      ...context,
      publisher: { request: async () => {}, publish: async () => {} },
      log: { warn: () => {} },
      platform: { ...platform, themes: failing },
    } as unknown as EngineContext
    const back = async () => {
      await subscription('Frozen')
      await suspendTests(asked, storeId)
      await subscription('Active')
      await resumeSuspended(asked, storeId)
      return Promise.all(
        ids.map(async id => {
          const { status, holdCause } = await call('test', { params: { id } })
          return holdCause?.cause ?? status
        }),
      )
    }
    t.same(await back(), ['Active', 'Active', 'splitBroken', 'Active'])
    t.equal(looks, 2, 'the shop is asked about each test, whatever it answered before')
    const { usage_reset, created_at } = await db.kysely
      .selectFrom('stores')
      .select(['usage_reset', 'created_at'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    const period = cyclePeriod((usage_reset ?? created_at).getTime(), now.at.getTime())
    await db.kysely
      .insertInto('store_periods')
      .values({ store_id: storeId, period, visitors: 10_000_000 })
      .execute()
    const { subscription_status, trial_end } = await db.kysely
      .selectFrom('stores')
      .select(['subscription_status', 'trial_end'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    await db.kysely
      .updateTable('stores')
      .set({ trial_end: null })
      .where('store_id', '=', storeId)
      .execute()
    t.same(await back(), ['visitorLimit', 'visitorLimit', 'splitBroken', 'visitorLimit'])
    await db.kysely
      .updateTable('stores')
      .set({ subscription_status, trial_end })
      .where('store_id', '=', storeId)
      .execute()
    await db.kysely
      .deleteFrom('store_periods')
      .where('store_id', '=', storeId)
      .where('period', '=', period)
      .execute()
    await call('endAllTests', { body: { priceTestsOnly: false } })
  },
)
