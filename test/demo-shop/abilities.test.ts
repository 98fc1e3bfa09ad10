import t, { type Test } from 'tap'
import { type Capabilities, poorest, richest } from '../../domain/platform/capabilities.ts'
import { assign } from '../../domain/tests/assignment.ts'
import { cartAttribute } from '../../domain/events/event.ts'
import { priceAttribute } from '../../domain/prices/price-test.ts'
import { formValues } from '../../demo-shop/admin/abilities-form.ts'
import { readerSignature } from '../../demo-shop/pages/unsigned-reads.ts'
import { address, bearer, openShop, shopperOf, type TestShop } from './support/demo-shop.ts'

const day = 86_400_000
const ask = ({ app }: TestShop, method: 'PUT' | 'POST' | 'DELETE', url: string, payload?: object) =>
  app.inject({ method, url, headers: bearer, ...(payload && { payload }) })
const waiting = async ({ app }: TestShop): Promise<number> =>
  Number(/(\d+) webhooks are waiting/.exec((await app.inject('/admin')).body)?.[1] ?? 0)
const refused = async (t: Test, answer: ReturnType<typeof ask>, field: string, words: RegExp) => {
  const { statusCode, json } = await answer
  t.equal(statusCode, 422)
  t.match(json(), { message: words, fields: [{ field, message: words }] })
}

t.test('the page sets every ability; it is kept, and apps are told', async t => {
  const shop = await openShop(t)
  const shopper = shopperOf(shop)
  const page = await shopper.get('/admin/abilities')
  for (const name of Object.keys(richest)) t.match(page.body, `name="${name}"`)
  t.equal((await shopper.form('/admin/abilities', formValues(richest))).statusCode, 303)
  t.equal(await waiting(shop), 0, 'nothing has changed')
  for (const wanted of [poorest, { ...richest, orderDays: 7, priceWay: 'discount' as const }]) {
    t.equal((await shopper.form('/admin/abilities', formValues(wanted))).statusCode, 303)
    t.same(shop.capabilities.current(), wanted)
    const shown = (await shopper.get('/admin/abilities')).body
    t.match(shown, new RegExp(`name="orderDays" value="${wanted.orderDays}"`))
    t.match(shown, new RegExp(`<option value="${wanted.priceWay}" selected>`))
  }
  t.equal(await waiting(shop), 2, 'one webhook for each change')
  await shop.close()
  const again = await openShop(t, { dataDir: shop.dataDir })
  t.match(again.capabilities.current(), { orderDays: 7, priceWay: 'discount' })
})

t.test('a wrong value is refused at its field, and nothing is saved', async t => {
  const shop = await openShop(t)
  const shopper = shopperOf(shop)
  for (const [name, value, words] of [
    ['orderDays', '0', /Days of orders: Enter a whole number from 1 to 3650/],
    ['orderDays', 'sixty', /Days of orders: Enter/],
    ['unsignedReads', '1.5', /Pages a minute: Enter/],
    ['priceWay', 'any', /Prices of apps: Choose one of: Any price;/],
    ['themeWrites', '', /Writing to themes: Choose/],
    ['faultAfter', '-1', /Parts that are done: Enter a whole number from 0/],
    ['faultTimes', 'x', /Writes that fail: Enter/],
  ] as const) {
    const { statusCode, body } = await shopper.form('/admin/abilities', {
      ...formValues({ ...richest, redirects: 'none' }),
      faultAfter: '1',
      faultTimes: '1',
      [name]: value,
    })
    t.equal(statusCode, 422, name)
    t.match(body, words)
    t.match(body, new RegExp(`name="${name}"[^>]*aria-invalid="true"`))
    t.match(body, '<option value="none" selected>', 'the form keeps what was chosen')
    t.same(shop.capabilities.current(), richest)
  }
  t.equal(shop.faults.current(), null)
  t.throws(() => shop.capabilities.set({ orderDays: 0 }), /orderDays: This is not possible/)
  t.throws(
    () => shop.capabilities.set({ priceWay: 'x' as Capabilities['priceWay'] }),
    /priceWay: This is not possible/,
  )
})

t.test('apps may not write to themes, or only to templates that are there', async t => {
  const shop = await openShop(t)
  const files = '/admin/api/themes/160001/files.json'
  const write = (name: string) =>
    ask(shop, 'PUT', files, {
      files: [{ name, body: '{"sections":{},"order":[]}' }],
    })
  shop.capabilities.set({ copies: 'merchant' })
  await refused(t, write('templates/product.x.json'), 'templates/product.x.json', /merchant makes/)
  t.equal((await write('templates/page.json')).statusCode, 200)
  shop.capabilities.set({ copies: 'ours' })
  t.equal((await write('templates/product.x.json')).statusCode, 200)
  shop.capabilities.set({ themeWrites: false })
  await refused(t, write('templates/page.json'), 'themes', /may not write/)
  await refused(
    t,
    ask(shop, 'DELETE', `${files}?name=templates/product.x.json`),
    'themes',
    /may not/,
  )
  await refused(t, ask(shop, 'POST', '/admin/api/themes/160002/publish'), 'themes', /may not/)
  t.equal(
    (await shop.app.inject({ method: 'PUT', url: files, payload: { files: [] } })).statusCode,
    401,
    'a stranger learns nothing',
  )
  const merchant = await shopperOf(shop).form('/admin/themes/160001/file', {
    name: 'templates/product.y.json',
    body: '{"sections":{},"order":[]}',
  })
  t.equal(merchant.statusCode, 303, 'the merchant may')
})

const mug = 10100
const rule = { id: 'test-1', weights: [0.5, 0.5] as [number, number] }
const visitor = Array.from({ length: 40 }, (_, i) => `visitor-${i}`).find(
  id => assign(rule.id, id, rule.weights) === 1,
)!

t.test('price rules only lower prices, or none are taken', async t => {
  const shop = await openShop(t)
  const own = shop.capabilities
  const charged = async (price: number): Promise<number> => {
    await ask(shop, 'PUT', '/admin/api/price-rules', [{ ...rule, prices: { [mug]: price } }])
    const shopper = shopperOf(shop)
    await shopper.json('/cart/update.js', {
      attributes: { [cartAttribute]: visitor, [priceAttribute]: rule.id },
    })
    await shopper.json('/cart/add.js', { id: mug, quantity: 1 })
    const { json } = await shopper.json('/cart/update.js', {})
    return (json() as { items: { original_price: number }[] }).items[0]!.original_price
  }
  const [lower, higher] = [100, 99_900]
  t.same([await charged(lower), await charged(higher)], [lower, higher])
  own.set({ priceWay: 'discount' })
  t.equal(await charged(lower), lower)
  t.notSame(await charged(higher), higher)
  own.set({ priceWay: 'none' })
  await refused(
    t,
    ask(shop, 'PUT', '/admin/api/price-rules', [{ ...rule, prices: { [mug]: lower } }]),
    'rules',
    /no price rules/,
  )
  t.not(await charged(lower), lower, 'rules from before are not charged')
  t.equal((await ask(shop, 'PUT', '/admin/api/price-rules', [])).statusCode, 200)
})

t.test('redirects work on every path, on missing pages, or nowhere', async t => {
  const shop = await openShop(t)
  const make = (path: string) =>
    ask(shop, 'POST', '/admin/api/url_redirects.json', { path, target: '/pages/about' })
  const go = async (url: string, method: 'GET' | 'HEAD' = 'GET') =>
    (await shop.app.inject({ url, method })).statusCode
  await make('/pages/gift-guide')
  await make('/products/gone')
  await make('/elsewhere/gone')
  const paths = ['/pages/gift-guide', '/products/gone', '/elsewhere/gone']
  t.same(await Promise.all(paths.map(path => go(path))), [301, 301, 301])
  shop.capabilities.set({ redirects: 'missingPages' })
  t.same(await Promise.all(paths.map(path => go(path))), [200, 301, 301])
  t.same(await Promise.all(paths.map(path => go(path, 'HEAD'))), [200, 301, 301])
  shop.capabilities.set({ redirects: 'none' })
  t.same(await Promise.all(paths.map(path => go(path))), [200, 404, 404])
  await refused(t, make('/products/other'), 'path', /no redirects/)
})

t.test('apps get no older orders than the shop gives', async t => {
  const now = { at: new Date('2026-05-01T12:00:00Z') }
  const shop = await openShop(t, { clock: () => now.at })
  const buy = async () => {
    const shopper = shopperOf(shop)
    await shopper.json('/cart/add.js', { id: mug, quantity: 1 })
    t.equal((await shopper.form('/checkout', address)).statusCode, 303)
  }
  await buy()
  now.at = new Date(now.at.getTime() + 60 * day)
  await buy()
  const read = async (query: string) =>
    (
      (
        await shop.app.inject({ url: `/admin/api/orders.json?${query}`, headers: bearer })
      ).json() as unknown[]
    ).length
  const all = async () => [await read(''), await read(`customer=${address.email}`)]
  t.same(await all(), [2, 2])
  shop.capabilities.set({ orderDays: 30 })
  t.same(await all(), [1, 1])
  shop.capabilities.set({ orderDays: 60 })
  t.same(await all(), [2, 2])
})

t.test('the script waits for its switch, which each theme has', async t => {
  const shop = await openShop(t)
  const merchant = shopperOf(shop)
  const has = async (url: string) => (await shop.app.inject(url)).body.includes('twinshelf.js?v=')
  const both = async () => [await has('/'), await has('/?preview_theme_id=160002')]
  const state = async (theme = '') =>
    (
      await shop.app.inject({
        url: `/admin/api/script_switch.json?theme=${theme}`,
        headers: bearer,
      })
    ).json()
  await shop.app.inject({
    method: 'PUT',
    url: '/admin/api/script',
    headers: bearer,
    payload: Buffer.from('1'),
  })
  t.same(await both(), [true, true])
  t.match(await state(), { state: 'notNeeded' })
  t.notMatch((await merchant.get('/admin/themes/160001')).body, 'App scripts')

  shop.capabilities.set({ scriptWay: 'switch' })
  t.same(await both(), [false, false])
  const off = (await state()) as { state: string; url: string }
  t.equal(off.state, 'off')
  const page = await merchant.get(new URL(off.url).pathname)
  t.match(page.body, /id="app-script"[^]*Turn on/)
  const before = await waiting(shop)
  await merchant.form('/admin/themes/160001/script', { to: 'on' })
  t.same(await both(), [true, false])
  t.match([await state(), await state('160002')], [{ state: 'on' }, { state: 'off' }])
  t.equal(await waiting(shop), before + 1, 'apps are told')
  await merchant.form('/admin/themes/160001/script', { to: 'off' })
  t.same(await both(), [false, false])
  shop.scriptSwitches.set('160002', true)
  t.same(await both(), [false, true])
  shop.capabilities.set({ scriptWay: 'uploaded' })
  shop.capabilities.set({ scriptWay: 'switch' })
  t.same(await both(), [false, false], 'off again after the mode was chosen again')
})

t.test('a program without the merchant’s signature reads only so many pages', async t => {
  const now = { at: new Date() }
  const shop = await openShop(t, { clock: () => now.at })
  shop.capabilities.set({ unsignedReads: 3 })
  const get = (headers: Record<string, string> = {}, url = '/') =>
    shop.app.inject({ url, headers: { 'user-agent': 'program', ...headers } })
  for (const url of ['/', '/pages/about', '/nowhere']) t.not((await get({}, url)).statusCode, 429)
  now.at = new Date(now.at.getTime() + 20_000)
  const { statusCode, headers, json } = await get()
  t.same([statusCode, headers['retry-after']], [429, '40'])
  t.match(json(), { message: /3 pages a minute/ })
  t.equal((await get({ 'user-agent': 'Mozilla/5.0' })).statusCode, 200, 'a shopper')
  t.equal((await get({ 'sec-fetch-mode': 'navigate' })).statusCode, 200, 'a browser')
  t.equal((await get({}, '/platform.css')).statusCode, 200, 'no page')
  const key = /<code>([\w-]{32})<\/code>/.exec(
    (await shop.app.inject('/admin/abilities')).body,
  )![1]!
  const signed = (url: string, seconds: number, by = key) => ({
    'x-demo-signed-at': String(seconds),
    'x-demo-signature': readerSignature(by, String(seconds), url),
  })
  const seconds = Math.floor(now.at.getTime() / 1_000)
  t.equal((await get(signed('/', seconds))).statusCode, 200)
  for (const wrong of [
    signed('/pages/about', seconds),
    signed('/', seconds - 301),
    signed('/', seconds, 'x'),
    { ...signed('/', seconds), 'x-demo-signature': 'short' },
  ])
    t.equal((await get(wrong)).statusCode, 429)
  now.at = new Date(now.at.getTime() + 40_000)
  t.equal((await get()).statusCode, 200)
})

t.test('a write of several parts fails in the middle when told to', async t => {
  const shop = await openShop(t)
  const template = (name: string) => ({
    name: `templates/${name}.json`,
    body: '{"sections":{},"order":[]}',
  })
  const names = ['page.a', 'page.b', 'page.c']
  const write = (list = names) =>
    ask(shop, 'PUT', '/admin/api/themes/160001/files.json', { files: list.map(template) })
  const there = async () =>
    (
      (
        await shop.app.inject({
          url: `/admin/api/themes/160001/files.json?${names.map(name => `name=templates/${name}.json`).join('&')}`,
          headers: bearer,
        })
      ).json() as unknown[]
    ).length
  /** So many of the parts were done, and the answer names each. */
  const partly = async (answer: ReturnType<typeof ask>, done: number, of: number) => {
    const response = await answer
    t.equal(response.statusCode, 422)
    const said = response.json<{ done: string[]; failed: { message: string }[] }>()
    t.equal(said.done.length, done)
    t.equal(said.failed.length, of - done)
    t.match(said.failed[0], { message: /refused/ })
  }
  shop.faults.set({ after: 1, times: 2 })
  t.equal((await write()).statusCode, 200, 'a shop with whole writes has no such faults')
  t.equal(await there(), 3)
  shop.capabilities.set({ wholeWrites: false })
  await partly(
    ask(
      shop,
      'DELETE',
      `/admin/api/themes/160001/files.json?${names.map(name => `name=templates/${name}.json`).join('&')}`,
    ),
    1,
    3,
  )
  t.equal(await there(), 2)
  t.equal((await write(['page.a'])).statusCode, 200, 'one part is written wholly')
  await partly(
    ask(shop, 'PUT', '/admin/api/template_assignments.json', {
      assignments: [
        { type: 'product', id: '101', suffix: 'x' },
        { type: 'product', id: '102', suffix: 'x' },
      ],
    }),
    1,
    2,
  )
  const assigned = (
    await shop.app.inject({ url: '/admin/api/resources.json?type=product', headers: bearer })
  ).json() as { id: string; suffix: string }[]
  t.same(
    assigned.filter(({ suffix }) => suffix === 'x').map(({ id }) => id),
    ['101'],
  )
  t.equal(shop.faults.current(), null, 'used up')

  const merchant = shopperOf(shop)
  await merchant.form('/admin/abilities', {
    ...formValues(shop.capabilities.current()),
    faultAfter: '0',
    faultTimes: '1',
  })
  await partly(
    ask(shop, 'PUT', '/admin/api/products/101/prices.json', {
      prices: [
        { variant_id: '10100', price: '1.00' },
        { variant_id: '10101', price: '1.00' },
      ],
    }),
    0,
    2,
  )
})
