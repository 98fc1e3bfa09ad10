import t from 'tap'
import { listedTests } from '../../../bench/listed-tests.ts'
import { dayIn } from '../../../engine/events/fold/visit-day.ts'
import { seedStore, seedTest } from '../../engine/support/seeds.ts'
import { seedSummary } from '../../engine/support/summaries.ts'
import { secondShop } from '../../engine/support/small-shop.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant()
const {
  engine: { db, now },
  get,
  post,
  call,
  close,
} = merchant
t.teardown(close)
const storeId = (await db.kysely.selectFrom('stores').select('store_id').executeTakeFirstOrThrow())
  .store_id
const clear = async () => {
  for (const table of ['test_events', 'test_history', 'test_summaries', 'tests', 'drafts'] as const)
    await db.kysely.deleteFrom(table).where('store_id', '=', storeId).execute()
}
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr role="row">(?:(?!<\/tr>)[\s\S])*<\/tr>/g)].map(m => textOf(m[0]).trim())
const titlesOf = (html: string) =>
  [...html.matchAll(/class="cell-link"[^>]*><b[^>]*>([^<]*)/g)].map(m => m[1])

t.test('a store without tests sees how to start', async t => {
  const text = textOf((await get('/')).body)
  for (const words of ['No tests yet', 'Create a test', 'Running 0', 'Drafts 0', 'Fern & Kiln'])
    t.match(text, words)
  t.match(text, 'Show half of your visitors a change, and keep the version that sells more.')
  t.notMatch(text, /Suspended|Search tests|Demo data|caught up/)
  for (const [tab, words] of [
    ['scheduled', 'Nothing is scheduled'],
    ['paused', 'No test is paused'],
    ['on-hold', 'No test is on hold'],
    ['suspended', 'No test is suspended'],
    ['ended', 'No test has ended yet'],
    ['drafts', 'No drafts'],
  ])
    t.match(textOf((await get(`/tests/list/${tab}`)).body), words)
  t.equal((await get('/tests/list/Active')).statusCode, 404)
  t.equal((await get('/tests')).headers.location, '/')
})

t.test('each row shows the state of its test', async t => {
  await listedTests(db, storeId, 10, now.at)
  const { body } = await get('/')
  const rows = rowsOf(body)
  const row = (title: string) => rows.find(r => r.startsWith(title))
  t.match(
    row('Reviews above the fold'),
    /Page element · \/products\/\* Running Day \d+.* 58,000 \+16\.0% CVR 90% interval .* > 99\.9% Winner/,
  )
  t.match(
    row('Delivery promise'),
    /Running Day 13 of \d+ 63,600 −16\.7% CVR 90% interval .* < 0\.1% Loser \d+ days left/,
  )
  t.match(
    row('Product story first'),
    /Day 1 of \d+ 164 – RPV 82 of 100 visitors per arm Collecting \d+ days left/,
  )
  t.match(row('Collection grid'), /URL redirect · \/pages\/gift-guide .* Leaning variant/)
  t.match(row('Gift guide'), /Too early/)
  t.match(row('Reviews above'), /90% interval \+\d+\.\d% to \+\d+\.\d%/, 'the drawing has a text')
  t.match(textOf(body), /winners? to apply .*losers? to end .*need more time/)
  t.match(textOf(body), '90% interval')
  t.match(body, /aria-sort="descending"[^>]*><a href="\/\?order=ascending">Visitors ↓/)
})

t.test('after a reinstall, winners that are off can be switched on again', async t => {
  const winner = await seedTest(db, storeId, {
    title: 'Louder button',
    kind: 'PageElement',
    status: 'Ended',
    applied_arm: 'variant',
    applied_at: now.at,
    ended_at: now.at,
  })
  const set = (values: { winner_off_at: Date } | { applied_arm: null; applied_at: null }) =>
    db.kysely.updateTable('tests').set(values).where('test_id', '=', winner).execute()
  t.notMatch((await get('/')).body, 'Winners that are switched off')
  await set({ winner_off_at: now.at })
  t.match(textOf((await get('/')).body), /Winners that are switched off .* Louder button Switch on/)
  await set({ applied_arm: null, applied_at: null })
})

t.test('sorting, searching and paging are in the address', async t => {
  const byTitle = titlesOf((await get('/?sort=title&order=ascending')).body)
  t.same(byTitle, byTitle.toSorted())
  const byChance = await get('/?sort=chanceToWin')
  t.equal(
    titlesOf(byChance.body).at(-1),
    'Product story first',
    'a test without a chance comes last',
  )
  const found = await get('/?search=PHONES')
  t.same(titlesOf(found.body), ['Sticky add to cart on phones'])
  t.match(found.body, 'value="PHONES"')
  t.match(found.body, 'href="/?search=PHONES&amp;sort=title', 'sorting keeps the search')
  t.equal(
    (await get('/?search=&kind=&goal=cvr&host=aG9z')).headers.location,
    '/?goal=cvr&host=aG9z',
    'a form without scripts sends empty fields too; they are removed',
  )
  t.match(textOf((await get('/?search=%3Cb%3E%22')).body), 'Nothing is called “<b>"”')
  for (const query of [
    'sort=evil',
    'order=sideways',
    'page=0',
    'page=-3',
    'page=x',
    `search=${'x'.repeat(5000)}`,
  ])
    t.equal((await get(`/?${query}`)).statusCode, 200, query.slice(0, 20))
  await listedTests(db, storeId, 50, now.at)
  const first = await get('/?sort=title'),
    second = await get('/?sort=title&page=2')
  t.equal(new Set([...titlesOf(first.body), ...titlesOf(second.body)].map((_, i) => i)).size, 60)
  t.match(textOf(second.body), '51–60 of 60 running tests Page 2 of 2')
  t.match(second.body, 'href="/?sort=title"', 'the link back to the first page')
  t.equal((await get('/?sort=title&page=7')).headers.location, '/?sort=title')
})

t.test(
  'kind and goal filter the list by its address, and sorting, searching and paging keep them',
  async t => {
    const { body } = await get('/?kind=url-redirect&goal=rpv')
    t.ok(titlesOf(body).length > 0)
    t.ok(rowsOf(body).every(row => row.includes('URL redirect') && row.includes('RPV')))
    t.match(body, '<option value="url-redirect" selected>URL redirect</option>')
    t.match(body, 'href="/?kind=url-redirect&amp;goal=rpv&amp;sort=title&amp;order=ascending"')
    t.match(
      textOf((await get('/?kind=theme&goal=cvr')).body),
      'No test matches these filters You filter by kind: Theme, goal: Conversion rate. They apply to this tab. Clear the filters',
    )
    t.equal((await get('/?kind=evil&goal=evil')).statusCode, 200)
    const sorted = await get('/?sort=title&order=ascending')
    t.match(
      sorted.body,
      '<input type="hidden" name="sort" value="title" form="filters"',
      'a change of the filter keeps the order',
    )
    t.match(sorted.body, '<input type="hidden" name="order" value="ascending" form="filters"')
    t.match(
      (await get('/?kind=page-element&page=9')).headers.location,
      '/?kind=page-element',
      'a page after the last leads to the first',
    )
  },
)

t.test('every link and form keeps host, shop and code', async t => {
  const { body } = await get(
    '/tests/list/running?shop=fern-and-kiln.demo-shop.test&host=aG9z&code=SAVE20',
  )
  const links = [...body.matchAll(/ (?:href|action|hx-get)="(\/[^"]*)"/g)]
    .map(m => m[1]!.replaceAll('&amp;', '&'))
    .filter(link => !link.startsWith('/built/'))
  t.ok(links.length > 60)
  for (const link of links) {
    const { searchParams } = new URL(link, 'http://x')
    t.same(
      [searchParams.get('shop'), searchParams.get('host'), searchParams.get('code')],
      ['fern-and-kiln.demo-shop.test', 'aG9z', 'SAVE20'],
      link,
    )
  }
  t.match(
    body,
    '<input type="hidden" name="shop" value="fern-and-kiln.demo-shop.test"',
    'a search form sends only its own fields, so it has a hidden one',
  )
  const { headers } = await post('/tests/draft/edit?shop=fern-and-kiln.demo-shop.test&host=aG9z', {
    kind: 'PageElement',
  })
  t.match(headers.location, /^\/tests\/draft\/edit\/[0-9a-f-]{36}\?host=aG9z&shop=fern/)
  const hostile = await get('/?host=%22%3E%3Cscript%3E&shop=fern-and-kiln.demo-shop.test')
  t.notMatch(hostile.body, '"><script>')
})

t.test(
  'a search covers one tab and says what the others have; on an unknown page it covers all tabs',
  async t => {
    await clear()
    await seedSummary(
      db,
      storeId,
      await seedTest(db, storeId, { title: 'Gift guide, first' }),
      [10, 10],
    )
    for (const title of ['Gift guide, second', 'Gift guide, third'])
      await seedSummary(
        db,
        storeId,
        await seedTest(db, storeId, { title, status: 'Ended', ended_at: now.at }),
        [10, 10],
      )
    await call('createDraft', { body: { kind: 'UrlRedirect', title: 'Gift guide, fourth' } })
    t.match(
      textOf((await get('/?search=guide')).body),
      '1 running test Also found: 2 in Ended , 1 in Drafts',
    )
    const none = (await get('/tests/list/paused?search=guide&kind=url-redirect')).body
    t.match(
      textOf(none),
      /Nothing is called “guide” with these filters .* Also found: .*1 in Drafts/,
    )
    t.match(none, 'href="/tests/list/drafts?search=guide&amp;kind=url-redirect"')
    t.notMatch(textOf((await get('/?search=first')).body), 'Also found')
    const lost = (await get('/no-such-page?host=aG9z')).body
    t.match(
      lost,
      /<form class="row" action="\/\?host=aG9z"><input type="hidden" name="everywhere" value="1"/,
    )
    for (const [search, to] of [
      ['second', '/tests/list/ended?search=second'],
      ['first', '/?search=first'],
      ['FOURTH', '/tests/list/drafts?search=FOURTH'],
      ['nowhere', '/?search=nowhere'],
    ])
      t.equal((await get(`/?everywhere=1&search=${search}`)).headers.location, to)
    await clear()
  },
)

t.test('visitors per day are drawn next to their sum, only for full days', async t => {
  await clear()
  const id = await seedTest(db, storeId, { title: 'Drawn' })
  await seedSummary(db, storeId, id, [10, 10])
  // Days in the shop's time zone, where it may still be yesterday.
  const day = (ago: number) => dayIn('America/New_York', now.at.getTime() - ago * 86_400_000)
  const daily = async (from: number, visitors: number[]) => {
    await db.kysely
      .updateTable('test_summaries')
      .set({ daily: JSON.stringify({ from: day(from), visitors }) })
      .where('test_id', '=', id)
      .execute()
  }
  t.notMatch((await get('/')).body, 'class="spark"')
  await daily(3, [4, 1200, 8, 99])
  t.match(
    (await get('/')).body,
    'aria-label="Visitors a day, last 3 full days: 4 to 1,200"',
    'today is left out, because it is not over',
  )
  await daily(1, [4, 1])
  t.notMatch((await get('/')).body, 'class="spark"', 'one day is not drawn')
})

t.test(
  'the first steps are ticked as they are done, until they are dismissed for the store',
  async t => {
    await clear()
    const steps = async () =>
      textOf(
        /<section class="card start-card"[\s\S]*?<\/section>/.exec((await get('/')).body)?.[0] ??
          '',
      )
    t.match(
      await steps(),
      /First steps 1 of 4 done The Twinshelf script is on your shop , done Create your first draft Create a test Launch your first test/,
    )
    const { id } = await call('createDraft', { body: { kind: 'UrlRedirect', title: 'Begun' } })
    t.match(
      await steps(),
      /2 of 4 done .* You created your first draft , done Launch your first test Open your drafts/,
    )
    await call('deleteDraft', { params: { id } })
    const test = await seedTest(db, storeId, { title: 'Runs' })
    await seedSummary(db, storeId, test, [10, 10])
    t.match(
      await steps(),
      /3 of 4 done .* You launched your first test , done See which version sells more/,
    )
    t.equal(
      (await post('/tests/first-steps/dismiss', { back: '/?sort=title' })).headers.location,
      '/?sort=title',
    )
    t.equal(await steps(), '')
    t.equal(
      (await call('tests', { query: {} })).start,
      null,
      'they are dismissed for everyone in the store',
    )
  },
)

t.test('text by merchants and strangers is escaped', async t => {
  await clear()
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</title></script>',
    '\u2028{{x}}&amp;',
    ' href="/evil"',
  ]
  for (const title of hostile) {
    const test_id = await seedTest(db, storeId, { title, pages: JSON.stringify(['<i>/x']) })
    await seedSummary(db, storeId, test_id, [10, 10])
  }
  await db.kysely
    .updateTable('stores')
    .set({ name: '<script>alert(2)</script> & "co"' })
    .where('store_id', '=', storeId)
    .execute()
  now.at = new Date(now.at.getTime() + 11_000)
  for (const path of [
    '/?shop=fern-and-kiln.demo-shop.test',
    '/settings/account',
    `/?search=${encodeURIComponent(hostile[1]!)}`,
  ]) {
    const { body } = await get(path)
    t.notMatch(body, /<script>|<img src=x|<i>|href="\/evil/)
  }
  const text = textOf((await get('/')).body)
  for (const title of hostile.slice(0, 4)) t.match(text, title.replace('\u2028', ' '))
})

t.test("a change is on the list at once; another store's tests never are", async t => {
  await clear()
  const mine = await seedTest(db, storeId, { title: 'Mine' })
  await seedSummary(db, storeId, mine, [10, 10])
  const other = await seedStore(db, { shop: secondShop, domain: secondShop })
  await seedTest(db, other, { title: 'Theirs' })
  t.same(titlesOf((await get('/')).body), ['Mine'])
  t.equal((await post(`/tests/${mine}/pause`)).statusCode, 303)
  t.same(titlesOf((await get('/')).body), [])
  t.same(titlesOf((await get('/tests/list/paused')).body), ['Mine'])
})
