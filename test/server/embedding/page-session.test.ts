import t from 'tap'
import type { InjectOptions } from 'fastify'
import { paths } from '../../../domain/paths.ts'
import { sessionHeaders } from '../../../domain/embedding/page-session.ts'
import { secondShop, firstShop } from '../../engine/support/small-shop.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const merchant = await startMerchant()
t.teardown(merchant.close)
const { engine, app } = merchant,
  origin = 'http://localhost:3000'
const idToken = (of?: string) =>
  engine.shop.idToken(of ? { iss: `https://${of}`, dest: `https://${of}` } : {})
const send = (options: InjectOptions) => app.app.inject(options)
const form = { origin, 'content-type': 'application/x-www-form-urlencoded' }
const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  send({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { ...form, ...headers },
  })
const signIn = async (of?: string) => {
  const answer = await post(paths.auth(), { id_token: await idToken(of) })
  return answer.json<{ token: string; lasts: number }>()
}
const bearer = async (of?: string) => ({ authorization: `Bearer ${(await signIn(of)).token}` })

t.test(
  'the token of the admin becomes a session that the page holds, without a cookie',
  async t => {
    const answer = await post(paths.auth(), { id_token: await idToken() })
    t.equal(answer.statusCode, 200)
    t.same(Object.keys(answer.json()).toSorted(), ['lasts', 'token'], 'nothing that renews it')
    t.equal(answer.json<{ lasts: number }>().lasts, 600_000)
    t.same(answer.cookies, [])
    t.match(answer.headers, { 'cache-control': 'no-store' })
    t.equal((await post(paths.auth(), { id_token: 'a.b.c' })).statusCode, 401)
    const foreign = await post(
      paths.auth(),
      { id_token: await idToken() },
      { origin: 'https://evil.test' },
    )
    t.equal(foreign.statusCode, 403)
  },
)

t.test('a page with that session gets pages, which no cache keeps for others', async t => {
  const headers = await bearer()
  const page = await send({ url: paths.settings(), headers })
  t.equal(page.statusCode, 200)
  t.match(page.headers, { 'cache-control': 'no-store', vary: /authorization/ })
  const logo = await send({ url: paths.storeLogo(), headers })
  t.match(logo.headers, { vary: /authorization/ })
})

t.test('a cookie alone changes nothing that it could not change before', async t => {
  const cookie = merchant.cookies()
  const url = paths.settings(),
    fields = { name: 'Stolen' }
  for (const [name, headers] of [
    ['from another site', { cookie, origin: 'https://evil.test' }],
    ['from a sandbox', { cookie, origin: 'null' }],
  ] as const)
    t.equal((await post(url, fields, headers)).statusCode, 403, name)
  t.equal(
    (await post(url, fields, { ...(await bearer()), origin: 'https://evil.test' })).statusCode,
    403,
    'not even with the header',
  )
  const preflight = await send({
    method: 'OPTIONS',
    url,
    headers: {
      origin: 'https://evil.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  })
  t.notOk(preflight.headers['access-control-allow-origin'], 'no site may send the header')
})

t.test('where the header is sent, the browser’s cookies count for nothing', async t => {
  const cookie = merchant.cookies()
  for (const authorization of ['Bearer ', 'Bearer nonsense', 'Bearer a.b.c']) {
    const answer = await send({ url: paths.settings(), headers: { cookie, authorization } })
    t.equal(answer.statusCode, 401, authorization)
    t.match(answer.headers, { [sessionHeaders.ended]: '1', 'cache-control': 'no-store' })
    t.equal(answer.body, '')
  }
  const other = await bearer()
  const answer = await send({ url: `${paths.settings()}?shop=${secondShop}`, headers: other })
  t.equal(answer.statusCode, 401, 'a session of another shop')
  const basic = await send({ url: paths.settings(), headers: { cookie, authorization: 'Basic x' } })
  t.equal(basic.statusCode, 200, 'a proxy’s own password is not our header')
})

t.test('redirects and small cookies come in headers', async t => {
  const headers = await bearer()
  const page = await send({ url: paths.settings(), headers })
  const [, action] = /<form[^>]* action="([^"]*)"[^>]*>(?:(?!<\/form>)[^])*Save name/.exec(
    page.body,
  )!
  const saved = await post(action!.replaceAll('&amp;', '&'), { name: 'Kiln' }, headers)
  t.equal(saved.statusCode, 204)
  t.notOk(saved.headers['set-cookie'])
  t.notOk(saved.headers.location)
  const to = String(saved.headers[sessionHeaders.location]),
    kept = String(saved.headers[sessionHeaders.keep])
  t.match(to, /^\/settings\/account/)
  const next = await send({ url: to, headers: { ...headers, [sessionHeaders.kept]: kept } })
  t.equal(next.statusCode, 200)
  t.match(next.body, /class="toast"/)
  t.equal(
    new URLSearchParams(String(next.headers[sessionHeaders.keep])).get('toasts'),
    '',
    'the page forgets it',
  )
})

t.test(
  'a page that comes back from the sign-in without its cookies can hold the session',
  async t => {
    const url = `${paths.settings()}?shop=${firstShop}&signed_in=${engine.now.at.getTime()}`
    const small = await send({ url })
    t.equal(small.statusCode, 200)
    t.match(small.headers, {
      'cache-control': 'no-store',
      'content-security-policy': /frame-ancestors http/,
    })
    t.match(small.body, /<script type="module" src="\/built\/bounce-[^"]+" data-bounce /)
    t.notMatch(small.body, /\/built\/page-/, 'it loads nothing else')
    t.match(textOf(small.body), /You are signed out/, 'without scripts it says what to do')
    // Everything that cannot show such a page.
    const later = await send({
      url: `${paths.settings()}?signed_in=${engine.now.at.getTime() - 61_000}`,
    })
    t.match(later.headers.location, /^\/auth\?/, 'signs in first')
    const part = await send({ url, headers: { 'hx-request': 'true' } })
    t.match(part.headers['hx-redirect'], /^\/auth-missing/)
    const picture = await send({
      url: paths.draftChoices('1', 'theme:1', 'x'),
      headers: { 'sec-fetch-dest': 'image' },
    })
    t.equal(picture.statusCode, 401, 'a picture signs nobody in')
  },
)

t.test('that page allows what the shop’s own host shows', async t => {
  const { kysely } = engine.engine.db
  const set = (origin: string) =>
    kysely.updateTable('stores').set({ origin }).where('shop', '=', firstShop).execute()
  const { origin: before } = await kysely
    .selectFrom('stores')
    .select('origin')
    .where('shop', '=', firstShop)
    .executeTakeFirstOrThrow()
  await set('https://own.example')
  // What was read before is too old.
  engine.now.at = new Date(engine.now.at.getTime() + 61_000)
  const signedIn = await send({
    url: `${paths.settings()}?shop=${firstShop}&id_token=${await idToken()}`,
  })
  const small = await send({ url: signedIn.headers.location! })
  t.match(small.body, / data-bounce /)
  t.match(small.headers['content-security-policy'], /frame-src https:\/\/own\.example /)
  await set(before)
  engine.now.at = new Date(engine.now.at.getTime() + 61_000)
})

t.test('a file is never opened as a page', async t => {
  const back = `?shop=${firstShop}&signed_in=${engine.now.at.getTime()}`
  const page = await send({ url: paths.report('a-1') + back })
  t.match(page.body, / data-bounce /)
  for (const file of [
    paths.testExport('a-1', 'orders'),
    paths.draftPictures('a-1', 'b-2', 'phone'),
  ]) {
    const answer = await send({ url: file + back })
    t.equal(answer.statusCode, 302)
    t.match(answer.headers.location, paths.authMissing())
  }
})

t.test('the page for failures says each in a sentence', async t => {
  const said = new Set<string>()
  for (const why of ['', 'top', 'silent', 'refused', 'offline', 'nonsense', 'constructor'])
    said.add(textOf((await send({ url: `${paths.authMissing()}?why=${why}` })).body))
  t.equal(said.size, 5)
})

t.test('staff’s pages know no such session', async t => {
  const headers = await bearer()
  const page = await send({ url: paths.admin(), headers })
  t.match(page.headers[sessionHeaders.location], /^\/login/)
  const bare = await send({ url: `${paths.admin()}?signed_in=${engine.now.at.getTime()}` })
  t.match(bare.headers.location, /^\/login/, 'and no small page')
})
