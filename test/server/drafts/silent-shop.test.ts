import t from 'tap'
import { stepsOf } from '../../../domain/drafts/draft-steps.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import { holdCause } from '../../../domain/tests/hold-cause.ts'
import { seedTest } from '../../engine/support/seeds.ts'
import { seedSummary } from '../../engine/support/summaries.ts'
import { textOf } from '../support/merchant.ts'
import {
  act,
  at,
  call,
  db,
  edit,
  get,
  newDraft,
  now,
  platform,
  post,
  shop,
  storeId,
  stored,
} from '../support/draft-kinds-shop.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { hang } from '../../demo-shop/support/hanging.ts'

// A shop that accepts connections and never answers. Each draft is made while it still answers.
const title = (kind: string) => `A test of ${kind}`
const drafts = new Map<string, string>()
for (const kind of testKindNames) drafts.set(kind, await newDraft(kind))
const idOf = (kind: string) => drafts.get(kind)!

const [theme] = (await platform.themes(firstShop)).filter(({ role }) => role !== 'live')
await act(idOf('Theme'), 'theme', `theme.choose:${theme!.id}`)
const [mug] = await platform.resources(firstShop, 'product')
await act(idOf('PageContent'), 'page', `page.choose:product:${mug!.suffix}:${mug!.id}`)
await act(idOf('Template'), 'template', 'template.control:product:')
await act(idOf('Template'), 'template', 'template.copy')
const { items } = await platform.searchProducts(firstShop, {
  query: '',
  direction: 'forward',
  pageSize: 1,
})
await call('upsertProducts', {
  query: { testDraftId: idOf('Price') },
  body: { products: [{ productId: items[0]!.id }] },
})
const content = (await get(edit(idOf('PageContent'), 'content'))).body

const { themeId: live } = await call('storeInfo', {})
const target = (themeId: string) =>
  JSON.stringify({
    templateType: null,
    suffix: null,
    themeId,
    url: null,
    isOurs: false,
    hash: null,
  })
const heldTest = (over: Parameters<typeof seedTest>[2]) =>
  seedTest(db, storeId, {
    status: 'OnHold',
    hold_cause: JSON.stringify(holdCause('themeGone')),
    start_at: now.at,
    ...over,
  })
const heldTheme = await heldTest({
  kind: 'Theme',
  control_target: target(live!),
  variant_target: target(theme!.id),
  live_theme_id: live,
  pages: '[]',
})
const heldRedirect = await heldTest({
  kind: 'UrlRedirect',
  control_url: '/pages/about',
  redirect_url: '/pages/journal',
  pages: '["/pages/about"]',
})
for (const id of [heldTheme, heldRedirect]) await seedSummary(db, storeId, id, [120, 130])

const shopAgain = hang(shop.app.server)
t.teardown(shopAgain)

t.test('every step of every kind of draft opens, and says what could not be read', async t => {
  for (const kind of testKindNames)
    await Promise.all(
      stepsOf(kind).map(async step => {
        const page = await get(edit(idOf(kind), step))
        t.equal(page.statusCode, 200, `${kind} ${step}`)
        t.match(textOf(page.body), 'Your shop does not answer.', `${kind} ${step} says so`)
      }),
    )
})

t.test('the page says which part it is, and nothing that is not known', async t => {
  const shown = async (kind: string, step: string, more = '') =>
    textOf((await get(edit(idOf(kind), step, more))).body)
  t.match(await shown('Theme', 'theme'), 'Your shop’s themes cannot be shown')
  t.match(await shown('Template', 'template'), 'Your shop’s templates cannot be shown')
  t.match(await shown('PageContent', 'page'), 'Your shop’s pages and templates cannot be shown')
  t.match(await shown('PageContent', 'content'), 'The content of the variant’s template cannot be')
  t.match(await shown('PageElement', 'pages'), 'Your shop’s pages cannot be loaded right now')
  t.match(await shown('Price', 'products'), items[0]!.title, 'what we store is there')
  t.match(await shown('Price', 'products', '&add='), 'so its products cannot be listed')
  t.match(await shown('Template', 'review'), 'so the launch cannot be checked')
  t.match(await shown('Theme', 'review'), 'whose name your shop does not tell')
})

t.test('every kind of draft is saved', async t => {
  for (const kind of testKindNames)
    for (const save of ['save', 'autosave']) {
      const words = `${title(kind)}, ${save}`
      const answer = await post(edit(idOf(kind)), { act: save, title: words })
      t.equal(answer.statusCode, save === 'save' ? 303 : 200, words)
      t.equal((await stored(idOf(kind))).title, words)
    }
})

t.test('an address that could not be checked is saved, and its field says so', async t => {
  const id = idOf('UrlRedirect'),
    typed = { controlUrl: '/pages/about', redirectUrl: '/pages/journal' }
  const unchecked = 'Your shop did not answer, so this address is saved but not checked.'
  const saved = await act(id, 'pages', 'save', typed)
  t.equal(saved.statusCode, 200)
  t.match(saved.body, 'value="/pages/journal"')
  t.ok(at(saved.body, 'redirectUrl'))
  t.match(textOf(saved.body), unchecked)
  t.match(await stored(id), typed)
  const byItself = await post(edit(id, 'pages'), {
    act: 'autosave',
    redirectUrl: '/pages/journal-2',
  })
  t.match(byItself.json(), { done: 'saved', problems: [{ field: 'redirectUrl' }] })
  const onward = await act(id, 'pages', 'go:split', { redirectUrl: '/pages/journal-3' })
  t.match(textOf(onward.body), unchecked, 'said on the next page too')
})

t.test('what only the shop can do is refused in the editor, with what was typed', async t => {
  const id = idOf('PageContent')
  const field = (name: RegExp) =>
    new RegExp(`name="(${name.source})" value="([^"]*)"`).exec(content)!
  const [, version, known] = field(/content\.version/),
    [, was, drawn] = field(/content\.was/)
  const [, text] = /<(?:input|textarea)[^>]* name="(content\.(?!version|was)[^"]+)"/.exec(content)!
  const saved = await post(edit(id, 'content'), {
    act: 'save',
    [version!]: known!,
    [was!]: drawn!,
    [text!]: 'Typed while the shop was silent',
  })
  t.equal(saved.statusCode, 422)
  t.match(textOf(saved.body), 'What you typed is kept on this page')
  t.match(saved.body, 'value="Typed while the shop was silent"')
  const copied = await post(edit(idOf('Template'), 'template'), { act: 'template.remove' })
  t.equal(copied.statusCode, 422)
  t.match(textOf(copied.body), 'Your shop did not answer.')
  const launched = await post(edit(idOf('UrlRedirect'), 'review'), {
    act: 'launch',
    title: 'Ready to go',
  })
  t.match(textOf(launched.body), 'Not launched. Your draft is saved. Your shop did not answer')
})

t.test('a report opens without a dialog that says what the shop has', async t => {
  for (const [id, ask] of [
    [heldTheme, 'apply-variant'],
    [heldTheme, 'apply-control'],
    [heldTheme, 'variant'],
  ] as const) {
    const report = await get(`/tests/${id}?ask=${ask}`)
    t.equal(report.statusCode, 200, ask)
    t.match(textOf(report.body), 'Your shop did not answer, so this cannot be asked for now.', ask)
    t.notMatch(report.body, /<dialog id="(apply|variant)-test"[^>]* open/, ask)
  }
  const other = await get(`/tests/${heldRedirect}?ask=variant`)
  t.match(other.body, '<dialog id="variant-test"', 'this dialog asks the shop nothing')
})

t.test('another variant of a test on hold is refused, with what was chosen', async t => {
  for (const [id, typed, kept] of [
    [heldRedirect, { redirectTestUrl: '/pages/press' }, 'value="/pages/press"'],
    [heldTheme, { themeId: theme!.id }, `<option value="${theme!.id}" selected`],
  ] as const) {
    const answer = await post(`/tests/${id}/variant`, { choice: 'anew', ...typed })
    t.equal(answer.statusCode, 422, kept)
    t.match(textOf(answer.body), 'Your shop did not answer, so the variant may not be set.')
    t.match(answer.body, kept)
  }
})

t.test('a draft or test whose copy the shop does not make stays as it is, and says so', async t => {
  const said = 'Your shop did not answer'
  const inEditor = await post(edit(idOf('Template'), 'template'), { act: 'duplicate' })
  t.equal(inEditor.statusCode, 422)
  t.match(textOf(inEditor.body), `${said}. Your draft is saved, but what you asked for may not be`)
  const inList = await post(`/tests/draft/edit/${idOf('Template')}/duplicate`)
  t.equal(inList.statusCode, 303)
  t.match(textOf((await get(inList.headers.location!)).body), `${said}, so what you asked for may`)
  const applied = await post(`/tests/${heldTheme}/apply`, { arm: 'variant' })
  t.equal(applied.statusCode, 422)
  t.match(textOf(applied.body), `${said}, so what you asked for may not be done.`)
})

t.test('the shop answers again, and all of it is there', async t => {
  shopAgain()
  const words = async () => textOf((await get(edit(idOf('Theme'), 'theme'))).body)
  // On a busy machine, the first answer may take longer than a silent shop has.
  while ((await words()).includes('Your shop does not answer.'));
  t.match(await words(), theme!.name)
})
