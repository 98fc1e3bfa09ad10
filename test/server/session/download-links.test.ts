import t from 'tap'
import { linkSeconds, withLink } from '../../../domain/embedding/download-path.ts'
import { paths } from '../../../domain/paths.ts'
import { secondShop } from '../../engine/support/small-shop.ts'
import { seedStore, seedTest } from '../../engine/support/seeds.ts'
import { browserOf, startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant()
t.teardown(merchant.close)
const { engine, app } = merchant
const idToken = (of?: string) =>
  engine.shop.idToken(of ? { iss: `https://${of}`, dest: `https://${of}` } : {})
const bearer = async () => {
  const { token } = await engine.call('auth', { body: { idToken: await idToken() } })
  return { authorization: `Bearer ${token}` }
}
const { id: storeId } = await merchant.call('storeInfo', {})
const path = paths.testExport(await seedTest(engine.engine.db, storeId), 'results')
const ask = async (wanted: string, headers?: Record<string, string>) =>
  browserOf(app).post(
    paths.downloadLink(),
    { path: wanted },
    { headers: headers ?? (await bearer()) },
  )
const linkTo = async () => withLink(path, (await ask(path)).json<{ link: string }>().link)
/** As a browser downloads it: without cookies and without the header. */
const get = (url: string, cookie = '') => app.app.inject({ url, headers: { cookie } })

t.test('a link downloads its file once, without cookies', async t => {
  const url = await linkTo()
  const file = await get(url)
  t.equal(file.statusCode, 200)
  t.match(file.headers, {
    'content-disposition': /^attachment; filename="[^"]+\.csv"$/,
    'cache-control': /no-store/,
  })
  t.same(file.cookies, [], 'it signs nobody in')
  const again = await get(url)
  t.equal(again.statusCode, 410)
  t.match(textOf(again.body), /was used already or has expired/)
})

t.test('a link that has expired is refused', async t => {
  const url = await linkTo(),
    before = engine.now.at
  engine.now.at = new Date(before.getTime() + linkSeconds * 1000)
  t.teardown(() => {
    engine.now.at = before
  })
  t.equal((await get(url)).statusCode, 410)
})

t.test('a link is for one file and for reading', async t => {
  const url = await linkTo(),
    link = url.split('link=')[1]!
  t.equal((await get(withLink(paths.testExport('other', 'results'), link))).statusCode, 410)
  t.equal((await get(url)).statusCode, 410, 'and used up by the attempt')
  const fresh = (await linkTo()).split('link=')[1]!
  t.match((await get(withLink(paths.settings(), fresh))).headers.location, /^\/auth\?/)
  const posted = await browserOf(app).post(withLink(path, fresh))
  t.not(posted.statusCode, 200)
})

t.test('a browser that is signed in to another store cannot use it', async t => {
  await seedStore(engine.engine.db, { shop: secondShop })
  const other = browserOf(app)
  await other.send({ url: `/?id_token=${await idToken(secondShop)}` })
  t.equal((await get(await linkTo(), other.cookies())).statusCode, 403)
})

t.test('links are made for files only, and only for those who are signed in', async t => {
  for (const wanted of [paths.settings(), '//evil.test/tests/1/export/orders', '', paths.admin()])
    t.equal((await ask(wanted)).statusCode, 400, wanted)
  t.equal((await ask(path, {})).headers.location?.split('?')[0], '/auth')
  t.equal((await ask(path, { authorization: 'Bearer a.b.c' })).statusCode, 401)
})
