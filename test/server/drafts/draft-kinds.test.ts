import t from 'tap'
import { stepsOf } from '../../../domain/drafts/draft-steps.ts'
import { unusedVariant } from '../../../domain/drafts/swap-control.ts'
import { instantOf, shopTime } from '../../../domain/stores/shop-time.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import { launchSurely } from '../../../server/drafts/draft-checks.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { textOf } from '../support/merchant.ts'
import {
  get,
  post,
  call,
  platform,
  db,
  storeId,
  now,
  flags,
  open,
  phones,
  edit,
  stored,
  newDraft,
  act,
  themeFolders,
  swapOf,
  at,
} from '../support/draft-kinds-shop.ts'

t.test('all seven kinds are offered, and every step of each is a page', async t => {
  const { body } = await get('/tests/draft/edit')
  const offered = [...body.matchAll(/name="kind" value="(\w+)"/g)].map(m => m[1])
  t.same(
    offered,
    ['PageElement', 'PageContent', 'Template', 'Theme', 'UrlRedirect', 'Price', 'Api'],
    'the most used kinds come first',
  )
  t.same(offered.toSorted(), [...testKindNames].sort())
  t.equal([...body.matchAll(/<svg class="kind-drawing"/g)].length, 7, 'each has its drawing')
  for (const kind of testKindNames) {
    const id = await newDraft(kind)
    for (const step of stepsOf(kind)) {
      const page = await get(edit(id, step))
      t.equal(page.statusCode, 200, `${kind} ${step}`)
      t.match(page.body, `aria-current="step"`)
    }
    t.match(
      textOf((await post(edit(id, 'review'), { act: 'launch' })).body),
      /Give the test a name/,
      `${kind}: the launch is refused and names what is missing`,
    )
    await post(`/tests/draft/edit/${id}/delete`)
  }
})

t.test('a closed kind of test says which plan includes it', async t => {
  await open([])
  const { body } = await get('/tests/draft/edit')
  t.notMatch(body, 'name="kind" value="Price"')
  t.match(
    textOf(/aria-label="API, not available yet"[\s\S]*?<\/section>/.exec(body)![0]),
    /API Advanced plan .* API testing comes with the Advanced plan and above\. See the Advanced plan/,
  )
  t.match(
    body,
    /href="\/tests\/draft\/edit\?ask=upgrade&amp;feature=ApiTesting"/,
    'it links to the plan that includes it',
  )
  t.match(
    textOf(body),
    /Price testing feature is not enabled for this store\. Please contact support to enable this feature\./,
  )
  t.equal((await post('/tests/draft/edit', { kind: 'Price' })).statusCode, 403)
  await open(flags)
})

t.test(
  'theme: the variant is another of the shop’s themes, and what it is missing is named',
  async t => {
    const id = await newDraft('Theme'),
      themes = await platform.themes(firstShop)
    const live = themes.find(({ role }) => role === 'live')!,
      other = themes.find(({ role }) => role !== 'live')!
    t.match(
      textOf((await get(edit(id, 'theme'))).body),
      new RegExp(`Control .*${live.name}.*Variant .*${other.name}`),
    )
    const offer = `Test this theme: ${other.name}`
    await call('setVariant', { params: { id }, body: { themeId: other.id } })
    t.ok(
      (await get(edit(id, 'theme'))).body.includes(offer),
      'a variant without the live theme as its control can be chosen again',
    )
    const chosen = await act(id, 'theme', `theme.choose:${other.id}`)
    t.notOk((await get(edit(id, 'theme'))).body.includes(offer))
    t.match(await stored(id), { control: { themeId: live.id }, variant: { themeId: other.id } })
    const compatible = await call('themeIsCompatible', { params: { id: other.id }, query: {} })
    t.match(
      textOf(chosen.body),
      compatible.isCompatible
        ? /can show every page/
        : /cannot show every page of your shop\. It lacks these templates/,
    )
    for (const { type, suffix } of compatible.missing)
      t.match(chosen.body, suffix ? `${type}.${suffix}` : type)
    t.match(textOf((await act(id, 'theme', 'theme.check:')).body), /Checked/)
    for (const bad of ['nowhere', '', live.id]) {
      const refused = await act(id, 'theme', `theme.choose:${bad}`)
      t.equal(refused.statusCode, 422, bad || 'none')
      t.equal((await stored(id)).variant!.themeId, other.id, 'nothing is stored')
    }
    const files = await platform.themeFiles(firstShop, live.id, themeFolders)
    await platform.writeThemeFiles(
      firstShop,
      other.id,
      files.map(({ name, body }) => ({ name, body })),
    )
    const more = (await platform.themeFiles(firstShop, other.id, themeFolders)).filter(
      ({ name }) => !files.some(file => file.name === name),
    )
    await platform.deleteThemeFiles(
      firstShop,
      other.id,
      more.map(({ name }) => name),
    )
    t.match(
      textOf((await act(id, 'theme', 'theme.check:')).body),
      /This theme is the same as your live theme\. Both themes have the same content, so the test can find nothing\./,
    )
    await platform.publishTheme(firstShop, other.id)
    await act(id, 'theme', `theme.choose:${live.id}`)
    t.match(
      await stored(id),
      { control: { themeId: other.id }, variant: { themeId: live.id } },
      'the control is the theme that is live now',
    )
    await platform.publishTheme(firstShop, live.id)
    await act(id, 'theme', `theme.choose:${other.id}`)
    t.match(await stored(id), { control: { themeId: live.id }, variant: { themeId: other.id } })
    await act(id, 'theme', 'theme.remove:')
    t.equal((await stored(id)).variant, null)
  },
)

t.test(
  'template: the control is in use; the variant is a copy or an existing template; swap and remove',
  async t => {
    const id = await newDraft('Template')
    const shown = textOf((await get(edit(id, 'template'))).body)
    t.match(shown, /Template in use Assigned Visitors, 28 days/)
    t.match(shown, /product\.story/)
    await act(id, 'template', 'template.control:product:story')
    t.match(await stored(id), { control: { templateType: 'product', suffix: 'story' } })
    const [mug] = (await call('templateResources', { query: { type: 'product', suffix: 'story' } }))
      .items
    const copied = await act(id, 'template', 'template.copy:', { granular: mug!.id })
    const draft = await stored(id)
    t.match(draft, { variant: { isOurs: true }, resourceIds: [mug!.id], changeState: 'Unmodified' })
    t.match(textOf(copied.body), /No changes yet/)
    t.match(
      copied.body,
      new RegExp(
        `/admin/themes/[^"]+/file\\?name=templates%2Fproduct\\.${draft.variant!.suffix}\\.json`,
      ),
      'it links to the shop’s editor',
    )
    const { themeId } = await call('storeInfo', {}),
      name = `templates/product.${draft.variant!.suffix}.json`
    const [file] = await platform.themeFiles(firstShop, themeId!, [name])
    await platform.writeThemeFiles(firstShop, themeId!, [
      { name, body: JSON.stringify({ ...(JSON.parse(file!.body) as object), edited: true }) },
    ])
    t.match(
      textOf((await act(id, 'template', 'template.look:')).body),
      /Changed since it was copied/,
    )
    await platform.deleteThemeFiles(firstShop, themeId!, [name])
    t.match(textOf((await get(edit(id, 'template'))).body), /No longer in the live theme/)

    await act(id, 'template', 'template.remove:')
    t.equal((await stored(id)).variant, null)
    const foreign = await act(id, 'template', 'template.copy:', { granular: 'nothing-of-ours' })
    t.match(
      [foreign.statusCode, textOf(foreign.body)],
      [422, /This is not assigned to product\.story/],
    )
    t.notMatch(
      (await get(edit(id, 'template'))).body,
      'template.existing:',
      'products have only the default template, which no address shows',
    )
    const [guide] = await platform.themeFiles(firstShop, themeId!, ['templates/page.guide.json'])
    await platform.writeThemeFiles(firstShop, themeId!, [
      { name: 'templates/page.about.json', body: guide!.body },
    ])
    const [about] = (await platform.resources(firstShop, 'page')).filter(each => each.suffix === '')
    await platform.assignTemplates(firstShop, [{ type: 'page', id: about!.id, suffix: 'about' }])
    await act(id, 'template', 'template.control:page:about')
    const copy = await act(id, 'template', 'template.copy:')
    t.equal(swapOf(copy.body), 'disabled', 'no page uses the copy')
    t.match(textOf(copy.body), unusedVariant)
    await act(id, 'template', 'template.remove:')
    const none = await act(id, 'template', 'template.swap:')
    t.match([none.statusCode, textOf(none.body)], [422, /There is no variant to swap with\./])
    t.equal(
      swapOf((await act(id, 'template', 'template.existing:', { suffix: 'guide' })).body),
      'enabled',
    )
    await act(id, 'template', 'template.swap:')
    t.match(await stored(id), {
      control: { suffix: 'guide' },
      variant: { suffix: 'about', isOurs: false },
    })
    t.match(textOf((await get(edit(id, 'review'))).body), /page\.guide → page\.about/)

    for (const [value, fields, field] of [
      ['template.control:nothing:', {}, 'type'],
      ['template.control:product:gone', {}, 'suffix'],
      ['template.existing:', { suffix: 'gone' }, 'suffix'],
      ['template.existing:', {}, 'suffix'],
      ['template.existing:', { suffix: 'guide' }, 'suffix'],
      ['template.control:home:gone', {}, 'suffix'],
      ['template.copy:', { granular: 'nothing-of-ours' }, 'granular'],
    ] as const) {
      const before = await stored(id),
        refused = await act(id, 'template', value, fields)
      t.equal(refused.statusCode, 422, `${value} ${JSON.stringify(fields)}`)
      t.match(refused.body, /class="(field-error|banner)/, field)
      t.match(
        await stored(id),
        { control: before.control!, variant: before.variant! },
        'the choice does not change',
      )
    }
  },
)

t.test('page content: one page and a copy of its template only for it', async t => {
  const id = await newDraft('PageContent')
  const long = await act(id, 'page', 'page.find:', { pageSearch: 'x'.repeat(300) })
  t.equal(long.statusCode, 200, 'a long search is cut')
  const early = await act(id, 'page', 'page.copy')
  t.match([early.statusCode, textOf(early.body)], [422, /Choose the control first\./])
  const found = await act(id, 'page', 'page.find:', { pageType: 'product', pageSearch: 'mug' })
  const all = (await call('templateResources', { query: { type: 'product', search: 'mug' } })).items
  t.ok(all.length > 0)
  for (const { title } of all) t.match(textOf(found.body).replaceAll('&#39;', '’'), title)
  const [page] = all
  await act(id, 'page', `page.choose:product:${page!.suffix}:${page!.id}`)
  t.match(await stored(id), {
    control: { templateType: 'product', suffix: page!.suffix },
    variant: { isOurs: true },
    resourceIds: [page!.id],
  })
  t.match(
    textOf((await get(edit(id, 'page'))).body),
    new RegExp(`${page!.title}.*a copy for this page alone`),
  )
  await act(id, 'page', 'page.choose:home::')
  t.match(
    await stored(id),
    {
      control: { templateType: 'home', suffix: '' },
      variant: { templateType: 'home', isOurs: true },
      resourceIds: [],
    },
    'the home page needs no assignment',
  )
  for (const bad of ['product::', 'nothing::1', 'product:story:not-there', '']) {
    const refused = await act(id, 'page', `page.choose:${bad}`)
    t.equal(refused.statusCode, 422, bad || 'nothing')
  }
  t.match(
    textOf((await act(id, 'page', 'page.find:', { pageType: 'product', pageSearch: 'zzz' })).body),
    /Nothing in your shop has this name/,
  )
})

t.test('API: both ids, the code to copy, and how visitors are assigned', async t => {
  const id = await newDraft('Api'),
    draft = await stored(id)
  const { body } = await get(edit(id, 'code'))
  for (const { id: hypothesis } of draft.hypotheses) t.match(body, `value="${hypothesis}"`)
  t.match(
    body,
    `isActive?.(&#39;${draft.hypotheses.find(h => h.arm === 'variant')!.id}&#39;)`.replaceAll(
      '&#39;',
      "'",
    ),
  )
  t.match(textOf(body), /Your developer builds in the winner\. When the test ends/)
  await act(id, 'code', 'go:split', { apiMode: 'manual' })
  t.equal((await stored(id)).apiMode, 'manual')
  await act(id, 'code', 'save', { apiMode: 'whenever' })
  t.equal((await stored(id)).apiMode, 'manual', 'an unknown mode changes nothing')
})

t.test('redirect: the two pages are shown side by side and can be swapped', async t => {
  const id = await newDraft('UrlRedirect')
  await act(id, 'pages', 'save', {
    controlUrl: '/pages/gift-guide',
    redirectUrl: '/pages/gift-guide-2026',
  })
  const frames = () =>
    get(edit(id, 'pages')).then(({ body }) =>
      [...body.matchAll(/<iframe[^>]*? src="([^"]+)"/g)].map(([, src]) => new URL(src!).pathname),
    )
  t.same(await frames(), ['/pages/gift-guide', '/pages/gift-guide-2026'])
  await act(id, 'pages', 'pages.swap:')
  t.same(await frames(), ['/pages/gift-guide-2026', '/pages/gift-guide'])
  t.match(await stored(id), {
    controlUrl: '/pages/gift-guide-2026',
    redirectUrl: '/pages/gift-guide',
  })
})

t.test(
  'start and end are in the shop’s time zone; a time in the past is refused at its field',
  async t => {
    const id = await newDraft('PageElement'),
      hour = 3_600_000,
      day = 24 * hour
    /** The shop's local time after `span` milliseconds, and the same minute as an instant. */
    const after = (span: number) => {
      const text = shopTime(new Date(now.at.getTime() + span), 'Europe/Berlin')
      return [text, instantOf(text, 'Europe/Berlin')!.toISOString()] as const
    }
    const [start, startAt] = after(5 * day),
      [end, endAt] = after(40 * day),
      [past] = after(-0.5 * hour),
      [soon] = after(2 * hour),
      [tooSoon] = after(6 * day - 2 * hour)
    const save = (launchAt: string, automaticallyEndAt = '') =>
      act(id, 'split', 'save', { launchAt, automaticallyEndAt })
    const { version } = await stored(id)
    t.match(
      (
        await post(edit(id, 'split'), {
          act: 'autosave',
          version: String(version),
          launchAt: start,
          automaticallyEndAt: '',
        })
      ).json(),
      { done: 'saved' },
    )
    t.match(
      await stored(id),
      { launchAt: startAt, automaticallyEndAt: null },
      'a form with only a date is saved',
    )
    t.notOk(at((await save(start, end)).body, 'launchAt'))
    t.match(await stored(id), { launchAt: startAt, automaticallyEndAt: endAt })
    t.match((await get(edit(id, 'split'))).body, `value="${start}"`)
    for (const [from, to, field] of [
      [past, '', 'launchAt'],
      ['2020-01-01T00:00', '', 'launchAt'],
      ['soon', '', 'launchAt'],
      [start, tooSoon, 'automaticallyEndAt'],
      ['', soon, 'automaticallyEndAt'],
    ] as const) {
      const refused = await save(from, to)
      t.ok(refused.statusCode === 422 && at(refused.body, field), `${from} ${to}`)
      t.match(refused.body, `value="${from || to}"`, 'the form keeps the typed time')
      t.equal((await stored(id)).launchAt, startAt)
    }
    await save('', '')
    t.match(await stored(id), { launchAt: null, automaticallyEndAt: null })
  },
)

t.test(
  'without the right plan no audience can be made, and the page says which plan includes them',
  async t => {
    await open(['DomTesting'])
    const id = await newDraft('PageElement')
    const { body } = await get(edit(id, 'split'))
    t.notMatch(body, 'value="split.audience:new"')
    t.match(textOf(body), /Custom audiences come with the Advanced plan and above/)
    await call('updateDraft', {
      params: { id },
      body: { audienceIds: [phones], version: (await stored(id)).version },
    })
    t.match(
      (await get(edit(id, 'split'))).body,
      new RegExp(`value="${phones}" checked`),
      'built-in audiences are open to every store',
    )
  },
)

t.test('the page’s script gets the result of a save', async t => {
  const id = await newDraft('PageElement'),
    { version } = await stored(id)
  const save = async (fields: Record<string, string>) => {
    const answer = await post(edit(id, 'goal'), { act: 'autosave', ...fields })
    return [answer.statusCode, answer.json<Record<string, unknown>>()] as const
  }
  const [status, first] = await save({ version: String(version), title: 'By itself' })
  t.match([status, first], [200, { done: 'saved', version: version + 1, at: /^\d\d:\d\d$/ }])
  t.match((await save({ version: String(first['version']), minimumEffect: 'much' }))[1], {
    done: 'refused',
    version: version + 1,
    problems: [{ field: 'minimumEffect' }],
  })
  t.match((await save({ version: String(version), title: 'Older' }))[1], {
    done: 'conflict',
    version: version + 1,
  })
  t.equal((await stored(id)).title, 'By itself')
  t.match(
    (await save({ version: String(version), title: 'By itself' }))[1],
    { done: 'saved', version: version + 1 },
    'the same text is no conflict',
  )
  const refused = await post(edit(id, 'goal'), {
    act: 'save',
    version: String(version),
    minimumEffect: 'much',
  })
  t.match(refused.body, `name="version" value="${version}"`, 'a refused form keeps its version')
})

t.test('two tabs that launch at once make one test, and both lead to it', async t => {
  await open(flags)
  const id = await newDraft('UrlRedirect')
  await act(id, 'pages', 'save', {
    title: 'Twice',
    controlUrl: '/pages/about',
    redirectUrl: '/pages/faq',
  })
  const { version } = await stored(id)
  const tab = (title: string) =>
    post(edit(id, 'review'), { act: launchSurely, version: String(version), title })
  const answers = await Promise.all([tab('Twice'), tab('Twice, from the other tab')])
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [303, 303],
  )
  t.equal(new Set(answers.map(({ headers }) => headers.location)).size, 1)
  t.match(answers[0]!.headers.location, /^\/tests\/[0-9a-f-]{36}\?launched/)
  t.equal((await call('tests', { query: { search: 'Twice' } })).count, 1)
})

t.test('previews on a phone, pictures and a copy of the draft work', async t => {
  const id = await newDraft('UrlRedirect')
  await act(id, 'pages', 'save', {
    title: 'Guide',
    controlUrl: '/pages/gift-guide',
    redirectUrl: '/pages/gift-guide-2026',
  })
  const phone = await get(`/tests/draft/edit/${id}/previews`)
  t.equal([...phone.body.matchAll(/<svg class="qr"/g)].length, 2)
  t.match(textOf(phone.body), /Nothing is counted/)
  t.match(
    (await get(`/tests/draft/edit/${id}/pictures`)).body,
    /<title>Pictures of both arms[^]*No picture yet/,
  )
  const [{ id: control } = { id: '' }] = (await stored(id)).hypotheses
  const picture = (device: string) => get(`/tests/draft/edit/${id}/pictures/${control}/${device}`)
  for (const device of ['desktop', 'phone', 'watch'])
    t.equal((await picture(device)).statusCode, 404, device)
  for (const device of ['desktop', 'phone'] as const)
    await db.kysely
      .insertInto('screenshots')
      .values({
        store_id: storeId,
        hypothesis_id: control,
        device,
        image: Buffer.from(device),
        taken_at: now.at,
      })
      .execute()
  for (const device of ['desktop', 'phone']) t.equal((await picture(device)).body, device)
  const asked = await post(`/tests/draft/edit/${id}/pictures`)
  t.ok(
    asked.statusCode === 303 ||
      (asked.statusCode === 503 && /no Chrome, Chromium or Edge/.test(textOf(asked.body))),
    'pictures are taken in the background, or the page says what is missing',
  )
  const copy = await post(edit(id, 'pages'), { act: 'duplicate', title: 'Guide, saved first' })
  const copied = copy.headers.location!.split('/').at(-1)!
  t.match(await stored(copied), {
    title: 'Copy of Guide, saved first',
    controlUrl: '/pages/gift-guide',
  })
  t.equal((await get('/tests/draft/edit/nonsense/previews')).statusCode, 404)
})
