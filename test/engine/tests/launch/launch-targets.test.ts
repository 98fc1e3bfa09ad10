import t from 'tap'
import { launchCheck, uncompared } from '../../../../domain/tests/launch-check.ts'
import { themeTarget } from '../../../../domain/tests/test-target.ts'
import { draftRow } from '../../../../engine/drafts/draft-rows.ts'
import { armsAlike } from '../../../../engine/tests/arms-alike.ts'
import {
  contentHash,
  findingsOf,
  keepFindings,
} from '../../../../engine/tests/launch/launch-findings.ts'
import { refusal } from '../../support/engine.ts'
import { changeOf, fieldsOf, startLaunchShop } from '../../support/shops/launch-shop.ts'
import { firstShop } from '../../support/small-shop.ts'

const { call, db, now, platform, merchant, store, draft, checks, line, launch, endAll } =
  await startLaunchShop(t)
const themeOf = (id: string) => ({ ...themeTarget(id), hash: null })

t.test('a pattern that matches no page is red, or amber beside one that matches', async t => {
  const never = await draft({ kind: 'PageElement' }, '/produkte/*')
  t.match(await line(never, 'pages'), {
    tone: 'bad',
    field: 'urlPatterns',
    message: /^No page of the shop matches\./,
  })
  t.match(await refusal(launch(never)), {
    status: 400,
    problem: { fields: [{ field: 'urlPatterns', message: /^No page of the shop matches\./ }] },
  })
  const some = await draft({ kind: 'PageElement' }, ['/produkte/*', '/products/*'])
  t.match(await line(some, 'pages'), {
    tone: 'warn',
    message: 'No page of the shop matches “/produkte/*” now.',
  })
  t.match(
    await line(await draft({ kind: 'PageElement' }, ['/search?q=mug']), 'pages'),
    { tone: 'good' },
    'a page that the shop’s search does not find',
  )
})

t.test('a redirect to an address that redirects again, or to no page, is refused', async t => {
  const redirect = (path: string, target: string) =>
    platform.createUrlRedirect(firstShop, { path, target })
  await redirect('/pages/old', '/pages/older')
  await redirect('/pages/older', '/pages/about')
  await redirect('/pages/lost', '/pages/nowhere')
  for (const [redirectUrl, message] of [
    [
      '/pages/old',
      'This address redirects to another: /pages/old → /pages/older → /pages/about. Enter /pages/about instead.',
    ],
    [
      '/pages/lost',
      'This address redirects to a page that does not exist: /pages/lost → /pages/nowhere.',
    ],
    ['/pages/nowhere', 'The shop has no page at this address.'],
  ] as const) {
    const id = await draft({ kind: 'UrlRedirect', controlUrl: '/pages/gift-guide', redirectUrl })
    t.match(
      await line(id, 'redirect'),
      { tone: 'bad', field: 'redirectUrl', message },
      String(redirectUrl),
    )
    t.match(await refusal(launch(id)), {
      status: 400,
      problem: { fields: [{ field: 'redirectUrl', message }] },
    })
    t.match(await refusal(call('validateRedirectUrl', { query: { redirectUrl } })), {
      status: 400,
      problem: { fields: [{ field: 'redirectUrl', message }] },
    })
  }
  const id = await draft({
    kind: 'UrlRedirect',
    controlUrl: '/pages/gift-guide#top',
    redirectUrl: '/pages/about',
  })
  t.match(await line(id, 'redirect'), { tone: 'good' })
  const { testId } = await launch(id)
  t.same(
    (await call('test', { params: { id: testId } })).pages,
    ['/pages/gift-guide'],
    'the part after # is never sent to the shop',
  )
  await endAll()
})

t.test(
  'a redirect to its own page is red; one that changes only the query is amber, because it cannot be applied',
  async t => {
    const same = await draft({
      kind: 'UrlRedirect',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide#top',
    })
    t.match(await line(same, 'redirect'), {
      tone: 'bad',
      field: 'redirectUrl',
      message: 'The variant must be another page than the control.',
    })
    t.same(fieldsOf(await refusal(launch(same))), ['redirectUrl'])
    const query = await draft({
      kind: 'UrlRedirect',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide?v=2',
    })
    t.match(await line(query, 'redirect'), {
      tone: 'warn',
      field: 'redirectUrl',
      message: /same page with a different query/,
      remedy: /not apply it from here/,
    })
  },
)

t.test(
  'a redirect to another test’s page shares its visitors; two redirects in a circle are refused',
  async t => {
    const redirect = (title: string, controlUrl: string, redirectUrl: string) =>
      draft({ kind: 'UrlRedirect', title, controlUrl, redirectUrl })
    const there = await launch(await redirect('There', '/pages/about', '/pages/shipping'))
    const on = await redirect('On', '/pages/gift-guide', '/pages/about')
    t.match(await line(on, 'redirect'), {
      tone: 'warn',
      message: '“There” redirects visitors away from the variant’s page.',
    })
    t.match(await line(on, 'sharing'), { tone: 'warn', message: /“There”/ })
    t.match(
      (await checks(await draft({ kind: 'PageElement' }, '/pages/shipping'))).sharing.tests,
      [{ id: there.testId }],
      'visitors of the variant come to that page',
    )
    const back = await redirect('Back', '/pages/shipping', '/pages/about')
    const message =
      '“There” leads from there back to /pages/shipping: the tests would go in a circle. Name another page, or end that test first.'
    t.match(await line(back, 'redirect'), { tone: 'bad', field: 'redirectUrl', message })
    t.match(await refusal(launch(back)), {
      status: 400,
      problem: { fields: [{ field: 'redirectUrl', message }] },
    })
    await launch(on)
    t.match(
      await refusal(launch(await redirect('Round', '/pages/shipping', '/pages/gift-guide'))),
      { problem: { fields: [{ message: /^“On” and “There” lead from there back/ }] } },
    )
    await endAll()
    t.match(await line(back, 'redirect'), { tone: 'good' })
  },
)

t.test(
  'a template or theme that is unchanged, gone or incompatible is red, also between check and launch',
  async t => {
    const id = await draft({ kind: 'Template' })
    await call('setControl', { params: { id }, body: { type: 'page' } })
    const { variant } = await call('setVariant', { params: { id }, body: {} })
    const same = { field: 'content', message: /^The variant is still the same as the control\./ }
    t.match(await line(id, 'target'), { tone: 'bad', ...same })
    t.match(await refusal(launch(id)), { status: 400, problem: { fields: [same] } })
    const { version, sections } = await call('templateContent', { params: { id } })
    await call('setTemplateContent', {
      params: { id },
      body: { version, sections: [{ id: sections[0]!.id, isShown: false }] },
    })
    t.match(await line(id, 'target'), { tone: 'good' })
    const live = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!
    await merchant.deleteThemeFiles(firstShop, live.id, [`templates/page.${variant!.suffix}.json`])
    t.match(await refusal(launch(id)), {
      status: 400,
      problem: {
        fields: [
          {
            field: 'variant',
            message: `The live theme ${live.name} has no template page.${variant!.suffix}.`,
          },
        ],
      },
    })
    t.match(await line(id, 'target'), { tone: 'bad', field: 'variant' })

    const theme = await draft({ kind: 'Theme' }),
      other = (await platform.themes(firstShop)).find(({ role }) => role !== 'live')!
    await call('setControl', { params: { id: theme }, body: { themeId: live.id } })
    await call('setVariant', { params: { id: theme }, body: { themeId: other.id } })
    const { isCompatible, message } = await call('themeIsCompatible', {
      params: { id: other.id },
      query: { force: true },
    })
    t.match(
      await line(theme, 'target'),
      isCompatible
        ? { tone: 'good' }
        : {
            tone: 'bad',
            field: 'variant',
            message: `${message} Add them to it, or choose another theme.`,
          },
    )
  },
)

t.test('the control of a theme test must be the live theme', async t => {
  const all = await platform.themes(firstShop),
    live = all.find(({ role }) => role === 'live')!,
    other = all.find(({ role }) => role !== 'live')!
  const id = await draft({ kind: 'Theme' })
  await call('setControl', { params: { id }, body: { themeId: other.id } })
  await call('setVariant', { params: { id }, body: { themeId: live.id } })
  const message = `The control must be your live theme, which is ${live.name} now. Choose the variant’s theme again: your live theme then becomes the control.`
  t.match(await line(id, 'target'), { tone: 'bad', field: 'control', message })
  t.match(await refusal(launch(id)), {
    status: 400,
    problem: { fields: [{ field: 'control', message }] },
  })
  // The control that was the live theme when the draft was made is another theme by now.
  await call('setControl', { params: { id }, body: { themeId: live.id } })
  t.match(await call('draft', { params: { id } }), {
    control: { themeId: live.id },
    variant: { themeId: other.id },
  })
  t.match(await line(id, 'target'), { tone: 'good' })
  await merchant.publishTheme(firstShop, other.id)
  t.match(await line(id, 'target'), {
    tone: 'bad',
    field: 'control',
    message: new RegExp(`which is ${other.name} now`),
  })
  await merchant.publishTheme(firstShop, live.id)
})

t.test(
  'two templates or themes with the same content are refused; a shop that does not answer is only a warning',
  async t => {
    const id = await draft({ kind: 'Template' }),
      live = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!
    await call('setControl', { params: { id }, body: { type: 'page' } })
    const [own] = await platform.themeFiles(firstShop, live.id, ['templates/page.json'])
    const write = (body: string) =>
      merchant.writeThemeFiles(firstShop, live.id, [{ name: 'templates/page.twin.json', body }])
    await write(` ${own!.body}`)
    await call('setVariant', { params: { id }, body: { suffix: 'twin' } })
    t.match(
      await line(id, 'target'),
      { tone: 'bad', field: 'variant', message: /^Both templates have the same content/ },
      'spaces do not count',
    )
    t.same(fieldsOf(await refusal(launch(id))), ['variant'])
    await write(own!.body.replace(/"order": \[/, '"order": [ '))
    t.match(await line(id, 'target'), { tone: 'bad' })
    const row = (await draftRow(db.kysely, store, id))!
    const silent = { ...platform, themeFiles: () => Promise.reject(new Error('no answer')) }
    t.equal(await armsAlike({ db, platform: silent, log: undefined as never }, row), 'unknown')
    t.match(uncompared, { name: 'target', tone: 'warn' })
    await merchant.deleteThemeFiles(firstShop, live.id, ['templates/page.twin.json'])
    const other = (await platform.themes(firstShop)).find(({ role }) => role !== 'live')!
    const themes = {
      ...row,
      kind: 'Theme' as const,
      control_target: themeOf(live.id),
      variant_target: themeOf(live.id),
    }
    t.equal(await armsAlike({ db, platform, log: undefined as never }, themes), 'same')
    t.equal(
      await armsAlike(
        { db, platform, log: undefined as never },
        { ...themes, variant_target: themeOf(other.id) },
      ),
      'different',
    )
  },
)

t.test(
  'a red finding of the browser refuses the launch until the draft’s content changes',
  async t => {
    const id = await draft({ kind: 'PageElement' })
    const found = async () => (await draftRow(db.kysely, store, id))!
    const red = launchCheck('selectors', 'bad', '“.buy” finds nothing on the tested pages.', {
      remedy: 'Pick the element again.',
    })
    await keepFindings(
      { db, clock: () => now.at },
      await found(),
      await contentHash({ db, platform }, await found()),
      [red, launchCheck('errors', 'warn', 'Noise.')],
    )
    t.match(await refusal(launch(id)), {
      status: 400,
      problem: {
        fields: [
          {
            field: 'changes',
            message: '“.buy” finds nothing on the tested pages. Pick the element again.',
          },
        ],
      },
    })
    await call('updateDraft', { params: { id }, body: { title: 'Another name' } })
    t.equal((await refusal(launch(id))).status, 400, 'a new name does not change the content')
    const { hypotheses } = await call('draft', { params: { id } })
    await call('setDomSelectors', {
      params: { id: hypotheses[1]!.id },
      body: { domSelectors: changeOf('/products/*', 'h1') },
    })
    const { testId } = await launch(id)
    t.ok(testId)
    t.same(
      await db.kysely.selectFrom('launch_checks').select('draft_id').execute(),
      [],
      'findings are deleted with their draft',
    )
    await keepFindings(
      { db, clock: () => now.at },
      { store_id: store, draft_id: id } as never,
      'x',
      [],
    )
    t.same(
      await db.kysely.selectFrom('launch_checks').select('draft_id').execute(),
      [],
      'a job that ends later stores nothing',
    )
    await endAll()
  },
)

t.test(
  'findings of a browser about a template are stale once its file is edited in the shop',
  async t => {
    const id = await draft({ kind: 'Template' })
    await call('setControl', { params: { id }, body: { type: 'page' } })
    const { variant } = await call('setVariant', { params: { id }, body: {} })
    const context = { db, platform },
      row = (await draftRow(db.kysely, store, id))!
    const begun = await contentHash(context, row)
    await keepFindings({ db, clock: () => now.at }, row, begun, [])
    t.equal((await findingsOf(context, row))?.isStale, false)
    const live = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!,
      name = `templates/page.${variant!.suffix}.json`
    const [file] = await platform.themeFiles(firstShop, live.id, [name])
    await merchant.writeThemeFiles(firstShop, live.id, [{ name, body: `${file!.body} ` }])
    t.equal((await findingsOf(context, row))?.isStale, true)
    await keepFindings({ db, clock: () => now.at }, row, begun, [])
    t.equal(
      (await findingsOf(context, row))?.isStale,
      true,
      'findings of a browser that started before the edit are stale too',
    )
  },
)
