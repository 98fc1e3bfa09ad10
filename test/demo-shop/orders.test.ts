import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { maxRenewals } from '../../demo-shop/orders/renewals.ts'
import {
  address,
  bearer,
  openShop,
  shopperOf,
  temporaryFolder,
  type TestShop,
} from './support/demo-shop.ts'

type Line = {
  id: number
  key: string
  quantity: number
  price: number
  original_price: number
  line_price: number
  selling_plan: { id: number; name: string } | null
}
type Cart = { items: Line[]; total_price: number }
type Order = {
  id: string
  name: string
  created_at: string
  order_type: string
  first_order: { id: string; name: string } | null
  subtotal_price: string
  refunded: string
  cancelled_at: string | null
  note_attributes: object[]
  line_items: {
    title: string
    quantity: number
    price: string
    amount: string
    selling_plan: { name: string } | null
  }[]
}
const spoon = 30100
const plan = 7001,
  day = 86_400_000

const ordersOf = async ({ app }: TestShop) =>
  (await app.inject({ url: '/admin/api/orders.json', headers: bearer })).json<Order[]>()
async function candleId(shop: TestShop): Promise<number> {
  const { body } = await shop.app.inject('/products/kiln-candle')
  return Number(/name="id" value="(\d+)"/.exec(body)![1])
}
async function buy(shop: TestShop, items: object[], fields: object = {}): Promise<Order> {
  const shopper = shopperOf(shop)
  const added = await shopper.json('/cart/add.js', {
    items,
    attributes: { _ts_visitor: 'visitor-1' },
  })
  if (added.statusCode !== 200) throw new Error(added.body)
  return (await shopper.json('/checkout', { ...address, ...fields }, bearer)).json<Order>()
}

t.test(
  'a candle may be bought once or every month: two lines, each with its own price',
  async t => {
    const shop = await openShop(t)
    const shopper = shopperOf(shop)
    const id = await candleId(shop)
    for (const theme of ['160001', '160002'])
      t.match(
        (await shopper.get(`/products/kiln-candle?preview_theme_id=${theme}`)).body,
        /name="selling_plan"[\s\S]*Deliver monthly, 10% off/,
      )
    t.notMatch((await shopper.get('/products/oak-spoon')).body, 'selling_plan')
    await shopper.form('/cart/add', { id: String(id), selling_plan: '' })
    await shopper.form('/cart/add', { id: String(id), selling_plan: String(plan), quantity: '2' })
    const cart = async () => (await shopper.get('/cart.js')).json<Cart>()
    t.match(await cart(), {
      items: [
        { key: String(id), quantity: 1, price: 3600, line_price: 3600, selling_plan: null },
        {
          key: `${id}:${plan}`,
          quantity: 2,
          price: 3240,
          original_price: 3600,
          line_price: 6480,
          selling_plan: { id: plan, name: 'Deliver monthly, 10% off' },
        },
      ],
      total_price: 10_080,
    })
    const page = (await shopper.get('/cart')).body
    t.match(page, 'Deliver monthly, 10% off')
    t.match(page, `updates[${id}:${plan}]`)
    await shopper.form('/cart', { [`updates[${id}]`]: '0', [`updates[${id}:${plan}]`]: '3' })
    t.match(await cart(), { items: [{ quantity: 3, selling_plan: { id: plan } }] })
    await shopper.json('/cart/change.js', { id: `${id}:${plan}`, quantity: 1 })
    t.match((await shopper.get('/checkout')).body, /Deliver monthly, 10% off[\s\S]*\$32\.40/)
    const refused: object[] = [
      { id: spoon, selling_plan: plan },
      { id, selling_plan: 9 },
      { id, selling_plan: 'x' },
    ]
    for (const body of refused)
      t.equal((await shopper.json('/cart/add.js', body)).statusCode, 422, JSON.stringify(body))
    t.equal((await cart()).items.length, 1)
  },
)

t.test('an order has its details, and its lines add up after the plan’s discount', async t => {
  const shop = await openShop(t)
  const id = await candleId(shop)
  const mixed = await buy(shop, [{ id, quantity: 2, selling_plan: plan }, { id: spoon }])
  t.match(mixed, {
    name: '#1001',
    order_type: 'subscription',
    first_order: null,
    subtotal_price: '82.80',
    line_items: [
      {
        quantity: 2,
        price: '32.40',
        amount: '64.80',
        selling_plan: { id: plan, name: 'Deliver monthly, 10% off' },
      },
      { quantity: 1, price: '18.00', amount: '18.00', selling_plan: null },
    ],
  })
  t.match(await buy(shop, [{ id: spoon }]), {
    order_type: 'one_time',
    line_items: [{ amount: '18.00', selling_plan: null }],
  })
})

t.test(
  'each renewal is made once when it is due, is dated to its due day, and names the first order',
  async t => {
    const dataDir = temporaryFolder(t)
    const now = { at: Date.parse('2026-11-20T15:00:00Z') }
    const clock = () => new Date(now.at)
    const shop = await openShop(t, { clock, dataDir })
    const id = await candleId(shop)
    const first = await buy(shop, [{ id, quantity: 2, selling_plan: plan }, { id: spoon }])
    const renew = async (open: TestShop) =>
      (
        await open.app.inject({ method: 'POST', url: '/admin/api/renewals', headers: bearer })
      ).json<{ made: number }>().made
    now.at += 30 * day - 1
    t.equal(await renew(shop), 0)
    now.at += 1
    t.same(
      await Promise.all([renew(shop), renew(shop)]),
      [1, 0],
      'two requests at once make one renewal',
    )
    const renewal = (await ordersOf(shop)).at(-1)!
    t.match(renewal, {
      order_type: 'renewal',
      first_order: { id: first.id, name: '#1001' },
      created_at: '2026-12-20T15:00:00.000Z',
      subtotal_price: '64.80',
      line_items: [{ quantity: 2, amount: '64.80' }],
    })
    t.same(
      [renewal.note_attributes, renewal.line_items.length],
      [[], 1],
      'a renewal has no visitor, and one-time items are not sent again',
    )
    t.match((await shop.app.inject('/admin/orders/1002')).body, /Renewal[\s\S]*#1001/)

    await shop.close()
    now.at += 61 * day
    const again = await openShop(t, { clock, dataDir })
    t.same(
      (await ordersOf(again)).slice(2).map(order => order.created_at),
      ['2027-01-19T15:00:00.000Z', '2027-02-18T15:00:00.000Z'],
      'a shop that was off makes its missed renewals when it opens',
    )
    now.at += maxRenewals * 30 * day
    t.equal(
      await renew(again),
      maxRenewals - 3,
      'all that are due are made, even more than 20; then the subscription ends',
    )
    now.at += 30 * day
    t.equal(await renew(again), 0)
    const { statusCode, headers } = await again.app.inject({
      method: 'POST',
      url: '/admin/renewals',
    })
    t.same([statusCode, headers['location']], [303, '/admin'])
    t.equal(
      (await again.app.inject({ method: 'POST', url: '/admin/api/renewals' })).statusCode,
      401,
    )
  },
)

t.test('a refund is paid once, up to what is left, and the app is told', async t => {
  const told: { topic: string; body: Order }[] = []
  const shop = await openShop(t, {
    engineOrigin: await receiver(t, (topic, body) => told.push({ topic, body: body as Order })),
  })
  const { id } = await buy(shop, [{ id: spoon, quantity: 2 }])
  const merchant = shopperOf(shop)
  t.match((await merchant.get('/admin')).body, '/admin/orders/1001')
  t.match((await merchant.get('/admin/orders/1001')).body, 'value="36.00"')
  const pay = (amount: string, already: string) =>
    merchant.form('/admin/orders/1001/refund', { amount, already })
  // Webhooks that wait at the same time may arrive in any order.
  await shop.delivered()
  t.equal((await pay('10.50', '0.00')).statusCode, 303)
  await shop.delivered()
  t.equal((await pay('10.50', '0.00')).statusCode, 409, 'the same click again')
  const wrong = ['0', '25.51', '-1', 'all', '1.005', '']
  for (const amount of wrong) {
    const answer = await pay(amount, '10.50')
    t.equal(answer.statusCode, 422, amount)
    t.match(answer.body, 'aria-invalid="true"')
  }
  t.equal(
    (
      await merchant.form(
        '/admin/orders/1001/refund',
        { amount: '1', already: '10.50' },
        { origin: 'https://evil.example' },
      )
    ).statusCode,
    403,
  )
  const api = (payload: object, headers: object = bearer) =>
    shop.app.inject({
      method: 'POST',
      url: `/admin/api/orders/${id}/refunds`,
      payload,
      headers: { ...headers },
    })
  t.equal((await api({ amount: '25.50', already: '10.50' }, {})).statusCode, 401)
  t.match((await api({ amount: '25.50', already: '10.50' })).json<Order>(), {
    id,
    refunded: '36.00',
    subtotal_price: '36.00',
  })
  t.match((await merchant.get('/admin/orders/1001')).body, 'The whole order was refunded.')
  t.equal(
    (
      await shop.app.inject({
        method: 'POST',
        url: `/admin/api/orders/${randomUUID()}/refunds`,
        payload: { amount: '1' },
        headers: bearer,
      })
    ).statusCode,
    404,
  )
  await shop.delivered()
  t.same(told.map(({ topic, body }) => [topic, body.refunded]).sort(), [
    ['orders/create', '0.00'],
    ['orders/refunded', '10.50'],
    ['orders/refunded', '36.00'],
    ['orders/updated', '10.50'],
    ['orders/updated', '36.00'],
  ])
})

t.test('a cancelled order is reported once, and nothing of it is refunded', async t => {
  const told: { topic: string; body: Order }[] = []
  const shop = await openShop(t, {
    engineOrigin: await receiver(t, (topic, body) => told.push({ topic, body: body as Order })),
  })
  const { id } = await buy(shop, [{ id: spoon, quantity: 1 }])
  const merchant = shopperOf(shop)
  for (let i = 0; i < 2; i++)
    t.equal((await merchant.form('/admin/orders/1001/cancel', {})).statusCode, 303)
  t.match((await merchant.get('/admin/orders/1001')).body, 'The order was cancelled')
  t.match((await merchant.get('/admin')).body, 'Cancelled')
  const api = (path: string) =>
    shop.app.inject({
      method: 'POST',
      url: `/admin/api/orders/${path}`,
      payload: { amount: '1' },
      headers: bearer,
    })
  t.equal((await api(`${id}/refunds`)).statusCode, 409)
  t.equal((await api(`${id}/cancel`)).statusCode, 200)
  t.equal((await api(`${randomUUID()}/cancel`)).statusCode, 404)
  await shop.delivered()
  t.same(told.map(({ topic, body }) => [topic, body.cancelled_at !== null]).sort(), [
    ['orders/cancelled', true],
    ['orders/create', false],
    ['orders/updated', true],
  ])
})

t.test('the orders that changed in a span are read page by page', async t => {
  const now = { at: new Date('2026-11-20T12:00:00Z') }
  const shop = await openShop(t, { clock: () => now.at })
  const changed = async (from: string, to: string) => {
    const pages: string[][] = []
    for (let after: string | null = ''; after !== null;) {
      const asked = new URLSearchParams({ changed_from: from, changed_to: to, after })
      const { orders, next }: { orders: Order[]; next: string | null } = (
        await shop.app.inject({ url: `/admin/api/orders.json?${asked}`, headers: bearer })
      ).json()
      pages.push(orders.map(({ name }) => name))
      after = next
    }
    return pages
  }
  // All at one instant: a page may end between two of them.
  for (let i = 0; i < 101; i++) await buy(shop, [{ id: spoon, quantity: 1 }])
  const names = Array.from({ length: 101 }, (_, i) => `#${1001 + i}`)
  const noon = '2026-11-20T12:00:00Z',
    one = '2026-11-20T13:00:00Z'
  t.same(await changed(noon, one), [names.slice(0, 100), names.slice(100)])
  now.at = new Date('2026-11-20T14:00:00Z')
  await shopperOf(shop).form('/admin/orders/1005/refund', { amount: '1', already: '0.00' })
  t.same(await changed(one, '2026-11-21T00:00:00Z'), [['#1005']])
  t.same(await changed('2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'), [[]])
})

/** A server for webhooks that accepts everything. Returns its origin. */
async function receiver(t: Test, take: (topic: string, body: unknown) => void): Promise<string> {
  const app = Fastify()
  app.post('/webhooks/*', request => {
    take(String(request.headers['x-demo-topic']), request.body)
    return {}
  })
  t.teardown(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}
