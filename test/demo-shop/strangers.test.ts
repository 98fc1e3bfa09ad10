import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { day } from '../../domain/time-units.ts'
import { address, bearer, openShop, shopperOf } from './support/demo-shop.ts'

t.test('a renewal is not shown to a visitor who guesses its cart’s token', async t => {
  let now = new Date('2026-09-01T10:00:00Z')
  const shop = await openShop(t, { clock: () => now })
  const ada = shopperOf(shop)
  const page = (
    await shop.app.inject({ url: '/products/kiln-candle', headers: { accept: 'text/html' } })
  ).body
  const id = /"id":(\d{5,})/.exec(page)?.[1] ?? /name="id"[^>]*value="(\d+)"/.exec(page)![1]!
  await ada.form('/cart/add', { id, selling_plan: '7001' })
  t.equal((await ada.form('/checkout', address)).statusCode, 303)
  now = new Date('2026-10-05T10:00:00Z')
  const { made } = (
    await shop.app.inject({ method: 'POST', url: '/admin/api/renewals', headers: bearer })
  ).json<{ made: number }>()
  t.equal(made, 1)
  const stranger = shopperOf(shop)
  stranger.cookies.set('cart', 'renewal%201%201')
  t.equal((await stranger.form('/checkout', {})).headers['location'], '/cart')
})

t.test(
  'a cart that was bought is not found again, and the next purchase is another order',
  async t => {
    const shop = await openShop(t)
    const ada = shopperOf(shop)
    await ada.form('/cart/add', { id: '30100' })
    const token = ada.cookies.get('cart')!
    const first = await ada.form('/checkout', address)
    // As if the response was lost: the browser still has its cookie.
    ada.cookies.set('cart', token)
    t.equal((await ada.get('/cart.js')).json<{ item_count: number }>().item_count, 0)
    await ada.form('/cart/add', { id: '10100' })
    const second = await ada.form('/checkout', address)
    t.match(second.headers['location'], /^\/orders\//)
    t.not(second.headers['location'], first.headers['location'])
  },
)

t.test(
  'strangers can place a limited number of orders a minute, and none when the disk is full',
  async t => {
    let hasRoom = true
    const shop = await openShop(t, { ordersAMinute: 2, hasRoom: () => hasRoom })
    const order = async (headers = {}) => {
      const shopper = shopperOf(shop)
      await shopper.json('/cart/add.js', { id: 30100, quantity: 1 })
      return (await shopper.json('/checkout', address, headers)).statusCode
    }
    t.same([await order(), await order(), await order()], [201, 201, 429])
    t.equal(await order(bearer), 201, 'the limit does not apply to the shop itself')
    hasRoom = false
    t.equal(await order(bearer), 503)
  },
)

t.test('an order has no text that Postgres cannot store', async t => {
  const shop = await openShop(t)
  for (const text of ['x\u0000y', 'half \ud83d'])
    t.equal(
      (
        await shopperOf(shop).json('/cart/add.js', {
          id: 30100,
          quantity: 1,
          attributes: { a: text },
        })
      ).statusCode,
      422,
    )
})

t.test('a delivery that is refused for two days is not sent again', async t => {
  let asked = 0
  const app = createServer((request, response) => {
    asked++
    request.resume().on('end', () => response.writeHead(400).end())
  })
  await new Promise<void>(resolve => app.listen(0, '127.0.0.1', resolve))
  t.teardown(() => app.close())
  const longAgo = new Date(Date.now() - 3 * day)
  const shop = await openShop(t, {
    engineOrigin: `http://127.0.0.1:${(app.address() as AddressInfo).port}`,
    webhookWait: 10,
    clock: () => longAgo,
  })
  const ada = shopperOf(shop)
  await ada.form('/cart/add', { id: '30100' })
  await ada.form('/checkout', address)
  await shop.delivered()
  t.equal(asked, 1)
})

t.test('a path with very many slashes is answered fast', async t => {
  const shop = await openShop(t)
  const path = `/a${'/'.repeat(15_000)}x`
  // Quadratic time would take minutes here and exceed the test's timeout.
  t.equal((await shop.app.inject({ url: path, headers: { accept: 'text/html' } })).statusCode, 404)
})
