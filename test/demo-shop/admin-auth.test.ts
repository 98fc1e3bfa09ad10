import t from 'tap'
import { adminWarning, demoShopConfig, isAdminClosed } from '../../demo-shop/config.ts'
import { appOrigin, bearer, openShop, shopperOf, shopOrigin } from './support/demo-shop.ts'

const password = 'walnut boards and bowls'
const adminOrigin = 'http://office.localhost:4000'
const office = [
  '/admin',
  '/admin/products',
  '/admin/themes/160001',
  '/admin/settings',
  '/admin/apps',
  '/admin/orders/1001',
  '/admin/apps/twinshelf',
  '/admin/apps/twinshelf/session?return_to=/',
  '/%61dmin',
  '/admin/%70roducts',
]

t.test(
  'in production without a password the back office is closed with a message; shop and app work',
  async t => {
    const secret = { DEMO_APP_SECRET: 'x'.repeat(16) }
    t.equal(isAdminClosed(demoShopConfig({ NODE_ENV: 'production', ...secret })), true)
    t.equal(
      isAdminClosed(
        demoShopConfig({ NODE_ENV: 'production', DEMO_ADMIN_PASSWORD: password, ...secret }),
      ),
      false,
    )
    t.equal(isAdminClosed(demoShopConfig({})), false)
    const warned = (env: object) =>
      adminWarning(
        demoShopConfig({
          NODE_ENV: 'production',
          DEMO_ADMIN_PASSWORD: password,
          DEMO_SHOP_ORIGIN: 'https://shop.test',
          ...secret,
          ...env,
        }),
      )
    t.match(
      warned({}),
      /DEMO_ADMIN_ORIGIN/,
      'scripts of a theme would run on the back office’s origin',
    )
    t.match(warned({ DEMO_ADMIN_ORIGIN: 'https://shop.test:8443' }), /DEMO_ADMIN_ORIGIN/)
    t.equal(warned({ DEMO_ADMIN_ORIGIN: 'https://back-office.test' }), null)
    t.match(warned({ DEMO_ADMIN_PASSWORD: '' }), /DEMO_ADMIN_PASSWORD/)
    t.equal(adminWarning(demoShopConfig({})), null)
    t.throws(() => demoShopConfig({ DEMO_ADMIN_PASSWORD: 'too short' }), /DEMO_ADMIN_PASSWORD/)
    const { app } = await openShop(t, { isAdminClosed: true })
    for (const url of [...office, '/admin/sign-in']) {
      const { statusCode, body } = await app.inject(url)
      t.equal(statusCode, url === '/admin/sign-in' ? 404 : 503, url)
      if (statusCode === 503) t.match(body, 'The back office is closed')
    }
    t.equal(
      (await app.inject({ method: 'POST', url: '/admin/settings', payload: {} })).statusCode,
      503,
    )
    t.equal((await app.inject('/products/oak-spoon')).statusCode, 200)
    t.equal((await app.inject({ url: '/admin/api/shop.json', headers: bearer })).statusCode, 200)
  },
)

t.test('when a password is set, nobody enters the back office without it', async t => {
  const now = { at: new Date('2026-03-01T10:00:00Z') }
  const { app } = await openShop(t, { adminPassword: password, clock: () => now.at })
  const merchant = shopperOf({ app } as Parameters<typeof shopperOf>[0])
  for (const url of office) {
    const { statusCode, headers } = await app.inject(url)
    t.match([statusCode, headers['location']], [302, /^\/admin\/sign-in\?from=/], url)
  }
  for (const cookie of [
    'shop_admin_door=1.x',
    `shop_admin_door=${now.at.getTime() + 1e9}.`,
    'shop_admin_door=',
  ])
    t.equal((await app.inject({ url: '/admin', headers: { cookie } })).statusCode, 302, cookie)
  t.equal(
    (await app.inject({ method: 'POST', url: '/admin/settings', payload: {} })).statusCode,
    403,
  )
  const framed = await app.inject({
    url: '/admin/apps/twinshelf/session?return_to=/',
    headers: { 'sec-fetch-dest': 'iframe' },
  })
  t.match(
    [framed.statusCode, framed.headers['content-security-policy'], framed.body],
    [403, `frame-ancestors 'self' ${appOrigin}`, 'target="_top"'],
  )

  t.match(await merchant.form('/admin/sign-in', { password: 'something else' }), {
    statusCode: 422,
    body: /This is not the password\./,
  })
  t.match(await merchant.form('/admin/sign-in', { password: '' }), {
    statusCode: 422,
    body: /Enter the password\./,
  })
  const done = await merchant.form('/admin/sign-in?from=%2Fadmin%2Fproducts%3Fa%3D1', { password })
  t.match(
    [done.statusCode, done.headers['location'], done.cookies[0]],
    [303, '/admin/products?a=1', { httpOnly: true, sameSite: 'Lax', path: '/admin' }],
  )
  for (const from of [
    '//evil.test',
    'https://evil.test/admin',
    '/admin/..//evil.test',
    '/admin/sign-in',
    '/cart',
  ])
    t.equal(
      (await merchant.get(`/admin/sign-in?from=${encodeURIComponent(from)}`)).headers['location'],
      '/admin',
      from,
    )
  t.match(await merchant.get('/admin'), { statusCode: 200, body: /Sign out/ })
  now.at = new Date('2026-03-01T22:01:00Z')
  t.equal((await merchant.get('/admin')).statusCode, 302, 'after twelve hours')
  await merchant.form('/admin/sign-in', { password })
  await merchant.form('/admin/sign-out', {})
  t.equal((await merchant.get('/admin')).statusCode, 302, 'signed out')

  const stranger = shopperOf({ app } as Parameters<typeof shopperOf>[0])
  const guess = async (by: typeof stranger, count: number) => {
    for (let i = 0; i < count; i++) await by.form('/admin/sign-in', { password: `guess ${i}` })
  }
  const isLate = { statusCode: 429, body: /Try again in a minute/ }
  await guess(stranger, 60)
  t.match(await stranger.form('/admin/sign-in', { password }), isLate)
  t.equal(
    (await merchant.form('/admin/sign-in', { password })).statusCode,
    303,
    'a browser that was signed in before is not blocked',
  )
  await merchant.form('/admin/sign-out', {})
  await guess(merchant, 10)
  t.match(await merchant.form('/admin/sign-in', { password }), isLate)
  stranger.cookies.set('shop_admin_known', 'a-name.a-signature')
  t.match(await stranger.form('/admin/sign-in', { password }), isLate)
})

t.test(
  'the back office has its own host name, which serves none of the shop’s public pages',
  async t => {
    const { app } = await openShop(t, { adminOrigin, adminPassword: password })
    const at = (origin: string, url: string, method: 'GET' | 'POST' = 'GET') =>
      app.inject({ method, url, headers: { host: new URL(origin).host } })
    t.match(await at(shopOrigin, '/admin/products'), {
      statusCode: 302,
      headers: { location: `${adminOrigin}/admin/products` },
    })
    t.equal((await at(shopOrigin, '/admin/settings', 'POST')).statusCode, 404)
    t.match(await at(adminOrigin, '/products/oak-spoon'), {
      statusCode: 302,
      headers: { location: `${shopOrigin}/products/oak-spoon` },
    })
    t.match(await at(adminOrigin, '/nowhere'), {
      statusCode: 302,
      headers: { location: `${shopOrigin}/nowhere` },
    })
    t.match(await at(adminOrigin, '/'), { statusCode: 302, headers: { location: '/admin' } })
    t.equal((await at(adminOrigin, '/admin/sign-in')).statusCode, 200)
    t.equal((await at(adminOrigin, '/platform.css')).statusCode, 200)
    t.equal((await at(adminOrigin, '/cart/add', 'POST')).statusCode, 404)
    t.match(
      (await at(shopOrigin, '/')).headers['content-security-policy'],
      `frame-ancestors 'self' ${appOrigin} ${adminOrigin}`,
    )
  },
)
