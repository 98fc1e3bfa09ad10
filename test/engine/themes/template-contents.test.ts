import t from 'tap'
import type { Input } from '../../../domain/api/contract.ts'
import { aboutFile, stageAboutPage } from '../support/about-page.ts'
import type { Refused } from '../support/engine.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const { engine, call, db, shop, platform, merchant, close } = await startWithShop(
  {},
  {},
  withAllChanges,
)
t.teardown(close)
const { id: store } = await call('storeInfo', {})
const { id: page, path, themeId } = await stageAboutPage(platform, firstShop, merchant)
const content = (id: string) => call('templateContent', { params: { id } })
type Body = Omit<Input<'setTemplateContent'>['body'], 'version'>
const put = async (id: string, body: Body, version?: string) =>
  call('setTemplateContent', {
    params: { id },
    body: { version: version ?? (await content(id)).version, ...body },
  })
const file = async (name: string) =>
  (await platform.themeFiles(firstShop, themeId, [name]))[0]?.body ?? null
const pageAs = async (suffix?: string) =>
  (await shop.app.inject(path + (suffix ? `?view=${suffix}` : ''))).body
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    (error: Refused) => [error.status, error.problem.fields?.map(each => each.field)],
  )
const state = async (id: string) =>
  (await call('draftTemplateStatus', { params: { id } })).variant.changeState
const before = await file(aboutFile)

async function newCopy(kind: 'PageContent' | 'Template' = 'PageContent') {
  const { id } = await call('createDraft', { body: { kind, title: 'About' } })
  await call('setControl', { params: { id }, body: { type: 'page', suffix: 'about' } })
  const { variant } = await call('setVariant', { params: { id }, body: { granular: [page] } })
  const suffix = variant!.suffix!
  return { id, suffix, name: `templates/page.${suffix}.json` }
}

t.test('the copy is read as sections and blocks, each with the control’s values', async t => {
  const { id } = await newCopy()
  const { sections, ...rest } = await content(id)
  t.match(rest, {
    kind: 'Simple',
    isEditedInShop: false,
    changeState: 'Unmodified',
    isMoved: false,
    changeCount: 0,
    version: String,
  })
  t.same(
    sections.map(each => [each.id, each.name]),
    [
      ['main', 'Page'],
      ['story', 'Picture with words'],
      ['points', 'Points'],
      ['shelf', 'Featured products'],
    ],
  )
  t.same(
    sections[1]!.settings.map(({ id, label, kind }) => [id, label, kind]),
    [
      ['side', 'Picture stands', 'choice'],
      ['title', 'Heading', 'text'],
      ['text', 'Words', 'longText'],
      ['button', 'Button', 'text'],
      ['url', 'Button leads to', 'link'],
      ['picture', 'Picture', 'picture'],
    ],
  )
  t.match(sections[3]!.settings[2], { id: 'count', kind: 'number', value: 4, control: 4 })
  t.match(sections[2]!.blocks, [
    { id: 'one', name: 'Point', settings: [{ value: 'Seven of us', control: 'Seven of us' }] },
    { id: 'two' },
  ])
  await call('deleteDraft', { params: { id } })
})

t.test(
  'texts, order and visibility change only in the copy, which is deleted with the draft',
  async t => {
    const { id, suffix, name } = await newCopy()
    const after = await put(id, {
      order: ['shelf', 'main', 'story', 'points'],
      sections: [
        {
          id: 'story',
          settings: [
            { id: 'title', value: 'Nobody’s <b>fool</b>' },
            { id: 'side', value: 'right' },
          ],
        },
        { id: 'main', isShown: false },
        {
          id: 'points',
          blockOrder: ['two', 'one'],
          blocks: [{ id: 'one', settings: [{ id: 'label', value: 'Eight of us' }] }],
        },
      ],
    })
    t.match(after, { changeState: 'Modified', isMoved: true, changeCount: 6 })
    t.equal(
      (await call('draft', { params: { id } })).changeState,
      'Modified',
      'the draft knows it at once',
    )
    t.equal(await state(id), 'Modified')
    const shown = await pageAs(suffix),
      original = await pageAs()
    t.match(shown, /Nobody’s &#60;b&#62;fool|Nobody’s &lt;b&gt;fool/)
    t.match(shown, /section-shelf[\s\S]*section-story[\s\S]*One barn[\s\S]*Eight of us/)
    t.notMatch(shown, 'section-main"')
    t.match(
      original,
      /section-main"[\s\S]*Ash does as it likes[\s\S]*Seven of us[\s\S]*One barn[\s\S]*section-shelf/,
    )
    t.notMatch(original, 'Nobody')
    t.equal(await file(aboutFile), before, 'the control’s file is unchanged')
    await put(id, {
      sections: [
        { id: 'story', settings: [{ id: 'title', value: 'Once more' }] },
        { id: 'points', blocks: [{ id: 'two', isShown: false }] },
      ],
    })
    t.notMatch(await pageAs(suffix), 'One barn')
    const entries = await db.kysely
      .selectFrom('journal')
      .selectAll()
      .where('store_id', '=', store)
      .where('test_id', '=', id)
      .execute()
    t.match(
      entries,
      [{ before: null, after: await file(name), state: 'open' }],
      'one entry for all changes',
    )
    t.equal(entries.length, 1)

    await call('deleteDraft', { params: { id } })
    await engine.runJobs()
    t.equal(await file(name), null)
    t.notMatch(await pageAs(suffix), 'Once more')
    t.equal(await file(aboutFile), before)
  },
)

t.test('after a revert the copy equals the control and counts as unmodified', async t => {
  const { id, name } = await newCopy()
  const copy = await file(name)
  await put(id, {
    order: ['points', 'main', 'story', 'shelf'],
    sections: [{ id: 'story', isShown: false, settings: [{ id: 'title', value: 'Other' }] }],
  })
  t.not(await file(name), copy)
  t.match(
    await put(id, {
      order: ['main', 'story', 'points', 'shelf'],
      sections: [{ id: 'story', isShown: true, settings: [{ id: 'title', value: null }] }],
    }),
    { changeCount: 0, changeState: 'Unmodified' },
  )
  t.equal(await file(name), copy)
  t.equal(await state(id), 'Unmodified')
  t.equal((await call('draft', { params: { id } })).changeState, 'Unmodified')
})

t.test(
  'a file that was changed in the shop is not overwritten, and the merchant’s changes stay',
  async t => {
    const { id, name } = await newCopy()
    const { version } = await content(id)
    const own = (await file(name))!.replace('No two firings agree.', 'By the merchant.')
    await merchant.writeThemeFiles(firstShop, themeId, [{ name, body: own }])
    t.same(await refusal(put(id, { sections: [{ id: 'story', isShown: false }] }, version)), [
      409,
      ['version'],
    ])
    t.equal(await file(name), own)
    t.match(await content(id), { isEditedInShop: true, changeCount: 1, changeState: 'Modified' })
    t.match(
      await put(id, {
        sections: [{ id: 'story', settings: [{ id: 'title', value: 'On top of it' }] }],
      }),
      { isEditedInShop: false, changeCount: 2 },
    )
    await call('deleteDraft', { params: { id } })
    await engine.runJobs()
    t.equal(await file(name), own, 'the file stays as the merchant left it')
    await merchant.deleteThemeFiles(firstShop, themeId, [name])
  },
)

t.test('of two saves of one version, one is stored and the other is a conflict', async t => {
  const { id } = await newCopy()
  const { version } = await content(id)
  const answers = await Promise.all(
    ['A', 'B'].map(value =>
      refusal(
        put(id, { sections: [{ id: 'story', settings: [{ id: 'title', value }] }] }, version),
      ),
    ),
  )
  t.same(answers.filter(Boolean), [[409, ['version']]])
})

t.test('invalid content is refused at its field, and nothing is written', async t => {
  const { id, name } = await newCopy()
  const copy = await file(name)
  const story = (settings: NonNullable<NonNullable<Body['sections']>[number]['settings']>) =>
    refusal(put(id, { sections: [{ id: 'story', settings }] }))
  t.same(await refusal(put(id, { order: ['main'] })), [400, ['order']])
  t.same(await refusal(put(id, { sections: [{ id: 'nothing' }] })), [400, ['sections.0.id']])
  t.same(await story([{ id: 'title', value: 4 }]), [400, ['sections.0.settings.0.value']])
  t.same(await story([{ id: 'side', value: 'above' }]), [400, ['sections.0.settings.0.value']])
  t.same(await story([{ id: 'title', value: 'x'.repeat(20_001) }]), [
    400,
    ['sections.0.settings.0.value'],
  ])
  t.same(
    await refusal(
      put(id, { sections: [{ id: 'shelf', settings: [{ id: 'count', value: 'four' }] }] }),
    ),
    [400, ['sections.0.settings.0.value']],
  )
  t.same(await refusal(put(id, { sections: [{ id: 'points', blocks: [{ id: 'three' }] }] })), [
    400,
    ['sections.0.blocks.0.id'],
  ])
  t.equal(await file(name), copy)
})

t.test('a refusal of the shop is passed on, and nothing is written', async t => {
  const { id, name } = await newCopy()
  // Almost as long as the shop allows.
  const copy = (await file(name))!,
    long = JSON.stringify({
      ...(JSON.parse(copy) as object),
      more: 'x'.repeat(512 * 1024 - copy.length - 200),
    })
  await merchant.writeThemeFiles(firstShop, themeId, [{ name, body: long }])
  const { version } = await content(id)
  const refused = (await put(
    id,
    { sections: [{ id: 'story', settings: [{ id: 'text', value: 'y'.repeat(5_000) }] }] },
    version,
  ).catch((error: Refused) => error)) as Refused
  t.match([refused.status, refused.problem.message], [422, /A file has at most 512 KB/])
  t.equal(await file(name), long)
  await merchant.deleteThemeFiles(firstShop, themeId, [name])
  t.equal(await refusal(content(id)).then(each => each![0]), 404)
  t.equal(await state(id), 'Removed')
})

t.test('only our own copy can be edited, and only if it has sections', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Template' } })
  t.same(await refusal(content(id)), [400, ['variant']])
  await call('setControl', { params: { id }, body: { type: 'page', suffix: 'about' } })
  await call('setVariant', { params: { id }, body: { suffix: 'guide' } })
  t.same(await refusal(content(id)), [400, ['variant']], 'a template that we did not create')
  t.same(
    await refusal(content((await call('createDraft', { body: { kind: 'PageElement' } })).id)),
    [400, ['kind']],
  )
  const copy = await newCopy('Template')
  t.equal((await content(copy.id)).sections.length, 4, 'a template test has the same sections')
  await merchant.writeThemeFiles(firstShop, themeId, [
    { name: copy.name.replace('.json', '.liquid'), body: '<h1>{{ page.title }}</h1>' },
  ])
  await merchant.deleteThemeFiles(firstShop, themeId, [copy.name])
  t.match(await content(copy.id), { kind: 'Unsupported', sections: [], changeState: 'Modified' })
  t.same(await refusal(put(copy.id, { sections: [{ id: 'story' }] })), [400, ['sections']])
})
