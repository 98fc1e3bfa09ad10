import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { plainBrandStyle, plainFonts } from '../../../domain/brand/brand-style-by-hand.ts'
import { type Call, callPath } from '../../../domain/api/call.ts'
import {
  type CallName,
  contract,
  type FileCallName,
  type Input,
} from '../../../domain/api/contract.ts'
import { run } from '../../../engine/db/raw.ts'
import { googleStandIn } from '../support/google-stand-in.ts'
import { like } from '../support/like.ts'
import {
  beacon,
  browser,
  collect,
  deliver,
  event,
  order,
  phone,
  visitorIn,
} from '../support/traffic.ts'
import { appSecret } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

/*
 * A walk over every call that the product makes, as one merchant on the real demo shop. Each is asked at least once, and
 * what it answers is seen to come from what was done: never missing, empty by construction or constant.
 */
const google = await googleStandIn()
const started = await startWithShop(
  {},
  { ...google.env, GTM_ID: 'GTM-AB12CD', SEGMENT_WRITE_KEY: 'key123', CHROMIUM_PATH: 'off' },
)
const { engine, shop, shopOrigin, token, idToken } = started
t.teardown(async () => {
  await started.close()
  await google.close()
})
const walked = new Set<CallName>()
const call: typeof started.call = (name, input, own) => {
  walked.add(name)
  return started.call(name, input, own)
}
async function file<N extends FileCallName>(
  name: N,
  input: Input<N>,
): Promise<{ type: string; body: Buffer; status: number }> {
  walked.add(name)
  const { method, path }: Call = contract[name],
    { params = {}, query } = input as {
      params?: Record<string, string>
      query?: Record<string, string>
    }
  const response = await engine.app.inject({
    method,
    url: callPath(path, 'demo', params),
    ...(query && { query }),
    headers: { authorization: `Bearer ${token}` },
  })
  return {
    type: String(response.headers['content-type']),
    body: response.rawPayload,
    status: response.statusCode,
  }
}
const { id: storeId } = await call('storeInfo', {})
const change = {
  selector: '.product-form__submit',
  kind: 'text' as const,
  value: 'Ships today',
  name: '',
}

async function launched(title: string, pages = ['/products/*']): Promise<string> {
  const draft = await call('createDraft', { body: { kind: 'PageElement', title } })
  const variant = draft.hypotheses.find(h => h.arm === 'variant')!.id
  const stored = await call('setDomSelectors', {
    params: { id: variant },
    body: { domSelectors: [{ id: 'new', urlPatterns: pages, actions: [change] }] },
  })
  t.equal(stored[0]!.urlPatterns[0], pages[0])
  return (await call('launchDraft', { params: { id: draft.id } })).testId
}

t.test('session and about', async t => {
  const first = await call('auth', { body: { idToken: await idToken() } })
  const second = await call('auth', { body: { refreshToken: first.refreshToken } })
  t.not(second.refreshToken, first.refreshToken)
  t.match(await call('about', {}), {
    google: { analytics: { gtm: 'GTM-AB12CD' } },
    segment: { writeKey: 'key123' },
    version: /^\d+\.\d+\.\d+$/,
  })
})

t.test('store and onboarding', async t => {
  const before = await call('storeInfo', {})
  t.match(before, { name: 'Fern & Kiln', currency: 'USD', storeInitials: 'FK', themeId: '160001' })
  t.match(await call('renameStore', { params: { id: storeId }, body: { name: 'Kiln & Fern' } }), {
    name: 'Kiln & Fern',
    storeInitials: 'KF',
  })
  for (const kept of [
    call('renameStore', { params: { id: storeId }, body: { name: before.name } }),
    call('setConsentRule', { params: { id: storeId }, body: { rule: 'unlessRefused' } }),
  ])
    t.match(await kept, { consentRule: 'unlessRefused' })
  const industries = await call('industries', {})
  const [key] = Object.keys(industries)
  t.ok(Object.keys(industries).length > 10)
  await call('setIndustries', {
    body: {
      selectedIndustry: key as never,
      teamSize: contract.setIndustries.body.properties.teamSize.enum[1]!,
    },
  })
  const { testingExperience, source } = contract.setExperience.body.properties
  await call('setExperience', {
    body: { testingExperience: testingExperience.enum[0]!, source: source.enum[0]! },
  })
  await call('startOnboarding', {})
  await call('setOnboarded', {})
  t.same(await call('dismissChecklist', {}), { ok: true })
  t.equal((await call('tests', { query: {} })).start, null)
  t.match(await call('storeInfo', {}), {
    industry: key,
    teamSize: String,
    testingExperience: testingExperience.enum[0],
    source: source.enum[0],
    onboarded: true,
  })
  t.match(await call('userAutofill', {}), { firstName: 'Mara', email: /@/ })
  const logo = await file('storeLogo', {})
  t.match(logo.type, 'image/')
  t.ok(logo.body.length > 100)
  t.match(await call('storeStatus', {}), {
    sessions: 0,
    sessionLimit: 100_000,
    subscriptionStatus: 'Active',
  })
})

t.test('networks', async t => {
  t.same(await call('networks', {}), [])
  await run(
    started.db.kysely,
    `insert into network_visitors (store_id, visitor_id, network, seen_at) select $1, 'visitor-' || n, case when n < 12 then 'busy-network' else 'other' || n end, $2 from generate_series(0, 15) n`,
    [storeId, started.now.at],
  )
  t.match(await call('networks', {}), [
    {
      id: 'busy-network',
      visitors: 12,
      share: 0.75,
      orders: 0,
      firstSeenAt: started.now.at.toISOString(),
      decision: null,
    },
  ])
  t.same(
    await call('chooseNetwork', {
      params: { network: 'busy-network' },
      body: { isCounted: false },
    }),
    { ok: true },
  )
  t.match(await call('networks', {}), [{ decision: { kind: 'setAside', by: 'merchant' } }])
  await t.rejects(
    call('chooseNetwork', { params: { network: 'forgotten' }, body: { isCounted: true } }),
    like({ status: 404 }),
  )
})

t.test('plans', async t => {
  const plans = await call('plans', {})
  const plan = plans.find(p => p.title === 'Core' && !p.isAnnual)!
  const { confirmationUrl } = await call('subscribe', { params: { id: plan.id }, query: {} })
  t.ok(confirmationUrl.startsWith(shopOrigin))
  t.equal((await call('storeStatus', {})).pendingPlan, plan.id)
  await started.db.kysely
    .insertInto('discount_codes')
    .values({
      code: 'WALK',
      value_type: 0,
      value: 20,
      plan_id: plan.id,
      created_at: started.now.at,
    } as never)
    .execute()
  t.match(await call('checkDiscount', { params: { code: 'walk' } }), {
    isValid: true,
    valueType: 0,
    value: 20,
    planId: plan.id,
  })
  t.match(await call('checkDiscount', { params: { code: 'no' } }), { isValid: false })
  const { leadId } = await call('requestCustomPlan', {})
  t.same(
    await call('updateCustomPlan', {
      params: { id: leadId },
      body: { firstName: 'Mara', lastName: 'Lindqvist', email: 'mara@example.com' },
    }),
    { ok: true },
  )
  await t.rejects(
    call('updateCustomPlan', {
      params: { id: leadId },
      body: { firstName: '', lastName: '', email: 'mara' },
    }),
    like({
      status: 400,
      problem: { fields: [{ field: 'email', message: 'Value is not a valid email address' }] },
    } as never),
  )
})

t.test('brand style', async t => {
  await t.rejects(call('brandStyle', {}), like({ status: 404 }), 'none at first')
  await t.rejects(
    call('generateBrandStyle', {}),
    like({ status: 409, problem: { message: /no Chrome, Chromium or Edge/ } }),
    'there is none here; brand-styles.test.ts reads with one',
  )
  const saved = await call('saveBrandStyle', {
    body: { brandStyle: plainBrandStyle, availableFonts: plainFonts, update: false },
  })
  t.same(await call('brandFonts', {}), plainFonts)
  t.equal((await call('brandStyle', {}))!.id, saved.id)
})

t.test('analytics', async t => {
  await t.rejects(call('gaSettings', {}), like({ status: 404 }))
  const { url } = (await call('connectGa', {}))!
  t.match(await call('finishGa', { body: google.granted(url) }), {
    connected: true,
    enabled: false,
  })
  const accounts = (await call('gaAccounts', {}))!
  const {
    accountId,
    properties: [property],
  } = accounts[0]!
  const streams = (await call('gaMeasurementIds', { query: { propertyId: property!.propertyId } }))!
  t.match(streams, [{ measurementId: /^G-/ }])
  t.match(await call('setGaProperty', { body: { accountId, propertyId: property!.propertyId } }), {
    accountId,
    propertyId: property!.propertyId,
  })
  t.equal((await call('enableGa', {})).enabled, true)
  t.equal((await call('disableGa', {})).enabled, false)
  t.match(await call('gaSettings', {}), { accountId, connected: true, enabled: false })
  await call('disconnectGa', {})
  await t.rejects(call('gaSettings', {}), like({ status: 404 }))
})

t.test('themes and templates', async t => {
  const themes = await call('themes', {})
  t.match(themes, [
    { role: 'live', name: /kiln/i },
    { role: 'unpublished', name: /harbour/i },
  ])
  t.type(
    (await call('themeIsCompatible', { params: { id: themes[1]!.id }, query: { force: true } }))
      .isCompatible,
    'boolean',
  )
  const before = await call('templates', { query: { type: 'product' } })
  const copy = await call('duplicateTemplate', { body: { type: 'product', suffix: '' } })
  const after = await call('templates', { query: { type: 'product' } })
  t.equal(after.length, before.length + 1)
  t.ok(after.some(template => template.suffix === copy.suffix))
  t.match(
    await call('templateResources', { query: { type: 'product', search: 'mug', limit: 1 } }),
    { count: Number, items: [{ title: /mug/i, path: /^\/products\// }] },
  )
})

t.test('drafts, each step', async t => {
  const draft = await call('createDraft', { body: { kind: 'Template', title: 'Story or plain' } })
  const at = { params: { id: draft.id } }
  await call('setControl', { ...at, body: { type: 'product', suffix: '' } })
  const made = await call('setVariant', { ...at, body: {} })
  t.ok(made.variantCreatedAt)
  t.match(await call('draftTemplateStatus', at), {
    control: { exists: true },
    variant: { exists: true, changeState: 'Unmodified' },
  })
  const { version, sections } = await call('templateContent', at)
  const said = { id: sections[0]!.id, settings: [{ id: 'button', value: 'Into the cart' }] }
  t.match(await call('setTemplateContent', { ...at, body: { version, sections: [said] } }), {
    changeCount: 1,
    changeState: 'Modified',
    sections: [{ id: said.id }, {}],
  })
  t.match(
    await call('addPicture', {
      ...at,
      body: {
        file: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      },
    }),
    { width: 1, height: 1, address: /^http/ },
  )
  await call('updateDraft', { ...at, body: { hypothesisDescription: 'A story sells' } })
  t.equal((await call('draft', at)).hypothesisDescription, 'A story sells')
  const launchAt = new Date(started.now.at.getTime() + 86_400_000).toISOString()
  t.equal((await call('scheduleDraft', { ...at, body: { launchAt } })).launchAt, launchAt)
  const twin = await call('duplicateDraft', at)
  t.match(twin, { origin: 'Duplicate', kind: 'Template' })
  t.equal((await call('removeVariant', at)).variantCreatedAt, null)
  t.match(await call('draftPlan', at), {
    days: 14,
    hasHistory: false,
    dailyVisitors: 0,
    isEnough: false,
    smallestEffect: null,
  })
  t.match(await call('draftChecks', at), {
    version: draft.version + 5,
    checks: [{ name: 'filled', tone: 'good' }],
    browser: { state: 'none', checks: [{ message: /cannot be opened automatically/ }] },
  })
  t.same(await call('startDraftChecks', at), { jobId: null })
  t.same(
    await call('drawChoicePictures', {
      body: { choices: [{ of: 'template:product:', version: '1' }] },
    }),
    { canDraw: false, pictures: [] },
  )
  t.same(await call('choicePictures', {}), { canDraw: false, pictures: [] })
  t.equal((await file('choicePicture', { query: { of: 'template:product:' } })).status, 404)
  await t.rejects(
    call('updateDraftScreenshots', at),
    like({ status: 503 }),
    'there is no Chromium here, and it says so',
  )
  t.match(await call('removeControl', at), { control: null, templateKind: null })
  for (const id of [draft.id, twin.id]) await call('deleteDraft', { params: { id } })
  t.equal((await call('tests', { query: { status: 'Draft' } })).count, 0)
  t.same(
    await call('validateRedirectUrl', { query: { redirectUrl: `${shopOrigin}/pages/gift-guide` } }),
    { url: '/pages/gift-guide' },
  )
  await t.rejects(
    call('validateRedirectUrl', { query: { redirectUrl: 'https://evil.example/' } }),
    like({ status: 400 }),
  )
  const found = await call('urlSearch', { query: { searchText: 'mug' } })
  t.ok(found.length > 0 && found.every(({ url, title }) => /mug/i.test(url + title)))
})

t.test('products', async t => {
  const draft = await call('createDraft', { body: { kind: 'Price', title: 'Prices' } })
  const page = await call('searchProducts', { params: { id: storeId }, query: { pageSize: 2 } })
  const next = await call('searchProducts', {
    params: { id: storeId },
    query: { pageSize: 2, cursor: page.endCursor! },
  })
  t.equal(page.totalCount, 24)
  t.not(next.items[0]!.id, page.items[0]!.id)
  const [first, second] = page.items
  const variants = await call('productVariants', {
    params: { id: storeId, productId: first!.id },
    query: {},
  })
  t.equal(variants.items.length, first!.variantCount)
  const product = await call('createTestProduct', {
    body: { testDraftId: draft.id, productId: first!.id },
  })
  const ruled = await call('updateTestProduct', {
    params: { id: product.id },
    body: { rule: { kind: 'percent', value: 10 } },
  })
  t.ok(ruled.variants.every(v => v.variantPrice > v.controlPrice))
  const priced = await call('setProductPrices', {
    params: { id: product.id },
    body: { prices: [{ variantId: variants.items[0]!.id, price: 1234 }] },
  })
  t.equal(priced.variants.find(v => v.id === variants.items[0]!.id)!.variantPrice, 1234)
  const upserted = await call('upsertProducts', {
    query: { testDraftId: draft.id },
    body: { products: [{ productId: second!.id }] },
  })
  t.match(upserted, { totalCount: 2, page: 0, totalPages: 1 })
  t.equal((await call('testProducts', { params: { id: draft.id }, query: {} })).products.length, 2)
  t.equal((await call('storeProducts', { params: { id: storeId }, query: {} })).totalCount, 2)
  for (const [a, b] of [
    ['store', storeId],
    ['test', draft.id],
    [storeId, draft.id],
  ] as const)
    t.equal((await call('countProducts', { params: { a, b } })).count, 2, a)
  t.match(await call('validateTestProducts', { params: { id: draft.id } }), {
    valid: true,
    problems: [],
  })
  const prices = variants.items.map(({ id, price }) => ({
    variant_id: id,
    price: ((price + 100) / 100).toFixed(2),
  }))
  const changed = await fetch(`${shopOrigin}/admin/api/products/${first!.id}/prices.json`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${appSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prices }),
  })
  t.equal(changed.status, 200)
  await shop.delivered()
  t.match(
    await call('validateTestProducts', { params: { id: draft.id } }),
    { valid: false, problems: [{ cause: 'priceChanged' }] },
    'the shop has other prices now',
  )
  t.match(await call('clearProductErrors', { params: { id: draft.id } }), {
    cleared: 1,
    removed: 0,
    remaining: 0,
  })
  t.same(await call('removeConflictedProducts', { params: { id: draft.id } }), { removed: 0 })
  await call('deleteDraft', { params: { id: draft.id } })
})

t.test('audiences', async t => {
  const input = { name: 'Britons', values: { 7: { operator: 'Equals' as const, value: 'GB' } } }
  const { id } = await call('createAudience', { body: input })
  t.match(
    await call('updateAudience', { params: { id }, body: { ...input, name: 'From Britain' } }),
    { name: 'From Britain' },
  )
  t.match(
    (await call('audiences', {})).find(audience => audience.id === id),
    { name: 'From Britain', values: { 7: { value: 'GB' } } },
  )
  t.same(await call('audienceActiveTest', { params: { id } }), { test: null })
  t.match(await call('previewAudience', { body: { audienceIds: [id] } }), {
    matching: 0,
    share: null,
  })
  await call('deleteAudience', { params: { id } })
  t.notOk((await call('audiences', {})).some(audience => audience.id === id))
})

t.test('a test with visitors: report, lists and exports', async t => {
  const testId = await launched('Ships today')
  const at = { params: { id: testId } }
  const {
    items: [seen],
  } = await call('searchProducts', { params: { id: storeId }, query: { pageSize: 1 } })
  await meet(t, testId, [
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
  const { metricNames } = await import('../../../domain/reports/metric.ts')
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
  t.same(await values('byCountry'), ['unknown'], 'no edge that would tell it')
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
  const testId = await launched('To be applied', ['/pages/gift-guide'])
  const at = { params: { id: testId } }
  t.match(await call('templatesExist', at), {
    control: { exists: true },
    variant: { exists: true },
  })
  t.match(await call('updateTest', { ...at, body: { title: 'Applied', status: 'Paused' } }), {
    title: 'Applied',
    status: 'Paused',
  })
  const automaticallyEndAt = new Date(started.now.at.getTime() + 5 * 86_400_000).toISOString()
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
  const since = started.now.at.toISOString()
  await started.db.kysely
    .updateTable('tests')
    .set({ status: 'OnHold' })
    .where('test_id', '=', testId)
    .execute()
  await started.db.kysely
    .insertInto('test_history')
    .values({
      store_id: storeId,
      test_id: testId,
      status: 'OnHold',
      applied_on: new Date(started.now.at.getTime() + 1000),
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
  started.now.at = new Date(started.now.at.getTime() + 2000)
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
  await started.db.kysely
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
  t.match(await call('applyVariant', at), { status: 'Ended', appliedAt: String })
  t.ok((await call('applyTest', { ...at, body: { arm: 'control' } })).appliedAt)
  t.match((await call('endAllTests', { body: { priceTestsOnly: true } })).ended, [])
  t.equal((await call('endAllTests', { body: { priceTestsOnly: false } })).ended.length, 2)
  await call('deleteTest', at)
  await t.rejects(call('test', at), like({ status: 404 }))
})

t.test('signing out everywhere, and uninstall as a job that can be watched', async t => {
  await call('endSessions', { params: { id: storeId } })
  const { token } = await call('auth', { body: { idToken: await started.idToken() } })
  const { jobId } = await call(
    'uninstall',
    { params: { id: storeId }, body: { category: 'bug', reason: 'A walk' } },
    token,
  )
  await engine.runJobs()
  t.match(
    [
      await call('storeJob', { params: { id: jobId } }, token),
      await call('lastUninstall', { params: { id: storeId } }, token),
    ],
    [
      { id: jobId, kind: 'uninstall', status: 'completed' },
      { by: 'merchant', jobId, reason: 'A walk', finishedAt: String },
    ],
  )
})

t.test('nothing was left out', async t => {
  const { calls } = JSON.parse(readFileSync('test/cases/calls.json', 'utf8')) as {
    calls: [string, string][]
  }
  const form = (method: string, path: string) => `${method} ${path.replace(/:\w+/g, ':x')}`
  const asked = new Set([...walked].map(name => form(contract[name].method, contract[name].path)))
  t.same(
    calls.map(([method, path]) => form(method, path)).filter(each => !asked.has(each)),
    [],
  )
  t.same(
    Object.keys(contract).filter(name => !walked.has(name as CallName)),
    [],
  )
})

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
async function meet(t: Test, testId: string, visits: Meeting[]): Promise<void> {
  const at = started.now.at.getTime()
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
