import t from 'tap'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { jwtVerify } from 'jose'
import { signature } from '../../demo-shop/admin/app-link.ts'
import {
  appKey,
  appOrigin,
  appSecret,
  bearer,
  openShop,
  shopOrigin,
  type TestShop,
} from './support/demo-shop.ts'

const now = () => new Date('2026-11-20T15:00:00Z')
const frameOf = async ({ app }: TestShop, url: string) => {
  const { statusCode, body } = await app.inject(url)
  return statusCode === 200
    ? new URL(/<iframe src="([^"]+)"/.exec(body)![1]!.replaceAll('&amp;', '&'))
    : statusCode
}
const shop = 'fern-and-kiln.demo-shop.test'

t.test('the admin frames the app, names shop and user in its address, and signs it', async t => {
  const demo = await openShop(t, { clock: now })
  const src = (await frameOf(demo, '/admin/apps/twinshelf')) as URL
  t.equal(src.origin + src.pathname, `${appOrigin}/`)
  const said = Object.fromEntries(src.searchParams)
  t.match(said, { embedded: '1', shop, timestamp: String(now().getTime() / 1000) })
  t.equal(said['hmac'], signature([...src.searchParams], appSecret))
  const without = [...src.searchParams].map(([name, value]): [string, string] => [
    name,
    name === 'shop' ? 'another.demo-shop.test' : value,
  ])
  t.not(
    said['hmac'],
    signature(without, appSecret),
    'the signature does not match a changed parameter',
  )

  const { payload, protectedHeader } = await jwtVerify(
    said['id_token']!,
    new TextEncoder().encode(appSecret),
    { currentDate: now(), audience: appKey, issuer: `https://${shop}` },
  )
  t.equal(protectedHeader.alg, 'HS256')
  t.equal(payload['dest'], payload.iss)
  t.equal(payload.exp! - payload.iat!, 60)
  t.match(payload, { sub: /.+/, jti: /.+/, sid: /.+/, nbf: payload.iat! })
  await t.rejects(
    jwtVerify(said['id_token']!, new TextEncoder().encode(appSecret), {
      currentDate: new Date(now().getTime() + 61_000),
    }),
    'the token expires after a minute',
  )
})

t.test('the signature covers parameters sorted by name, spaces as %20, without hmac', async t => {
  t.equal(
    signature(
      [
        ['b', '2 3'],
        ['a', '1'],
        ['hmac', 'x'],
      ],
      'key',
    ),
    signature(
      [
        ['a', '1'],
        ['b', '2 3'],
      ],
      'key',
    ),
  )
  // echo -n 'a=1&b=2%203' | openssl dgst -sha256 -hmac key
  t.equal(
    signature(
      [
        ['a', '1'],
        ['b', '2 3'],
      ],
      'key',
    ),
    '564a55269919dcbe3ca43a465e963082cac0ba6a9b3c8d4bb496e0761f6ab02b',
  )
})

t.test(
  'a deep link frames that page of the app; it cannot lead to another site or bring its own signature',
  async t => {
    const demo = await openShop(t, { clock: now })
    const src = (await frameOf(
      demo,
      '/admin/apps/twinshelf/tests/list/ended?sort=lift&shop=evil&id_token=x',
    )) as URL
    t.equal(src.pathname, '/tests/list/ended')
    t.equal(src.searchParams.get('sort'), 'lift')
    t.same(
      [src.searchParams.getAll('shop'), src.searchParams.getAll('id_token').length],
      [[shop], 1],
    )
    t.equal(src.searchParams.get('hmac'), signature([...src.searchParams], appSecret))
    for (const path of [
      '//evil.example',
      '/\\evil.example',
      '/%5cevil.example/..//evil.example',
      '/x/..//evil.example',
    ]) {
      const framed = await frameOf(demo, `/admin/apps/twinshelf${path}`)
      t.ok(framed === 400 || (framed as URL).origin === appOrigin, path)
      t.notOk(framed instanceof URL && framed.pathname.startsWith('//'), path)
    }
  },
)

t.test('the session page leads back into the app with a fresh token, and nowhere else', async t => {
  const demo = await openShop(t, { clock: now })
  const lead = async (to: string) =>
    demo.app.inject(`/admin/apps/twinshelf/session?return_to=${encodeURIComponent(to)}`)
  const good = await lead('/tests/42?tab=1&id_token=old')
  t.equal(good.statusCode, 303)
  const url = new URL(good.headers['location'] as string)
  t.equal(url.origin + url.pathname, `${appOrigin}/tests/42`)
  t.equal(url.searchParams.get('tab'), '1')
  t.not(url.searchParams.get('id_token'), 'old')
  t.equal(url.searchParams.get('hmac'), signature([...url.searchParams], appSecret))
  const evil = [
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    'https://evil.example',
    `${appOrigin}/`,
    `${appOrigin}@evil.example`,
    'evil',
    '',
    '/..//evil.example',
    '/.//evil.example',
  ]
  for (const path of evil) t.equal((await lead(path)).statusCode, 400, JSON.stringify(path))
  t.equal(
    (await demo.app.inject('/admin/apps/twinshelf/session?return_to=/a&return_to=//evil.example'))
      .statusCode,
    400,
  )
})

t.test('no site can frame the admin, and scripts cannot read its session cookie', async t => {
  const demo = await openShop(t)
  for (const url of ['/admin', '/admin/apps/twinshelf']) {
    const { headers, cookies } = await demo.app.inject(url)
    t.equal(headers['content-security-policy'], "frame-ancestors 'none'")
    t.match(cookies[0], { name: 'shop_admin', httpOnly: true, sameSite: 'Lax', path: '/admin' })
  }
})

t.test('every call of the admin API needs the bearer token', async t => {
  const demo = await openShop(t)
  const calls = [
    ['GET', '/admin/api/shop.json'],
    ['PUT', '/admin/api/script'],
    ['GET', '/admin/api/pages.json'],
    ['GET', '/admin/api/orders.json'],
    ['GET', '/admin/api/markets.json'],
  ] as const
  for (const [method, url] of calls) {
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer wrong',
      appSecret,
      `Bearer ${appSecret}x`,
    ]) {
      const { statusCode } = await demo.app.inject({
        method,
        url,
        headers: {
          ...(authorization && { authorization }),
          ...(method === 'PUT' && { 'content-type': 'text/javascript' }),
        },
        ...(method === 'PUT' && { payload: 'evil()' }),
      })
      t.equal(statusCode, 401, `${url} with ${authorization}`)
    }
  }
  t.equal(
    (await demo.app.inject('/assets/twinshelf.js')).statusCode,
    404,
    'no script was published',
  )
  t.same((await demo.app.inject({ url: '/admin/api/shop.json', headers: bearer })).json(), {
    shop,
    domain: new URL(shopOrigin).host,
    origin: shopOrigin,
    name: 'Fern & Kiln',
    currency: 'USD',
    timeZone: 'America/New_York',
    taxesIncluded: false,
    email: 'hello@fernandkiln.example',
    themeId: '160001',
  })
  t.same(
    (await demo.app.inject({ url: '/admin/api/pages.json?search=gift', headers: bearer })).json(),
    [
      { path: '/pages/gift-guide', title: 'Gift guide', kind: 'page' },
      { path: '/pages/gift-guide-2026', title: 'The 2026 gift guide', kind: 'page' },
    ],
  )
  t.equal(
    (await demo.app.inject({ url: '/admin/api/orders.json?from=never', headers: bearer }))
      .statusCode,
    400,
  )
})

t.test(
  'the shop serves a published script compressed, with its etag, also after a restart',
  async t => {
    const script = `/* é */ console.log("${'x'.repeat(2000)}")`
    const demo = await openShop(t)
    const publish = (payload: string) =>
      demo.app.inject({
        method: 'PUT',
        url: '/admin/api/script',
        headers: { ...bearer, 'content-type': 'text/javascript' },
        payload,
      })
    t.equal((await publish('')).statusCode, 400)
    t.same((await publish(script)).json(), { url: `${shopOrigin}/assets/twinshelf.js` })
    const fetched = (headers: Record<string, string> = {}, from = demo) =>
      from.app.inject({ url: '/assets/twinshelf.js', headers })
    const plain = await fetched()
    t.equal(plain.body, script)
    t.match(plain.headers, {
      'content-type': /^text\/javascript/,
      'cache-control': /^public, max-age=60, stale-while-revalidate=\d+, stale-if-error=\d+$/,
      vary: 'accept-encoding',
    })
    const [br, gz] = [
      await fetched({ 'accept-encoding': 'gzip, br' }),
      await fetched({ 'accept-encoding': 'gzip' }),
    ]
    t.equal(br.headers['content-encoding'], 'br')
    t.equal(brotliDecompressSync(br.rawPayload).toString(), script)
    t.equal(gz.headers['content-encoding'], 'gzip')
    t.equal(gunzipSync(gz.rawPayload).toString(), script)
    const etag = plain.headers['etag'] as string
    t.equal((await fetched({ 'if-none-match': etag })).statusCode, 304)
    await publish('window.second=1')
    t.equal((await fetched({ 'if-none-match': etag })).body, 'window.second=1')
    await demo.close()
    t.equal(
      (await fetched({}, await openShop(t, { dataDir: demo.dataDir }))).body,
      'window.second=1',
    )
  },
)
