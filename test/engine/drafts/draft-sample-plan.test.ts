import t from 'tap'
import { builtInAudiences } from '../../../domain/audiences/audience-match.ts'
import { planAt } from '../../../domain/drafts/length-planner.ts'
import type { Refused } from '../support/engine.ts'
import { beacon, browser, collect, collectingApp, event, phone } from '../support/traffic.ts'
import { startWithShop } from '../support/with-shop.ts'

const { call, db, now, idToken, shopOrigin, close } = await startWithShop()
t.teardown(close)
now.at = new Date('2026-11-21T12:00:00Z')
const { token } = await call('auth', { body: { idToken: await idToken() } })
const storeId = (await call('storeInfo', {}, token)).id
const [everyone, newVisitors, returning, phones, desktops] = builtInAudiences.map(
  each => each.id,
) as [string, string, string, string, string]
const plan = (id: string) => call('draftPlan', { params: { id } }, token)
const preview = (body: Parameters<typeof call<'previewAudience'>>[1]['body']) =>
  call('previewAudience', { body }, token)
const fields = (refusal: Promise<unknown>) =>
  refusal.then(
    () => null,
    (error: Refused) => [error.status, error.problem.fields?.map(each => each.field)],
  )

t.test('the plan of a shop without history says so', async t => {
  const { id } = await call(
    'createDraft',
    { body: { kind: 'PageElement', title: 'Planned' } },
    token,
  )
  t.match(await plan(id), {
    days: 14,
    hasHistory: false,
    source: 'none',
    traffic: 'unknown',
    dailyVisitors: 0,
    isEnough: false,
    smallestEffect: null,
  })
  await call('updateDraft', { params: { id }, body: { expectedVisitors: 5000 } }, token)
  t.match(
    await plan(id),
    { days: 21, source: 'guess', traffic: 'enough', dailyVisitors: 5000 },
    'the plan uses the merchant’s own guess',
  )
  const { id: copy } = await call('duplicateDraft', { params: { id } }, token)
  t.equal((await call('draft', { params: { id: copy } }, token)).expectedVisitors, 5000)
  t.same(
    await fields(call('updateDraft', { params: { id }, body: { expectedVisitors: 0 } }, token)),
    [400, ['expectedVisitors']],
  )
  t.same(await preview({ values: { 7: { operator: 'Equals', value: 'DE' } } }), {
    visitors: 0,
    matching: 0,
    share: null,
    isBlind: false,
  })
})

t.test(
  'with history, the days follow from the tested pages, the weights and the minimum effect',
  async t => {
    // Ten full days with 100 visitors each: a quarter of them see the gift guide, a tenth buy.
    for (let day = 11; day <= 20; day++) {
      const visitors = Array.from({ length: 100 }, (_, i) => `visitor-${day}-${i}`)
      await db.kysely
        .insertInto('store_visitors' as never)
        .values(
          visitors.map(visitor_id => ({
            store_id: storeId,
            period: `day:2026-11-${day}`,
            visitor_id,
          })) as never,
        )
        .execute()
      await db.kysely
        .insertInto('events' as never)
        .values(
          visitors.map((visitor_id, i) => ({
            store_id: storeId,
            day: `2026-11-${day}`,
            id: `event-${day}-${i}`,
            at: `2026-11-${day}T15:00:00Z`,
            kind: 1,
            device: i % 2,
            set_aside: 0,
            is_bot: false,
            is_new: i % 5 > 0,
            visitor_id,
            session_id: `session-${day}-${i}`,
            path: i % 4 ? '/?utm_source=News&utm_medium=email' : '/pages/gift-guide',
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
              store_id: storeId,
              order_id: `${day}-${i}`,
              created_at: `2026-11-${day}T16:00:00Z`,
              day: `2026-11-${day}`,
              visitor_id,
              amount: 5_000,
              refunded: 0,
              is_test: false,
              triggered_at: `2026-11-${day}T16:00:00Z`,
            })) as never,
        )
        .execute()
    }
    const { id } = await call(
      'createDraft',
      { body: { kind: 'UrlRedirect', title: 'Guide', controlUrl: '/pages/gift-guide' } },
      token,
    )
    const set = (body: Parameters<typeof call<'updateDraft'>>[1]['body']) =>
      call('updateDraft', { params: { id }, body }, token)
    const needed = (effect: number, weights = [0.5, 0.5]) =>
      (2.8016 ** 2 * (0.09 / weights[0]! + 0.09 / weights[1]!)) / (effect * 0.1) ** 2
    t.match(
      await plan(id),
      { hasHistory: true, dailyVisitors: 25, isEnough: false, smallestEffect: Number },
      'too few visitors come to this one page',
    )
    const { smallestEffect } = await plan(id)
    t.ok(
      Math.abs(smallestEffect! - Math.sqrt(needed(1) / (25 * 28))) < 0.001,
      String(smallestEffect),
    )
    await set({ minimumEffect: 0.8 })
    t.match(await plan(id), {
      isEnough: true,
      days: Math.max(14, Math.ceil(needed(0.8) / 25 / 7) * 7),
      smallestEffect: null,
    })
    const even = (await plan(id)).plannedVisitors
    await set({ weights: [0.9, 0.1] })
    t.ok((await plan(id)).plannedVisitors > even * 1.5, 'uneven weights need more visitors')
    await set({ weights: [0.5, 0.5], minimumEffect: 0.3 })
    const little = await plan(id)
    t.match(little, {
      traffic: 'notEnough',
      days: 84,
      startAt: now.at.toISOString(),
      endsAt: new Date(now.at.getTime() + 84 * 86_400_000).toISOString(),
      source: 'shop',
      sharedBy: 1,
    })
    const lengthOf = async () =>
      (await call('draftChecks', { params: { id } }, token)).checks.find(
        ({ name }) => name === 'length',
      )
    t.match(await lengthOf(), {
      tone: 'warn',
      message: /^84 days, planned end 13 Feb 2027\. Not enough traffic/,
      remedy: /^Look for a larger change/,
    })
    t.match(
      planAt(
        { ...little, weights: [0.5, 0.5] },
        { goal: 'ConversionRate', minimumEffect: 0.3, dailyVisitors: little.dailyVisitors },
      ),
      { days: little.days, plannedVisitors: little.plannedVisitors, endsAt: little.endsAt },
      'planAt, which the editor uses, computes the same',
    )
    await call(
      'scheduleDraft',
      { params: { id }, body: { automaticallyEndAt: '2026-12-01T12:00:00Z' } },
      token,
    )
    await set({ minimumEffect: 0.8, redirectUrl: '/pages/about' })
    t.match(await lengthOf(), {
      tone: 'warn',
      field: 'automaticallyEndAt',
      message: /^The test ends automatically on 1 Dec 2026, before its planned end/,
    })
    await call('scheduleDraft', { params: { id }, body: { automaticallyEndAt: null } }, token)
    const drafted = await plan(id),
      { testId } = await call('launchDraft', { params: { id } }, token)
    t.match(
      await call('test', { params: { id: testId } }, token),
      {
        startAt: drafted.startAt,
        endsAt: drafted.endsAt,
        plannedVisitors: drafted.plannedVisitors,
      },
      'the launched test has the plan of the draft',
    )
    await call('updateTest', { params: { id: testId }, body: { status: 'Ended' } }, token)
    const element = await call(
      'createDraft',
      { body: { kind: 'PageElement', title: 'All', urlPatterns: ['*'] } },
      token,
    )
    t.equal((await plan(element.id)).dailyVisitors, 100)
    const theme = await call('createDraft', { body: { kind: 'Theme', title: 'All' } }, token)
    t.equal((await plan(theme.id)).dailyVisitors, 100, 'a theme test counts visitors of every page')
    t.same(await fields(plan('00000000-0000-4000-8000-000000000009')), [404, undefined])
  },
)

t.test(
  'the preview of an audience compares its conditions with each visitor’s first visit',
  async t => {
    const share = async (body: Parameters<typeof preview>[0]) => (await preview(body)).share
    t.match(await preview({ values: { 1: { operator: 'Equals', value: 'news' } } }), {
      visitors: 1000,
      matching: 750,
      share: 0.75,
    })
    t.equal(
      await share({ values: { 0: { operator: 'Equals', value: 'Email' } } }),
      0.75,
      'the channel, as the script computes it',
    )
    t.equal(await share({ values: { 5: { operator: 'StartsWith', value: '/pages/' } } }), 0.25)
    t.equal(
      await share({
        values: {
          1: { operator: 'Equals', value: 'news' },
          5: { operator: 'StartsWith', value: '/pages/' },
        },
      }),
      0,
      'all conditions must hold',
    )
    t.same(
      [
        await share({ audienceIds: [everyone] }),
        await share({ audienceIds: [phones] }),
        await share({ audienceIds: [desktops] }),
      ],
      [1, 0.5, 0.5],
    )
    t.equal(
      await share({ audienceIds: [phones, desktops] }),
      1,
      'one of several audiences is enough',
    )
    t.ok(
      Math.abs(
        ((await share({ audienceIds: [newVisitors] })) as number) +
          (await share({ audienceIds: [returning] }))! -
          1,
      ) < 1e-9,
    )
    t.same(await fields(preview({})), [400, ['values']])
    t.same(
      await fields(
        preview({ values: { 7: { operator: 'Equals', value: 'DE' } }, audienceIds: [everyone] }),
      ),
      [400, ['values']],
    )
    t.same(
      await fields(preview({ audienceIds: [everyone, '00000000-0000-4000-8000-000000000009'] })),
      [400, ['audienceIds.1']],
    )
  },
)

t.test('referrer and country are stored for the first page of a visit', async t => {
  const app = await collectingApp(db, () => now.at, { countryHeader: 'cf-ipcountry' })
  t.teardown(() => app.close())
  const at = Date.parse('2026-11-21T11:00:00Z')
  const view = (path: string) => ({ ...event('view', at), path })
  const taken = await collect(
    app,
    beacon('visitor-from-afar', {}, [view('/products/mug?x=1'), view('/cart')], {
      sent: at,
      landing: '/products/mug?x=1',
      referrer: 'https://blog.example/mugs',
    }),
    { origin: shopOrigin, 'user-agent': phone, 'cf-ipcountry': 'DE' },
  )
  t.equal(taken.statusCode, 204, taken.body)
  await collect(app, beacon('visitor-by-itself', {}, [view('/')], { sent: at, landing: '/' }), {
    origin: shopOrigin,
    'user-agent': browser,
    'cf-ipcountry': 'FR',
  })
  now.at = new Date('2026-11-22T12:00:00Z')
  const { token: later } = await call('auth', { body: { idToken: await idToken() } })
  const matching = async (values: NonNullable<Parameters<typeof preview>[0]['values']>) =>
    (await call('previewAudience', { body: { values } }, later)).matching
  t.equal(await matching({ 6: { operator: 'Contains', value: 'blog.example' } }), 1)
  t.equal(await matching({ 0: { operator: 'Equals', value: 'Referral' } }), 1)
  t.equal(await matching({ 7: { operator: 'Equals', value: 'DE' } }), 1)
  t.equal(
    await matching({
      7: { operator: 'Equals', value: 'DE' },
      5: { operator: 'Equals', value: '/products/mug' },
    }),
    1,
  )
  t.match(
    await call(
      'previewAudience',
      { body: { values: { 5: { operator: 'Contains', value: 'x=1' } } } },
      later,
    ),
    { matching: 0, isBlind: true },
    'the preview cannot compare queries, which are not stored, and says so',
  )
  t.match(
    await call(
      'previewAudience',
      { body: { values: { 5: { operator: 'Contains', value: '/products/' } } } },
      later,
    ),
    { matching: 1, isBlind: false },
  )
})
