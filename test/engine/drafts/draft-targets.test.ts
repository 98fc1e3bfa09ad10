import t from 'tap'
import { builtInAudiences } from '../../../domain/audiences/audience-match.ts'
import type { Refused } from '../support/engine.ts'
import { like } from '../support/like.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const { engine, call, db, now, shopOrigin, platform, merchant, close } = await startWithShop(
  {},
  {},
  withAllChanges,
)
t.teardown(close)
const { id: store, themeId } = await call('storeInfo', {})
const day = 86_400_000,
  [everyone, , , phones] = builtInAudiences.map(each => each.id) as [string, string, string, string]
const themes = await platform.themes(firstShop)
const otherTheme = themes.find(theme => theme.id !== themeId)!.id
const products = await platform.resources(firstShop, 'product')
const plain = products.filter(each => each.suffix === ''),
  told = products.filter(each => each.suffix === 'story')
const newDraft = (
  kind:
    | 'Template'
    | 'Theme'
    | 'PageContent'
    | 'UrlRedirect'
    | 'PageElement'
    | 'Api'
    | 'Price' = 'Template',
) => call('createDraft', { body: { kind, title: 'A draft' } })
const control = (id: string, body: Parameters<typeof call<'setControl'>>[1]['body']) =>
  call('setControl', { params: { id }, body })
const variant = (id: string, body: Parameters<typeof call<'setVariant'>>[1]['body'] = {}) =>
  call('setVariant', { params: { id }, body })
const status = (id: string) => call('draftTemplateStatus', { params: { id } })
const templateBody = async (suffix: string, type = 'product') =>
  (
    await platform.themeFiles(firstShop, themeId!, [
      `templates/${type}${suffix && `.${suffix}`}.json`,
    ])
  )[0]?.body ?? null
/** Assigns a copy of the `guide` template with this suffix to a page of the shop. */
async function inUse(suffix: string): Promise<void> {
  await merchant.writeThemeFiles(firstShop, themeId!, [
    { name: `templates/page.${suffix}.json`, body: (await templateBody('guide', 'page'))! },
  ])
  await assignPage(suffix)
}
async function assignPage(suffix: string): Promise<void> {
  const [page] = (await platform.resources(firstShop, 'page')).filter(each => each.suffix === '')
  await platform.assignTemplates(firstShop, [{ type: 'page', id: page!.id, suffix }])
}
const fields = async (refusal: Promise<unknown>) =>
  refusal.then(
    () => null,
    (error: Refused) => [error.status, error.problem.fields?.map(each => each.field)],
  )

t.test(
  'the control is a template in use, and the variant is a copy of it with a suffix of ours',
  async t => {
    const { id } = await newDraft()
    t.match(await control(id, { type: 'product', suffix: 'story' }), {
      control: { templateType: 'product', suffix: 'story', isOurs: false },
      variant: null,
      templateKind: 'Simple',
      origin: null,
    })
    const made = await variant(id)
    t.match(made, {
      variant: { templateType: 'product', suffix: /^ts-[a-z0-9]{6}$/, isOurs: true },
      origin: 'Duplicate',
      changeState: 'Unmodified',
      variantCreatedAt: now.at.toISOString(),
    })
    const suffix = made.variant!.suffix!
    t.equal(await templateBody(suffix), await templateBody('story'), 'byte for byte')
    t.match(await status(id), {
      control: { exists: true, assignedCount: told.length, changeState: 'Unmodified' },
      variant: {
        exists: true,
        assignedCount: 0,
        changeState: 'Unmodified',
        templateKind: 'Simple',
      },
    })

    const edited = JSON.stringify({
      ...(JSON.parse((await templateBody(suffix))!) as object),
      edited: true,
    })
    await merchant.writeThemeFiles(firstShop, themeId!, [
      { name: `templates/product.${suffix}.json`, body: edited },
    ])
    t.match(await status(id), { variant: { exists: true, changeState: 'Modified' } })
    t.equal((await call('draft', { params: { id } })).changeState, 'Modified')
    await merchant.deleteThemeFiles(firstShop, themeId!, [`templates/product.${suffix}.json`])
    t.match(await status(id), {
      variant: {
        exists: false,
        changeState: 'Removed',
        message: /The live theme \w+ has no template product\.ts-/,
      },
    })
  },
)

t.test(
  'changing, removing or deleting the variant deletes our copy, but not a copy that the merchant edited',
  async t => {
    const { id } = await newDraft()
    await control(id, { type: 'product' })
    const first = (await variant(id)).variant!.suffix!,
      second = (await variant(id)).variant!.suffix!
    t.equal(await templateBody(first), null, 'the second copy replaces the first')
    t.ok(await templateBody(second))
    t.match(await variant(id, { suffix: 'story' }), {
      variant: { suffix: 'story', isOurs: false },
      origin: 'ExistingTemplate',
    })
    t.equal(await templateBody(second), null)
    t.match(await call('removeVariant', { params: { id } }), {
      variant: null,
      variantCreatedAt: null,
    })
    t.ok(await templateBody('story'), 'a template that we did not create stays')

    const kept = (await variant(id)).variant!.suffix!
    const own = JSON.stringify({
      ...(JSON.parse((await templateBody(kept))!) as object),
      edited: true,
    })
    await merchant.writeThemeFiles(firstShop, themeId!, [
      { name: `templates/product.${kept}.json`, body: own },
    ])
    await call('removeVariant', { params: { id } })
    t.equal(await templateBody(kept), own)
    const last = (await variant(id)).variant!.suffix!
    await call('deleteDraft', { params: { id } })
    await engine.runJobs()
    t.equal(await templateBody(last), null)
    t.equal(await templateBody(kept), own)
  },
)

t.test(
  'choosing the variant’s template as control swaps them if both are in use and have a suffix',
  async t => {
    await inUse('about')
    const { id } = await newDraft()
    await control(id, { type: 'page', suffix: 'about' })
    await variant(id, { suffix: 'guide' })
    t.match(await control(id, { type: 'page', suffix: 'guide' }), {
      control: { suffix: 'guide' },
      variant: { suffix: 'about' },
    })
    t.match(
      await control(id, { type: 'page', suffix: 'about' }),
      { control: { suffix: 'about' }, variant: { suffix: 'guide' } },
      'and swaps them back',
    )
    await control(id, { type: 'product', suffix: '' })
    await variant(id, { suffix: 'story' })
    t.same(
      await fields(control(id, { type: 'product', suffix: 'story' })),
      [400, ['suffix']],
      'the default template would become the variant',
    )
    t.match(await call('draft', { params: { id } }), {
      control: { suffix: '' },
      variant: { suffix: 'story' },
    })
  },
)

t.test(
  'another control deletes our copy of the old one; another template type removes the variant',
  async t => {
    await inUse('about')
    const { id } = await newDraft()
    await control(id, { type: 'page', suffix: 'about' })
    const ours = (await variant(id)).variant!.suffix!
    t.match(
      await control(id, { type: 'page', suffix: 'about' }),
      { variant: { suffix: ours } },
      'the same control keeps the copy',
    )
    t.match(await control(id, { type: 'page', suffix: 'guide' }), {
      control: { suffix: 'guide' },
      variant: null,
      changeState: null,
    })
    t.equal(await templateBody(ours, 'page'), null)
    await variant(id, { suffix: 'about' })
    t.match(await control(id, { type: 'product' }), {
      control: { templateType: 'product' },
      variant: null,
    })
  },
)

t.test(
  'a control that is not in use or a default template as variant is refused when chosen and before launch',
  async t => {
    const launchFields = async (id: string) =>
      (await fields(call('launchDraft', { params: { id } })))?.[1]
    for (const type of ['home', 'page'] as const) {
      const { id } = await newDraft()
      await control(id, { type, suffix: '' })
      const made = (await variant(id)).variant!
      t.same(
        await fields(control(id, { type, suffix: made.suffix! })),
        [400, ['suffix']],
        `${type}: our copy is not in use`,
      )
      // A draft that was saved before this check existed.
      const { control_target, variant_target } = await db.kysely
        .selectFrom('drafts')
        .select(['control_target', 'variant_target'])
        .where('draft_id', '=', id)
        .executeTakeFirstOrThrow()
      await db.kysely
        .updateTable('drafts')
        .set({
          control_target: JSON.stringify(variant_target),
          variant_target: JSON.stringify(control_target),
        })
        .where('draft_id', '=', id)
        .execute()
      t.same(await launchFields(id), ['variant', 'control'], type)
    }
    const { id } = await newDraft()
    await control(id, { type: 'product', suffix: 'story' })
    t.same(await fields(variant(id, { suffix: '' })), [400, ['suffix']])
  },
)

t.test(
  'a granular variant is only for the named resources, which must be assigned to the control',
  async t => {
    const { id } = await newDraft()
    await control(id, { type: 'product' })
    t.match(await variant(id, { granular: [plain[0]!.id, plain[1]!.id] }), {
      resourceIds: [plain[0]!.id, plain[1]!.id],
    })
    t.same(await fields(variant(id, { granular: [plain[0]!.id, told[0]!.id] })), [
      400,
      ['granular.1'],
    ])
    await control(id, { type: 'home' })
    t.same(await fields(variant(id, { granular: [plain[0]!.id] })), [400, ['granular']])
  },
)

t.test('themes and pages are chosen and swapped the same way', async t => {
  const { id } = await newDraft('Theme')
  await control(id, { themeId: themeId! })
  t.same(await fields(variant(id, { themeId: themeId! })), [400, ['themeId']])
  t.match(await variant(id, { themeId: otherTheme }), { variant: { themeId: otherTheme } })
  t.match(await control(id, { themeId: otherTheme }), {
    control: { themeId: otherTheme },
    variant: { themeId },
  })
  t.match(await status(id), {
    control: { exists: true, templateKind: null },
    variant: { exists: true },
  })

  const { id: redirect } = await newDraft('UrlRedirect')
  t.match(await control(redirect, { redirectTestUrl: `${shopOrigin}/pages/gift-guide` }), {
    controlUrl: '/pages/gift-guide',
    control: { url: '/pages/gift-guide' },
    variant: null,
  })
  t.match(await variant(redirect, { redirectTestUrl: '/pages/about' }), {
    redirectUrl: '/pages/about',
    variant: { url: '/pages/about' },
  })
  t.match(await control(redirect, { redirectTestUrl: '/pages/about' }), {
    controlUrl: '/pages/about',
    redirectUrl: '/pages/gift-guide',
  })
  t.same(
    await fields(control(redirect, { redirectTestUrl: '/pages/gift-guide#top' })),
    [400, ['redirectTestUrl']],
    'the same page, written otherwise',
  )
  t.same(await fields(variant(redirect, { redirectTestUrl: '/pages/about#top' })), [
    400,
    ['redirectTestUrl'],
  ])
  t.same(await fields(call('removeControl', { params: { id: redirect } })), [400, ['kind']])
  t.match(await call('removeVariant', { params: { id: redirect } }), {
    redirectUrl: '',
    variant: null,
  })
  t.match(await status(redirect), {
    control: { exists: true },
    variant: { exists: false, message: /has to be chosen/ },
  })
})

t.test(
  'missing or unsuitable targets are refused at their field, and no file is created',
  async t => {
    const { id } = await newDraft()
    const files = async () =>
      (await platform.themeFiles(firstShop, themeId!, ['templates/'])).map(each => each.name).join()
    const before = await files()
    t.same(await fields(variant(id)), [400, ['control']])
    t.same(await fields(control(id, {})), [400, ['type']])
    t.same(await fields(control(id, { type: 'product', suffix: 'nowhere' })), [400, ['suffix']])
    await control(id, { type: 'product' })
    t.same(await fields(variant(id, { suffix: '' })), [400, ['suffix']])
    t.same(await fields(variant(id, { suffix: 'nowhere' })), [400, ['suffix']])
    t.same(await fields(control((await newDraft('Theme')).id, { themeId: 'none' })), [
      400,
      ['themeId'],
    ])
    t.same(
      await fields(
        control((await newDraft('UrlRedirect')).id, { redirectTestUrl: 'https://evil.test/' }),
      ),
      [400, ['redirectTestUrl']],
    )
    for (const kind of ['PageElement', 'Api', 'Price'] as const) {
      t.same(await fields(control((await newDraft(kind)).id, { type: 'product' })), [400, ['kind']])
      t.same(await fields(variant((await newDraft(kind)).id)), [400, ['kind']])
    }
    t.equal(await files(), before)
  },
)

t.test(
  'a Liquid template, or one that we cannot read, can be the control but cannot be copied',
  async t => {
    await merchant
      .writeThemeFiles(firstShop, themeId!, [
        { name: 'templates/page.plain.liquid', body: '<h1>{{ page.title }}</h1>' },
      ])
      .catch(() => t.comment('the shop takes no Liquid templates'))
    const { id } = await newDraft()
    const found = (await call('templates', { query: { type: 'page' } })).find(
      each => each.suffix === 'plain',
    )
    if (!found) return
    await assignPage('plain')
    t.equal(found.kind, 'Unsupported')
    t.match(await control(id, { type: 'page', suffix: 'plain' }), { templateKind: 'Unsupported' })
    t.same(await fields(variant(id)), [400, ['suffix']])
  },
)

t.test('a schedule is in the future and at least a day long; null removes it', async t => {
  const { id } = await newDraft('PageElement')
  const at = (days: number) => new Date(now.at.getTime() + days * day).toISOString()
  const schedule = (body: object) => call('scheduleDraft', { params: { id }, body })
  t.match(await schedule({ launchAt: at(2), automaticallyEndAt: at(3) }), {
    launchAt: at(2),
    automaticallyEndAt: at(3),
    version: 2,
  })
  t.same(await fields(schedule({ launchAt: at(-1) })), [400, ['launchAt']])
  t.same(await fields(schedule({ automaticallyEndAt: at(2.5) })), [400, ['automaticallyEndAt']])
  t.same(await fields(schedule({ launchAt: null, automaticallyEndAt: at(0.9) })), [
    400,
    ['automaticallyEndAt'],
  ])
  t.same(await fields(schedule({ launchAt: '2026-02-31T25:00:00Z' })), [400, ['launchAt']])
  t.match(await schedule({ launchAt: null }), { launchAt: null, automaticallyEndAt: at(3) })
  t.match(await schedule({ automaticallyEndAt: null }), { automaticallyEndAt: null })
})

t.test('a duplicate has hypotheses and a template of its own, and no schedule', async t => {
  const { id } = await newDraft()
  await control(id, { type: 'product' })
  const from = await variant(id)
  const copy = await call('duplicateDraft', { params: { id } })
  t.match(copy, {
    title: 'Copy of A draft',
    kind: 'Template',
    origin: 'Duplicate',
    launchAt: null,
    control: from.control!,
    variant: { isOurs: true, templateType: 'product' },
  })
  t.notSame(copy.hypotheses, from.hypotheses)
  t.not(copy.variant!.suffix, from.variant!.suffix)
  t.equal(await templateBody(copy.variant!.suffix!), await templateBody(from.variant!.suffix!))
  await call('removeVariant', { params: { id } })
  t.ok(await templateBody(copy.variant!.suffix!), 'the copy keeps its template')
})

t.test('a launch names the fields that a draft of each kind still lacks', async t => {
  for (const [kind, lacks] of [
    ['Theme', ['control', 'variant']],
    ['Template', ['control', 'variant']],
    ['PageContent', ['control', 'variant']],
    ['Price', ['products']],
  ] as const) {
    const refusal = (await call('launchDraft', { params: { id: (await newDraft(kind)).id } }).catch(
      (error: Refused) => error,
    )) as Refused
    t.match(refusal, { status: 400 })
    t.same(
      refusal.problem.fields!.map(({ field }) => field),
      lacks,
      kind,
    )
  }
})

t.test('a draft of a kind that the plan does not include is refused', async t => {
  const flags = (json: string) =>
    db.kysely
      .updateTable('stores')
      .set({ feature_flags: json, plan_id: 'core-50k-monthly' })
      .where('store_id', '=', store)
      .execute()
  await flags('[]')
  for (const kind of ['PageElement', 'Api', 'Price'] as const)
    await t.rejects(newDraft(kind), like({ status: 403 }), kind)
  for (const kind of ['Theme', 'Template', 'PageContent', 'UrlRedirect'] as const)
    await t.resolves(newDraft(kind), kind)
  await db.kysely
    .updateTable('stores')
    .set({ feature_flags: '["DomTesting","PriceTesting"]', plan_id: 'advanced-100k-monthly' })
    .where('store_id', '=', store)
    .execute()
})

t.test('a draft from a proposal has its pages; audiences must belong to the store', async t => {
  const draft = await call('createDraft', {
    body: {
      kind: 'PageElement',
      origin: 'LiftAssist',
      liftAssistId: 'a-1',
      urlPatterns: ['/products/*'],
      audienceIds: [phones],
    },
  })
  t.match(draft, {
    origin: 'LiftAssist',
    domSelectors: [{ urlPatterns: ['/products/*'], actions: [] }],
  })
  t.same(
    await fields(
      call('updateDraft', {
        params: { id: draft.id },
        body: { audienceIds: [phones, '11111111-1111-4111-8111-111111111111'] },
      }),
    ),
    [400, ['audienceIds.1']],
  )
  await call('updateDraft', { params: { id: draft.id }, body: { audienceIds: [everyone] } })
  t.notOk(
    (
      (await call('launchDraft', { params: { id: draft.id } }).catch(
        (error: Refused) => error.problem.fields,
      )) as { field: string }[]
    ).some(each => each.field === 'audienceIds'),
  )
})
