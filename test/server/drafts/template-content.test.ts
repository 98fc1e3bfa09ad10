import t from 'tap'
import { keepMine, settingField } from '../../../domain/drafts/content-form.ts'
import { aboutFile, stageAboutPage } from '../../engine/support/about-page.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { textOf } from '../support/merchant.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

const { get, post, call, put, platform, shop, close } = await startShopMerchant()
t.teardown(close)
await put({
  plan_id: 'core-100k-monthly',
  onboarded: true,
  has_subscribed: true,
  subscription_status: 'Active',
  subscription_id: 'sub-1',
})
const { id: page, path, themeId } = await stageAboutPage(platform, firstShop)
const edit = (id: string, more = '') => `/tests/draft/edit/${id}?step=content${more}`
const content = (id: string) => call('templateContent', { params: { id } })
const section = async (id: string, name: string) =>
  (await content(id)).sections.find(each => each.id === name)!
const title = settingField('story', null, 'title'),
  side = settingField('story', null, 'side'),
  count = settingField('shelf', null, 'count'),
  label = settingField('points', 'one', 'label')
const file = async (name: string) =>
  (await platform.themeFiles(firstShop, themeId, [name]))[0]!.body

async function newCopy(kind: 'PageContent' | 'Template' = 'PageContent') {
  const { id } = await call('createDraft', { body: { kind, title: 'About' } })
  await call('setControl', { params: { id }, body: { type: 'page', suffix: 'about' } })
  const { variant } = await call('setVariant', { params: { id }, body: { granular: [page] } })
  return { id, suffix: variant!.suffix!, name: `templates/page.${variant!.suffix!}.json` }
}
/** Sends all fields of the page, with some of them changed. */
async function send(id: string, act: string, typed: Record<string, string | string[]> = {}) {
  const { body } = await get(edit(id))
  const fields = new URLSearchParams()
  for (const [, name = '', value = ''] of body.matchAll(
    /<input type="hidden" name="(content\.[^"]*)" value="([^"]*)"/g,
  ))
    if (!(name in typed)) fields.append(name, value.replaceAll('&quot;', '"'))
  for (const [name, value] of Object.entries({ act, ...typed }))
    for (const each of [value].flat()) fields.append(name, each)
  return post(
    edit(id),
    Object.fromEntries(
      [...new Set(fields.keys())].map(name => [
        name,
        fields.getAll(name).length > 1 ? fields.getAll(name) : fields.get(name)!,
      ]),
    ) as Record<string, string>,
  )
}

t.test(
  'without a copy the step says what to do first, and why a template has no sections',
  async t => {
    const { id } = await call('createDraft', { body: { kind: 'PageContent' } })
    t.match(
      textOf((await get(edit(id))).body),
      /Choose the page first, then create the variant’s copy/,
    )
    await call('setControl', { params: { id }, body: { type: 'page', suffix: 'about' } })
    const { variant } = await call('setVariant', { params: { id }, body: { granular: [page] } })
    const name = `templates/page.${variant!.suffix!}`
    await platform.writeThemeFiles(firstShop, themeId, [
      { name: `${name}.liquid`, body: '<h1>{{ page.title }}</h1>' },
    ])
    await platform.deleteThemeFiles(firstShop, themeId, [`${name}.json`])
    t.match(
      textOf((await get(edit(id))).body),
      /You cannot change this template here: it is a Liquid template/,
    )
    await platform.deleteThemeFiles(firstShop, themeId, [`${name}.liquid`])
    t.match(textOf((await get(edit(id))).body), /The live theme \w+ has no template page\.ts-/)
    t.equal((await send(id, 'save')).statusCode, 303, 'the other fields can still be saved')
  },
)

t.test('each setting is shown next to the control’s as text, and edits are saved', async t => {
  const { id, suffix } = await newCopy()
  const { body } = await get(edit(id))
  t.match(textOf(body), /The same as page\.about so far/)
  t.match(body, new RegExp(`<textarea [^>]*name="${settingField('story', null, 'text')}"`))
  t.match(body, /<option value="left" selected>Left of the words<\/option>/)
  t.match(body, `${path}?`, 'the preview shows the page')
  t.match(body, new RegExp(`/file\\?name=templates%2Fpage\\.${suffix}\\.json`))
  const saved = await send(id, 'save', {
    [title]: 'Look: <img src=x onerror=alert(1)>',
    [side]: 'right',
    [label]: 'Eight',
    [count]: '6',
  })
  t.equal(saved.statusCode, 303)
  const after = await get(edit(id))
  t.match(textOf(after.body), /4 changes from the control/)
  t.notMatch(after.body, '<img src=x')
  t.match(after.body, 'Look: &lt;img')
  t.match((await shop.app.inject(`${path}?view=${suffix}`)).body, 'Look: &lt;img')
  t.notMatch((await shop.app.inject(path)).body, 'Look:')
  const version = (await content(id)).version
  await send(id, 'save')
  t.equal((await content(id)).version, version, 'saving again changes no character')
})

t.test(
  'buttons move, hide and reset after saving the typed text; the section stays open',
  async t => {
    const { id } = await newCopy()
    const up = await send(id, 'content.up:shelf', { [title]: 'Typed first' })
    t.match(up.headers.location, /step=content&open=shelf/)
    t.match(await content(id), {
      isMoved: true,
      sections: [{ id: 'main' }, { id: 'story' }, { id: 'shelf' }, { id: 'points' }],
    })
    t.match(
      (await get(edit(id, '&open=shelf'))).body,
      /<details class="content-part" open>\s*<summary><span class="content-name"><b>Featured products/,
    )
    await send(id, 'content.hide:story')
    await send(id, 'content.down:points:one')
    await send(id, 'content.hide:points:two')
    t.match(await section(id, 'story'), {
      isShown: false,
      settings: [{}, { value: 'Typed first' }],
    })
    t.match(await section(id, 'points'), {
      areBlocksMoved: true,
      blocks: [{ id: 'two', isShown: false }, { id: 'one' }],
    })
    t.match(textOf((await get(edit(id))).body), /5 changes from the control/)
    await send(id, 'content.show:story')
    await send(id, 'content.reset:story::title')
    t.match(await section(id, 'story'), {
      isShown: true,
      settings: [{}, { value: 'Ash does as it likes', isChanged: false }],
    })
    for (const wrong of [
      'content.up:none',
      'content.up:%',
      'content.up:',
      'content.hide:points:none',
      'content.reset:story::none',
    ])
      t.equal((await send(id, wrong)).statusCode, 422, wrong)
    await send(id, 'content.down:shelf')
    await send(id, 'content.show:points:two')
    await send(id, 'content.up:points:one')
    t.match(await content(id), { changeCount: 0, changeState: 'Unmodified' })
  },
)

t.test('a wrong value is named at its field, the form keeps it, nothing is stored', async t => {
  const { id, name } = await newCopy()
  const before = await file(name)
  const refused = await send(id, 'save', { [count]: 'four', [title]: 'Kept' })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, /content-shelf--count-problem/)
  t.match(refused.body, 'value="four"')
  t.match(refused.body, 'value="Kept"')
  t.match((await send(id, 'save', { [side]: 'above' })).body, /content-story--side-problem/)
  t.match(
    (await send(id, 'save', { [title]: 'x'.repeat(20_001) })).body,
    /At most 20,000 characters/,
  )
  t.match((await send(id, 'autosave', { [count]: '' })).json(), {
    done: 'refused',
    problems: [{ field: count, message: 'Write a number.' }],
  })
  t.equal(await file(name), before)
  t.match((await send(id, 'autosave', { [count]: '3' })).json(), { done: 'saved' })
  t.match((await section(id, 'shelf')).settings[2], { value: 3 })
})

t.test(
  'changes in the shop’s editor meanwhile stay; when both changed one setting, the merchant is told and may replace it',
  async t => {
    const { id, name } = await newCopy()
    const page = (await get(edit(id))).body,
      [version, was] = ['version', 'was'].map(field =>
        new RegExp(`name="content\\.${field}" value="([^"]*)"`)
          .exec(page)![1]!
          .replaceAll('&quot;', '"'),
      )
    /** Sends the form as that first page does. */
    const asDrawn = (act: string, typed: Record<string, string> = {}) =>
      send(id, act, {
        [title]: 'Ash does as it likes',
        [count]: '4',
        'content.version': version!,
        'content.was': was!,
        ...typed,
      })
    t.equal(
      (await asDrawn('autosave', { [title]: 'Mine first' })).json<{ done: string }>().done,
      'saved',
    )
    t.equal(
      (await asDrawn('autosave', { [title]: 'Mine again' })).json<{ done: string }>().done,
      'saved',
      'the page’s own last save is no conflict',
    )
    t.equal((await asDrawn('autosave')).json<{ done: string }>().done, 'saved')
    t.match(
      (await section(id, 'story')).settings[1],
      { value: 'Ash does as it likes' },
      'the setting has its first text again',
    )

    const theirs = (await file(name))
      .replace('"count": 4', '"count": 7')
      .replace('Ash does as it likes', 'Theirs')
    await platform.writeThemeFiles(firstShop, themeId, [{ name, body: theirs }])
    t.equal(
      (await asDrawn('autosave')).json<{ done: string }>().done,
      'saved',
      'no setting was typed',
    )
    t.equal((await asDrawn('go:split')).statusCode, 303)
    t.equal(await file(name), theirs)
    t.match((await asDrawn('autosave', { [label]: 'Eight' })).json(), {
      done: 'refused',
      problems: [{ field: 'content' }],
    })
    t.equal(
      (await asDrawn('save', { [label]: 'Eight' })).statusCode,
      303,
      'a setting that was not changed in the shop',
    )
    t.equal(await file(name), theirs.replace('Seven of us', 'Eight'))

    await platform.writeThemeFiles(firstShop, themeId, [{ name, body: theirs }])
    const told = await asDrawn('save', { [title]: 'Mine' })
    t.equal(told.statusCode, 422)
    t.match(
      textOf(told.body),
      /Your shop has newer content\. The same setting was changed in your shop\. What you typed is still here but not saved/,
    )
    t.match(told.body, 'value="Mine"')
    t.equal(await file(name), theirs)
    t.equal(
      (await asDrawn(keepMine((await content(id)).version), { [title]: 'Mine' })).statusCode,
      303,
    )
    t.equal(await file(name), theirs.replace('Theirs', 'Mine'))
    await platform.writeThemeFiles(firstShop, themeId, [{ name, body: theirs }])
    t.equal((await send(id, 'save', {})).statusCode, 303, 'a reloaded page has the shop’s content')
    t.equal(await file(name), theirs)
    t.equal((await asDrawn('save', { [title]: 'Mine', 'content.was': 'nonsense' })).statusCode, 422)
  },
)

t.test('what the shop refuses after a button is said in the step, in the shop’s words', async t => {
  const { id, name } = await newCopy()
  const copy = JSON.parse(await file(name)) as object,
    spare = 512 * 1024 - JSON.stringify({ ...copy, more: '' }).length
  // As long as the shop allows.
  const body = JSON.stringify({ ...copy, more: 'x'.repeat(spare) })
  await platform.writeThemeFiles(firstShop, themeId, [{ name, body }])
  const refused = await post(edit(id), { act: 'content.hide:story' })
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), 'A file has at most 512 KB')
  t.equal(await file(name), body)
})

t.test('a template test has the same step for our copy', async t => {
  const { id } = await newCopy('Template')
  t.match(textOf((await get(edit(id))).body), /Picture with words/)
  await send(id, 'save', { [title]: 'For all of them' })
  t.match((await section(id, 'story')).settings[1], {
    value: 'For all of them',
    control: 'Ash does as it likes',
  })
  t.match(await file(aboutFile), 'Ash does as it likes')
})

t.test('changed content is discarded only after a confirmation', async t => {
  const { id, name } = await newCopy(),
    step = (more = '') => `/tests/draft/edit/${id}?step=page${more}`
  const variant = async () => (await call('draft', { params: { id } })).variant
  await send(id, 'save', { [title]: 'Written at length' })
  for (const act of ['page.remove:', 'page.choose:home::']) {
    const asked = await post(step(), { act })
    t.match(
      [asked.statusCode, new URL(asked.headers.location!, 'http://app').searchParams.get('ask')],
      [303, act],
    )
    const { body } = await get(asked.headers.location!)
    t.match(textOf(body), /Discard your changes to the variant\?/)
    t.match(body, `name="act" value="${act}"`)
    t.match(await variant(), { isOurs: true }, 'the copy is still there')
    t.match(await file(name), 'Written at length')
  }
  t.equal(
    (await post(step(), { act: 'page.copy:' })).statusCode,
    422,
    'a page from before cannot replace it either',
  )
  t.notMatch(
    (await get(step('&ask=launchSurely'))).body,
    'discard-variant',
    'another question in the address opens no dialog',
  )
  t.equal(
    (await post(step(), { act: 'page.choose:home::', discard: '1' })).headers.location,
    step(),
  )
  t.match(await variant(), { templateType: 'home', isOurs: true })
  t.same(
    await platform.themeFiles(firstShop, themeId, [name]),
    [],
    'the old copy is deleted from the shop',
  )
  await post(step(), { act: 'page.remove:' })
  t.equal(await variant(), null, 'an unchanged copy is deleted at once')

  const other = await newCopy('Template'),
    at = `/tests/draft/edit/${other.id}?step=template`
  await send(other.id, 'save', { [title]: 'Written again' })
  for (const act of ['template.remove:', 'template.control:home:'])
    t.match((await post(at, { act })).headers.location, 'ask=template', act)
  t.equal(
    (await post(at, { act: 'template.control:page:about' })).headers.location,
    at,
    'choosing the same control again deletes nothing',
  )
  t.equal((await post(at, { act: 'template.copy:' })).statusCode, 422)
  await post(at, { act: 'template.remove:', discard: '1' })
  t.equal((await call('draft', { params: { id: other.id } })).variant, null)
})
