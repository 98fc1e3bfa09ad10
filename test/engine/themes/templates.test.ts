import { sql } from 'kysely'
import t from 'tap'
import { quotas } from '../../../domain/quota.ts'
import { seedEvents } from '../support/page-views.ts'
import { prune } from '../../../engine/operators/schedule.ts'
import { refusal, type Refused } from '../support/engine.ts'
import { like } from '../support/like.ts'
import { firstShop } from '../support/small-shop.ts'
import { seedTest } from '../support/seeds.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, call, db, now, shop, platform, close } = await startWithShop()
t.teardown(close)
const { id: store, themeId } = await call('storeInfo', {})
const list = (type?: 'product' | 'page' | 'home') =>
  call('templates', { query: type ? { type } : {} })
const find = async (type: 'product' | 'page' | 'home', suffix = '') =>
  (await list(type)).find(each => each.suffix === suffix)!

t.test('the templates of the live theme are listed, with the number of their pages', async t => {
  const all = await list()
  t.same(
    new Set(all.map(each => each.type)),
    new Set(['home', 'product', 'collection', 'page', 'blog', 'article', 'cart', 'search']),
  )
  t.notOk(
    all.some(each => each.file.includes('404')),
    'no template of another kind',
  )
  const products = await platform.resources(firstShop, 'product')
  for (const suffix of ['', 'story'])
    t.match(await find('product', suffix), {
      kind: 'Simple',
      assignedCount: products.filter(each => each.suffix === suffix).length,
      file: `templates/product${suffix && '.story'}.json`,
      test: null,
      copyOf: null,
      visitors: null,
    })
  t.match(await find('home'), { assignedCount: null, file: 'templates/index.json' })
  t.ok((await list('page')).every(each => each.type === 'page'))
  await t.rejects(call('templates', { query: { type: '404' as 'page' } }), like({ status: 400 }))
})

t.test('a template names the unfinished test that uses it', async t => {
  const target = (suffix: string) =>
    JSON.stringify({
      templateType: 'page',
      suffix,
      themeId: null,
      url: null,
      isOurs: false,
      hash: null,
    })
  const id = await seedTest(db, store, {
    kind: 'Template',
    title: 'Guide',
    status: 'Paused',
    control_target: target('guide'),
    variant_target: target(''),
  })
  t.same((await find('page', 'guide')).test, { id, title: 'Guide', status: 'Paused' })
  t.same((await find('page')).test, { id, title: 'Guide', status: 'Paused' })
  await call('updateTest', { params: { id }, body: { status: 'Ended' } })
  t.equal((await find('page', 'guide')).test, null)
})

t.test('a template has the visitors of its pages, each counted once', async t => {
  const [one, two] = (await platform.resources(firstShop, 'product')).filter(
    each => each.suffix === '',
  )
  // 26 hours ago, because the longest day has 25 hours.
  const yesterday = new Date(now.at.getTime() - 26 * 3_600_000)
  await seedEvents(engine, firstShop, yesterday, [
    ['a', one!.path],
    ['a', two!.path],
    ['b', `${one!.path}?from=mail`],
    ['c', '/'],
    ['b', '/'],
  ])
  t.equal((await find('product')).visitors, 2)
  t.equal((await find('product', 'story')).visitors, 0)
  t.equal((await find('home')).visitors, 2)
  t.equal((await find('page', 'guide')).visitors, 0)
})

t.test(
  'a template is copied with a suffix of ours, for all pages or chosen ones; copies are limited',
  async t => {
    const products = (await platform.resources(firstShop, 'product')).filter(
      each => each.suffix === 'story',
    )
    const copy = await call('duplicateTemplate', {
      body: { type: 'product', suffix: 'story', granular: [products[0]!.id] },
    })
    t.match(copy, {
      suffix: /^ts-[a-z0-9]{6}$/,
      copyOf: 'story',
      resourceIds: [products[0]!.id],
      kind: 'Simple',
      assignedCount: 0,
      createdAt: now.at.toISOString(),
    })
    t.match(await find('product', copy.suffix), { copyOf: 'story' })
    const { id } = await call('createDraft', { body: { kind: 'Template' } })
    await call('setControl', { params: { id }, body: { type: 'product', suffix: 'story' } })
    t.match(await call('setVariant', { params: { id }, body: { suffix: copy.suffix } }), {
      resourceIds: [products[0]!.id],
      origin: 'ExistingTemplate',
      variant: { isOurs: false },
    })
    await call('deleteDraft', { params: { id } })
    await engine.runJobs()
    t.ok(
      await find('product', copy.suffix),
      'a copy that was not made for a draft stays after the draft',
    )
    await t.rejects(
      call('duplicateTemplate', { body: { type: 'product', suffix: 'nowhere' } }),
      like({ status: 404 }),
    )
    await t.rejects(
      call('duplicateTemplate', { body: { type: 'product', suffix: '../config/settings' } }),
      like({ status: 400 }),
    )
    const foreign = (await call('duplicateTemplate', {
      body: { type: 'product', suffix: 'story', granular: ['none'] },
    }).catch((error: Refused) => error)) as Refused
    t.same([foreign.status, foreign.problem.fields![0]!.field], [400, 'granular.0'])
    const more = () => call('duplicateTemplate', { body: { type: 'product', suffix: 'story' } })
    const { body } = (await platform.themeFiles(firstShop, themeId!, [copy.file]))[0]!
    const suffixes = Array.from({ length: quotas.templateCopies }, (_, n) => `ts-made${n}`),
      files = suffixes.map(suffix => `templates/product.${suffix}.json`)
    // The shop accepts fifty files in one request.
    const halves = [files.slice(0, 50), files.slice(50)]
    for (const half of halves)
      await platform.writeThemeFiles(
        firstShop,
        themeId!,
        half.map(name => ({ name, body })),
      )
    await db.kysely
      .insertInto('template_copies')
      .values(
        suffixes.map(suffix => ({
          store_id: store,
          type: 'product' as const,
          suffix,
          from_suffix: 'story',
          resource_ids: '[]',
          created_at: now.at,
        })),
      )
      .execute()
    t.match(await refusal(more()), { status: 409, problem: { message: /at most 100 copies/ } })
    for (const half of halves) await platform.deleteThemeFiles(firstShop, themeId!, half)
    await t.resolves(more(), 'deleted copies do not count')
    await sql`insert into journal (store_id, batch_id, kind, place, what, before, after, state, created_at)
      select ${store}, gen_random_uuid(), 'file', '["1", "a"]', 'A copy', null, 'body', 'undone', ${now.at} from generate_series(1, ${quotas.copiesADay})`.execute(
      db.kysely,
    )
    t.match(await refusal(more()), { status: 409, problem: { message: /in a day/ } })
    now.at = new Date(now.at.getTime() + 86_400_001)
    await t.resolves(more(), 'the next day more can be made')
    const undone = () =>
      db.kysely.selectFrom('journal').select('seq').where('state', '=', 'undone').execute()
    await prune(db, now.at)
    t.same(await undone(), [], 'undone entries without a draft or a test are deleted')
    const { id: draft } = await call('createDraft', { body: { kind: 'Template' } })
    await sql`insert into journal (store_id, batch_id, test_id, kind, place, what, before, after, state, created_at)
      select ${store}, gen_random_uuid(), ${draft}, 'file', '["1", "a"]', 'A copy', null, 'body', 'undone', ${now.at} from generate_series(1, 30)`.execute(
      db.kysely,
    )
    await prune(db, new Date(now.at.getTime() + 86_400_001))
    t.equal((await undone()).length, 20, 'a draft keeps its latest 20 entries, for a duplicate')
    await call('deleteDraft', { params: { id: draft } })
    await prune(db, new Date(now.at.getTime() + 86_400_001))
    t.same(await undone(), [])
  },
)

t.test(
  'the live theme is listed first, and a theme is compatible if it has all templates that the shop uses',
  async t => {
    const themes = await call('themes', {})
    t.match(themes, [{ id: themeId, role: 'live' }, { role: 'unpublished' }])
    const other = themes[1]!.id
    const check = (force = false) =>
      call('themeIsCompatible', { params: { id: other }, query: { force } })
    await platform.deleteThemeFiles(
      firstShop,
      other,
      (await platform.themeFiles(firstShop, other, ['templates/']))
        .map(each => each.name)
        .filter(name => /product\.ts-/.test(name)),
    )
    const fine = await check(true)
    t.match(fine, { isCompatible: true, missing: [], message: null })
    const [product] = await platform.resources(firstShop, 'product')
    const copy = await call('duplicateTemplate', { body: { type: 'product', suffix: '' } })
    await platform.assignTemplates(firstShop, [
      { type: 'product', id: product!.id, suffix: copy.suffix },
    ])
    t.match(
      await check(),
      { isCompatible: true, checkedAt: fine.checkedAt },
      'the result is cached for this version of the theme',
    )
    const lacking = await check(true)
    t.match(lacking, {
      isCompatible: false,
      missing: [
        { type: 'product', suffix: copy.suffix, assignedCount: 1, titles: [product!.title] },
      ],
      message: `${themes[1]!.name} lacks templates that the shop uses: product.${copy.suffix} (used by 1).`,
    })
    t.match(await check(), lacking)
    const { body } = (await platform.themeFiles(firstShop, themeId!, [copy.file]))[0]!
    const before = (await call('themes', {})).find(each => each.id === other)!.updatedAt
    now.at = new Date(Math.max(now.at.getTime(), Date.parse(before)) + 1000)
    await platform.writeThemeFiles(firstShop, other, [{ name: copy.file, body }])
    t.match(await check(), { isCompatible: true }, 'another version of the theme is checked again')
    await platform.assignTemplates(firstShop, [{ type: 'product', id: product!.id, suffix: '' }])
    t.match(await check(true), { isCompatible: true, isSameAsLive: false })
    now.at = new Date(now.at.getTime() + 1000)
    const [own, its] = await Promise.all(
      [themeId!, other].map(id =>
        platform.themeFiles(firstShop, id, [
          'templates/',
          'config/',
          'sections/',
          'layout/',
          'snippets/',
          'blocks/',
          'assets/',
          'locales/',
        ]),
      ),
    )
    await platform.writeThemeFiles(
      firstShop,
      other,
      own!.map(({ name, body: text }) => ({ name, body: text })),
    )
    await platform.deleteThemeFiles(
      firstShop,
      other,
      its!.map(({ name }) => name).filter(name => !own!.some(each => each.name === name)),
    )
    t.match(
      await check(),
      { isCompatible: true, isSameAsLive: true },
      'equal files are reported at once',
    )
    await t.rejects(
      call('themeIsCompatible', { params: { id: 'none' }, query: {} }),
      like({ status: 404 }),
    )
    await shop.delivered()
  },
)
