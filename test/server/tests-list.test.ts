import t from 'tap'
import { listedTests } from '../../bench/listed-tests.ts'
import { seedStore, seedTest } from '../engine/seeds.ts'
import { seedSummary } from '../engine/summaries.ts'
import { secondShop } from '../engine/small-shop.ts'
import { startMerchant, textOf } from './merchant.ts'

const merchant = await startMerchant()
const { engine: { db, now }, get, post, close } = merchant
t.teardown(close)
const storeId = (await db.kysely.selectFrom('stores').select('store_id').executeTakeFirstOrThrow()).store_id
const clear = async () => {
  for (const table of ['test_events', 'test_history', 'test_summaries', 'tests', 'drafts'] as const) await db.kysely.deleteFrom(table).where('store_id', '=', storeId).execute()
}
const rowsOf = (html: string) => [...html.matchAll(/<tr>(?:(?!<\/tr>)[\s\S])*<\/tr>/g)].slice(1).map(m => textOf(m[0]).trim())
const titlesOf = (html: string) => [...html.matchAll(/class="cell-link"[^>]*><b[^>]*>([^<]*)/g)].map(m => m[1])

t.test('a store without tests is told how to begin', async t => {
  const text = textOf((await get('/')).body)
  for (const words of ['No tests yet', 'Create a test', 'Running 0', 'Drafts 0', 'Fern & Kiln']) t.match(text, words)
  t.notMatch(text, /Suspended|Search tests|Demo data/)
  for (const [tab, words] of [['scheduled', 'Nothing is scheduled'], ['paused', 'No test is paused'], ['on-hold', 'No test is on hold'], ['suspended', 'No test is suspended'], ['ended', 'No test has ended yet'], ['drafts', 'No drafts']])
    t.match(textOf((await get(`/tests/list/${tab}`)).body), words)
  t.equal((await get('/tests/list/Active')).statusCode, 404)
  t.equal((await get('/tests')).headers.location, '/')
})

t.test('each row says how its test stands', async t => {
  await listedTests(db, storeId, 10, now.at)
  const { body } = await get('/')
  const rows = rowsOf(body)
  const row = (title: string) => rows.find(r => r.startsWith(title))
  t.match(row('Reviews above the fold'), /Page element · \/products\/\* Running Day \d+.* 58,000 CVR \+16\.0% > 99\.9% Winner/)
  t.match(row('Delivery promise'), /Running Day 13 of \d+ 63,600 CVR −16\.7% < 0\.1% Loser \d+ days left/)
  t.match(row('Product story first'), /Day 1 of \d+ 164 RPV – 82 of 100 visitors per arm Collecting \d+ days left/)
  t.match(row('Collection grid'), /URL redirect · \/pages\/gift-guide .* Leaning variant/)
  t.match(row('Gift guide'), /Too early/)
  t.match(body, /aria-label="Lift \+16\.0%, 90% interval \+\d+\.\d% to \+\d+\.\d%"/)
  t.match(textOf(body), /winners? to keep .*losers? to end .*need more time/)
  t.match(textOf(body), '90% interval')
  t.match(body, /aria-sort="descending"[^>]*><a href="\/\?order=ascending">Visitors ↓/)
})

t.test('sorting, searching and paging keep to the address', async t => {
  const byTitle = titlesOf((await get('/?sort=title&order=ascending')).body)
  t.same(byTitle, byTitle.toSorted())
  const byChance = await get('/?sort=chanceToWin')
  t.equal(titlesOf(byChance.body).at(-1), 'Product story first', 'what is not known stands last')
  const found = await get('/?search=PHONES')
  t.same(titlesOf(found.body), ['Sticky add to cart on phones'])
  t.match(found.body, 'value="PHONES"')
  t.match(found.body, 'href="/?search=PHONES&amp;sort=title', 'a search stays when it is sorted')
  t.match(textOf((await get('/?search=%3Cb%3E%22')).body), 'Nothing is called “<b>"”')
  for (const query of ['sort=evil', 'order=sideways', 'page=0', 'page=-3', 'page=x', `search=${'x'.repeat(5000)}`]) t.equal((await get(`/?${query}`)).statusCode, 200, query.slice(0, 20))
  await listedTests(db, storeId, 50, now.at)
  const first = await get('/?sort=title'), second = await get('/?sort=title&page=2')
  t.equal(new Set([...titlesOf(first.body), ...titlesOf(second.body)].map((_, i) => i)).size, 60)
  t.match(textOf(second.body), '51–60 of 60 running tests Page 2 of 2')
  t.match(second.body, 'href="/?sort=title"', 'back to the first')
  t.equal((await get('/?sort=title&page=7')).headers.location, '/?sort=title')
})

t.test('host, shop and code go along with every link and form', async t => {
  const { body } = await get('/tests/list/running?shop=fern-and-kiln.demo-shop.test&host=aG9z&code=SAVE20')
  const links = [...body.matchAll(/ (?:href|action|hx-get)="(\/[^"]*)"/g)].map(m => m[1]!.replaceAll('&amp;', '&')).filter(link => !link.startsWith('/built/'))
  t.ok(links.length > 60)
  for (const link of links) {
    const { searchParams } = new URL(link, 'http://x')
    t.same([searchParams.get('shop'), searchParams.get('host'), searchParams.get('code')], ['fern-and-kiln.demo-shop.test', 'aG9z', 'SAVE20'], link)
  }
  t.match(body, '<input type="hidden" name="shop" value="fern-and-kiln.demo-shop.test"', 'a search form sends its own fields alone')
  const { headers } = await post('/tests/draft/edit?shop=fern-and-kiln.demo-shop.test&host=aG9z', { kind: 'PageElement' })
  t.match(headers.location, /^\/tests\/draft\/edit\/[0-9a-f-]{36}\?host=aG9z&shop=fern/)
  const hostile = await get('/?host=%22%3E%3Cscript%3E&shop=fern-and-kiln.demo-shop.test')
  t.notMatch(hostile.body, '"><script>')
})

t.test('what merchants and strangers write is text, never markup', async t => {
  await clear()
  const hostile = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</title></script>', '\u2028{{x}}&amp;', ' href="/evil"']
  for (const title of hostile) {
    const test_id = await seedTest(db, storeId, { title, pages: JSON.stringify(['<i>/x']) })
    await seedSummary(db, storeId, test_id, [10, 10])
  }
  await db.kysely.updateTable('stores').set({ name: '<script>alert(2)</script> & "co"' }).where('store_id', '=', storeId).execute()
  now.at = new Date(now.at.getTime() + 11_000)
  for (const path of ['/?shop=fern-and-kiln.demo-shop.test', '/settings/account', `/?search=${encodeURIComponent(hostile[1]!)}`]) {
    const { body } = await get(path)
    t.notMatch(body, /<script>|<img|<i>|href="\/evil/)
  }
  const text = textOf((await get('/')).body)
  for (const title of hostile.slice(0, 4)) t.match(text, title.replace('\u2028', ' '))
})

t.test('a change is on the list at once; another store\'s tests never are', async t => {
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
