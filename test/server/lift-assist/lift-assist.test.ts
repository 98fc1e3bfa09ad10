import t from 'tap'
import { runShoppers } from '../../../demo-shop/shoppers/run.ts'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { appSecret, firstShop } from '../../engine/support/small-shop.ts'
import { startWithShop } from '../../engine/support/with-shop.ts'
import { textOf } from '../support/merchant.ts'

const origin = 'http://localhost:3000'
const own = await startWithShop()
const app = await buildApp({
  config: appConfig({ APP_ORIGIN: origin }),
  upstreamOrigin: own.engineOrigin,
  clock: () => own.now.at,
})
t.teardown(async () => {
  await app.close()
  await own.close()
})
const cookies = (
  await app.app.inject({
    url: `/?id_token=${await own.idToken()}`,
    headers: { host: 'localhost:3000' },
  })
).cookies
  .map(({ name, value }) => `${name}=${value}`)
  .join('; ')
const get = (url: string) =>
  app.app.inject({ url, headers: { cookie: cookies, host: 'localhost:3000' } })
const post = (fields: Record<string, string>) =>
  app.app.inject({
    url: '/recommendations',
    method: 'POST',
    payload: new URLSearchParams(fields).toString(),
    headers: {
      cookie: cookies,
      host: 'localhost:3000',
      origin,
      'content-type': 'application/x-www-form-urlencoded',
    },
  })

t.test('before the first full day the page says when proposals will come', async t => {
  t.match(
    textOf((await get('/recommendations')).body),
    /No proposals yet There is not enough data yet/,
  )
})

t.test('a proposal becomes one draft with its pages', async t => {
  await runShoppers({
    shopOrigin: own.shopOrigin,
    appSecret,
    visitors: 500,
    lift: 0,
    seed: 'screen',
    span: { from: new Date(own.now.at.getTime() - 5 * 86_400_000), to: own.now.at },
  })
  await own.engine.countPages()
  const { body } = await get('/recommendations')
  t.match(textOf(body), /from \d+ full days of your shop’s own visits/)
  t.match(
    textOf(body),
    /Test the default product template for the first time \d+\.\d% of the shop’s visitors came to/,
  )
  const id = /name="assist" value="([^"]+)"/.exec(body)![1]!

  const opened = await post({ assist: id })
  t.equal(opened.statusCode, 303)
  const draftId = String(opened.headers.location).split('/').at(-1)!
  const draft = await own.call('draft', { params: { id: draftId } })
  const { assists } = await own.call('liftAssists', { query: {} })
  const assist = assists.find(one => one.id === id)!
  t.match(draft, { origin: 'LiftAssist', title: assist.title, kind: assist.draft.kind })
  if (draft.kind === 'PageElement')
    t.same(
      draft.domSelectors.flatMap(selector => selector.urlPatterns),
      assist.pages,
    )
  t.equal((await get(String(opened.headers.location))).statusCode, 200)

  t.equal(
    (await post({ assist: id })).headers.location,
    opened.headers.location,
    'a second click leads to the same draft',
  )
  t.match((await get('/recommendations')).body, `href="/tests/draft/edit/${draftId}"`)
  t.equal((await post({ assist: 'gone' })).headers.location, '/recommendations')
})

t.test('proposals are searched by title and page', async t => {
  const search = async (words: string) =>
    (await get(`/recommendations?search=${encodeURIComponent(words)}`)).body
  const { assists } = await own.call('liftAssists', { query: {} })
  const [wanted] = assists
  const found = await search(`  ${wanted!.title.toUpperCase()} `)
  t.match(textOf(found), wanted!.title)
  t.match(found, `name="search" value="${wanted!.title.toUpperCase()}"`)
  t.equal([...found.matchAll(/class="button secondary"|name="assist"/g)].length, 1)
  const none = await search('zzz <script>')
  t.match(
    textOf(none),
    /Nothing found for “zzz <script>” No proposal has these words in its title or pages\. Show all proposals/,
  )
  t.notMatch(none, '<script>”')
  t.equal((await get(`/recommendations?search=${'x'.repeat(300)}`)).statusCode, 200)
  const open = assists.find(({ draftId }) => draftId === null)
  if (open)
    t.match((await post({ assist: open.id, search: open.title })).headers.location, '/tests/draft/')
})

t.test('when the shop is down, only the proposals are missing', async t => {
  await own.shop.app.close()
  const { statusCode, body } = await get('/recommendations')
  t.equal(statusCode, 200)
  t.match(textOf(body), /Your shop does not answer just now/)
})

t.test('Lift Assist needs the right plan', async t => {
  await own.db.kysely
    .updateTable('stores')
    .set({ feature_flags: '[]', plan_id: 'core-100k-monthly' })
    .where('shop', '=', firstShop)
    .execute()
  t.match(
    textOf((await get('/recommendations')).body),
    /Lift Assist is not part of your plan .*Lift Assist comes with the Advanced plan and above\. See the Advanced plan/,
  )
})
