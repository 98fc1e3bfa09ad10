import t from 'tap'
import { openShop, shopperOf, temporaryFolder, type TestShop } from './support/demo-shop.ts'

/**
 * Counts the webhooks that the shop wants to send. Nothing receives them here, so all of them wait.
 */
const waiting = async ({ app }: TestShop): Promise<number> =>
  Number(/(\d+) webhooks are waiting/.exec((await app.inject('/admin')).body)?.[1] ?? 0)
const pages = [
  '/admin',
  '/admin/products',
  '/admin/products/101',
  '/admin/themes',
  '/admin/themes/160001',
  '/admin/themes/160002/file?name=templates/product.json',
  '/admin/settings',
  '/admin/abilities',
  '/admin/apps',
]

t.test('every page of the back office is complete, not framable, and in the menu', async t => {
  const { app } = await openShop(t)
  for (const url of pages) {
    const { statusCode, body, headers } = await app.inject(url)
    t.equal(statusCode, 200, url)
    t.equal(headers['content-security-policy'], "frame-ancestors 'none'", url)
    t.equal(body.match(/<h1\b/g)?.length, 1, url)
    t.notMatch(body, /\{\{|\{%|undefined|\[object|Liquid error/, url)
    t.match(
      body,
      /<nav class="nav"[^]*href="\/admin\/products"[^]*href="\/admin\/themes"[^]*href="\/admin\/settings"/,
      url,
    )
  }
  for (const url of ['/admin/products/9', '/admin/themes/9', '/admin/themes/9/file?name=x'])
    t.equal((await app.inject(url)).statusCode, 404, url)
})

t.test('a change that another site sends from the merchant’s browser is refused', async t => {
  const shop = await openShop(t)
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'https://evil.example',
    accept: 'text/html',
  }
  for (const url of [
    '/admin/products/101',
    '/admin/products/101/delete',
    '/admin/themes/160002/publish',
    '/admin/themes/160002/delete',
    '/admin/themes/160001/file',
    '/admin/settings',
    '/admin/abilities',
    '/admin/themes/160001/script',
  ])
    t.equal(
      (await shop.app.inject({ method: 'POST', url, headers: form, payload: 'name=x' })).statusCode,
      403,
      url,
    )
  t.equal(await waiting(shop), 0)
})

t.test(
  'an edited template file is stored byte for byte and shown; a refusal keeps the text and gives the reason',
  async t => {
    const shop = await openShop(t)
    const { form, get } = shopperOf(shop)
    const file = '/admin/themes/160001/file?name=sections/hero.liquid'
    const text = async () =>
      /<textarea[^>]*>\n([^]*)<\/textarea>/
        .exec((await get(file)).body)![1]!
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&#34;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&')
    const before = await text()
    t.match(before, /<section class="hero">[^]*\{% schema %\}/)
    // With CRLF line ends, as a browser sends a textarea.
    const save = (name: string, body: string, more = {}) =>
      form('/admin/themes/160001/file', { name, body: body.replaceAll('\n', '\r\n'), ...more })
    t.equal((await save('sections/hero.liquid', before)).statusCode, 303)
    t.equal(await waiting(shop), 0, 'the same text is no change')
    t.equal(
      (await save('sections/hero.liquid', before.replace('<h1', '<p>Before all else</p><h1')))
        .headers['location'],
      '/admin/themes/160001/file?name=sections%2Fhero.liquid',
    )
    t.match((await get('/')).body, '<p>Before all else</p>')
    t.equal(await waiting(shop), 1)

    const refused = await save('sections/hero.liquid', '{% if %}<b>mine</b>')
    t.equal(refused.statusCode, 422)
    t.match(refused.body, /role="alert">sections\/hero\.liquid: /)
    t.match(refused.body, '{% if %}&lt;b&gt;mine', 'the form keeps the text')
    t.match((await get('/')).body, '<p>Before all else</p>')

    t.match(
      (await get('/admin/themes/160001/file?name=templates/product.gift.json')).body,
      'A new file',
    )
    await save(
      'templates/product.gift.json',
      '{ "sections": { "main": { "type": "main-product" } }, "order": ["main"] }',
    )
    t.match((await get('/admin/themes/160001')).body, '>templates/product.gift.json</a>')
    t.match((await get('/admin/products/101')).body, '<option value="gift">gift</option>')
    t.equal(
      (await save('templates/product.gift.json', '', { delete: '1' })).headers['location'],
      '/admin/themes/160001',
    )
    t.notMatch((await get('/admin/themes/160001')).body, '>templates/product.gift.json</a>')
    t.equal(
      (await save('templates/product.json', '', { delete: '1' })).statusCode,
      422,
      'a file that the theme needs cannot be deleted',
    )
  },
)

t.test('themes are published, deleted and restored', async t => {
  const shop = await openShop(t)
  const { form, get } = shopperOf(shop)
  const act = async (id: string, what: string) =>
    (await form(`/admin/themes/${id}/${what}`, {})).statusCode
  t.equal(await act('160001', 'delete'), 409, 'the published theme cannot be deleted')
  t.equal(await act('160002', 'publish'), 303)
  t.match((await get('/')).body, 'For kitchens that are used')
  t.equal(await act('160001', 'delete'), 303)
  t.equal((await get('/admin/themes/160001')).statusCode, 404)
  t.match(
    (await get('/?preview_theme_id=160001')).body,
    'For kitchens that are used',
    'a deleted theme cannot be previewed',
  )
  t.match((await get('/admin/themes')).body, 'Restore Kiln')
  t.equal(await act('160001', 'restore'), 303)
  t.match((await get('/?preview_theme_id=160001')).body, 'Pots with the weather in them')
  t.equal(await waiting(shop), 3)
})

t.test(
  'a product’s prices, template and status are edited; a wrong value is named and nothing is stored',
  async t => {
    const shop = await openShop(t)
    const { form, get } = shopperOf(shop)
    const spoon = /href="\/admin\/products\/(\d+)">Oak spoon</.exec(
      (await get('/admin/products')).body,
    )![1]!
    const url = `/admin/products/${spoon}`
    const [, variant] = /name="prices\[(\d+)\]"/.exec((await get(url)).body)!
    const price = `prices[${variant}]`
    t.equal(
      (await form(url, { [price]: '21.50', suffix: 'story', status: 'active' })).statusCode,
      303,
    )
    const { body } = await get('/products/oak-spoon')
    t.match(body, '$21.50')
    t.match(body, 'id="section-story"')
    for (const wrong of ['0', '-1', 'free', '1.234', '']) {
      const refused = await form(url, { [price]: wrong, suffix: '', status: 'archived' })
      t.equal(refused.statusCode, 422, wrong)
      t.match(refused.body, `value="${wrong}"`, 'the form keeps the value')
    }
    t.match((await get('/products/oak-spoon')).body, '$21.50')
    t.equal((await form(url, { status: 'gone' })).statusCode, 422)

    await form(url, { status: 'draft' })
    t.equal((await get('/products/oak-spoon')).statusCode, 404, 'only active products are on sale')
    t.match((await get('/admin/products')).body, 'Draft</span>')
    t.equal((await form('/cart/add', { id: variant! })).statusCode, 422)
    await form(url, { status: 'active' })
    t.equal((await form(`${url}/delete`, {})).statusCode, 303)
    t.equal((await get(url)).statusCode, 404)
    t.equal((await form(url, { [price]: '1' })).statusCode, 404)
    await form(`${url}/restore`, {})
    t.match(
      (await get('/products/oak-spoon')).body,
      '$21.50',
      'a restored product has its price again',
    )
  },
)

t.test('all changes of the back office are there after a restart', async t => {
  const dataDir = temporaryFolder(t)
  const first = await openShop(t, { dataDir })
  const { form } = shopperOf(first)
  await form('/admin/themes/160002/file', { name: 'sections/hero.liquid', body: '<h1>Kept</h1>' })
  await form('/admin/themes/160002/file', { name: 'templates/page.guide.json', delete: '1' })
  await form('/admin/themes/160002/publish', {})
  await form('/admin/themes/160001/delete', {})
  await form('/admin/products/101', { 'prices[10100]': '12.34', suffix: 'story' })
  await form('/admin/products/102/delete', {})
  await form('/admin/settings', { name: 'Kept & Co', email: 'kept@example.com' })
  const draw = async ({ app }: TestShop) =>
    Promise.all(
      [
        '/',
        '/products/ash-glaze-mug',
        '/pages/gift-guide-2026',
        '/sitemap.xml',
        '/admin/themes',
        '/admin/themes/160002',
        '/admin/products',
        '/admin/settings',
        '/collections/all',
      ].map(async url => (await app.inject(url)).body),
    )
  const before = await draw(first)
  t.match(before[0], '<h1>Kept</h1>')
  t.match(before[1], '$12.34')
  await first.close()
  t.same(await draw(await openShop(t, { dataDir })), before)
})
