import type { Test } from 'tap'
import { metricNames } from '../../../../domain/reports/metric.ts'
import { like } from '../like.ts'
import { beacon, browser, collect, deliver, event, order, phone, visitorIn } from '../traffic.ts'
import type { Walk } from './walker.ts'

const change = {
  selector: '.product-form__submit',
  kind: 'text' as const,
  value: 'Ships today',
  name: '',
}

/** Running tests: their figures, their statuses and their end. */
export function walkTests(t: Test, walk: Walk): void {
  const { call, file, storeId, engine, db, now } = walk

  t.test('a test with visitors: report, lists and exports', async t => {
    const testId = await launched(t, walk, 'Ships today')
    const at = { params: { id: testId } }
    const {
      items: [seen],
    } = await call('searchProducts', { params: { id: storeId }, query: { pageSize: 1 } })
    await meet(t, walk, testId, [
      {
        arm: 0,
        agent: phone,
        landing: '/?utm_source=newsletter&utm_medium=email',
        referrer: '',
        isNew: true,
        sees: seen!.id,
        buys: '30.00',
        type: 'one_time',
      },
      {
        arm: 1,
        agent: browser,
        landing: '/',
        referrer: 'https://www.google.com/',
        isNew: false,
        buys: '20.00',
        type: 'subscription',
      },
      { arm: 1, agent: browser, landing: '/', referrer: 'https://blog.example/mugs', isNew: true },
    ])
    await engine.rollUp()
    t.match(await call('test', at), {
      title: 'Ships today',
      status: 'Active',
      summary: { visitors: [1, 2] },
    })
    t.match(await call('tests', { query: { search: 'ships', status: 'Active' } }), {
      count: 1,
      tests: [{ visitors: 3 }],
    })
    for (const metric of metricNames) {
      const days = await call('dailyBy', { params: { id: testId, metric } })
      t.ok(days.length >= 1, metric)
    }
    const values = async (
      name: 'byChannel' | 'byOrderType' | 'byDevice' | 'byVisitors' | 'byCountry' | 'referrers',
    ) => (await call(name, { ...at, query: {} })).rows.map(row => row.value).sort()
    t.same(await values('byChannel'), ['email', 'organicSearch', 'referral'])
    t.same(await values('byOrderType'), ['oneTime', 'subscription'])
    t.same(await values('byDevice'), ['desktop', 'phone'])
    t.same(await values('byVisitors'), ['new', 'returning'])
    t.same(await values('byCountry'), ['unknown'], 'no edge sends a country')
    t.match(await call('byProduct', { ...at, query: {} }), {
      visitors: [1, 2],
      rows: [{ productId: seen!.id, title: seen!.title, arms: [{ viewers: 1 }, { viewers: 0 }] }],
      count: 1,
    })
    t.match(await call('testOrders', { ...at, query: { part: 'variant' } }), {
      count: 1,
      total: { orders: 1, amount: 2000 },
      rows: [
        {
          id: '9001',
          arm: 1,
          type: 'subscription',
          visitor: { channel: 'organicSearch', isNew: false },
        },
      ],
    })
    t.same(await values('referrers'), ['(direct)', 'blog.example', 'google.com'])
    t.match((await file('exportTest', at)).body.toString(), /conversion rate/i)
    t.match((await file('exportOrders', at)).body.toString(), '30.00')
    t.equal((await file('exportZip', at)).body.subarray(0, 2).toString(), 'PK')
    t.equal((await call('storeStatus', {})).sessions, 3)
    const { assists, reason } = await call('liftAssists', { query: {} })
    t.ok(assists.length > 0 || reason, 'proposals, or why there are none')
  })

  t.test('states, schedules, applying', async t => {
    const testId = await launched(t, walk, 'To be applied', ['/pages/gift-guide'])
    const at = { params: { id: testId } }
    t.match(await call('templatesExist', at), {
      control: { exists: true },
      variant: { exists: true },
    })
    t.match(await call('updateTest', { ...at, body: { title: 'Applied', status: 'Paused' } }), {
      title: 'Applied',
      status: 'Paused',
    })
    const automaticallyEndAt = new Date(now.at.getTime() + 5 * 86_400_000).toISOString()
    t.equal(
      (await call('scheduleTest', { ...at, body: { automaticallyEndAt } })).automaticallyEndAt,
      automaticallyEndAt,
    )
    const copy = await call('duplicateTest', at)
    t.match(copy, { origin: 'Duplicate', kind: 'PageElement' })
    t.match(
      await call('activeTest', { query: { type: 'product', suffix: '' } }),
      { test: null },
      'no template test runs',
    )
    t.match(await call('figuresRevision', { query: { test: testId } }), { revision: /^\d/ })
    const since = now.at.toISOString()
    await db.kysely
      .updateTable('tests')
      .set({ status: 'OnHold' })
      .where('test_id', '=', testId)
      .execute()
    await db.kysely
      .insertInto('test_history')
      .values({
        store_id: storeId,
        test_id: testId,
        status: 'OnHold',
        applied_on: new Date(now.at.getTime() + 1000),
      })
      .execute()
    t.same(
      (await call('newOnHold', { query: { timestamp: since } })).tests.map(({ id }) => id),
      [testId],
    )
    t.same(
      [(await call('newSuspended', { query: {} })).tests, (await call('chargeWarnings', {})).tests],
      [[], []],
    )
    await t.rejects(
      call('refreshScreenshots', { params: { id: copy.hypotheses[0]!.id } }),
      like({ status: 503 }),
    )
    t.equal(
      (await file('screenshot', { params: { id: copy.hypotheses[0]!.id, device: 'desktop' } }))
        .status,
      404,
    )
    now.at = new Date(now.at.getTime() + 2000)
    t.same((await call('resumeOnHold', { body: {} })).resumed, [testId])
    const redirect = await call('createDraft', {
      body: {
        kind: 'UrlRedirect',
        title: 'Guides',
        controlUrl: '/pages/about',
        redirectUrl: '/pages/faq',
      },
    })
    const guides = (await call('launchDraft', { params: { id: redirect.id } })).testId
    await db.kysely
      .updateTable('tests')
      .set({ status: 'OnHold' })
      .where('test_id', '=', guides)
      .execute()
    t.equal(
      (
        await call('setTestVariant', {
          params: { id: guides },
          body: { redirectTestUrl: '/pages/shipping' },
        })
      ).redirectUrl,
      '/pages/shipping',
    )
    t.same(await call('applyLack', { ...at, query: { arm: 'variant' } }), {
      lack: null,
      byScript: null,
    })
    t.match(await call('applyVariant', at), { status: 'Ended', appliedAt: String })
    t.ok((await call('applyTest', { ...at, body: { arm: 'control' } })).appliedAt)
    t.match((await call('endAllTests', { body: { priceTestsOnly: true } })).ended, [])
    t.equal((await call('endAllTests', { body: { priceTestsOnly: false } })).ended.length, 2)
    await call('deleteTest', at)
    await t.rejects(call('test', at), like({ status: 404 }))
  })
}

/** Launches a test of the pages. Returns its id. */
export async function launched(
  t: Test,
  { call }: Walk,
  title: string,
  pages = ['/products/*'],
): Promise<string> {
  const draft = await call('createDraft', { body: { kind: 'PageElement', title } })
  const variant = draft.hypotheses.find(h => h.arm === 'variant')!.id
  const stored = await call('setDomSelectors', {
    params: { id: variant },
    body: { domSelectors: [{ id: 'new', urlPatterns: pages, actions: [change] }] },
  })
  t.equal(stored[0]!.urlPatterns[0], pages[0])
  return (await call('launchDraft', { params: { id: draft.id } })).testId
}

type Meeting = {
  arm: 0 | 1
  agent: string
  landing: string
  referrer: string
  isNew: boolean
  sees?: string
  buys?: string
  type?: string
}
/** Visitors who meet a test now, and some of their orders. */
async function meet(
  t: Test,
  { engine, shop, shopOrigin, now }: Walk,
  testId: string,
  visits: Meeting[],
): Promise<void> {
  const at = now.at.getTime()
  for (const [i, { arm, agent, landing, referrer, isNew, sees, buys, type }] of visits.entries()) {
    const visitor = visitorIn(testId, arm, `walker-${i}`)
    const sent = beacon(
      visitor,
      { [testId]: [arm, 7] },
      [event('exposure', at, [testId]), { ...event('view', at), ...(sees && { product: sees }) }],
      { session: `walk-session-${i}`, isNew, landing, referrer, sent: at },
    )
    t.equal(
      (await collect(engine.app, sent, { origin: shopOrigin, 'user-agent': agent })).statusCode,
      204,
    )
    if (buys)
      t.equal(
        (
          await deliver(
            engine.app,
            JSON.stringify({
              ...order(String(9000 + i), visitor, at + 1000, buys),
              order_type: type,
            }),
          )
        ).statusCode,
        200,
      )
  }
  await shop.delivered()
}
