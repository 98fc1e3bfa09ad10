import t from 'tap'
import { cartAttribute } from '../../domain/events/event.ts'
import { cartAge, cartsKept, openCarts } from '../../demo-shop/orders/carts.ts'
import { openDatabase } from '../../demo-shop/database.ts'
import {
  address,
  bearer,
  openShop,
  shopOrigin,
  shopperOf,
  temporaryFolder,
} from './support/demo-shop.ts'

type Cart = {
  token: string
  items: { id: number; quantity: number; line_price: number }[]
  item_count: number
  total_price: number
  attributes: Record<string, string>
  note: string
}
type Order = {
  id: string
  created_at: string
  subtotal_price: string
  total_shipping: string
  total_price: string
  refunded: string
  test: boolean
  currency: string
  note_attributes: { name: string; value: string }[]
  line_items: { title: string; quantity: number; price: string }[]
}
const mug = 10100,
  bigIronMug = 10105,
  spoon = 30100

t.test(
  'from the product’s form to the order: the order has the cart’s attributes, its subtotal has no delivery',
  async t => {
    const shop = await openShop(t, { clock: () => new Date('2026-11-20T15:00:00Z') })
    const shopper = shopperOf(shop)
    t.equal((await shopper.get('/cart')).cookies.length, 0, 'an empty cart has no cookie')
    const added = await shopper.form('/cart/add', {
      id: String(mug),
      'options[Size]': '350 ml',
      'options[Glaze]': 'Iron',
      [`attributes[${cartAttribute}]`]: 'visitor-1',
    })
    t.equal(added.statusCode, 303)
    t.equal(added.headers['location'], '/cart')
    t.match(added.cookies[0], { name: 'cart', path: '/', sameSite: 'Lax' })
    t.notOk(added.cookies[0]!.httpOnly, 'the shop’s scripts may read the cart’s cookie')

    const cart = (await shopper.get('/cart.js')).json<Cart>()
    t.match(
      cart,
      {
        items: [{ id: bigIronMug, quantity: 1, line_price: 3800 }],
        attributes: { [cartAttribute]: 'visitor-1' },
      },
      'the chosen options decide, not the id in the form',
    )
    await shopper.form('/cart', {
      [`updates[${bigIronMug}]`]: '2',
      note: 'For <b>Ines</b>',
      checkout: '1',
    })
    t.match((await shopper.get('/cart')).body, 'For &lt;b&gt;Ines&lt;/b&gt;')

    t.match((await shopper.get('/checkout')).body, '$76.00')
    const paid = await shopper.form('/checkout', address)
    t.equal(paid.statusCode, 303)
    t.notOk(shopper.cookies.has('cart'), 'the cart’s cookie is gone after the checkout')
    t.match(
      (await shopper.get(paid.headers['location'] as string)).body,
      /Thank you, Ada Lind[\s\S]*\$76\.00/,
    )

    const [order] = (
      await shop.app.inject({ url: '/admin/api/orders.json', headers: bearer })
    ).json<Order[]>()
    t.match(order, {
      created_at: '2026-11-20T15:00:00.000Z',
      currency: 'USD',
      subtotal_price: '76.00',
      total_shipping: '0.00',
      total_price: '76.00',
      refunded: '0.00',
      test: false,
      note_attributes: [{ name: cartAttribute, value: 'visitor-1' }],
      line_items: [{ title: 'Ash glaze mug – 350 ml / Iron', quantity: 2, price: '38.00' }],
    })
  },
)

t.test('scripts add, change and update; attributes merge, and an empty one is removed', async t => {
  const shopper = shopperOf(await openShop(t))
  t.match(
    (
      await shopper.json('/cart/add.js', { id: mug, quantity: 2, attributes: { a: '1' } })
    ).json<Cart>(),
    { item_count: 2, total_price: 6800 },
  )
  t.match(
    (
      await shopper.json('/cart/add.js', { items: [{ id: mug }, { id: spoon, quantity: 3 }] })
    ).json<Cart>(),
    { item_count: 6, total_price: 3 * 3400 + 3 * 1800 },
  )
  t.match((await shopper.json('/cart/change.js', { id: mug, quantity: 1 })).json<Cart>(), {
    item_count: 4,
  })
  t.match((await shopper.json('/cart/update.js', { attributes: { b: '2' } })).json<Cart>(), {
    attributes: { a: '1', b: '2' },
    item_count: 4,
  })
  const { attributes, items } = (
    await shopper.json('/cart/update.js', { attributes: { a: '' }, updates: { [spoon]: 0 } })
  ).json<Cart>()
  t.same(attributes, { b: '2' })
  t.same(
    items.map(item => item.id),
    [mug],
  )
})

t.test('a refused request does not change the cart', async t => {
  const shopper = shopperOf(await openShop(t))
  await shopper.json('/cart/add.js', { id: mug })
  const wrong: [object, number][] = [
    [{ id: 999 }, 422],
    [{ id: mug, quantity: 99 }, 422],
    [{ id: mug, quantity: -1 }, 422],
    [{ id: mug, quantity: 1.5 }, 422],
    [{}, 422],
    [{ id: spoon, attributes: { long: 'x'.repeat(5000) } }, 422],
    [
      { id: spoon, attributes: { a: 'x'.repeat(4000), b: 'x'.repeat(4000), c: 'xxx'.repeat(64) } },
      422,
    ],
    [{ items: [null] }, 422],
    [{ items: [1] }, 422],
    [[1], 400],
  ]
  for (const [body, status] of wrong)
    t.equal(
      (await shopper.json('/cart/add.js', body)).statusCode,
      status,
      JSON.stringify(body).slice(0, 60),
    )
  t.match((await shopper.get('/cart.js')).json<Cart>(), { item_count: 1, attributes: {} })
  t.equal(
    (await shopper.json('/cart/add.js', { id: spoon }, { origin: 'https://evil.example' }))
      .statusCode,
    403,
    'a page of another site is refused',
  )
  t.equal(
    (
      await shopper.json(
        '/cart/add.js',
        { id: spoon },
        { origin: shopOrigin, host: new URL(shopOrigin).host },
      )
    ).statusCode,
    200,
  )
})

t.test('the checkout names each missing field and keeps what the shopper typed', async t => {
  const shop = await openShop(t)
  const shopper = shopperOf(shop)
  t.equal(
    (await shopper.get('/checkout')).headers['location'],
    '/cart',
    'an empty cart has no checkout',
  )
  await shopper.json('/cart/add.js', { id: spoon })
  const { statusCode, body } = await shopper.form('/checkout', {
    ...address,
    email: 'nonsense',
    city: '',
    name: '"Ada"',
  })
  t.equal(statusCode, 422)
  t.match(body, 'This is no e-mail address.')
  t.match(body, 'City is needed.')
  t.match(body, 'value="&#34;Ada&#34;"')
  t.same((await shop.app.inject({ url: '/admin/api/orders.json', headers: bearer })).json(), [])
})

t.test('one cart becomes one order, even when the checkout is sent several times', async t => {
  const shop = await openShop(t)
  const shopper = shopperOf(shop)
  await shopper.json('/cart/add.js', { id: spoon })
  const cart = shopper.cookies.get('cart')!
  const again = async () =>
    (await shopper.json('/checkout', address, { cookie: `cart=${cart}` })).json<Order>()
  const orders = await Promise.all([again(), again(), again()])
  t.equal(new Set(orders.map(order => order.id)).size, 1)
  t.same(orders[0]?.total_shipping, '6.50')
  t.equal(
    (await shop.app.inject({ url: '/admin/api/orders.json', headers: bearer })).json<Order[]>()
      .length,
    1,
  )
})

t.test(
  'test orders are marked; only the shop itself may set an order’s date, and only in the past',
  async t => {
    const shop = await openShop(t, { clock: () => new Date('2026-11-20T15:00:00Z') })
    const order = async (fields: object, headers: Record<string, string> = {}) => {
      const shopper = shopperOf(shop)
      await shopper.json('/cart/add.js', { id: spoon })
      return shopper.json('/checkout', { ...address, ...fields }, headers)
    }
    t.equal((await order({ test: 'on' })).json<Order>().test, true)
    t.equal((await order({ created_at: '2026-11-01T08:30:00Z' })).statusCode, 403)
    t.equal(
      (await order({ created_at: '2026-11-01T08:30:00Z' }, { authorization: 'Bearer wrong' }))
        .statusCode,
      403,
    )
    t.equal(
      (await order({ created_at: '2026-11-01T08:30:00Z' }, bearer)).json<Order>().created_at,
      '2026-11-01T08:30:00.000Z',
    )
    t.equal((await order({ created_at: '2026-11-21T08:30:00Z' }, bearer)).statusCode, 422)
    t.equal((await order({ created_at: 'yesterday' }, bearer)).statusCode, 422)
    const between = (
      await shop.app.inject({
        url: '/admin/api/orders.json?from=2026-11-01T00:00:00Z&to=2026-11-20T15:00:00Z',
        headers: bearer,
      })
    ).json<Order[]>()
    t.same(
      between.map(o => o.created_at),
      ['2026-11-01T08:30:00.000Z'],
      'the range includes its start and excludes its end',
    )
  },
)

t.test('the number of an order does not open its page', async t => {
  const { app } = await openShop(t)
  t.equal((await app.inject('/orders/1001')).statusCode, 404)
})

t.test('old carts, bought carts and those above the limit are deleted', t => {
  const db = openDatabase(temporaryFolder(t))
  const now = { at: Date.parse('2026-11-20T15:00:00Z') }
  const carts = openCarts(db, () => new Date(now.at))
  t.teardown(() => db.close())
  const count = () => (db.prepare('select count(*) as n from carts').get() as { n: number }).n
  const begin = () => {
    const cart = carts.begin()
    carts.save(cart)
    return cart
  }
  const old = begin()
  now.at += cartAge - 1
  const bought = begin()
  db.exec(`insert into orders (id, token, cart_token, created_at, is_test, customer, lines, attributes, note, subtotal, shipping)
    values ('1', '1', '${bought.token}', '', 0, '', '', '', '', 0, 0)`)
  carts.clear()
  t.equal(count(), 1, 'the bought cart is deleted')
  t.equal(carts.find(old.token)?.token, old.token, 'a cart just below the maximum age stays')
  now.at += 1
  carts.clear()
  t.equal(count(), 0, 'the old cart is deleted')

  db.exec('begin')
  const first = begin()
  now.at += 1
  for (let n = 0; n < cartsKept + 150; n++) begin()
  db.exec('commit')
  t.ok(count() < cartsKept + 100, 'making carts also deletes old ones')
  t.equal(carts.find(first.token), null, 'the cart that was unchanged for longest is gone')
  t.end()
})
