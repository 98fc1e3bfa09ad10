import t from 'tap'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { poorShop, poorToken } from '../../engine/support/poor-platform.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { startTwoPlatforms } from '../../engine/support/shops/two-platforms.ts'
import { browserOf } from '../support/merchant.ts'

// A shop on each of two platforms, with the same name before its platform's suffix.
const stage = await startTwoPlatforms({ CHROMIUM_PATH: 'off' })
const app = await buildApp({
  config: appConfig({ APP_ORIGIN: 'http://localhost:3000' }),
  upstreamOrigin: stage.engineOrigin,
  clock: () => stage.now.at,
})
t.teardown(async () => {
  await app.close()
  await stage.close()
})
const { shopOrigin } = stage
const poorAdmin = 'https://admin.poor-platform.test',
  poorCdn = 'https://cdn.poor-platform.test'

const sides = {
  demo: {
    shop: firstShop,
    idToken: () => stage.idToken(),
    policy: {
      'img-src': `'self' data: ${shopOrigin}`,
      'frame-src': shopOrigin,
      'form-action': `'self' ${shopOrigin}`,
      'frame-ancestors': shopOrigin,
    },
    admin: `${shopOrigin}/admin`,
    settings: `${shopOrigin}/admin/settings`,
    app: `${shopOrigin}/admin/apps/twinshelf`,
    theme: `${shopOrigin}/admin/themes/`,
    says: 'app:address',
    signIn: `${shopOrigin}/admin/apps/twinshelf/session?return_to=`,
  },
  poor: {
    shop: poorShop,
    idToken: () => poorToken(),
    policy: {
      'img-src': `'self' data: ${shopOrigin} ${poorCdn}`,
      'frame-src': shopOrigin,
      'form-action': `'self' https://${poorShop} ${poorAdmin}`,
      'frame-ancestors': `https://${poorShop} ${poorAdmin}`,
    },
    admin: `${poorAdmin}/store/fern-and-kiln/home`,
    settings: `${poorAdmin}/store/fern-and-kiln/settings`,
    app: `${poorAdmin}/store/fern-and-kiln/apps/twinshelf`,
    theme: `${poorAdmin}/store/fern-and-kiln/themes/`,
    says: undefined,
    signIn: '/auth-missing?shop=',
  },
}
type Side = keyof typeof sides
const pairs: [own: Side, other: Side][] = [
  ['demo', 'poor'],
  ['poor', 'demo'],
]

const policyOf = ({ headers }: { headers: Record<string, unknown> }): Record<string, string> =>
  Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map(directive => [directive.split(' ', 1)[0]!, directive.slice(directive.indexOf(' ') + 1)]),
  )
const nobody = {
  'img-src': `'self' data:`,
  'frame-src': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}
/** A browser that is signed in to a shop, and asks for pages of that shop. */
async function signedIn(side: Side) {
  const { shop, idToken } = sides[side]
  const browser = browserOf(app)
  await browser.get(`/?shop=${shop}&id_token=${await idToken()}`)
  const named = (path: string) => `${path}${path.includes('?') ? '&' : '?'}shop=${shop}`
  return {
    ...browser,
    page: (path: string) => browser.get(named(path)),
    send: (path: string, fields: Record<string, string> = {}) => browser.post(named(path), fields),
  }
}
const browsers = { demo: await signedIn('demo'), poor: await signedIn('poor') }
// The poor platform's store has just been installed; let it skip the plan and the first steps.
await stage.db.kysely
  .updateTable('stores')
  .set({
    onboarded: true,
    has_subscribed: true,
    plan_id: 'advanced-100k-monthly',
    subscription_status: 'Active',
    feature_flags: JSON.stringify(['DomTesting']) as never,
  })
  .where('shop', '=', poorShop)
  .execute()
stage.now.at = new Date(stage.now.at.getTime() + 11_000)

t.test('every page has the policy of its own store’s platform', async t => {
  for (const [own, other] of pairs)
    for (const path of ['/', '/tests/list/drafts', '/settings/account', '/nowhere', '/help']) {
      const page = await browsers[own].page(path)
      t.match(policyOf(page), sides[own].policy, `${own} ${path}`)
      const theirs = own === 'demo' ? poorAdmin : `${shopOrigin}/admin`
      t.notMatch(page.body, theirs, `${own} ${path} has no link to the admin of ${other}`)
    }
})

t.test('links lead to the admin of the store’s own platform', async t => {
  for (const [own] of pairs) {
    const { admin, app: shown, settings, says } = sides[own]
    const home = (await browsers[own].page('/')).body
    t.match(home, `href="${admin}" target="_top"`, 'the notice for small screens')
    t.match(home, `data-admin="${shown}"`)
    t.equal(/data-says="([^"]+)"/.exec(home)?.[1], says)
    t.match((await browsers[own].page('/settings/preferences')).body, `href="${settings}"`)
  }
})

t.test('links to themes lead to the store’s own theme editor', async t => {
  for (const [own, other] of pairs) {
    const made = await browsers[own].send('/tests/draft/edit', { kind: 'Theme' })
    const draft = String(made.headers['location']).split('?')[0]!
    const page = await browsers[own].page(`${draft}?step=theme`)
    t.equal(page.statusCode, 200, draft)
    t.ok(page.body.includes(`href="${sides[own].theme}`), own)
    t.notOk(page.body.includes(sides[other].theme), own)
  }
})

t.test('a session of one platform’s shop opens no page of the other’s', async t => {
  for (const [own, other] of pairs) {
    const { headers, statusCode } = await browsers[own].get(`/?shop=${sides[other].shop}`)
    t.equal(statusCode, 302)
    t.match(headers['location'], '/auth?', `${own} is no session of ${other}`)
    t.match(headers['location'], sides[other].shop)
  }
})

t.test('a stranger signs in where the shop’s own platform does that', async t => {
  for (const [own, other] of pairs) {
    const { shop, signIn, policy, app: shown } = sides[own]
    const sentTo = String((await app.app.inject(`/auth?shop=${shop}`)).headers['location'])
    t.ok(sentTo.startsWith(signIn), sentTo)
    const missing = await app.app.inject(`/auth-missing?shop=${shop}`)
    t.match(missing.body, `href="${shown}" target="_top"`)
    t.notMatch(missing.body, sides[other].app)
    t.match(policyOf(missing)['frame-ancestors'], policy['frame-ancestors'])
  }
})

t.test('without a shop nobody may frame a page, and the merchant chooses the platform', async t => {
  const page = await app.app.inject('/auth-missing')
  t.match(policyOf(page), nobody)
  t.match(page.body, `href="${sides.demo.app}"`)
  t.match(page.body, `href="${poorAdmin}/apps/twinshelf"`)
  t.match(page.body, /\(Demo shop\).*\(Poor platform\)/s)
  t.equal((await app.app.inject('/auth')).headers['location'], '/auth-missing')
})

t.test('a hostile name of a shop gets no policy, no header and no link', async t => {
  const names = [
    'evil.example',
    `${firstShop}.evil.example`,
    `evil.example/${firstShop}`,
    `evil.example ${firstShop}`,
    `evil.example;${firstShop}`,
    `${firstShop}; frame-ancestors *`,
    `${firstShop}\r\nx-injected: 1`,
    `${firstShop}\n`,
    `${firstShop},evil.example`,
    `evil.example#${firstShop}`,
    `a@${poorShop}`,
    `*.poor-shop.test`,
    `-${poorShop}`,
    `.poor-shop.test`,
    `evil.example.poor-shop.test`,
    `EVIL.poor-shop.test`,
    `${'a'.repeat(300)}.poor-shop.test`,
    `${poorShop}%00`,
    `ｅvil.poor-shop.test`,
    `javascript:alert(1)//.poor-shop.test`,
    '"><script>alert(1)</script>',
    '__proto__',
  ]
  for (const name of names)
    for (const path of ['/auth-missing', '/error', '/uninstalled', '/help', '/nowhere', '/auth']) {
      const { headers, body } = await app.app.inject(`${path}?shop=${encodeURIComponent(name)}`)
      t.notOk(headers['x-injected'], name)
      // A well-formed name stays in the query of our own links, and nowhere else.
      const links = body.replaceAll(/\?shop=[\w.-]+(?=")/g, '')
      t.notMatch(links, /evil\.|poor-shop|alert\(1\)/, `${path} ${name}`)
      t.match(headers['location'] ?? '/auth-missing', /^\/auth-missing(\?shop=[\w.-]+)?$/, name)
      if (path === '/auth') continue
      t.match(policyOf({ headers }), nobody, `${path} ${name}`)
      t.notMatch(headers['content-security-policy'], /evil|\*/, `${path} ${name}`)
    }
})

t.test('a forged cookie gets no ancestor of another site', async t => {
  for (const shop of [
    'evil.example',
    `${firstShop}; frame-ancestors *`,
    `evil.${poorShop}.evil.test`,
  ]) {
    const forged = `x.${Buffer.from(JSON.stringify({ shop, exp: 4e9 })).toString('base64url')}.y`
    const page = await app.app.inject({
      url: '/auth-missing',
      headers: { cookie: `ts_evil=${forged}` },
    })
    t.match(policyOf(page), nobody, shop)
  }
  const forged = `x.${Buffer.from(JSON.stringify({ shop: poorShop })).toString('base64url')}.y`
  const page = await app.app.inject({
    url: '/auth-missing',
    headers: { cookie: `ts_fern-and-kiln=${forged}` },
  })
  t.match(policyOf(page), { 'frame-ancestors': sides.poor.policy['frame-ancestors'] })
})

t.test('staff see each store with its own shop, and their pages belong to no shop', async t => {
  const { email, password } = (await stage.engine.samples.staff())!
  const staff = browserOf(app)
  t.equal((await staff.post('/login', { email, password })).statusCode, 303)
  const stores = await stage.db.kysely.selectFrom('stores').select(['store_id', 'shop']).execute()
  for (const path of ['/admin', '/admin/stores/trials', '/admin/stores/features'])
    t.match(policyOf(await staff.get(path)), nobody, path)
  for (const { store_id, shop } of stores) {
    const other = stores.find(each => each.shop !== shop)!
    const page = await staff.get(`/admin/stores/trials/${store_id}`)
    t.equal(page.statusCode, 200, shop)
    t.match(policyOf(page), nobody, shop)
    t.ok(page.body.includes(shop), shop)
    t.notOk(page.body.includes(other.shop), shop)
    t.notOk(page.body.includes(other.store_id), shop)
    t.match(
      policyOf(await staff.get(`/admin/stores/trials/${store_id}?shop=${poorShop}`)),
      nobody,
      'a shop in the query changes nothing',
    )
  }
})
