import t from 'tap'
import { cartAttribute } from '../../../domain/events/event.ts'
import { shopifyCapabilities } from '../../../demo-shop/shopify-web/capabilities.ts'
import { address, bearer, openShop, shopperOf } from '../support/demo-shop.ts'
import { apiKey, apiSecret, openWeb } from './support.ts'

const mug = '/products/ash-glaze-mug'

t.test('a redirect works only where no page is', async t => {
  const { app } = await openWeb(t)
  const create = (path: string) =>
    app.inject({
      method: 'POST',
      url: '/admin/api/url_redirects.json',
      headers: bearer,
      payload: { path, target: '/collections/all' },
    })
  t.equal((await create(mug)).statusCode, 200)
  t.equal((await create('/gone')).statusCode, 200)
  t.equal((await app.inject(mug)).statusCode, 200)
  t.match((await app.inject('/gone')).headers, { location: '/collections/all' })
})

t.test('express checkout and “Buy it now” lose the cart’s attributes', async t => {
  const shop = await openWeb(t)
  const shopper = shopperOf(shop)
  await shopper.json('/cart/add.js', { id: 30100, attributes: { [cartAttribute]: 'visitor-1' } })
  for (const fields of [{}, { id: '30100' }]) {
    await shopper.form('/checkout/express', fields as Record<string, string>)
    const { note_attributes } = (
      await shopper.json('/checkout', { ...address, express: '1' })
    ).json<{ note_attributes: object[] }>()
    t.same(note_attributes, [])
  }
})

t.test('a shop that shows itself on both platforms keeps what its merchant has set', async t => {
  const shop = await openShop(t, {
    shopify: { keys: { apiKey, apiSecret }, appHandle: 'twinshelf' },
  })
  t.equal(shop.capabilities.current().redirects, 'always')
  const { capabilities, app } = await openWeb(t)
  t.same(capabilities.current(), shopifyCapabilities)
  t.equal(
    (await app.inject('/admin/apps/twinshelf/plans?x=1')).headers.location,
    '/admin/store/fern-and-kiln/apps/twinshelf/plans?x=1',
    'the app of the demo’s own platform is not there',
  )
  t.match((await shop.app.inject('/admin')).body, 'Twinshelf on Shopify')
})

t.test('the addresses of the platform’s admin lead to the pages of ours', async t => {
  const { app } = await openWeb(t)
  const store = '/admin/store/fern-and-kiln'
  for (const [path, to] of [
    ['', '/admin'],
    ['/orders/1001', '/admin/orders/1001'],
    ['/products', '/admin/products'],
    ['/themes/160001', '/admin/themes/160001'],
    [
      '/themes/160001?key=templates/product.json',
      '/admin/themes/160001/file?name=templates%2Fproduct.json',
    ],
    ['/settings/general', '/admin/settings'],
    ['/apps', `${store}/settings/apps`],
  ] as const)
    t.equal((await app.inject(store + path)).headers.location, to, path)
  t.equal((await app.inject('/admin/store/other/themes')).statusCode, 404)
})
