import { createServer, request as ask } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import t from 'tap'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { seedStore } from '../../engine/support/seeds.ts'
import { secondShop } from '../../engine/support/small-shop.ts'
import { startMerchant, textOf } from '../support/merchant.ts'
import { launchTest, visit } from '../support/shoppers.ts'

const merchant = await startMerchant()
const { engine, close, cookies } = merchant
/** Paths of the API calls, recorded by a proxy between the app and its API. */
const asked: string[] = []
/** What waits to be passed on, while it is an array. */
let held: (() => void)[] | null = null
const between = createServer((request, response) => {
  asked.push(request.url!.replace(/[?].*/, ''))
  const pass = () =>
    request.pipe(
      ask(
        merchant.upstreamOrigin + request.url,
        { method: request.method!, headers: request.headers },
        answer => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        },
      ),
    )
  if (held) held.push(pass)
  else pass()
}).listen(0, '127.0.0.1')
await once(between, 'listening')
const { app, close: closeApp } = await buildApp({
  config: appConfig({}),
  upstreamOrigin: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
  clock: () => engine.now.at,
})
t.teardown(async () => {
  await closeApp()
  between.closeAllConnections()
  between.close()
  await close()
})

const get = (url: string, headers: Record<string, string> = {}, cookie = cookies()) =>
  app.inject({ url, headers: { cookie, ...headers } })
const marked = (html: string) =>
  /<main[^>]* data-figures="([\d-]+)" data-asks-figures="([^"]+)"/.exec(html)?.slice(1) as
    | [revision: string, url: string]
    | undefined
const content = (url: string, revision: string, cookie?: string) =>
  get(
    url,
    { 'hx-request': 'true', 'hx-request-type': 'partial', 'twinshelf-figures': revision },
    cookie,
  )
const id = await launchTest(merchant, 'Watched')
const report = `/tests/${id}`

t.test(
  'a page knows the revision of its figures, and asks with a small response whether it is the newest',
  async t => {
    for (const path of ['/', '/tests/list/ended', report, `${report}/devices`]) {
      const [revision, url] = marked((await get(path)).body)!
      asked.length = 0
      const answer = await get(url)
      t.equal(answer.body, revision, path)
      t.same(
        asked.filter(path => path !== '/api/v0/about'),
        ['/api/v0/figures-revision'],
        'no page and no layout is rendered for it',
      )
      t.match(answer.headers, { 'cache-control': 'no-store', 'content-type': /^text.plain/ })
    }
    t.notOk(marked((await get('/settings/account')).body))
  },
)

t.test('new figures come with the content only, without the layout', async t => {
  const [before, url] = marked((await get(report)).body)!
  await visit(merchant, id, [
    { arm: 0, visitors: 7 },
    { arm: 1, visitors: 6 },
  ])
  const revision = (await get(url)).body
  t.not(revision, before)
  const { body, statusCode, headers } = await content(report, revision)
  t.equal(statusCode, 200)
  t.equal(headers['cache-control'], 'no-store')
  t.equal(marked(body)?.[0], revision)
  t.match(body, /^<main /)
  t.match(textOf(body), /Control 7 .*Variant 6 /)
  t.notMatch(body, /<html|class="topbar|class="sidenav/)
})

t.test(
  'many requests for one address are rendered once; other addresses, browsers and stores separately',
  async t => {
    await visit(merchant, id, [{ arm: 0, visitors: 3 }])
    const revision = (await get(marked((await get(report)).body)![1])).body
    asked.length = 0
    const answers = await Promise.all(Array.from({ length: 40 }, () => content(report, revision)))
    t.equal(new Set(answers.map(({ body }) => body)).size, 1)
    t.equal(asked.filter(path => path === `/api/v0/tests/${id}`).length, 1)
    await content(report, revision)
    t.equal(
      asked.filter(path => path === `/api/v0/tests/${id}`).length,
      1,
      'later requests get the same content',
    )
    engine.now.at = new Date(engine.now.at.getTime() + 60_000)
    await content(report, revision)
    t.equal(
      asked.filter(path => path === `/api/v0/tests/${id}`).length,
      2,
      'a minute later its times have changed',
    )
    t.match(
      (await content(`${report}?shop=fern-and-kiln.demo-shop.test`, revision)).body,
      `href="/?shop=fern`,
    )
    t.notMatch((await content(report, revision)).body, `href="/?shop=fern`)
    await content(report, revision, `${cookies()}; told_fern-and-kiln=x`)
    t.equal(asked.filter(path => path === `/api/v0/tests/${id}`).length, 4)

    await seedStore(engine.db, { shop: secondShop, domain: secondShop })
    const stranger = await merchant.engine.shop.idToken({
      iss: `https://${secondShop}`,
      dest: `https://${secondShop}`,
    })
    const { cookies: theirs } = await app.inject({
      url: `/?id_token=${stranger}`,
      headers: { host: 'localhost:3000' },
    })
    const cookie = theirs.map(({ name, value }) => `${name}=${value}`).join('; ')
    t.notMatch((await content(report, revision, cookie)).body, 'Watched')
    t.equal((await get(`/live/figures?test=${id}`, {}, cookie)).statusCode, 404)
  },
)

t.test('old content is never returned for a newer revision', async t => {
  const [old] = marked((await get(report)).body)!
  await visit(merchant, id, [{ arm: 1, visitors: 2 }])
  const wrong = await content(report, '123-456')
  t.not(marked(wrong.body)?.[0], '123-456')
  t.not(marked(wrong.body)?.[0], old)
})

t.test('a request without a session or with nonsense gets a status without a page', async t => {
  for (const [url, cookie, status] of [
    ['/live/figures', '', 401],
    ['/live/figures?test=../x', undefined, 400],
    ['/live/figures?test=none', undefined, 404],
  ] as const) {
    const answer = await get(url, {}, cookie)
    t.same([answer.statusCode, answer.body], [status, ''], url)
  }
})

t.test('a page that has gone before it was drawn keeps no other waiting', async t => {
  const origin = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const headers = {
    cookie: cookies(),
    'hx-request': 'true',
    'hx-request-type': 'partial',
    'twinshelf-figures': marked((await get(report)).body)![0],
  }
  // Nothing of the store is known any more, so that the engine is asked before anything is drawn.
  engine.now.at = new Date(engine.now.at.getTime() + 11_000)
  const waiting: (() => void)[] = (held = [])
  const came = once(app.server, 'connection') as Promise<[Socket]>
  const gone = ask(new URL('/settings', origin), { headers }).on('error', () => {})
  gone.end()
  const [connection] = await came
  while (waiting.length === 0) await new Promise(resolve => setImmediate(resolve))
  gone.socket!.resetAndDestroy()
  if (!connection.closed) await new Promise<unknown>(closed => connection.once('close', closed))
  held = null
  for (const pass of waiting) pass()
  // This one waits for the same answers of the engine.
  await get('/settings')
  const answer = await content('/settings', headers['twinshelf-figures'])
  t.equal(answer.statusCode, 303, 'the end of the other is not awaited')

  asked.length = 0
  const url = new URL(`${report}?once`, origin)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => fetch(url, { headers }).then(answer => answer.status)),
  )
  t.same(new Set(answers), new Set([200]))
  t.equal(
    asked.filter(path => path === `/api/v0/tests/${id}`).length,
    1,
    'what is drawn for those that are there is still drawn once',
  )
})
