import t from 'tap'
import { startMerchant, textOf } from '../support/merchant.ts'

const {
  engine: { call, shop },
  get,
  post,
  close,
} = await startMerchant()
t.teardown(close)

async function newDraft(kind: 'PageElement' | 'UrlRedirect' = 'PageElement'): Promise<string> {
  const made = await post('/tests/draft/edit', { kind })
  t.equal(made.statusCode, 303)
  return made.headers.location!.split('/').at(-1)!
}
const stored = (id: string) => call('draft', { params: { id } })
const change = {
  changes: '1',
  'changes.0.selector': '.buy',
  'changes.0.kind': 'text',
  'changes.0.value': 'Ships today',
  'changes.0.name': '',
}
const editor = (id: string) => `/tests/draft/edit/${id}`

t.test('a new draft starts with the choice of its kind; all seven are offered', async t => {
  const choice = await get('/tests/draft/edit')
  t.equal(choice.statusCode, 200)
  t.same(
    [...choice.body.matchAll(/name="kind" value="(\w+)"/g)].map(m => m[1]),
    ['PageElement', 'PageContent', 'Template', 'Theme', 'UrlRedirect', 'Price', 'Api'],
  )
  const refused = await post('/tests/draft/edit', { kind: 'Nonsense' })
  t.equal(refused.statusCode, 400)
  t.match(textOf(refused.body), 'Choose one of the kinds of test that are offered.')
  t.equal((await post('/tests/draft/edit')).statusCode, 400)
  const page = await get(editor(await newDraft()))
  t.equal(page.statusCode, 200)
  t.match(textOf(page.body), /Before launch 3 of 6/)
})

t.test('each step stores its fields, and the next step opens', async t => {
  const id = await newDraft()
  const at = async (step: string) => textOf((await get(`${editor(id)}?step=${step}`)).body)
  const goal = await post(`${editor(id)}?step=goal`, {
    act: 'go:pages',
    title: 'Ships today',
    goal: 'AddToCartRate',
    hypothesisDescription: 'People hesitate.',
    minimumEffect: '7,5',
  })
  t.match([goal.statusCode, goal.headers.location], [303, `${editor(id)}?step=pages`])
  await post(`${editor(id)}?step=pages`, {
    act: 'save',
    urlPatterns: `/products/*\r\n${shop.origin}/`,
  })
  await post(`${editor(id)}?step=changes`, { act: 'save', ...change })
  const split = await post(`${editor(id)}?step=split`, {
    act: 'go:review',
    controlWeight: '30',
    variantWeight: '70 %',
    controlTitle: 'As it is',
    variantTitle: 'Ships today',
  })
  t.equal(split.headers.location, `${editor(id)}?step=review`)

  const draft = await stored(id)
  t.match(draft, {
    title: 'Ships today',
    goal: 'AddToCartRate',
    hypothesisDescription: 'People hesitate.',
    minimumEffect: 0.075,
    weights: [0.3, 0.7],
    controlTitle: 'As it is',
  })
  t.match(draft.domSelectors, [
    { urlPatterns: ['/products/*', '/'], actions: [{ selector: '.buy', value: 'Ships today' }] },
  ])
  t.equal(draft.domSelectors[0]!.id.length, 36)
  t.match(await at('review'), /Ready, with 1 warning/, 'there is no browser to check the pages')
  t.match(await at('review'), /3 pages now/, 'the pages home, mug and bowl')
  t.match(await at('changes'), /3 of 5 pages match/)
})

t.test('changes on different pages stay on their pages after edits', async t => {
  const id = await newDraft(),
    variant = (await stored(id)).hypotheses.find(each => each.arm === 'variant')!.id
  const action = (selector: string) => ({ selector, kind: 'hide' as const, value: '', name: '' })
  await call('setDomSelectors', {
    params: { id: variant },
    body: {
      domSelectors: [
        { id: '', urlPatterns: ['/products/*'], actions: [action('h1')] },
        { id: '', urlPatterns: ['/collections/*'], actions: [action('.price'), action('.badge')] },
      ],
    },
  })
  const groups = async () =>
    (await stored(id)).domSelectors.map(
      ({ urlPatterns, actions }) =>
        `${urlPatterns.join()}: ${actions.map(({ selector }) => selector).join()}`,
    )
  const pages = textOf((await get(`${editor(id)}?step=pages`)).body)
  t.match(pages, /An empty line separates groups of pages/)
  t.match((await get(`${editor(id)}?step=changes`)).body, /name="changes\.2\.group"/)
  await post(`${editor(id)}?step=goal`, { act: 'save', title: 'Apart' })
  t.same(await groups(), ['/products/*: h1', '/collections/*: .price,.badge'])
  const row = (at: number, selector: string, group: string) => ({
    [`changes.${at}.selector`]: selector,
    [`changes.${at}.kind`]: 'hide',
    [`changes.${at}.value`]: '',
    [`changes.${at}.name`]: '',
    [`changes.${at}.group`]: group,
  })
  await post(`${editor(id)}?step=changes`, {
    act: 'save',
    changes: '3',
    ...row(0, '.price', '1'),
    ...row(1, 'h2', '0'),
    ...row(2, '.badge', '0'),
  })
  t.same(await groups(), ['/products/*: h2,.badge', '/collections/*: .price'])
  await post(`${editor(id)}?step=pages`, {
    act: 'save',
    urlPatterns: '/products/*\r\n/\r\n\r\n/search',
  })
  t.same(await groups(), ['/products/*,/: h2,.badge', '/search: .price'])
  t.equal(
    (await post(`${editor(id)}?step=pages`, { act: 'save', urlPatterns: '/products/*\r\n/search' }))
      .statusCode,
    422,
  )
  const wrong = await post(`${editor(id)}?step=changes`, {
    act: 'save',
    changes: '3',
    ...row(0, '.price[', '1'),
    ...row(1, 'h2', '0'),
    ...row(2, '.badge', '0'),
  })
  t.match(
    [wrong.statusCode, wrong.body],
    [422, /aria-invalid="true"[^>]*name="changes\.0\.selector"/],
  )
  t.same(await groups(), ['/products/*,/: h2,.badge', '/search: .price'])
  t.match(textOf((await get(`${editor(id)}?step=review`)).body), /\.price on \/search/)
})

t.test('saving a page without edits changes nothing', async t => {
  const id = await newDraft()
  await post(`${editor(id)}?step=pages`, { act: 'save', title: 'Same', urlPatterns: '/products/*' })
  const before = await stored(id)
  await post(`${editor(id)}?step=pages`, { act: 'save', title: 'Same', urlPatterns: '/products/*' })
  const after = await stored(id)
  t.same(
    { ...after, version: 0, updatedAt: '', previewUrls: [] },
    { ...before, version: 0, updatedAt: '', previewUrls: [] },
  )
})

t.test('shares that do not add up are refused at the field, and the form keeps them', async t => {
  const id = await newDraft()
  const { version } = await stored(id)
  const refused = await post(`${editor(id)}?step=split`, {
    act: 'go:review',
    title: 'Kept name',
    controlWeight: '50',
    variantWeight: '40',
    controlTitle: 'Kept title',
  })
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), /The two shares must add up to 100%/)
  t.match(
    refused.body,
    /name="variantWeight"[^>]*value="40"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*name="variantWeight"|name="variantWeight" value="40"/,
  )
  t.match(refused.body, 'value="Kept name"')
  t.match(refused.body, 'value="Kept title"')
  t.equal((await stored(id)).version, version, 'nothing is stored')
})

t.test(
  'launching an unfinished draft says what is missing, at the right step, and saves the typed text',
  async t => {
    const id = await newDraft()
    const refused = await post(`${editor(id)}?step=goal`, {
      act: 'launch',
      title: ' ',
      hypothesisDescription: 'Half a thought',
    })
    t.equal(refused.statusCode, 422)
    const text = textOf(refused.body)
    t.match(text, /Give the test a name/)
    t.match(
      text,
      /Name at least one page/,
      'the pages step is shown, because it is the first with something missing',
    )
    t.match(text, /3 fields to fix/)
    t.equal((await stored(id)).hypothesisDescription, 'Half a thought', 'the typed text is saved')
    t.equal((await call('tests', { query: { status: 'Active' } })).count, 0)
  },
)

t.test('an empty change is refused at its fields', async t => {
  const id = await newDraft()
  await post(`${editor(id)}?step=pages`, {
    act: 'save',
    title: 'Words',
    urlPatterns: '/products/*',
  })
  const refused = await post(`${editor(id)}?step=changes`, {
    act: 'launch',
    changes: '1',
    'changes.0.selector': '',
    'changes.0.kind': 'style',
    'changes.0.value': 'red',
    'changes.0.name': '',
  })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, /id="[^"]*words[^"]*"[^>]*class="field-error"|class="field-error"/)
  t.match(textOf(refused.body), /Pick the element to change/)
  t.match(textOf(refused.body), /Name the CSS property/)
  t.match(refused.body, 'value="red"')
})

t.test(
  'without scripts, buttons add and remove rows on the server, which stores nothing',
  async t => {
    const id = await newDraft()
    const { version } = await stored(id)
    const added = await post(`${editor(id)}?step=changes`, {
      act: 'add',
      title: 'Typed meanwhile',
      ...change,
    })
    t.equal(added.statusCode, 200)
    t.match(added.body, 'name="changes.1.selector"')
    t.match(added.body, 'value="Ships today"')
    t.match(added.body, 'value="Typed meanwhile"')
    const removed = await post(`${editor(id)}?step=changes`, { act: 'remove:0', ...change })
    t.notMatch(removed.body, 'name="changes.0.selector"')
    t.equal((await stored(id)).version, version)
  },
)

t.test('a redirect must lead to an existing page of the shop', async t => {
  const id = await newDraft('UrlRedirect')
  const pages = (redirectUrl: string) =>
    post(`${editor(id)}?step=pages`, {
      act: 'save',
      title: 'Guide',
      controlUrl: '/pages/gift-guide',
      redirectUrl,
    })
  for (const foreign of [
    'https://evil.example/guide',
    '//evil.example',
    'javascript:alert(1)',
    'http://169.254.169.254/latest',
    '/pages/gone',
  ]) {
    const refused = await pages(foreign)
    t.equal(refused.statusCode, 422, foreign)
    t.match(refused.body, /id="redirectUrl-problem"/, foreign)
    t.match(refused.body, `value="${foreign}"`, 'the form keeps the address')
  }
  t.equal((await stored(id)).redirectUrl, '')
  t.equal((await pages(`${shop.origin}/pages/gift-guide-2026?from=test`)).statusCode, 303)
  t.match(textOf((await get(`${editor(id)}?step=pages`)).body), /Save and refresh preview/)
  t.notMatch((await get(editor(id))).body, 'value="go:changes"', 'a redirect has no changes step')
  t.equal((await pages('')).statusCode, 303, 'the address can be cleared')
  t.equal((await stored(id)).redirectUrl, '')
})

t.test('an autosave names all wrong fields, also those that only the API knows', async t => {
  const id = await newDraft()
  const answer = await post(`${editor(id)}?step=goal`, {
    act: 'autosave',
    title: 'Stored all the same',
    minimumEffect: 'much',
    audienceIds: 'nobody-knows-it',
  })
  t.same(
    answer.json<{ problems: { field: string }[] }>().problems.map(({ field }) => field),
    ['minimumEffect', 'audienceIds.0'],
  )
  t.equal((await stored(id)).title, 'Stored all the same')
})

t.test('another person’s version is reported, and neither text is lost', async t => {
  const id = await newDraft()
  const { version } = await stored(id)
  await call('updateDraft', {
    params: { id },
    body: { title: 'Theirs', hypothesisDescription: 'Theirs too' },
  })
  const conflict = await post(`${editor(id)}?step=goal`, {
    act: 'save',
    version: String(version),
    title: 'Mine',
  })
  t.equal(conflict.statusCode, 409)
  t.match(textOf(conflict.body), /Someone else saved this draft/)
  t.match(conflict.body, 'value="Mine"')
  t.equal((await stored(id)).title, 'Theirs', 'our text is not stored')
  const theirs = /name="version" value="(\d+)"/.exec(conflict.body)![1]!
  t.equal(
    (await post(`${editor(id)}?step=goal`, { act: 'save', version: theirs, title: 'Mine' }))
      .statusCode,
    303,
  )
  t.match(await stored(id), { title: 'Mine', hypothesisDescription: 'Theirs too' })
})

t.test('an automatic save stores the right fields and not the wrong one', async t => {
  const id = await newDraft()
  const save = async (step: string, fields: Record<string, string>) =>
    (await post(`${editor(id)}?step=${step}`, { act: 'autosave', ...fields })).json<{
      done: string
      problems: { field: string }[]
    }>()
  const [everyone] = await call('audiences', {})
  t.match(
    await save('split', {
      controlWeight: '60',
      variantWeight: '50',
      audienceIds: everyone!.id,
      variantTitle: 'Kept',
    }),
    { done: 'refused', problems: [{ field: 'weights' }] },
  )
  t.match(await stored(id), {
    weights: [0.5, 0.5],
    audienceIds: [everyone!.id],
    variantTitle: 'Kept',
  })
  t.match(
    await save('split', { audienceIds: 'gone-since', controlTitle: 'Kept too' }),
    { done: 'refused', problems: [{ field: 'audienceIds' }] },
    'a problem that only the engine can find',
  )
  t.match(await stored(id), { audienceIds: [everyone!.id], controlTitle: 'Kept too' })

  await save('changes', change)
  const two = {
    ...change,
    changes: '2',
    'changes.0.selector': '.buy[',
    'changes.0.value': 'Ships now',
    'changes.1.selector': 'h1',
    'changes.1.kind': 'hide',
    'changes.1.value': '',
    'changes.1.name': '',
  }
  await save('changes', { ...two, 'changes.0.selector': '.buy' })
  const half = await save('changes', {
    ...two,
    'changes.0.value': 'Ships at once',
    'changes.1.kind': 'remove',
  })
  t.match(half, { done: 'refused', problems: [{ field: 'changes.0.selector' }] })
  t.equal(half.problems.length, 1)
  t.match((await stored(id)).domSelectors[0]!.actions, [
    { selector: '.buy', value: 'Ships at once' },
    { selector: 'h1', kind: 'remove' },
  ])
})

t.test('a page that is left during a save has no conflict with itself', async t => {
  const id = await newDraft(),
    { version } = await stored(id)
  const save = async (savedBy: string, title: string) =>
    (
      await post(`${editor(id)}?step=goal`, {
        act: 'autosave',
        version: String(version),
        savedBy,
        title,
      })
    ).json<{ done: string; version: number }>()
  t.same(
    (await Promise.all([save('one.1', 'Half'), save('one.2', 'Half a word')])).map(
      ({ done }) => done,
    ),
    ['saved', 'saved'],
  )
  t.match(await save('one.3', 'Half a word more'), { done: 'saved', version: version + 3 })
  t.equal((await save('one.2', 'Half a word')).done, 'saved')
  t.match(
    await save('one.4', 'Half a word more'),
    { done: 'saved', version: version + 3 },
    'the same text again makes no new version',
  )
  t.equal((await stored(id)).title, 'Half a word more', 'a late save does not restore old text')
  t.equal((await save('two.1', 'Another tab')).done, 'conflict')
  t.equal((await save('', 'No page')).done, 'conflict')
  await call('updateDraft', { params: { id }, body: { hypothesisDescription: 'Theirs' } })
  t.equal((await save('one.5', 'Over theirs')).done, 'conflict', 'another person saved in between')
  t.match(await stored(id), { title: 'Half a word more', hypothesisDescription: 'Theirs' })
})

t.test(
  'text that is typed while the form is being sent is stored too, in either order of arrival',
  async t => {
    const id = await newDraft(),
      { version } = await stored(id)
    const send = (act: string, savedBy: string, title: string) =>
      post(`${editor(id)}?step=goal`, { act, version: String(version), savedBy, title })
    t.equal((await send('save', 'one.1', 'Sent')).statusCode, 303)
    t.match((await send('autosave', 'one.2', 'Sent and typed on')).json(), {
      done: 'saved',
      version: version + 2,
    })
    t.equal(
      (await send('autosave', 'one.4', 'Typed on again')).json<{ done: string }>().done,
      'saved',
    )
    t.equal((await send('save', 'one.3', 'Sent and typed on')).statusCode, 303)
    t.equal((await stored(id)).title, 'Typed on again')
    t.equal(
      (await send('launch', 'one.3', 'Sent and typed on')).statusCode,
      422,
      'the launch is still refused for what is missing',
    )
    t.equal((await send('save', 'two.1', 'Another tab')).statusCode, 409)
  },
)

t.test('a launch leads to the report; a second click makes no second test', async t => {
  const id = await newDraft()
  await post(`${editor(id)}?step=pages`, {
    act: 'save',
    title: 'Launched once',
    urlPatterns: '/products/*',
  })
  const { version } = await stored(id)
  const click = () =>
    post(`${editor(id)}?step=changes`, { act: 'launch', version: String(version), ...change })
  const clicks = await Promise.all([click(), click(), click()])
  const third = await click()
  t.same(new Set([...clicks, third].map(c => c.statusCode)), new Set([303]))
  t.equal(new Set([...clicks, third].map(c => c.headers.location)).size, 1)
  t.equal((await call('tests', { query: { status: 'Active', search: 'Launched once' } })).count, 1)
  const report = await get(third.headers.location!)
  t.equal(report.statusCode, 200)
  t.match(textOf(report.body), /Test launched\./)
})

t.test('a form deletes the draft, and then it is 404 everywhere', async t => {
  const id = await newDraft()
  const deleted = await post(`${editor(id)}/delete`)
  t.match([deleted.statusCode, deleted.headers.location], [303, '/tests/list/drafts'])
  t.equal((await get(editor(id))).statusCode, 404)
  t.equal((await post(editor(id), { act: 'save', title: 'x' })).statusCode, 404)
  t.equal((await get(editor('nonsense'))).statusCode, 404)
})

t.test('hostile text is escaped in every place', async t => {
  const id = await newDraft()
  const hostile = '"><script>alert(1)</script>\u2028'
  await post(`${editor(id)}?step=goal`, {
    act: 'save',
    title: hostile,
    hypothesisDescription: `</textarea>${hostile}`,
  })
  await post(`${editor(id)}?step=changes`, {
    act: 'save',
    ...change,
    'changes.0.selector': hostile,
    'changes.0.value': `</script>${hostile}`,
  })
  for (const step of ['goal', 'pages', 'changes', 'split', 'review']) {
    const { body } = await get(`${editor(id)}?step=${step}`)
    t.notMatch(body, '<script>alert', step)
    t.notMatch(body, '</script>"', step)
  }
})

t.test('a request from another site cannot change a draft', async t => {
  const id = await newDraft()
  const foreign = await post(
    editor(id),
    { act: 'save', title: 'Taken' },
    { headers: { origin: 'https://evil.example' } },
  )
  t.equal(foreign.statusCode, 403)
  t.equal((await stored(id)).title, '')
})
