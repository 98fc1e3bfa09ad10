import t from 'tap'
import { vendorErrors } from '../../../domain/problem.ts'
import { zeroId } from '../../../domain/drafts/dom-selector.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { like } from '../support/like.ts'

const { engine, shop, call, token, close } = await startEngine()
t.teardown(close)
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const selector = (over: object = {}) => ({
  id: '',
  urlPatterns: ['/products/*'],
  actions: [{ selector: '.buy', kind: 'text' as const, value: 'Add to basket', name: '' }],
  ...over,
})
const newDraft = (kind: 'PageElement' | 'UrlRedirect' = 'PageElement', over: object = {}) =>
  call('createDraft', { body: { kind, title: 'Basket wording', ...over } })
const variantOf = (draft: Awaited<ReturnType<typeof newDraft>>) =>
  draft.hypotheses.find(h => h.arm === 'variant')!.id
const raw = (method: 'POST' | 'PUT', url: string, payload: object) =>
  engine.app.inject({ method, url, payload, headers: { authorization: `Bearer ${token}` } })

t.test('a new draft has default values and an id for each hypothesis', async t => {
  const draft = await call('createDraft', { body: { kind: 'PageElement' } })
  t.match(draft, {
    title: '',
    weights: [0.5, 0.5],
    goal: 'ConversionRate',
    controlTitle: 'Control',
    variantTitle: 'Variant',
    minimumEffect: 0.1,
    version: 1,
    domSelectors: [],
    origin: null,
    variantCreatedAt: null,
  })
  t.same(
    draft.hypotheses.map(h => h.arm),
    ['control', 'variant'],
  )
  for (const id of [draft.id, ...draft.hypotheses.map(h => h.id)]) t.match(id, uuid)
  t.same(
    await call('draft', { params: { id: draft.id } }).then(d => ({ ...d, previewUrls: null })),
    { ...draft, previewUrls: null },
  )
})

t.test(
  'an update changes only the fields it names, and an old version is a conflict that stores nothing',
  async t => {
    const { id, version } = await newDraft()
    const one = await call('updateDraft', {
      params: { id },
      body: { version, title: 'First', goal: 'AddToCartRate', weights: [0.3, 0.7] },
    })
    t.match(one, {
      title: 'First',
      goal: 'AddToCartRate',
      weights: [0.3, 0.7],
      controlTitle: 'Control',
      version: version + 1,
    })
    await t.rejects(
      call('updateDraft', { params: { id }, body: { version, title: 'Second' } }),
      like({ status: 409, problem: { fields: [{ field: 'version' }] } }),
    )
    t.equal((await call('draft', { params: { id } })).title, 'First')
    t.equal(
      (await call('updateDraft', { params: { id }, body: { title: 'Third' } })).version,
      version + 2,
      'without a version the last writer wins',
    )
  },
)

t.test('invalid input is refused at its field, and nothing is stored', async t => {
  const { id } = await newDraft()
  const put = async (body: object) => {
    const response = await raw('PUT', `/api/v0/test-drafts/${id}`, body)
    return [
      response.statusCode,
      response.json<{ fields?: { field: string }[] }>().fields?.map(f => f.field),
    ]
  }
  t.same(await put({ storeId: id }), [400, ['storeId']])
  t.same(await put({ status: 'Active', price: 1 }), [400, ['status', 'price']])
  t.same(await put({ title: 5 }), [400, ['title']], 'a number is not made into a title')
  t.same(await put({ title: 'x'.repeat(121) }), [400, ['title']])
  t.same(await put({ goal: 'Happiness' }), [400, ['goal']])
  t.same(await put({ weights: [0.6, 0.6] }), [400, ['weights']])
  t.same(await put({ weights: [1, 0] }), [400, ['weights']])
  t.same(await put({ weights: ['0.5', '0.5'] }), [400, ['weights.0', 'weights.1']])
  t.same(await put({ minimumEffect: 0 }), [400, ['minimumEffect']])
  t.equal((await raw('POST', '/api/v0/test-drafts', {})).statusCode, 400, 'a draft has a kind')
  t.match(await call('draft', { params: { id } }), {
    title: 'Basket wording',
    version: 1,
    weights: [0.5, 0.5],
  })
})

t.test(
  'selectors belong to the variant’s hypothesis; an id that is not 36 characters long means none',
  async t => {
    const draft = await newDraft()
    const kept = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
    const stored = await call('setDomSelectors', {
      params: { id: variantOf(draft) },
      body: { domSelectors: [selector({ id: 'new' }), selector({ id: kept })] },
    })
    t.same(
      stored.map(s => s.id),
      [zeroId, kept],
    )
    const now = await call('draft', { params: { id: draft.id } })
    t.same(now.domSelectors, stored)
    t.equal(now.version, 2)
    t.type(now.variantCreatedAt, 'string')
    const control = draft.hypotheses.find(h => h.arm === 'control')!.id
    await t.rejects(
      call('setDomSelectors', { params: { id: control }, body: { domSelectors: [] } }),
      like({ status: 404 }),
      'the control has no selectors',
    )
    const bad = await raw('POST', `/api/v0/hypotheses/${variantOf(draft)}/dom-selectors`, {
      domSelectors: [
        selector({ actions: [{ selector: '.x', kind: 'explode', value: '', name: '' }] }),
      ],
    })
    t.match(
      [bad.statusCode, bad.json().fields],
      [400, [{ field: 'domSelectors.0.actions.0.kind' }]],
    )
  },
)

t.test('a deleted draft is gone: a second deletion is a 404', async t => {
  const { id } = await newDraft()
  t.same(await call('deleteDraft', { params: { id } }), { ok: true })
  for (const again of ['deleteDraft', 'draft', 'launchDraft'] as const)
    await t.rejects(call(again, { params: { id } }), like({ status: 404 }), again)
  for (const id of ['x', '../plans', zeroId, "' or 1=1 --"])
    await t.rejects(call('draft', { params: { id } }), like({ status: 404 }), id)
})

t.test('a launch names all missing or wrong fields at once', async t => {
  const missing = async (draft: { id: string }) => {
    try {
      await call('launchDraft', { params: { id: draft.id } })
    } catch (error) {
      return (error as { problem: { fields: { field: string }[] } }).problem.fields.map(
        f => f.field,
      )
    }
    return []
  }
  t.same(await missing(await call('createDraft', { body: { kind: 'PageElement' } })), [
    'title',
    'urlPatterns',
    'changes',
  ])
  t.same(await missing(await call('createDraft', { body: { kind: 'UrlRedirect' } })), [
    'title',
    'controlUrl',
    'redirectUrl',
  ])
  t.same(
    await missing(
      await newDraft('UrlRedirect', {
        controlUrl: '/pages/gone',
        redirectUrl: 'https://evil.test/',
      }),
    ),
    ['controlUrl', 'redirectUrl'],
  )
  t.same(
    await missing(
      await newDraft('UrlRedirect', {
        controlUrl: '/pages/gift-guide',
        redirectUrl: `${shop.origin}/pages/gift-guide`,
      }),
    ),
    ['redirectUrl'],
  )
  const elsewhere = await newDraft()
  await call('setDomSelectors', {
    params: { id: variantOf(elsewhere) },
    body: { domSelectors: [selector({ urlPatterns: ['https://evil.test/*'] })] },
  })
  t.same(await missing(elsewhere), ['urlPatterns'])
  t.match(
    await call('draft', { params: { id: elsewhere.id } }),
    { title: 'Basket wording' },
    'the draft is still there',
  )
  t.equal(shop.scripts.length, 1, 'nothing was published')
})

t.test('repeated launches of one draft make one running test', async t => {
  const draft = await newDraft('PageElement', {
    title: 'Words on the button',
    weights: [0.4, 0.6],
    hypothesisDescription: 'Plainer words sell.',
  })
  await call('setDomSelectors', {
    params: { id: variantOf(draft) },
    body: {
      domSelectors: [selector({ urlPatterns: ['/products/*', ` ${shop.origin}/collections/* `] })],
    },
  })
  const launched = await Promise.all(
    [1, 2, 3].map(() => call('launchDraft', { params: { id: draft.id } })),
  )
  const ids = new Set(launched.map(l => l.testId))
  t.equal(ids.size, 1)
  t.same(await call('launchDraft', { params: { id: draft.id } }), launched[0])
  await t.rejects(call('draft', { params: { id: draft.id } }), like({ status: 404 }))
  const test = await call('test', { params: { id: launched[0]!.testId } })
  t.match(test, {
    title: 'Words on the button',
    status: 'Active',
    weights: [0.4, 0.6],
    hypothesisDescription: 'Plainer words sell.',
    pages: ['/products/*', '/collections/*'],
    hypotheses: draft.hypotheses,
    isDemo: false,
    isImported: false,
    appliedAt: null,
    endedAt: null,
  })
  t.same(test.statusHistory, [{ status: 'Active', appliedOn: test.startAt }])
  t.same(
    test.events.map(e => e.kind),
    ['Created', 'Start'],
  )
  const days = (Date.parse(test.endsAt!) - Date.parse(test.startAt!)) / 86_400_000
  t.ok(days >= 14 && days % 7 === 0, 'at least 14 days, whole weeks')
  t.match(shop.scripts.at(-1), test.id)
  t.equal(shop.scripts.length, 2, 'published once')
})

t.test('a redirect test stores addresses without their host', async t => {
  const draft = await newDraft('UrlRedirect', {
    controlUrl: '/pages/gift-guide',
    redirectUrl: `${shop.origin}/pages/gift-guide-2026?from=test`,
  })
  const { testId } = await call('launchDraft', { params: { id: draft.id } })
  t.match(await call('test', { params: { id: testId } }), {
    pages: ['/pages/gift-guide'],
    redirectUrl: '/pages/gift-guide-2026?from=test',
  })
  t.match(shop.scripts.at(-1), `to:"/pages/gift-guide-2026?from=test"`)
})

t.test('a redirect URL must be an existing page of the shop', async t => {
  const check = (redirectUrl: string) => call('validateRedirectUrl', { query: { redirectUrl } })
  t.same(await check('/pages/gift-guide-2026'), { url: '/pages/gift-guide-2026' })
  t.same(await check(`${shop.origin}/pages/gift-guide-2026`), { url: '/pages/gift-guide-2026' })
  t.same(await check('https://fern-and-kiln.demo-shop.test/pages/gift-guide?a=1#b'), {
    url: '/pages/gift-guide?a=1#b',
  })
  for (const url of [
    '/pages/nowhere',
    '/redirecting',
    'https://evil.test/pages/gift-guide',
    '//evil.test/',
    '/\\evil.test',
    'javascript:alert(1)',
    'http://169.254.169.254/latest',
    'http://localhost:1/',
    'pages/gift-guide',
    '/\tpages/gift-guide',
    ' ',
  ])
    await t.rejects(
      check(url),
      like({ status: 400, problem: { fields: [{ field: 'redirectUrl' }] } }),
      url,
    )
})

t.test('a search of the shop’s pages finds them, and a shop that is down is named', async t => {
  t.same(await call('urlSearch', { query: { searchText: 'guide' } }), [
    { url: '/pages/gift-guide', title: 'Gift guide' },
    { url: '/pages/gift-guide-2026', title: 'Gift guide 2026' },
  ])
  shop.isDown = true
  const refused = await refusal(call('urlSearch', { query: { searchText: 'guide' } }))
  t.match(refused, { status: 502, problem: { error: vendorErrors.shop } })
  shop.isDown = false
})

t.test('a draft that is saved during its launch is launched once', async t => {
  const draft = await newDraft()
  await call('updateDraft', { params: { id: draft.id }, body: { title: 'Raced' } })
  await call('setDomSelectors', {
    params: { id: variantOf(draft) },
    body: { domSelectors: [selector({ id: 'new' })] },
  })
  const save = () =>
    call('updateDraft', {
      params: { id: draft.id },
      body: { hypothesisDescription: 'Later' },
    }).catch((error: { status: number }) => t.equal(error.status, 404, 'too late'))
  const launch = () => call('launchDraft', { params: { id: draft.id } })
  const [a, , b, , c] = await Promise.all([launch(), save(), launch(), save(), launch()])
  t.equal(new Set([a.testId, b.testId, c.testId]).size, 1)
})
