import type { Test } from 'tap'
import { like } from '../like.ts'
import { accessToken } from '../../../../demo-shop/shoppers/shop-files.ts'
import { appKey, appSecret } from '../small-shop.ts'
import type { Walk } from './walker.ts'

/** Building a test: themes, steps, products and audiences. */
export function walkDrafts(t: Test, { call, file, storeId, now, shop, shopOrigin }: Walk): void {
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
    t.same(await call('variantCopy', at), { copy: null }, 'we make the copy')
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
    const launchAt = new Date(now.at.getTime() + 86_400_000).toISOString()
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
      'without a Chromium the call says so',
    )
    t.match(await call('removeControl', at), { control: null, templateKind: null })
    for (const id of [draft.id, twin.id]) await call('deleteDraft', { params: { id } })
    t.equal((await call('tests', { query: { status: 'Draft' } })).count, 0)
    t.same(
      await call('validateRedirectUrl', {
        query: { redirectUrl: `${shopOrigin}/pages/gift-guide` },
      }),
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
    t.equal(
      (await call('testProducts', { params: { id: draft.id }, query: {} })).products.length,
      2,
    )
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
      headers: {
        authorization: `Bearer ${await accessToken(shopOrigin, { appKey, appSecret })}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ prices }),
    })
    t.equal(changed.status, 200)
    await shop.delivered()
    t.match(
      await call('validateTestProducts', { params: { id: draft.id } }),
      { valid: false, problems: [{ cause: 'priceChanged' }] },
      'the shop’s prices have changed',
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
}
