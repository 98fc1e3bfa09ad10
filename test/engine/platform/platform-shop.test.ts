import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { richest } from '../../../domain/platform/capabilities.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { shop, stage } from '../support/demo-platform.ts'
import { appKey, appSecret } from '../support/small-shop.ts'

const { platform, demo, origin, page, told } = await stage(t)
const publication = { config: { shop, collect: '', preview: '', tests: [] }, etag: '' }
async function refusedWith(t: Test, work: Promise<unknown>, status: number, message: RegExp) {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  )
  t.ok(
    error instanceof HttpProblem && error.status === status && message.test(error.message),
    String(error),
  )
}
const post = (url: string, fields: Record<string, string>) =>
  demo.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

t.test('a shop says what it can do, and when that changes', async t => {
  t.same(await platform.capabilities(shop), richest)
  demo.capabilities.set({ redirects: 'missingPages', orderDays: 60 })
  t.same(await platform.capabilities(shop), {
    ...richest,
    redirects: 'missingPages',
    orderDays: 60,
  })
  t.match(await told(), [['app/scopes_update', { redirects: 'missingPages', orderDays: 60 }]])
  demo.capabilities.set(richest)
  t.match(
    (await told()).map(([topic]) => topic),
    ['app/scopes_update'],
  )
})

t.test('the shop says whether a theme’s pages load the script', async t => {
  t.same(await platform.scriptState(shop), { state: 'notNeeded', switchAt: null })
  demo.capabilities.set({ scriptWay: 'switch' })
  const at = (id: string) => `http://shop.localhost/admin/themes/${id}#app-script`
  demo.scriptSwitches.set('160002', true)
  t.same(await platform.scriptState(shop), { state: 'off', switchAt: at('160001') })
  t.same(await platform.scriptState(shop, '160002'), { state: 'on', switchAt: at('160002') })
  await refusedWith(t, platform.scriptState(shop, '9'), 404, /no such theme/)
  demo.capabilities.set(richest)
  await told()
})

t.test('the shop, its merchant and its logo', async t => {
  t.match(await platform.shop(shop), {
    shop,
    name: 'Fern & Kiln',
    currency: 'USD',
    timeZone: 'America/New_York',
    themeId: '160001',
  })
  await refusedWith(t, platform.shop('other.demo-shop.test'), 404, /no such shop/)
  const merchant = await platform.merchant(shop)
  t.match(merchant, { firstName: /./, lastName: /./, email: /@/, phone: /^\+1/ })
  const logo = await platform.logo(shop)
  t.equal(logo!.type, 'image/svg+xml')
  t.match(String(logo!.body), /^<svg .*Fern &amp; Kiln/)
})

t.test('a new name of the shop is shown and sent by webhook', async t => {
  t.equal(
    (await post('/admin/settings', { name: 'Fern & Co <b>', email: 'new@fern.example' }))
      .statusCode,
    303,
  )
  t.match(await told(), [
    ['shop/update', { shop, name: 'Fern & Co <b>', email: 'new@fern.example' }],
  ])
  t.equal((await platform.shop(shop)).name, 'Fern & Co <b>')
  t.match(await page('/'), '>Fern &amp; Co &lt;b&gt;</a>')
  const refused = await post('/admin/settings', { name: '', email: 'x' })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, 'needs a name')
  await post('/admin/settings', { name: 'Fern & Kiln', email: 'hello@fernandkiln.example' })
  await told()
})

t.test('pages of every kind are found by path and title', async t => {
  const all = await platform.searchPages(shop, '')
  t.same(
    new Set(all.map(({ kind }) => kind)),
    new Set(['home', 'collection', 'product', 'page', 'blog', 'article', 'cart', 'search']),
  )
  for (const { path } of all) t.equal(await platform.pageExists(shop, origin + path), true, path)
  t.same(await platform.searchPages(shop, 'LINEN THAT'), [])
  t.same(
    (await platform.searchPages(shop, 'wash linen')).map(({ path }) => path),
    ['/blogs/journal/linen-that-lasts'],
  )
})

t.test('pages and stylesheets are fetched unchanged, and no redirect is followed', async t => {
  t.match(await platform.fetchPage(shop, `${origin}/products/oak-spoon`), {
    status: 200,
    type: /^text\/html/,
    text: /^<!doctype html>/,
  })
  const sheet = /href="(\/assets\/[^"]+\.css[^"]*)"/.exec(await page('/'))![1]!
  t.match(await platform.fetchPage(shop, origin + sheet), {
    status: 200,
    type: /^text\/css/,
    text: /--serif/,
  })
  t.match(await platform.fetchPage(shop, `${origin}/nowhere`), {
    status: 404,
    text: /shelf is empty/,
  })
  t.match(await platform.fetchPage(shop, `${origin}/collections`), { status: 302 })
  t.equal(await platform.pageExists(shop, `${origin}/collections`), false)
  t.equal(await platform.pageExists(shop, `${origin}/nowhere`), false)
})

t.test('a page that is too large, cut off or unreachable is an error', async t => {
  const odd = Fastify({ forceCloseConnections: true })
  odd.get('/large', (_, reply) => reply.send('x'.repeat(2_000_001)))
  odd.get('/full', (_, reply) => reply.send('x'.repeat(2_000_000)))
  odd.get('/latin', (_, reply) =>
    reply
      .header('content-type', 'text/html; charset=iso-8859-1')
      .send(Buffer.from([0x63, 0x61, 0x66, 0xe9])),
  )
  odd.get('/cut', (_, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-length': 100 })
    reply.raw.write('half', () => reply.raw.destroy())
  })
  const at = await odd.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => odd.close())
  await refusedWith(t, platform.fetchPage(shop, `${at}/large`), 502, /2 MB/)
  t.equal((await platform.fetchPage(shop, `${at}/full`)).text.length, 2_000_000)
  t.equal((await platform.fetchPage(shop, `${at}/latin`)).text, 'café')
  await refusedWith(t, platform.fetchPage(shop, `${at}/cut`), 502, /could not be reached/)
  await refusedWith(t, platform.fetchPage(shop, 'http://127.0.0.1:9/'), 502, /could not be reached/)

  const elsewhere = demoPlatform({ appKey, appSecret, shopOrigin: 'https://shop.example.com' })
  t.teardown(elsewhere.close)
  await refusedWith(t, elsewhere.fetchPage(shop, `${at}/full`), 502, /could not be reached/)
  await refusedWith(
    t,
    // A shop that is not on this machine leads to no address on it.
    elsewhere.pageExists(shop, `${origin}/`),
    502,
    /could not be reached/,
  )
})

t.test('the script is published on the shop and removed again', async t => {
  await t.rejects(platform.publishScript(shop, Buffer.alloc(1024 * 1024 + 1, 'x'), publication), {
    status: 413,
    message: /large/,
  })
  const { url } = await platform.publishScript(shop, Buffer.from('globalThis.x=1'), publication)
  t.match(url, /\/assets\/twinshelf\.js$/)
  t.match(await page('/'), '/assets/twinshelf.js?v=')
  await platform.removeScript(shop)
  t.notMatch(await page('/'), 'twinshelf.js')
  t.equal((await demo.app.inject('/assets/twinshelf.js')).statusCode, 404)
  await platform.removeScript(shop)
})

t.test(
  'a redirect wins over the page at its path, keeps the query, and is gone when deleted',
  async t => {
    const go = async (url: string) => {
      const { statusCode, headers } = await demo.app.inject(url)
      return [statusCode, headers['location']]
    }
    t.same(await platform.urlRedirects(shop), [])
    const made = await platform.createUrlRedirect(shop, {
      path: '/pages/gift-guide',
      target: '/pages/gift-guide-2026',
    })
    t.same(
      await platform.createUrlRedirect(shop, {
        path: '/pages/gift-guide',
        target: '/pages/gift-guide-2026',
      }),
      made,
      'the same redirect again gives the same result',
    )
    t.same(await platform.urlRedirects(shop), [
      { ...made, path: '/pages/gift-guide', target: '/pages/gift-guide-2026' },
    ])
    t.same(await go('/pages/gift-guide'), [301, '/pages/gift-guide-2026'])
    t.same(await go('/pages/gift-guide/?utm_source=a&b=?'), [
      301,
      '/pages/gift-guide-2026?utm_source=a&b=?',
    ])
    t.same(await go('/pages/gift-guide-2026'), [200, undefined])
    t.equal(
      (await demo.app.inject('/pages/gift-guide')).headers['cache-control'],
      'no-store',
      'browsers do not cache it, so it can be removed',
    )
    const old = await platform.createUrlRedirect(shop, {
      path: '/old/café',
      target: 'https://elsewhere.example/x?y=1#z',
    })
    t.same(
      await go('/old/caf%C3%A9?q=2'),
      [301, 'https://elsewhere.example/x?y=1&q=2#z'],
      'a path without a page can redirect to another site',
    )
    t.same(await go('//old/caf%C3%A9'), [404, undefined])

    for (const [path, target, message] of [
      ['pages/x', '/', /A path/],
      ['//evil.example', '/', /A path/],
      ['/a?b', '/', /A path/],
      ['/admin/x', '/', /cannot lead/],
      ['/checkout', '/', /cannot lead/],
      ['/cart', '/', /cannot lead/],
      ['/x', '//evil.example', /whole address/],
      ['/x', 'javascript:alert(1)', /whole address/],
      ['/x', '/\\evil.example', /whole address/],
      ['/x', '', /whole address/],
      ['/x', '/x/?again', /circle/],
      ['/pages/gift-guide-2026', '/pages/gift-guide', /circle/],
      ['/pages/gift-guide', '/', /already/],
    ] as const)
      await refusedWith(t, platform.createUrlRedirect(shop, { path, target }), 422, message)
    t.equal((await platform.urlRedirects(shop)).length, 2)

    await platform.deleteUrlRedirect(shop, made.id)
    await platform.deleteUrlRedirect(shop, old.id)
    t.same(await go('/pages/gift-guide'), [200, undefined])
    for (const id of [made.id, 'x', '../script'])
      await refusedWith(t, platform.deleteUrlRedirect(shop, id), 404, /./)
  },
)

t.test(
  'a shop that is down, hangs up or sends nonsense gives a 502; its refusals are passed on',
  async t => {
    const odd = Fastify({ forceCloseConnections: true })
    odd.addContentTypeParser('*', (_, __, done) => done(null))
    let answer: [number, unknown] = [200, {}]
    odd.all('/*', (_, reply) => reply.code(answer[0]).send(answer[1]))
    const at = await odd.listen({ port: 0, host: '127.0.0.1' })
    const strange = demoPlatform({
      appKey,
      appSecret,
      shopOrigin: at,
      tokens: async () => 'a token',
    })
    t.teardown(strange.close)
    const calls = {
      themes: () => strange.themes(shop),
      themeFiles: () => strange.themeFiles(shop, '1', ['a']),
      resources: () => strange.resourcePage(shop, 'page', {}),
      uses: () => strange.templateUses(shop, 'page'),
      shop: () => strange.shop(shop),
      merchant: () => strange.merchant(shop),
      search: () => strange.searchProducts(shop, { query: '', direction: 'forward', pageSize: 1 }),
      variants: () => strange.productVariants(shop, '1', { direction: 'forward', pageSize: 1 }),
      byId: () => strange.productsById(shop, ['1']),
      count: () => strange.countProducts(shop),
      prices: () => strange.setPrices(shop, '1', [{ variantId: '1', price: 1 }]),
      pages: () => strange.searchPages(shop, ''),
      script: () => strange.publishScript(shop, Buffer.from('1'), publication),
      redirects: () => strange.urlRedirects(shop),
      redirect: () => strange.createUrlRedirect(shop, { path: '/a', target: '/b' }),
      orders: () => strange.changedOrders(shop, { from: '', to: '' }),
    }
    for (const call of Object.values(calls)) {
      for (const nonsense of ['<html>', 'null', '{"a":1}', '[{"id":5}]']) {
        answer = [200, nonsense]
        await refusedWith(t, call(), 502, /cannot be read/)
      }
      answer = [401, { message: 'internals' }]
      await refusedWith(t, call(), 502, /no longer gives Twinshelf access/)
      for (const status of [301, 400, 403, 500, 503]) {
        answer = [status, { message: 'internals' }]
        await refusedWith(t, call(), 502, new RegExp(`The shop answered ${status}`))
      }
      answer = [429, { message: 'internals' }]
      await refusedWith(t, call(), 503, /answers no more for a moment/)
      for (const status of [404, 409, 422]) {
        answer = [status, { message: 'In the shop’s words' }]
        await refusedWith(t, call(), status, /In the shop’s words/)
        answer = [status, 'a proxy’s page']
        await refusedWith(t, call(), 502, /./)
      }
    }
    const read = {
      id: 5,
      created_at: '2026-11-24T12:00:00Z',
      currency: 'USD',
      subtotal_price: '1.00',
      refunded: '0.00',
      test: false,
      note_attributes: [],
    }
    answer = [200, { orders: [{ ...read, refunded: '-1' }, read], next: null }]
    const { orders, unreadable } = await strange.changedOrders(shop, { from: '', to: '' })
    t.match(orders, [{ id: '5' }], 'an order that cannot be read hides no other')
    t.match(unreadable, [/refunded is not valid/])
    await odd.close()
    for (const call of Object.values(calls))
      await refusedWith(t, call(), 502, /could not be reached/)
  },
)

t.test('a call for another shop is a 404 and changes nothing of the demo shop', async t => {
  const other = 'other-shop.demo-shop.test'
  for (const call of [
    () => platform.themes(other),
    () => platform.countProducts(other),
    () => platform.setPrices(other, '101', []),
    () => platform.publishTheme(other, '160002'),
    () => platform.subscriptions(other),
  ])
    await refusedWith(t, call(), 404, /no such shop/)
  t.equal((await platform.themes(shop)).find(({ role }) => role === 'live')!.id, '160001')
})

t.test('an app that was uninstalled gets no access', async t => {
  await told()
  await platform.uninstall(shop)
  t.same(
    (await told()).map(([topic]) => topic),
    ['app/uninstalled'],
  )
  for (const call of [
    () => platform.themes(shop),
    () => platform.shop(shop),
    () => platform.countProducts(shop),
    () => platform.urlRedirects(shop),
    () => platform.setPrices(shop, '101', []),
    () => platform.publishTheme(shop, '160002'),
    () => platform.removeScript(shop),
  ])
    await refusedWith(t, call(), 502, /no longer gives Twinshelf access/)
  t.equal((await demo.app.inject('/')).statusCode, 200)
  await demo.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
  t.equal((await platform.themes(shop)).length, 2)
})
