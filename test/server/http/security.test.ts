import t from 'tap'
import { startMerchant } from '../support/merchant.ts'
import { buildApp } from '../../../server/app.ts'
import { toastLength, toastsShown } from '../../../domain/toast.ts'
import { appConfig } from '../../../server/config.ts'

const merchant = await startMerchant()
const {
  app: { app },
  get,
  post,
  engine,
} = merchant
t.teardown(merchant.close)
const admin = engine.shop.origin
const form = 'application/x-www-form-urlencoded',
  own = 'http://localhost:3000'

t.test('every HTML response has its own content security policy, errors too', async t => {
  const nonces = new Set<string>()
  const pages = [
    await get('/'),
    await get('/tests/list/drafts'),
    await get('/tests/draft/edit'),
    await get('/settings/account'),
    await get('/recommendations'),
    await get('/tests/list/nowhere'),
    await get('/nowhere'),
    await get('/help'),
    await get('/tests/00000000-0000-0000-0000-000000000001'),
    await get('/auth-missing'),
    await get('/error'),
    await get('/uninstalled?store=x'),
    await get('/built/nothing.css'),
    await post('/tests/draft/edit', { kind: 'nonsense' }),
    await post('/tests/draft/edit', {}, { headers: { origin: 'https://evil.test' } }),
    await post('/tests/draft/edit', {}, { headers: { 'content-type': 'text/plain' } }),
  ]
  const ofNoShop = [
    await get('/%E0%A4%A'),
    await app.inject('/nowhere'),
    await app.inject({ url: '/', method: 'POST', headers: { origin: own } }),
  ]
  for (const page of [...pages, ...ofNoShop]) {
    const { headers, body, statusCode } = page
    const policy = String(headers['content-security-policy'])
    const nonce = /script-src 'nonce-([\w+/=]{22,})'/.exec(policy)?.[1]
    t.match(headers['content-type'], 'text/html', String(statusCode))
    if (ofNoShop.includes(page))
      t.match(policy, /frame-ancestors 'none';/, 'nobody may frame a page of no shop')
    else
      t.match(
        policy,
        new RegExp(`frame-ancestors ${admin};`),
        "only this shop's admin may frame it",
      )
    t.match(policy, /default-src 'none'.*object-src 'none'.*base-uri 'none'/)
    t.notMatch(policy, /unsafe|\*|https:[; ]/)
    t.match(headers, {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    for (const [tag] of body.matchAll(/<script(?! type="application\/json")[^>]*>/g))
      t.match(tag, `nonce="${nonce}"`)
    t.notMatch(body, /<[^>]+ (on\w+|style)=/, 'no inline handlers or styles')
    nonces.add(nonce!)
  }
  t.equal(nonces.size, pages.length + ofNoShop.length, 'a nonce is used once')
})

t.test('a change from another site is refused before anything happens', async t => {
  const attempts: Record<string, string>[] = [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: 'http://localhost:3000.evil.test' },
    { origin: admin },
    { origin: '' },
    { origin: own, 'sec-fetch-site': 'cross-site' },
    { origin: own, 'sec-fetch-site': 'same-site' },
    { origin: own, 'sec-fetch-site': 'none' },
    { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of attempts)
    t.equal(
      (await post('/tests/draft/edit', { kind: 'PageElement' }, { headers })).statusCode,
      403,
      JSON.stringify(headers),
    )
  for (const headers of [{ origin: own, 'sec-fetch-site': 'same-origin' }, { origin: own }])
    t.equal((await post('/tests/draft/edit', { kind: 'Nonsense' }, { headers })).statusCode, 400)
  const bare = await app.inject({
    method: 'POST',
    url: '/tests/draft/edit',
    payload: 'kind=PageElement',
    headers: { 'content-type': form },
  })
  t.equal(bare.statusCode, 403, 'without both headers')
  for (const method of ['PUT', 'DELETE', 'PATCH'] as const)
    t.ok(
      [403, 404].includes(
        (
          await app.inject({
            method,
            url: '/tests/x/pause',
            headers: { origin: 'https://evil.test' },
          })
        ).statusCode,
      ),
      method,
    )
  t.match((await get('/tests/list/drafts')).body, 'No drafts', 'nothing was stored')
})

t.test('the cookie of messages cannot show a forged message', async t => {
  const pageWith = async (told: unknown) =>
    (
      await app.inject({
        url: '/',
        headers: {
          host: 'localhost:3000',
          cookie: `${merchant.cookies()}; toasts=${Buffer.from(typeof told === 'string' ? told : JSON.stringify(told)).toString('base64url')}`,
        },
      })
    ).body
  const shown = async (told: unknown) =>
    (await pageWith(told)).match(
      /<div class="toast" data-tone="(\w+)">[^]*?<span>([^<]*)<\/span>/g,
    ) ?? []
  t.equal((await shown([[0, 'Saved.']])).length, 1)
  t.match(
    (await shown([[0, 'x'.repeat(2_000)]]))[0],
    new RegExp(`>x{${toastLength}}<`),
    'a long message is cut like our own',
  )
  t.equal((await shown(Array.from({ length: 40 }, () => [0, 'Saved.']))).length, toastsShown)
  for (const told of ['null', '{', '7', [[9, 'x']], [[0, 7]], [[0, '']], ['x']])
    t.same(await shown(told), [], JSON.stringify(told))
  t.match(await pageWith([[0, '<script>alert(1)</script>']]), '&lt;script>alert(1)')
})

t.test('only a form’s content type is accepted for a form', async t => {
  for (const type of [
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/xml',
  ])
    t.equal(
      (await post('/tests/draft/edit', {}, { payload: '{}', headers: { 'content-type': type } }))
        .statusCode,
      415,
      type,
    )
  t.equal((await post('/tests/draft/edit', { kind: 'x'.repeat(300_000) })).statusCode, 413)
})

t.test('a GET request changes nothing', async t => {
  for (const path of ['pause', 'resume', 'end', 'rename'])
    t.equal(
      (await get(`/tests/00000000-0000-0000-0000-000000000001/${path}`)).statusCode,
      404,
      path,
    )
})

t.test('over https a header tells the browser to stay on https', async t => {
  t.notOk((await get('/')).headers['strict-transport-security'])
  const hosted = await buildApp({
    config: appConfig({ APP_ORIGIN: 'https://app.twinshelf.example' }),
    upstreamOrigin: 'http://127.0.0.1:1',
  })
  t.teardown(hosted.close)
  for (const url of ['/auth-missing', '/healthz', '/nowhere'])
    t.match(
      (await hosted.app.inject(url)).headers['strict-transport-security'],
      /^max-age=31536000/,
      url,
    )
})

t.test('built files are cached for good under a hashed name, and compressed', async t => {
  const [, css] = /href="(\/built\/[^"]+\.css)"/.exec((await get('/')).body)!
  for (const [accept, encoding] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['', undefined],
  ] as const) {
    const { headers, statusCode } = await app.inject({
      url: css!,
      headers: { 'accept-encoding': accept },
    })
    t.match(headers, {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/css; charset=utf-8',
      vary: 'accept-encoding',
    })
    t.equal(headers['content-encoding'], encoding)
    t.equal(statusCode, 200)
  }
  for (const path of [
    '/built/manifest.json',
    '/built/..%2fstorefront.js',
    '/built/%2e%2e/%2e%2e/package.json',
  ])
    t.equal((await get(path)).statusCode, 404, path)
})

t.test('pages are compressed in one piece, by the best method the browser accepts', async t => {
  for (const [accept, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const { headers, rawPayload } = await app.inject({
      url: '/help',
      headers: { 'accept-encoding': accept },
    })
    t.equal(headers['content-encoding'], encoding, accept)
    t.equal(
      Number(headers['content-length']),
      rawPayload.length,
      'not as a stream, which would not know its length',
    )
  }
})

t.test('an error about configuration names the key and not its value', async t => {
  t.throws(
    () => appConfig({ PORT: 'eighty', APP_ORIGIN: 'ftp://secret' }),
    /^Configuration: .*PORT/,
  )
  try {
    appConfig({ APP_ORIGIN: 'ftp://secret' })
  } catch (error) {
    t.notMatch(String(error), 'secret')
  }
  for (const name of ['SEGMENT_ORIGIN', 'GTM_ORIGIN']) {
    for (const value of [
      'https://a.example; script-src *',
      'https://a.example https://b.example',
      'https://a.example,b',
      'https://a.example/path',
      'a.example',
    ])
      t.throws(
        () => appConfig({ [name]: value }),
        new RegExp(name),
        `${name}: its value would be in a policy as ${value}`,
      )
    t.doesNotThrow(() => appConfig({ [name]: 'https://a.example:8443' }))
  }
  t.match(appConfig({ PORT: '8080', NODE_ENV: 'production' }), {
    PORT: 8080,
    HOST: '0.0.0.0',
    APP_ORIGIN: 'http://localhost:8080',
  })
})
